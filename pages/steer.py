"""Steer: several axes at once, a row of pictures and words for each setting; tours of such rows."""

import streamlit as st

from rivae.ui import (
    address,
    gallery,
    notices,
    page_help,
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

ready = notices.ready_runs()
entered = st.session_state[state.ENTERED]
shown, explorer = notices.opened(lambda: steer_session.current(entered, ready))
if entered:
    steer_session.refresh()

with st.container(horizontal=True, vertical_alignment="bottom"):
    run_picker.run_picker(
        shown.run,
        [run.id for run in ready],
        key=state.STEER_RUN,
        on_change=steer_session.choose_run,
    )
    page_help.steer()
    steer_export.panel(explorer, shown)

instead = address.instead_of_upload(shown.query)
notices.remarks(explorer, st.session_state.get(state.STEER_NOTICE, ""), instead)

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
