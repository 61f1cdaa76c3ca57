"""Steer: several axes at once, a row of pictures and words for each setting; tours of such rows."""

import streamlit as st

from rivae.errors import RivaeError
from rivae.ui import (
    cache,
    gallery,
    notices,
    run_picker,
    state,
    steer_dialogs,
    steer_export,
    steer_session,
    steer_tour_view,
    steer_tours,
)
from rivae.ui.components.steer_panel import steer_panel

if steer_tour_view.is_open():
    steer_tour_view.show()
    st.stop()

entered = st.session_state[state.ENTERED]
ready = cache.ready_runs()
if not ready and "run" not in st.query_params:
    notices.no_runs()
    st.stop()

try:
    with st.skeleton(height=480):  # opening a run for the first time may take seconds
        shown, explorer = steer_session.current(entered, ready)
except RivaeError as error:
    notices.unusable(error)
    st.stop()
if entered:
    steer_session.refresh()

with st.container(horizontal=True, vertical_alignment="bottom"):
    run_picker.run_picker(
        shown.run,
        [run.id for run in ready],
        key=state.STEER_RUN,
        on_change=steer_session.choose_run,
    )
    steer_export.help_panel()
    steer_export.panel(explorer, shown)

notices.no_latent(explorer.method)
if notice := st.session_state.get(state.STEER_NOTICE):
    st.warning(notice, icon=":material/info:")

steer_panel(
    steer_session.panel_data(explorer, shown),
    key=state.STEER_PANEL,
    on_commit=steer_session.on_commit,
    on_pick=steer_session.on_pick,
    on_choose=steer_session.on_choose,
    on_add=steer_session.on_add,
    on_ask=steer_session.on_ask,
    on_ask_words=steer_session.on_ask_words,
)
steer_tours.panel()

if st.session_state.get(state.STEER_CHOOSING):
    purpose = gallery.Purpose(state.STEER_CHOOSING, steer_session.choose_query)
    gallery.show(explorer, shown.query, purpose)
elif (row := st.session_state.get(state.STEER_ADDING)) is not None:
    steer_dialogs.add_step(explorer, shown, row)
elif (item := st.session_state.get(state.STEER_ITEM)) is not None:
    steer_dialogs.item(explorer, item)
