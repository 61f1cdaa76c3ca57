"""Explore: drag a slider, see the retrieved pictures change."""

import streamlit as st

from rivae.ui import (
    drawer,
    explore_export,
    explore_session,
    explore_steer,
    gallery,
    notices,
    page_help,
    run_picker,
    state,
)
from rivae.ui.components.explore_panel import explore_panel

ready = notices.ready_runs()
entered = st.session_state[state.ENTERED]
default = ready[0].id if ready else ""
shown, explorer = notices.opened(lambda: explore_session.current(entered, default))
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
    page_help.explore()
    explore_export.panel(explorer, shown)
    if explorer.method.has_latent:
        explore_steer.button(explorer, shown)

notices.remarks(explorer, st.session_state.get(state.EXPLORE_NOTICE, ""))

explore_panel(
    explore_session.panel_data(explorer, shown),
    key=state.EXPLORE_PANEL,
    on_commit=explore_session.on_commit,
    on_pick=explore_session.on_pick,
    on_choose=explore_session.on_choose,
    on_ask=explore_session.PANEL.on_ask,
)

if (item := st.session_state.get(state.EXPLORE_ITEM)) is not None:
    drawer.show(explorer, shown, item)
if st.session_state.get(state.EXPLORE_CHOOSING):
    gallery.show(explorer, shown.query)
