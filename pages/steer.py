"""Steer: several axes at once, a row of pictures and words for each setting; tours of such rows."""

import streamlit as st

from rivae.app.shared import address, gallery, notices, runs
from rivae.app.shell import keys, pages
from rivae.app.steer import panels, presenter, session, tours

if presenter.is_open():
    presenter.show()
    st.stop()

ready = notices.ready_runs()
entered = st.session_state[keys.ENTERED]
shown, explorer = notices.opened(lambda: session.current(entered, ready))
if entered:
    session.PAGE.refresh()

with st.container(horizontal=True, vertical_alignment="bottom"):
    runs.run_picker(
        shown.run,
        [run.id for run in ready],
        key=keys.STEER_RUN,
        on_change=session.choose_run,
    )
    runs.asks_picker(explorer, choose=session.PAGE.ask_with)
    pages.steer()
    panels.export_button(explorer, shown)
    tours.shortcuts()

instead = address.instead_of_upload(shown.query)
notices.remarks(explorer, st.session_state.get(keys.STEER.notice, ""), instead)

session.PANEL(
    session.panel_data(explorer, shown),
    key=keys.STEER.panel,
    commit=session.PAGE.on_commit,
    pick=session.PAGE.on_pick,
    choose=session.PAGE.on_choose,
    add=session.PAGE.on_add,
    ask=session.PAGE.on_ask,
    ask_words=lambda question: session.ask(question, keys.STEER_WORDS),
)
tours.panel()

if st.session_state.get(keys.STEER.choosing):
    purpose = gallery.Purpose(keys.STEER.choosing, session.PAGE.choose_query)
    gallery.show(explorer, shown.query, purpose)
elif (row := st.session_state.get(keys.STEER_ADDING)) is not None:
    panels.add_step(explorer, shown, row)
elif (item := st.session_state.get(keys.STEER.item)) is not None:
    panels.opened_item(explorer, item)
