"""Train: start, watch, stop, resume and compare training runs."""

import streamlit as st

from rivae.errors import RivaeError
from rivae.ui import (
    access_bar,
    outcome,
    page_help,
    train_form,
    train_import,
    train_queue,
    train_runs,
    train_session,
    trash,
)

train_form.take_address()
with st.container(horizontal=True, vertical_alignment="bottom"):
    view = train_session.view_picker()
    page_help.train()
    train_import.panel()
    trash.panel("run")
    access_bar.panel()
outcome.show(train_queue.PLACE)
trash.undo("run")
try:
    if view == "New run":
        train_form.panel()
    else:
        train_runs.panel()
except RivaeError as error:
    st.warning(str(error), icon=":material/info:")
