"""The Compare page's session: its runs, the panel's reports and the link."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import streamlit as st

from rivae.app.compare import page_keys
from rivae.app.compare import state as compare_state
from rivae.app.compare.state import CompareState
from rivae.app.panels.component import SHARED, Component
from rivae.app.panels.links import CompareLink, Query
from rivae.app.shared import address, defaults
from rivae.app.shared import map as shared_map
from rivae.app.shared.session import Session
from rivae.app.shell import cache, keys, web
from rivae.app.work import certainty
from rivae.base.config import Asks
from rivae.base.errors import ConfigError, RivaeError, RunError
from rivae.data.names import dataset_title
from rivae.exploring.comparison import Comparison, Matching, check_number, match_runs
from rivae.exploring.explorer import Explorer
from rivae.exploring.sliders import certainty_marks
from rivae.runs import Run
from rivae.runs.run import NO_MODEL

MAX_TRIED = 8  # runs tried for a default before the visitor is asked


class CompareSession(Session[CompareState, CompareLink]):
    """The session of Compare."""

    def explorer(self, state: CompareState) -> Explorer:
        return cache.explorer(state.runs[0], "test", state.asks)

    def in_hand(self, state: CompareState) -> tuple[str, Query | str]:
        """Other pages open the run in hand if it is one of these, else the reference."""
        run = address.run_in_hand()
        return run if run in state.runs else state.runs[0], state.query

    def to_link(self, state: CompareState) -> CompareLink:
        return compare_state.to_link(self.explorer(state), state)

    def commit(self, state: CompareState, view: Mapping[str, Any]) -> CompareState:
        return compare_state.commit(state, view)

    def with_query(self, state: CompareState, query: Query) -> CompareState:
        return compare_state.with_query(self.explorer(state), state, query)

    def pick(self, item: int) -> None:
        """A picture that is clicked becomes the query."""
        self.set_query(item)


PAGE = CompareSession(keys.COMPARE, CompareLink)
# Its reports are those of the Explore panel, with shifts instead of z.
PANEL = Component(
    "rivae_compare",
    js=(*SHARED, *shared_map.JS, "compare_maps.js", "compare.js"),
    css=("base.css", "explore.css", "compare.css", shared_map.CSS),
    reports={"commit": dict, "pick": dict, "choose": dict, "ask": dict},
)


def chosen_runs(ready: Sequence[Run]) -> tuple[str, ...]:
    """The runs in question: those of the address, else those shown before, else the newest two
    of one data set.
    """
    st.session_state[keys.COMPARE_LEFT_OUT] = ""
    if PAGE.stays():
        return PAGE.shown.runs
    params = address.read(CompareLink.names())
    if "runs" in params:
        return CompareLink.read(params)[0].runs
    newest = _newest(ready)
    st.session_state[keys.COMPARE_LEFT_OUT] = " ".join(
        defaults.left_out(newest[0] if newest else "")
    )
    return newest


def _newest(ready: Sequence[Run]) -> tuple[str, ...]:
    """The last run looked at and the newest other one on its data, that open; one run where there
    is no other, so that the page says what is missing.
    """
    last = address.run_in_hand()
    newest_first = sorted(ready, key=lambda run: run.id != last)
    for first in newest_first[:MAX_TRIED]:
        data = first.config.dataset
        others = [r for r in newest_first if r.id != first.id and r.config.dataset.same_items(data)]
        if others and _opens(first):
            other = next((run for run in others[:MAX_TRIED] if _opens(run)), None)
            if other is not None:
                return first.id, other.id
    return tuple(run.id for run in newest_first[:1])


def _opens(run: Run) -> bool:
    try:
        cache.explorer(run.id)
    except RivaeError:
        return False
    return True


def current(entered: bool, runs: Sequence[str]) -> tuple[CompareState, Comparison]:
    """The state to show: the session's, unless the address says otherwise.

    Raises:
        RivaeError: too few or too many runs, one that cannot be opened, or different data.
    """

    def begin(link: CompareLink, rev: int) -> tuple[CompareState, list[str], Comparison]:
        comparison = open_runs(runs, link.asks)
        return *compare_state.from_link(comparison.explorers[0], runs, link, rev), comparison

    return PAGE.current(entered, lambda shown: open_runs(shown.runs, shown.asks), begin)


def open_runs(runs: Sequence[str], asks: Asks = "first") -> Comparison:
    """The runs opened and matched; the first view asks unless all can be asked with ``asks``.

    Raises:
        RivaeError: with one sentence that names the run.
    """
    check_number(len(runs))
    _check_data([cache.run(run) for run in runs])
    explorers = tuple(cache.asked(run, asks) for run in runs)
    if any(explorer.asks != asks for explorer in explorers):
        explorers, asks = tuple(cache.explorer(run) for run in runs), "first"
    for run, explorer in zip(runs, explorers, strict=True):
        if explorer.data.items_key != explorers[0].data.items_key:
            raise ConfigError(other_data(runs[0], run, explorer.data.name))
    models = tuple(cache.model_key(run, asks) for run in runs)
    return Comparison(explorers, _matching(models, explorers))


def _check_data(runs: list[Run]) -> None:
    """Refuse runs on different data before opening any, which may take seconds."""
    for run in runs:
        if not run.opens:
            raise RunError(NO_MODEL.format(run.id))
    names = [run.config.dataset.name for run in runs]
    for run, name in zip(runs, names, strict=True):
        if name != names[0]:
            raise ConfigError(
                f"{runs[0].id} was trained on {dataset_title(names[0])}, {run.id} on "
                f"{dataset_title(name)}: choose runs of one data set"
            )


def other_data(first: str, other: str, dataset: str) -> str:
    """Why two runs on the same data set cannot be compared."""
    return (
        f"{first} and {other} were trained on other items, or another split, of "
        f"{dataset_title(dataset)}: choose runs of one data set"
    )


# Small tables, kept for more sets of runs than are open; the key holds the hash of every model.
@st.cache_resource(max_entries=64, show_spinner=False)
def _matching(models: tuple[str, ...], _explorers: tuple[Explorer, ...]) -> Matching:
    return match_runs(_explorers)


def panel_data(comparison: Comparison, state: CompareState) -> dict[str, Any]:
    """What the panel is sent."""
    key = ",".join(cache.model_key(run, state.asks) for run in state.runs)
    payload = PAGE.sent(key, lambda: compare_state.payload(comparison, state, key, web.topk_url()))
    first = comparison.explorers[0]  # its axes are the sliders
    names = [dim["name"] for dim in payload["dims"]]
    axis_certainty = certainty.known_certainty(first.run)
    pairs = zip(comparison.explorers, state.runs, strict=True)
    return {
        **payload,
        "marks": certainty_marks(axis_certainty, names),
        "maps": [shared_map.map_of(explorer, run) for explorer, run in pairs],
    }


def choose_runs() -> None:
    """Other runs were chosen; what belongs to the reference's axes goes when it changes."""
    runs = tuple(st.session_state[page_keys.RUNS])
    last_state = PAGE.known
    link = CompareLink(runs=runs)
    if last_state is not None and runs[:1] == last_state.runs[:1]:
        link = replace(CompareLink.read(address.read(CompareLink.names()))[0], runs=runs)
    elif last_state is not None and set(runs) & set(last_state.runs):
        link = CompareLink(runs=runs, query=last_state.query, k=last_state.k, asks=last_state.asks)
    # An empty choice is written too: without it the newest runs would come back.
    address.write({"runs": "", **link.write()}, CompareLink.names())
