"""Train: start, watch, stop, resume and compare training runs."""

import streamlit as st

from rivae.app.shared import trash
from rivae.app.shell import pages, report
from rivae.app.train import archive, form, login, runs, session
from rivae.base.errors import RivaeError

form.take_address()
with st.container(horizontal=True, vertical_alignment="bottom"):
    view = session.view_picker()
    pages.train()
    archive.import_panel()
    trash.panel("run")
    login.panel()
report.show(session.PLACE)
trash.undo("run")
try:
    if view == "New run":
        form.panel()
    else:
        runs.panel()
except RivaeError as error:
    report.warning(str(error))
