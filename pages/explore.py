"""Explore: drag a slider, see the retrieved pictures change."""

import streamlit as st

from rivae.app.explore import adding, latent_axis, panels, session
from rivae.app.shared import frame, gallery, notices, runs
from rivae.app.shell import keys, pages
from rivae.app.shell.pages import Page, View

PAGE = Page(
    views=(
        View("Live", "Explore", {"view": "Live"}),
        View("Map", "Explore", {"view": "Map"}, order=5),
    ),
    blurb="Drag a slider and see the retrieved pictures change, in rows or on a map of all items.",
    takes=("run", "q", "ask"),
    of_run=("rows", "lock", "whole", "alone"),
    of_query=("z", "add"),
    discs=True,
    help="""
A query is encoded to a point **z**. Each slider moves one number of z, and the pictures are the
items that the model finds most likely for it, best first. The shade behind a slider shows where the
data are, and the thin line marks the query. The disc beside an axis says how reliable it is: full
where its name predicts held-out items well above chance, half where a little, empty where not.
*Precise* shows numbers, locks and ranges. Hold **Before** to see the results before any axis was
moved. **Add an axis** makes a slider of your words, of a tag or factor, or of chosen items: it
moves all of z along one direction, and leaves the other named axes where they are with *Only this*.

| Where | Key | What it does |
|---|---|---|
| Slider | ← → | one small step |
| | Shift ← → | half an s.d. |
| | PgUp PgDn | one s.d. |
| | Home End | ends of the range |
| | Delete | back to the query |
| | L | lock: reset and random leave it alone |
| Pictures | ← → ↑ ↓ | from picture to picture |
| | Enter | open it |
| Page | B | hold: the results before the axes were moved |
| | Ctrl-Z, Ctrl-Shift-Z | undo, redo |
""",
)

ready = notices.ready_runs()
entered = st.session_state[keys.ENTERED]
shown, explorer = notices.opened(lambda: session.current(entered, ready))
if entered:
    session.PAGE.refresh()
if st.session_state.pop(keys.EXPLORE_AWAY, False):
    st.switch_page(pages.path("label"), query_params={"view": "Plans"})

with frame.run_chip(runs.chip_title(shown.run)):
    runs.run_picker(
        shown.run,
        [run.id for run in ready],
        key=keys.EXPLORE_RUN,
        on_change=lambda: session.PAGE.open_run(st.session_state[keys.EXPLORE_RUN], shown.rows),
    )
    runs.rows_picker(
        shown.rows,
        key=keys.EXPLORE_ROWS,
        on_change=lambda: session.PAGE.open_run(shown.run, st.session_state[keys.EXPLORE_ROWS]),
    )
    runs.asks_picker(explorer, choose=session.PAGE.ask_with, disabled=shown.upload is not None)
panels.offer(explorer, shown)
with frame.tools():
    if explorer.method.has_latent:
        panels.steer_button(explorer, shown)
    panels.second_run(shown.run, ready)

strange = shown.upload.warning if shown.upload is not None else ""
notices.remarks(explorer, st.session_state.get(keys.EXPLORE.notice, ""), strange)

session.PANEL(
    session.panel_data(explorer, shown),
    key=keys.EXPLORE.panel,
    commit=session.PAGE.on_commit,
    pick=session.PAGE.on_pick,
    choose=session.PAGE.on_choose,
    ask=session.PAGE.on_ask,
    about=session.PAGE.on_about,
    add=session.PAGE.on_add,
    label=session.PAGE.on_label,
    layout=session.PAGE.on_layout,
    selections=session.PAGE.on_selections,
    search=session.PAGE.on_search,
)
panels.layout_progress(explorer)

if (item := st.session_state.get(keys.EXPLORE.item)) is not None:
    panels.docked_item(explorer, shown, item)
elif (opened := st.session_state.get(keys.EXPLORE_ADDING)) is not None:
    if opened.axis in explorer.axis_ids:
        latent_axis.docked(explorer, shown, explorer.axis_ids.index(opened.axis))
    else:
        adding.docked(explorer, shown, opened)
if st.session_state.get(keys.EXPLORE.choosing):
    purpose = gallery.Purpose(
        keys.EXPLORE.choosing, session.PAGE.choose_query, session.PAGE.choose_upload
    )
    gallery.show(explorer, shown.query, purpose)
