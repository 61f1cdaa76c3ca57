"""The Compare page's session: which runs are shown, what the panel reports, what the link says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import streamlit as st

from rivae.benchmark.names import DATASETS
from rivae.comparison import Comparison, Matching, check_number, match_runs
from rivae.errors import ConfigError, RivaeError, RunError
from rivae.explorer import Explorer
from rivae.runs import Run
from rivae.ui.compare import state as compare_state
from rivae.ui.compare.state import CompareState
from rivae.ui.panels.codec import unread
from rivae.ui.panels.component import SHARED, Component
from rivae.ui.panels.links import CompareLink, Query
from rivae.ui.panels.session import Panel, named_item
from rivae.ui.shared import address
from rivae.ui.shell import cache, web
from rivae.ui.shell import keys as state

MAX_TRIED = 8  # runs tried for a default before the visitor is asked


def chosen_runs(ready: Sequence[Run]) -> tuple[str, ...]:
    """The runs in question: those of the address, else those shown before, else the newest two
    of one data set.
    """
    known: CompareState | None = st.session_state.get(state.COMPARE)
    params = address.read(CompareLink.names())
    if known is not None and _stays(params):
        return known.runs
    return CompareLink.read(params)[0].runs if "runs" in params else _newest(ready)


def _stays(params: dict[str, str]) -> bool:
    return params == st.session_state.get(state.COMPARE_LINK)


def _newest(ready: Sequence[Run]) -> tuple[str, ...]:
    """The last run looked at and the newest other one on its data, that open; one run where there
    is no other, so that the page says what is missing.
    """
    last = address.run_in_hand()
    ordered = sorted(ready, key=lambda run: run.id != last)
    for first in ordered[:MAX_TRIED]:
        data = first.config.dataset
        others = [r for r in ordered if r.id != first.id and r.config.dataset == data]
        if others and _opens(first):
            other = next((run for run in others[:MAX_TRIED] if _opens(run)), None)
            if other is not None:
                return first.id, other.id
    return tuple(run.id for run in ordered[:1])


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
    comparison = open_runs(runs)
    first = comparison.explorers[0]
    params = address.read(CompareLink.names())
    known: CompareState | None = st.session_state.get(state.COMPARE)
    if known is not None and known.runs == tuple(runs) and _stays(params):
        _take_along(known)
        return known, comparison
    link, dropped = CompareLink.read(params)
    shown, notes = compare_state.from_link(first, runs, link, known.rev if known else 0)
    st.session_state[state.COMPARE_NOTICE] = " ".join(unread(dropped) + notes)
    st.session_state[state.COMPARE_LINK] = params
    st.session_state[state.COMPARE] = shown
    _take_along(shown)
    if entered and not {"runs", "q"} <= params.keys():
        _save(first, shown)
    return shown, comparison


def _take_along(shown: CompareState) -> None:
    """Other pages open the run in hand if it is one of these, else the reference."""
    run = address.run_in_hand()
    address.take(run if run in shown.runs else shown.runs[0], shown.query)


def open_runs(runs: Sequence[str]) -> Comparison:
    """The runs opened and matched.

    Raises:
        RivaeError: with one sentence that names the run.
    """
    check_number(len(runs))
    _check_data([cache.run(run) for run in runs])
    explorers = tuple(cache.explorer(run) for run in runs)
    for run, explorer in zip(runs, explorers, strict=True):
        if explorer.data.fingerprint != explorers[0].data.fingerprint:
            raise ConfigError(_other_data(runs[0], run, explorer.data.name))
    return Comparison(explorers, _matching(tuple(cache.model_key(run) for run in runs), explorers))


def _check_data(runs: list[Run]) -> None:
    """Told apart before anything is opened, which may take seconds."""
    for run in runs:
        if not run.opens:
            raise RunError(f"run {run.id} has no trained model yet: let it finish or resume it")
    names = [run.config.dataset.name for run in runs]
    for run, name in zip(runs, names, strict=True):
        if name != names[0]:
            raise ConfigError(
                f"{runs[0].id} was trained on {DATASETS.get(names[0], names[0])}, {run.id} on "
                f"{DATASETS.get(name, name)}: choose runs of one data set"
            )


def _other_data(first: str, other: str, dataset: str) -> str:
    return (
        f"{first} and {other} were trained on different draws or settings of "
        f"{DATASETS.get(dataset, dataset)}: choose runs of one data set"
    )


# Small tables, kept for more sets of runs than are open; the key holds the hash of every model.
@st.cache_resource(max_entries=64, show_spinner=False)
def _matching(keys: tuple[str, ...], _explorers: tuple[Explorer, ...]) -> Matching:
    return match_runs(_explorers)


def _save(first: Explorer, shown: CompareState) -> None:
    params = compare_state.to_link(first, shown).write()
    address.save(params, CompareLink.names(), state.COMPARE_LINK)


def _set(shown: CompareState) -> None:
    """Replaces the state and the address; for callbacks."""
    st.session_state[state.COMPARE] = shown
    _take_along(shown)
    st.session_state[state.COMPARE_NOTICE] = ""
    _save(cache.explorer(shown.runs[0]), shown)


def panel_data(comparison: Comparison, shown: CompareState) -> dict[str, Any]:
    """What the panel is sent: rebuilt on a new rev or model, so that other reruns send nothing."""
    key = ",".join(cache.model_key(run) for run in shown.runs)
    kept = st.session_state.get(state.COMPARE_PAYLOAD)
    if kept is None or (kept["rev"], kept["key"]) != (shown.rev, key):
        kept = compare_state.payload(comparison, shown, key, web.topk_url())
        st.session_state[state.COMPARE_PAYLOAD] = kept
        st.session_state[state.COMPARE_ANSWER] = None
    return {**kept, "answer": st.session_state.get(state.COMPARE_ANSWER)}


def refresh() -> None:
    """Makes the panel take the session's state over again after a page switch."""
    st.session_state[state.COMPARE_PAYLOAD] = None


