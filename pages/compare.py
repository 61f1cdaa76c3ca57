"""Compare: two to six runs side by side, tied by matched factor."""

import streamlit as st

from rivae.app.compare import panels, session
from rivae.app.shared import address, gallery, notices, runs
from rivae.app.shell import keys, pages
from rivae.base.errors import RivaeError

ready = notices.ready_runs("runs")
entered = st.session_state[keys.ENTERED]

chosen = session.chosen_runs(ready)
controls = st.container(horizontal=True, vertical_alignment="bottom")
with controls:
    panels.runs_picker(chosen, [run.id for run in ready])
    pages.compare()

try:
    with st.skeleton(height=480):  # opening runs for the first time may take seconds
        shown, comparison = session.current(entered, chosen)
except RivaeError as error:
    notices.why_not(error)
    st.stop()
with controls:
    runs.asks_picker(*comparison.explorers, choose=session.PAGE.ask_with)
if entered:
    session.PAGE.refresh()
left_out = st.session_state[keys.COMPARE_LEFT_OUT]
notices.say(
    left_out, st.session_state.get(keys.COMPARE.notice, ""), address.instead_of_upload(shown.query)
)

notices.no_latent(*(each.method for each in comparison.explorers))
for each in comparison.explorers:
    notices.data_changed(each.run)
notices.follow_certainty(comparison.explorers[0].run)
session.PANEL(
    session.panel_data(comparison, shown),
    key=keys.COMPARE.panel,
    commit=session.PAGE.on_commit,
    pick=session.PAGE.on_pick,
    choose=session.PAGE.on_choose,
    ask=session.PAGE.on_ask,
)
panels.strips(comparison, shown)

if st.session_state.get(keys.COMPARE.choosing):
    purpose = gallery.Purpose(keys.COMPARE.choosing, session.PAGE.choose_query)
    gallery.show(comparison.explorers[0], shown.query, purpose)
