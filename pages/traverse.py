"""Traverse: what each dimension does, as strips, correlations and planes."""

import streamlit as st

from rivae.errors import RivaeError
from rivae.ui import (
    cache,
    notices,
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

ready = cache.ready_runs()
if not ready and "run" not in st.query_params:
    notices.no_runs()
    st.stop()

try:
    with st.skeleton(height=480):  # opening a run for the first time may take seconds
        anchor, explorer, remark = traverse_session.current(ready[0].id if ready else "")
except RivaeError as error:
    notices.unusable(error)
    st.stop()

with st.container(horizontal=True, vertical_alignment="bottom"):
    run_picker.run_picker(
        anchor.run,
        [run.id for run in ready],
        key=state.TRAVERSE_RUN,
        on_change=traverse_session.choose_run,
    )
    view = traverse_controls.view_and_range(explorer.method.axis_letter())
    notices.traverse_help()
notices.no_latent(explorer.method)
if remark:
    st.warning(remark, icon=":material/info:")

try:
    choice = traverse_session.chosen_range()
    PANELS[view](explorer, anchor, choice)
except RivaeError as error:
    st.warning(str(error), icon=":material/info:")
