"""Label: what the runs retrieve, factor by factor, by keyboard; agreement; plans."""

import streamlit as st

from rivae.app.label import desk, plans, review
from rivae.app.shared import labels
from rivae.app.shell import keys, pages, report
from rivae.base.errors import RivaeError

bar = st.container(horizontal=True, vertical_alignment="bottom")
try:
    names = labels.plan_names()
    with bar:
        view = labels.view_picker(names)
        chosen, remark = labels.plan_picker(names) if view != "Plans" else ("", "")
    if remark:
        st.warning(remark, icon=":material/info:")
    if view != "Label" or st.session_state[keys.ENTERED]:
        desk.enter()
    if view == "Plans":
        plans.panel(names)
    elif chosen:
        with st.skeleton(height=480):
            opened = labels.open_plan(chosen)
        (desk if view == "Label" else review).panel(opened, bar)
    with bar:
        pages.label()
except RivaeError as error:
    report.warning(str(error))
