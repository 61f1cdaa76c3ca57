"""Steer: several axes at once, a row of pictures and words for each setting; tours of such rows."""

import streamlit as st

from rivae.app.shared import address, frame, gallery, notices, runs
from rivae.app.shell import keys
from rivae.app.shell.pages import EndOfPage, Page, View
from rivae.app.steer import panels, presenter, session, tours

PAGE = Page(
    views=(View("Combinations", "Explore", order=2),),
    blurb="Several axes at once: rows of pictures and words; tours to present.",
    takes=("run", "q", "ask"),
    of_run=("axes", "m"),
    discs=True,
    help="""
Every row sets some axes of **z** together, keeps the others at the query and shows the five best
items. **On** and **off** are n s.d. above and below the mean of the training queries, a number is
that many s.d., and a dash leaves the axis at the query.

The words are the ingredients of the ten best items of 20 other queries, each moved to the row's
levels, without everyday words (in a tenth of all items).

A row's flag makes it a step of a tour at once, with a caption that **Tours** lets you change.

| Where | Key | What it does |
|---|---|---|
| Cell | Enter, click | off, on, query, off … |
| | + − | half an s.d. more or less |
| | O I Q 0 | off, on, query, the mean |
| Matrix | ← → ↑ ↓ | from cell to cell, picture, flag, menu |
| | Alt ↑ ↓ | move the row |
| Tour | ← → Space | previous, next step |
| | Home End | first, last step |
| | F, Esc | full screen, leave |
""",
)

if presenter.is_open():
    presenter.show()
    raise EndOfPage

ready = notices.ready_runs()
entered = st.session_state[keys.ENTERED]
shown, explorer = notices.opened(lambda: session.current(entered, ready))
if entered:
    session.PAGE.refresh()

with frame.run_chip(runs.chip_title(shown.run)):
    runs.run_picker(
        shown.run,
        [run.id for run in ready],
        key=keys.STEER_RUN,
        on_change=session.choose_run,
    )
    runs.asks_picker(explorer, choose=session.PAGE.ask_with)
panels.offer(explorer, shown)
with frame.tools():
    tours.tools()

instead = address.instead_of_upload(shown.query)
notices.remarks(explorer, st.session_state.get(keys.STEER.notice, ""), instead)

session.PANEL(
    session.panel_data(explorer, shown),
    key=keys.STEER.panel,
    commit=session.PAGE.on_commit,
    pick=session.PAGE.on_pick,
    choose=session.PAGE.on_choose,
    add=session.PAGE.on_add,
    caption=session.PAGE.on_caption,
    ask=session.PAGE.on_ask,
    ask_words=lambda question: session.ask(question, keys.STEER_WORDS),
)

if st.session_state.get(keys.STEER.choosing):
    purpose = gallery.Purpose(keys.STEER.choosing, session.PAGE.choose_query)
    gallery.show(explorer, shown.query, purpose)
elif (item := st.session_state.get(keys.STEER.item)) is not None:
    panels.opened_item(explorer, item)
