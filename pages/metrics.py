"""Metrics: the paper's tables next to ours, the scores of one run, and scores from labels."""

import streamlit as st

from rivae.app.metrics import benchmark, labels, session
from rivae.app.metrics import run as metrics_run_panels
from rivae.app.shared import notices
from rivae.app.shared.runs import run_picker
from rivae.app.shell import cache, keys

bar = st.container(horizontal=True, vertical_alignment="bottom")
with bar:
    view = session.view_picker()

if view == "Tables":
    benchmark.tables(bar)
elif view == "From labels":
    labels.from_labels(bar)
else:
    ready = [run.id for run in cache.ready_runs()]
    run_id, asks, remark = session.current_run(ready)
    if not run_id:
        notices.no_runs()
        st.stop()
    with bar:
        run_picker(run_id, ready, key=keys.METRICS_RUN, on_change=session.choose_run)
    if remark:
        st.warning(remark, icon=":material/info:")
    metrics_run_panels.this_run(run_id, asks, bar)
