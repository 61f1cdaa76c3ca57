"""The parts around the Compare panel: the choice of runs, the strips of one factor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from rivae.app.compare import page_keys, session
from rivae.app.shared import charts, share
from rivae.app.shared.runs import run_title
from rivae.app.shell import cache
from rivae.app.shell.text import markdown
from rivae.base.errors import RivaeError

if TYPE_CHECKING:
    from rivae.app.compare.state import CompareState
    from rivae.exploring.comparison import Comparison, Counterpart
    from rivae.figures.sheet import Sheet
    from rivae.figures.traversals import Strip
    from rivae.runs import Run

NO_COUNTERPART = "No counterpart of this axis: {}."
RANKS = 3  # items per point, as in the paper's figures
MAX_KEPT = 48  # strips of 201 points x 3 items: 10 kB each


def runs_picker(chosen: Sequence[str], ready: Sequence[str]) -> None:
    """A list of runs to choose from; ``chosen`` are chosen, in order, the reference first."""
    from rivae.exploring.comparison import MAX_RUNS

    runs_by_id = {run.id: run for run in cache.runs()}
    options = list(dict.fromkeys([*ready, *chosen]))
    data = {run: _dataset(runs_by_id.get(run)) for run in options}

    def title(run: str) -> str:
        # Six long titles do not fit into a line; what the chosen runs share need not be said.
        same = chosen and data[run] == data[chosen[0]] is not None
        return run if same or run not in runs_by_id else run_title(runs_by_id[run])

    st.session_state[page_keys.RUNS] = list(chosen)
    st.multiselect(
        "Runs, the reference first",
        options,
        format_func=title,
        key=page_keys.RUNS,
        on_change=session.choose_runs,
        # A link may name more; then the sentence below says what to do.
        max_selections=MAX_RUNS if len(chosen) <= MAX_RUNS else None,
        placeholder="Choose two to six runs of one data set",
        width="stretch",
    )


def _dataset(run: Run | None) -> str | None:
    try:
        return None if run is None else run.config.dataset.name
    except RivaeError:
        return None


@st.cache_resource(max_entries=MAX_KEPT, show_spinner=False)
def _strip(
    key: str,
    z: tuple[float, ...],
    part: Counterpart,
    name: str,
    run: int,
    factor: int,
    _comparison: Comparison,
) -> Strip | None:
    """One strip; the key names model, anchor and axis, which is all that it depends on."""
    from rivae.figures.comparison import factor_strip

    return factor_strip(_comparison, run, np.array(z), factor, RANKS, name)


def strips_of(comparison: Comparison, state: CompareState) -> list[Strip | None]:
    """The strip of the chosen factor in every run; None where there is no counterpart."""
    from rivae.app.compare.state import LETTERS
    from rivae.exploring.comparison import strip_name

    strips: list[Strip | None] = []
    for i, (run, z) in enumerate(zip(state.runs, comparison.query_z(state.query), strict=True)):
        part = comparison.counterpart(i, state.factor)
        if part is None:
            strips.append(None)
            continue
        name = strip_name(comparison, i, state.factor, f"{LETTERS[i]} · {run}")
        key, anchor = cache.model_key(run, state.asks), tuple(z.tolist())
        strips.append(_strip(key, anchor, part, name, i, state.factor, comparison))
    return strips


def strips(comparison: Comparison, state: CompareState) -> None:
    """Traversals of the factor in hand, a row per run, as in the paper's figures."""
    from rivae.figures.comparison import factor_sheet
    from rivae.figures.sheet import to_fragment

    side = 0 if state.whole else comparison.explorers[0].found_side
    run_strips = strips_of(comparison, state)

    def sheet() -> Sheet:
        return factor_sheet(comparison, state.query, run_strips, side=side)

    st.markdown(f"### Axis {state.factor + 1} from end to end")
    share.figure(
        f"Axis {state.factor + 1} from end to end",
        "compare",
        sheet,
        state.runs[0],
        "compare",
        is_chart=False,
        others=list(state.runs[1:]),
        query=state.query,
        asks=state.asks,
        factor=state.factor,
        side=side,
    )
    st.caption(
        f"From low to high for the first run; only points where the best item changes, the best "
        f"{RANKS} of each. Numbers: shift from the query in axis ranges. The other axes stay "
        "at the query."
    )
    st.html(to_fragment(sheet(), dark=charts.is_dark()))
    left = [run for run, strip in zip(state.runs, run_strips, strict=True) if strip is None]
    if left:
        st.caption(NO_COUNTERPART.format(markdown(", ".join(left))))
