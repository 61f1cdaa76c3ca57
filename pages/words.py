"""Words: what changes along an axis in words, names for the axes, tags around the factors."""

import streamlit as st

from rivae.app.panels.answers import linked_query
from rivae.app.shared import address, defaults, notices, runs
from rivae.app.shell import cache, keys, pages, report
from rivae.app.words import clouds, contrast, drawer, names, session, tags
from rivae.base.errors import RivaeError

PANELS = {
    "Clouds": clouds.panel,
    "Contrast": contrast.panel,
    "Axis names": names.panel,
    "Tags": tags.panel,
}

if st.session_state[keys.ENTERED]:
    session.close()
ready = [run.id for run in cache.ready_runs()]
named, tried, asks, remark = session.current_run(ready)
if not named and not tried:
    notices.no_runs()
    st.stop()
run_id, explorer, left_out = notices.opened(
    lambda: defaults.opened(named, tried, lambda run: cache.asked(run, asks))
)

controls = st.container(horizontal=True, vertical_alignment="bottom")
with controls:
    runs.run_picker(run_id, ready, key=keys.WORDS_RUN, on_change=session.choose_run)
    view = session.view_picker()
    pages.words()
if remark:
    st.warning(remark, icon=":material/info:")

with controls:
    runs.asks_picker(explorer, choose=address.choose_asks)
session.remember(run_id, explorer.asks)
notices.say(*left_out, *linked_query(explorer, "mean", asks)[1])
notices.follow_certainty(explorer.run)
notices.no_latent(explorer.method)
notices.data_changed(explorer.run)

try:
    # Names need no texts: known factors are evidence too.
    if session.texts_of(explorer) or view == "Axis names":
        PANELS[view](explorer, run_id)
    else:
        session.no_texts(explorer)
except RivaeError as error:
    report.warning(str(error))

if st.session_state.get(keys.WORDS_OPEN) is not None:
    drawer.show(explorer, run_id)