# What the panel and the page's widgets report


PANEL = Panel(state.COMPARE_NOTICE, state.COMPARE_ANSWER, state.COMPARE_CHOOSING)


def choose_runs() -> None:
    """Other runs were chosen; what belongs to the reference's axes goes when it changes."""
    runs = tuple(st.session_state[state.COMPARE_RUNS])
    known: CompareState | None = st.session_state.get(state.COMPARE)
    link = CompareLink(runs=runs)
    if known is not None and runs[:1] == known.runs[:1]:
        link = replace(CompareLink.read(address.read(CompareLink.names()))[0], runs=runs)
    elif known is not None and set(runs) & set(known.runs):
        link = CompareLink(runs=runs, query=known.query, k=known.k)
    # An empty choice is written too: without it the newest runs would come back.
    address.write({"runs": "", **link.write()}, CompareLink.names())


def on_commit(view: dict[str, Any]) -> None:
    """A slider was released, or an option of the panel has changed."""
    PANEL.guarded(lambda: _take(view))


def on_pick(report: dict[str, Any]) -> None:
    """A tile was clicked: it becomes the query."""
    PANEL.guarded(lambda: _pick(report))


def on_choose(report: dict[str, Any]) -> None:
    """Another query is wanted: a random one, or the gallery."""
    PANEL.guarded(lambda: _choose(report))


def _take(view: dict[str, Any]) -> CompareState:
    shown: CompareState = st.session_state[state.COMPARE]
    after = compare_state.commit(shown, view)
    if after != shown:
        _set(after)
    return after


def _with_query(shown: CompareState, query: Query) -> None:
    _set(compare_state.with_query(cache.explorer(shown.runs[0]), shown, query))


def _pick(report: dict[str, Any]) -> None:
    shown = _take(report.get("view") or {})
    _with_query(shown, named_item(report, cache.explorer(shown.runs[0])))


def _choose(report: dict[str, Any]) -> None:
    shown = _take(report.get("view") or {})
    first = cache.explorer(shown.runs[0])
    PANEL.choose(report, first, lambda query: _with_query(shown, query))


def choose_query(query: Query) -> None:
    """Makes a data row (or "mean") the query and closes the gallery."""
    PANEL.guarded(lambda: _with_query(st.session_state[state.COMPARE], query))
    st.session_state[state.COMPARE_CHOOSING] = False


# Its reports are those of the Explore panel, with shifts instead of z.
COMPARE = Component(
    "rivae_compare",
    js=(*SHARED, "compare.js"),
    css=("base.css", "explore.css", "compare.css"),
    reports={"commit": dict, "pick": dict, "choose": dict, "ask": dict},
)
