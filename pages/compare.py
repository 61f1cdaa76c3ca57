"""Compare: two to six runs side by side, tied by matched factor."""

import streamlit as st

from rivae.errors import RivaeError
from rivae.ui import address, compare_panels, compare_session, gallery, notices, page_help, state
from rivae.ui.components.compare_panel import compare_panel

ready = notices.ready_runs("runs")
entered = st.session_state[state.ENTERED]

chosen = compare_session.chosen_runs(ready)
with st.container(horizontal=True, vertical_alignment="bottom"):
    compare_panels.runs_picker(chosen, [run.id for run in ready])
    page_help.compare()

try:
    with st.skeleton(height=480):  # opening runs for the first time may take seconds
        shown, comparison = compare_session.current(entered, chosen)
except RivaeError as error:
    st.warning(str(error), icon=":material/info:")
    st.stop()
if entered:
    compare_session.refresh()
notices.say(
    st.session_state.get(state.COMPARE_NOTICE, ""), address.instead_of_upload(shown.query)
)

notices.no_latent(*(each.method for each in comparison.explorers))
compare_panel(
    compare_session.panel_data(comparison, shown),
    key=state.COMPARE_PANEL,
    on_commit=compare_session.on_commit,
    on_pick=compare_session.on_pick,
    on_choose=compare_session.on_choose,
    on_ask=compare_session.PANEL.on_ask,
)
compare_panels.strips(comparison, shown)

if st.session_state.get(state.COMPARE_CHOOSING):
    purpose = gallery.Purpose(state.COMPARE_CHOOSING, compare_session.choose_query)
    gallery.show(comparison.explorers[0], shown.query, purpose)
