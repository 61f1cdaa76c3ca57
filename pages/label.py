"""Label: what the runs retrieve, factor by factor, by keyboard; agreement; plans."""

import streamlit as st

from rivae.errors import RivaeError
from rivae.ui import (
    label_desk,
    label_plans,
    label_review,
    label_session,
    label_store,
    page_help,
    state,
)

bar = st.container(horizontal=True, vertical_alignment="bottom")
try:
    names = label_store.plan_names()
    with bar:
        view = label_session.view_picker(names)
        chosen, remark = label_session.plan_picker(names) if view != "Plans" else ("", "")
    if remark:
        st.warning(remark, icon=":material/info:")
    if view != "Label" or st.session_state[state.ENTERED]:
        label_desk.enter()
    if view == "Plans":
        label_plans.panel(names)
    elif chosen:
        with st.skeleton(height=480):
            opened = label_store.open_plan(chosen)
        (label_desk if view == "Label" else label_review).panel(opened, bar)
    with bar:
        page_help.label()
except RivaeError as error:
    st.warning(str(error), icon=":material/info:")
