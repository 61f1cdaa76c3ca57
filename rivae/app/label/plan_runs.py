"""The runs of a new plan, the queries whose items it asks about, and their order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import streamlit as st

from rivae.app.label import page_keys
from rivae.app.shared import address, defaults
from rivae.app.shared.runs import asks_control, asks_either, run_title, view_names
from rivae.app.shell import cache, pages, report
from rivae.app.shell.text import markdown
from rivae.base.errors import RivaeError
from rivae.runs.evaluation_file import FILES

if TYPE_CHECKING:
    from rivae.app.label.plan_making import PlanRequest
    from rivae.base.config import Asks
    from rivae.runs import Run

KEY = page_keys.NEW
NONE_EVALUATED = "No evaluated runs yet: evaluate one to make a plan."
NOT_EVALUATED = "{} is not evaluated for these queries: do that under Evidence"
MAX_LISTED = 40


def run_fields() -> PlanRequest | None:
    """The chosen runs and settings; None while no run is chosen."""
    from rivae.labels.plan import MAX_RUNS

    ready = cache.ready_runs()
    measured_runs = [
        run for run in ready if any((run.path / name).is_file() for name in FILES.values())
    ]
    if measured_runs:
        titles = {run.id: run_title(run) for run in measured_runs}
        run_ids = st.multiselect(
            "Runs",
            _choices(measured_runs),
            format_func=lambda run: titles.get(run, run),
            key=f"{KEY}_runs",
            max_selections=MAX_RUNS,
            placeholder="Choose one or several",
            help="All runs of a plan use the same data set: that of the first one you choose.",
        )
    else:
        st.info(NONE_EVALUATED, icon=":material/info:")
        run_ids = []
    for remark in defaults.left_out(""):
        st.caption(f":material/broken_image: {markdown(remark)}")
    _not_evaluated([run.id for run in ready if run not in measured_runs], open_=not measured_runs)
    runs = [run for name in run_ids for run in measured_runs if run.id == name]
    return _settings(runs) if runs else None


def _choices(evaluated: Sequence[Run]) -> list[str]:
    """All evaluated runs; once one is chosen, only those on its data set."""
    before = st.session_state.get(f"{KEY}_runs") or []
    first = next((run for run in evaluated if before and run.id == before[0]), None)
    if first is None:
        return [run.id for run in evaluated]
    return [run.id for run in evaluated if run.config.dataset.same_items(first.config.dataset)]


def _not_evaluated(names: Sequence[str], *, open_: bool) -> None:
    """The runs without an evaluation, with links to evaluate them."""
    if not names:
        return
    one = len(names) == 1
    with st.expander(
        f"{len(names)} {'run is' if one else 'runs are'} not evaluated yet",
        expanded=open_,
        icon=":material/info:",
    ):
        st.write(
            "An evaluation fixes the queries and points whose items are labelled. Evaluate a run "
            "under *This run* of *Evidence*."
        )
        with st.container(horizontal=True):
            for name in names[:MAX_LISTED]:
                st.page_link(
                    pages.path("metrics"),
                    label=f"Evaluate {markdown(name)}",
                    icon=":material/speed:",
                    query_params={"show": "run", "run": name},
                )
        if len(names) > MAX_LISTED:
            st.caption(f"And {len(names) - MAX_LISTED} more.")


def _settings(runs: Sequence[Run]) -> PlanRequest | None:
    from rivae.app.label.plan_making import plan_request
    from rivae.labels.plan import BLOCK, MAX_REPEATS, MIN_REPEATS, REPEATS

    row = st.container(horizontal=True, vertical_alignment="bottom")
    with row:
        asks = _asks(runs)
    try:
        total = max(_queries(run, asks) for run in runs)
    except RivaeError as error:
        report.warning(str(error))
        return None
    with row:
        queries = st.number_input(
            "Queries per run",
            min_value=min(BLOCK, total),
            max_value=total,
            value=None,
            placeholder=f"all {total:,}",
            key=f"{KEY}_queries",
            width=180,
            help="Leave empty for all evaluated queries. The paper uses about 20.",
        )
        percent = st.slider(
            "Hidden repeats, % of the items",
            round(100 * MIN_REPEATS),
            round(100 * MAX_REPEATS),
            round(100 * REPEATS),
            key=f"{KEY}_repeats",
            width=240,
            help="These items come twice, to measure how consistent each annotator is.",
        )
        seed = st.number_input(
            "Seed of the order",
            min_value=0,
            max_value=2**31 - 1,
            value=0,
            key=f"{KEY}_seed",
            width=170,
        )
    n_queries = None if queries is None else int(queries)
    return plan_request(runs, n_queries, percent / 100, int(seed), asks)


def _asks(runs: Sequence[Run]) -> Asks:
    """The view that is the query: as on other pages, where either can be with all the runs."""
    if not all(asks_either(run) for run in runs):
        return "first"
    first = runs[0]
    asks = address.asks_in_hand()

    def choose(chosen: Asks) -> None:
        address.take(address.run_in_hand() or first.id, asks=chosen)

    asks_control(view_names(first), asks, choose)
    return asks


def _queries(run: Run, asks: Asks) -> int:
    """How many queries the evaluation of the run measured; RunError where it does not say."""
    from rivae.base.errors import RunError
    from rivae.labels.coverage import evaluation_behind

    report = evaluation_behind(run, asks)
    if report is None:
        raise RunError(NOT_EVALUATED.format(run.id))
    n = report.settings.n_queries
    if n is None:
        raise RunError(
            f"the evaluation of {run.id} does not say how many queries it measured: evaluate it "
            "again"
        )
    return n
