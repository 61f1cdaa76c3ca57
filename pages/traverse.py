"""Traverse: what each dimension does, as strips, correlations and planes."""

import streamlit as st

from rivae.errors import RivaeError
from rivae.ui import (
    address,
    notices,
    page_help,
    run_picker,
    state,
    traverse_controls,
    traverse_factors,
    traverse_panels,
    traverse_session,
)

PANELS = {
    "Strips": traverse_panels.strips,
    "Correlations": traverse_factors.correlations,
    "Plane": traverse_panels.plane,
}

ready = notices.ready_runs()
default = ready[0].id if ready else ""
anchor, explorer, remark = notices.opened(lambda: traverse_session.current(default))

with st.container(horizontal=True, vertical_alignment="bottom"):
    run_picker.run_picker(
        anchor.run,
        [run.id for run in ready],
        key=state.TRAVERSE_RUN,
        on_change=traverse_session.choose_run,
    )
    view = traverse_controls.view_and_range(explorer.method.axis_letter())
    page_help.traverse()
notices.remarks(explorer, remark, address.instead_of_upload(anchor.query))

try:
    choice = traverse_session.chosen_range()
    PANELS[view](explorer, anchor, choice)
except RivaeError as error:
    st.warning(str(error), icon=":material/info:")
