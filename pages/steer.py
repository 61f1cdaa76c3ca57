"""Steer: several axes at once, a row of pictures and words for each setting; tours of such rows."""

import streamlit as st

from rivae.ui.shared import address, gallery, notices, runs
from rivae.ui.shell import keys, pages
from rivae.ui.steer import leave, session, tours

if tours.is_open():
    tours.show()
    st.stop()

ready = notices.ready_runs()
entered = st.session_state[keys.ENTERED]
shown, explorer = notices.opened(lambda: session.current(entered, ready))
if entered:
    session.refresh()

with st.container(horizontal=True, vertical_alignment="bottom"):
    runs.run_picker(
        shown.run,
        [run.id for run in ready],
        key=keys.STEER_RUN,
        on_change=session.choose_run,
    )
    pages.steer()
    leave.panel(explorer, shown)

instead = address.instead_of_upload(shown.query)
notices.remarks(explorer, st.session_state.get(keys.STEER_NOTICE, ""), instead)

session.STEER(
    session.panel_data(explorer, shown),
    key=keys.STEER_PANEL,
    commit=session.on_commit,
    pick=session.on_pick,
    choose=session.on_choose,
    add=session.on_add,
    ask=session.on_ask,
    ask_words=session.on_ask_words,
)
tours.panel()

if st.session_state.get(keys.STEER_CHOOSING):
    purpose = gallery.Purpose(keys.STEER_CHOOSING, session.choose_query)
    gallery.show(explorer, shown.query, purpose)
elif (row := st.session_state.get(keys.STEER_ADDING)) is not None:
    leave.add_step(explorer, shown, row)
elif (item := st.session_state.get(keys.STEER_ITEM)) is not None:
    leave.item(explorer, item)
