"""Charts of a run on digits: which digits follow each other along each dimension."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import streamlit as st

from rivae.ui.metrics import session
from rivae.ui.shared import charts as theme
from rivae.ui.shared import exports, runs
from rivae.ui.shared.charts import chart, headline
from rivae.ui.shell import keys

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from rivae.runs import Run
    from rivae.runs.evaluation_file import AtWidth
    from rivae.ui.metrics.report import Along

    Table = NDArray[np.float64]


def charts(run: Run, along: Along, table: Table, chosen: tuple[int, int] | None) -> None:
    """The transition table with overlap and coverage; a click on a row opens its items."""
    _coverage(table)
    names = runs.names_of(run, len(table))
    _transitions(run, along, table, names)
    _dimension_picker(names, chosen)


def _coverage(table: Table) -> None:
    """Which pairs of digits follow each other over all dimensions, with overlap and coverage."""
    from rivae.metrics.digits import digit_metrics
    from rivae.plots.digits import coverage_bars

    found = digit_metrics(table)
    coverage, overlap = found["coverage"], found["overlap"]
    if coverage.score != coverage.score:
        st.info("No traversal changes the digit, so overlap and coverage are undefined.")
        return
    figure = coverage_bars(
        coverage.parts["union"],
        coverage.score,
        dark=theme.is_dark(),
        overlap=overlap.score if overlap.score == overlap.score else None,
    )
    chart(figure, keys.METRICS_COVERAGE)


def _transitions(run: Run, along: Along, table: Table, names: list[str]) -> None:
    from rivae.plots.digits import transition_heatmap

    figure = transition_heatmap(table, names, dark=theme.is_dark())
    with headline("Digit transitions"):
        exports.panel(
            "transitions",
            lambda: figure,
            run.id,
            "stored-digits",
            is_chart=True,
            other=along.other,
            names=names,
        )

    def clicked(cell: list[int]) -> None:
        session.choose_cell((cell[1], 0))  # (pair of digits, dimension)

    chart(figure, keys.METRICS_TRANSITIONS, clicked)
    st.caption("Click a row, or choose below, to see the items along that axis.")


def _dimension_picker(names: list[str], chosen: tuple[int, int] | None) -> None:
    """The same choice from a list, for the keyboard."""
    st.session_state[keys.METRICS_CELL_DIM] = None if chosen is None else chosen[0]

    def picked() -> None:
        j = st.session_state[keys.METRICS_CELL_DIM]
        session.choose_cell(None if j is None else (j, 0))

    st.selectbox(
        "Axis",
        range(len(names)),
        index=None,
        placeholder="none",
        width=150,
        format_func=lambda j: names[j],
        key=keys.METRICS_CELL_DIM,
        on_change=picked,
    )


RANGES_NOTE = (
    "Both depend on how far a traversal goes, and the paper gives its range in units of z "
    "only. Dashed: the most that each can be. Fewer queries are used here than above, so that "
    "± 3 s.d. does not give quite the same."
)


def by_range(run: Run, ranges: Sequence[AtWidth]) -> None:
    """How overlap and coverage move with the range of z; nothing for an older evaluation."""
    if not ranges:
        return
    from rivae.plots.digit_ranges import digit_range_lines

    both = [[each.overlap for each in ranges], [each.coverage for each in ranges]]
    figure = digit_range_lines(
        [each.n_std for each in ranges],
        *([math.nan if y is None else y for y in ys] for ys in both),
        dark=theme.is_dark(),
    )
    with headline("Overlap and coverage by range of z"):
        exports.panel("digit-ranges", lambda: figure, run.id, "stored-digit-ranges", is_chart=True)
    chart(figure, keys.METRICS_RANGES)
    st.caption(RANGES_NOTE)
