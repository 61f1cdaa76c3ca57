"""Fields of a new plan: what it is made from, i.e. runs on one data set, queries, repeats."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import streamlit as st

from rivae.errors import RivaeError
from rivae.ui import cache, outcome, state
from rivae.ui.pages import METRICS
from rivae.ui.run_cards import run_title
from rivae.ui.text import markdown

if TYPE_CHECKING:
    from rivae.runs import Run
    from rivae.ui.label_plan_making import Request

KEY = state.LABEL_NEW
MAX_LISTED = 40


def run_fields() -> Request | None:
    """What was chosen; None while no run is."""
    from rivae.labels.plan import MAX_RUNS

    ready = cache.ready_runs()
    evaluated = [run for run in ready if (run.path / "evaluation.json").is_file()]
    if evaluated:
        titles = {run.id: run_title(run) for run in evaluated}
        chosen = st.multiselect(
            "Runs", _choices(evaluated), format_func=lambda run: titles.get(run, run),
            key=f"{KEY}_runs", max_selections=MAX_RUNS, placeholder="Choose one or several",
            help="Runs on one data set share a plan: the first one chosen decides on which.",
        )  # fmt: skip
    else:
        st.info("No run is evaluated yet, so no plan can be made.", icon=":material/info:")
        chosen = []
    _not_evaluated([run.id for run in ready if run not in evaluated], open_=not evaluated)
    runs = [run for name in chosen for run in evaluated if run.id == name]
    return _settings(runs) if runs else None


def _choices(evaluated: Sequence[Run]) -> list[str]:
    """All evaluated runs; once one is chosen, those on its data set."""
    before = st.session_state.get(f"{KEY}_runs") or []
    first = next((run for run in evaluated if before and run.id == before[0]), None)
    if first is None:
        return [run.id for run in evaluated]
    return [run.id for run in evaluated if run.config.dataset == first.config.dataset]


def _not_evaluated(names: Sequence[str], *, open_: bool) -> None:
    """The runs that have no evaluation, and how to give them one."""
    if not names:
        return
    one = len(names) == 1
    with st.expander(
        f"{len(names)} {'run is' if one else 'runs are'} not evaluated yet", expanded=open_,
        icon=":material/info:",
    ):  # fmt: skip
        st.write(
            "An evaluation fixes the queries and points whose items are labelled. Do so "
            "under *This run* of the Metrics page."
        )
        with st.container(horizontal=True):
            for name in names[:MAX_LISTED]:
                st.page_link(METRICS, label=f"Evaluate {markdown(name)}",
                             icon=":material/speed:",
                             query_params={"show": "run", "run": name})  # fmt: skip
        if len(names) > MAX_LISTED:
            st.caption(f"And {len(names) - MAX_LISTED} more.")


def _settings(runs: Sequence[Run]) -> Request | None:
    from rivae.labels.plan import BLOCK, MAX_REPEATS, MIN_REPEATS, REPEATS
    from rivae.ui.label_plan_making import request

    try:
        total = max(_queries(run) for run in runs)
    except RivaeError as error:
        outcome.warning(str(error))
        return None
    with st.container(horizontal=True, vertical_alignment="bottom"):
        queries = st.number_input(
            "Queries per run", min_value=min(BLOCK, total), max_value=total, value=None,
            placeholder=f"all {total:,}", key=f"{KEY}_queries", width=180,
            help="Empty: all that the evaluation measured. The paper has about 20.",
        )  # fmt: skip
        percent = st.slider(
            "Hidden repeats, % of the items", round(100 * MIN_REPEATS), round(100 * MAX_REPEATS),
            round(100 * REPEATS), key=f"{KEY}_repeats", width=240,
            help="They come a second time, so that everybody's steadiness can be measured.",
        )  # fmt: skip
        seed = st.number_input(
            "Seed of the order", min_value=0, max_value=2**31 - 1, value=0, key=f"{KEY}_seed",
            width=170,
        )  # fmt: skip
    return request(runs, None if queries is None else int(queries), percent / 100, int(seed))


def _queries(run: Run) -> int:
    """How many queries the evaluation of the run measured; RunError where it does not say."""
    from rivae.errors import RunError

    settings = (run.evaluation or {}).get("settings")
    n = settings.get("n_queries") if isinstance(settings, dict) else None
    if not isinstance(n, int) or n < 1:
        raise RunError(
            f"the evaluation of {run.id} does not say how many queries it measured: evaluate it "
            "again"
        )
    return n
