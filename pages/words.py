"""Words: what changes along an axis in words, names for the axes, tags around the factors."""

import streamlit as st

from rivae.app.panels.answers import linked_query
from rivae.app.panels.links import ExploreLink
from rivae.app.shared import address, defaults, frame, notices, runs, share
from rivae.app.shell import cache, keys, report
from rivae.app.shell.pages import EndOfPage, Page, View
from rivae.app.words import clouds, contrast, drawer, names, results, session, tags
from rivae.base.errors import RivaeError

PAGE = Page(
    views=(View("Words", "Explore", order=6),),
    blurb="Words that change along an axis; names for the axes; tags around factors.",
    takes=("run", "q", "ask"),
    of_run=("dim", "relate", "rows"),
    fresh=(("dim", "reliable"),),  # a link that names none shows the one that changes most
    of_query=("z", "add"),
    of_moved={"part": "Results"},
    discs=True,
    help="""
* **Results**: the words of what Live shows against those of all other items; colour says which are
  clearly more or less frequent (a 95 % interval of the log-odds without zero; of many words some
  are by chance).
* **Clouds**: 20 test queries are moved along one axis to mean − n s.d., the mean and mean + n s.d.;
  a cloud holds the ingredients of the ten best items of each. A word has one place in all three
  clouds; its area is the share of items that have it. Colour and style show its relation:
  underlined goes with more of the chosen factor, slanted with less, light grey with neither.
* **Contrast**: words that tell the two ends apart, with intervals.
* **Axis names**: the largest changes along each axis, and a name to accept or edit. Names are kept
  with the run and shown on every page.
* **Tags**: the tags of the items around the food factors, as in the paper's supplement.

Words are read from the texts by rules for English recipes. They describe the retrieved items, not
what the model looked at.
""",
)

PANELS = {
    "Results": results.panel,
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
    raise EndOfPage
run_id, explorer, left_out = notices.opened(
    lambda: defaults.opened(named, tried, lambda run: cache.asked(run, asks))
)

with frame.run_chip(runs.chip_title(run_id)):
    runs.run_picker(run_id, ready, key=keys.WORDS_RUN, on_change=session.choose_run)
    runs.asks_picker(explorer, choose=address.choose_asks)
with frame.tools():
    view = session.view_picker()
point, _ = ExploreLink.read(address.read(ExploreLink.names()))
share.page(explorer, run_id, lambda: share.linked(explorer, point))
if remark:
    st.warning(remark, icon=":material/info:")

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
