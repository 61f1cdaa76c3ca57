"""Metrics: the paper's tables beside ours, what was measured on one run, and what labels say."""

import streamlit as st

from rivae.ui import (
    cache,
    metrics_labels,
    metrics_panels,
    metrics_run_panels,
    metrics_session,
    notices,
    state,
)
from rivae.ui.run_picker import run_picker

bar = st.container(horizontal=True, vertical_alignment="bottom")
with bar:
    view = metrics_session.view_picker()

if view == "Tables":
    metrics_panels.tables(bar)
elif view == "From labels":
    metrics_labels.from_labels(bar)
else:
    ready = [run.id for run in cache.ready_runs()]
    run_id, remark = metrics_session.current_run(ready[0] if ready else "")
    if not run_id:
        notices.no_runs()
        st.stop()
    with bar:
        run_picker(run_id, ready, key=state.METRICS_RUN, on_change=metrics_session.choose_run)
    if remark:
        st.warning(remark, icon=":material/info:")
    metrics_run_panels.this_run(run_id, bar)
