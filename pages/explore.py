"""Explore: drag a slider, see the retrieved pictures change."""

import streamlit as st

from rivae.app.explore import adding, panels, session
from rivae.app.shared import gallery, notices, runs
from rivae.app.shell import keys, pages

ready = notices.ready_runs()
entered = st.session_state[keys.ENTERED]
shown, explorer = notices.opened(lambda: session.current(entered, ready))
if entered:
    session.PAGE.refresh()
if (about := st.session_state.pop(keys.EXPLORE_ABOUT, None)) is not None:
    st.switch_page(
        pages.TRAVERSE, query_params={keys.TRAVERSE_VIEW: "Axis", keys.TRAVERSE_CARD: about}
    )
if st.session_state.pop(keys.EXPLORE_AWAY, False):
    st.switch_page(pages.LABEL, query_params={keys.LABEL_VIEW: "Plans"})

with st.container(horizontal=True, vertical_alignment="bottom"):
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
    pages.explore()
    panels.export_button(explorer, shown)
    if explorer.method.has_latent:
        panels.steer_button(explorer, shown)

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
    search=session.PAGE.on_search,
)
panels.layout_progress(explorer)

if (item := st.session_state.get(keys.EXPLORE.item)) is not None:
    panels.docked_item(explorer, shown, item)
elif (axis := st.session_state.get(keys.EXPLORE_ADDING)) is not None:
    adding.docked(explorer, shown, axis)
if st.session_state.get(keys.EXPLORE.choosing):
    purpose = gallery.Purpose(
        keys.EXPLORE.choosing, session.PAGE.choose_query, session.PAGE.choose_upload
    )
    gallery.show(explorer, shown.query, purpose)
