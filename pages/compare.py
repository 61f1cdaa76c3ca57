"""Compare: two to six runs side by side, tied by matched factor."""

import streamlit as st

from rivae.app.compare import panels, session
from rivae.app.shared import address, frame, gallery, notices, runs
from rivae.app.shell import keys
from rivae.app.shell.pages import EndOfPage, Page, View
from rivae.base.errors import RivaeError

PAGE = Page(
    views=(View("Runs", "Explore", order=7),),
    blurb="Two to six runs side by side, moved along matching axes.",
    takes=("q", "ask"),
    of_run=("runs", "f", "factor", "lock", "whole"),
    fresh=(("sort", "effect"),),  # a link that names no order shows the axes by number
    help="""
The axes of two runs have no common order: z1 of one run may be z3 of another, and reversed. A
**factor** here is an axis of the first run, the reference. Every other run moves the axis that
varies most with it over the test items: axes are paired one to one (Hungarian assignment on
|corr|); **(−)** marks a pair that runs in opposite directions. Where even the best pair is hardly
correlated there is **no counterpart**, and the run stays where it is.

A slider shifts every run by the same share of its axis' range (the central 99 % of its training
queries), starting at the query. The strips below cover that range and show the points where the
best item changes; numbers are the same shifts.

The first run chosen is the reference. Runs of a method without a latent move along the axes of the
embedding v (v1, v2 …).
""",
)

ready = notices.ready_runs("runs")
entered = st.session_state[keys.ENTERED]

chosen = session.chosen_runs(ready)
with frame.run_chip(f"{len(chosen)} runs"):
    panels.runs_picker(chosen, [run.id for run in ready])

try:
    with st.skeleton(height=480):  # opening runs for the first time may take seconds
        shown, comparison = session.current(entered, chosen)
except RivaeError as error:
    notices.why_not(error)
    raise EndOfPage from None
with frame.run_chip():
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
