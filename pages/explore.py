"""Explore: drag a slider, see the retrieved pictures change."""

import streamlit as st

from rivae.errors import RivaeError
from rivae.ui import (
    cache,
    drawer,
    explore_export,
    explore_session,
    explore_steer,
    gallery,
    notices,
    run_picker,
    state,
)
from rivae.ui.components.explore_panel import explore_panel

ready = cache.ready_runs()
if not ready and not explore_session.link_in_address().get("run"):
    notices.no_runs()
    st.stop()

entered = st.session_state[state.ENTERED]
try:
    with st.skeleton(height=480):  # opening a run for the first time may take seconds
        shown, explorer = explore_session.current(entered, ready[0].id if ready else "")
except RivaeError as error:
    notices.unusable(error)
    st.stop()
if entered:
    explore_session.refresh()

with st.container(horizontal=True, vertical_alignment="bottom"):
    run_picker.run_picker(
        shown.run,
        [run.id for run in ready],
        key=state.EXPLORE_RUN,
        on_change=lambda: explore_session.open_run(st.session_state[state.EXPLORE_RUN], shown.rows),
    )
    run_picker.rows_picker(
        shown.rows,
        key=state.EXPLORE_ROWS,
        on_change=lambda: explore_session.open_run(shown.run, st.session_state[state.EXPLORE_ROWS]),
    )
    notices.explore_help()
    explore_export.panel(explorer, shown)
    if explorer.method.has_latent:
        explore_steer.button(explorer, shown)

notices.no_latent(explorer.method)
if notice := st.session_state.get(state.EXPLORE_NOTICE):
    st.warning(notice, icon=":material/info:")

explore_panel(
    explore_session.panel_data(explorer, shown),
    key=state.EXPLORE_PANEL,
    on_commit=explore_session.on_commit,
    on_pick=explore_session.on_pick,
    on_choose=explore_session.on_choose,
    on_ask=explore_session.PANEL.on_ask,
)

if st.session_state.get(state.EXPLORE_CHOOSING):
    gallery.show(explorer, shown.query)
elif st.session_state.get(state.EXPLORE_ITEM) is not None:
    drawer.show(explorer, shown, st.session_state[state.EXPLORE_ITEM])
