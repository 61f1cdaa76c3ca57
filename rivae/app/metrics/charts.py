"""Charts of a run's metrics: the stored correlation table, D and C against alpha, digits."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import streamlit as st

from rivae.app.metrics import page_keys, session
from rivae.app.panels.component import Component
from rivae.app.shared import share
from rivae.app.shared.charts import chart, headline, is_dark
from rivae.app.shell.fragments import fragment
from rivae.app.shell.text import markdown
from rivae.exploring.words.axis_names import names_of_axes

if TYPE_CHECKING:
    import numpy as np
    import plotly.graph_objects as go
    from numpy.typing import NDArray

    from rivae.base.config import Asks
    from rivae.benchmark.run_report import RangeData, Report
    from rivae.runs import Run
    from rivae.runs.results import AtWidth

    Table = NDArray[np.float64]

THRESHOLD = 0.5
RANGES_NOTE = (
    "Both depend on how far a traversal goes, and the paper gives its range in units of z "
    "only. Dashed: the most that each can be. Fewer queries are used here than above, so that "
    "± 3 s.d. does not give quite the same."
)


def charts(run: Run, report: Report, along: RangeData) -> None:
    """The charts of one range of z."""
    if along.correlation is not None:
        _correlations(run, along, along.correlation, names_of_axes(run, len(along.correlation)))
        if len(along.shared) > 1 or len(along.correlation) > 1:
            _alpha(run, report, along, along.correlation)
    if along.transitions is not None:
        _digits(run, along, along.transitions)
        _digits_by_range(run, report.digit_ranges, along.asks)


def _selected(along: RangeData) -> tuple[int, int] | None:
    """The cell in the address, where the table has it."""
    cell = session.cell()
    if cell is None or not isinstance(cell[1], int) or cell[1] >= len(along.factors):
        return None
    return cell[0], cell[1]


def _correlations(run: Run, along: RangeData, table: NDArray[np.float64], names: list[str]) -> None:
    from rivae.figures.heatmap import correlation_heatmap

    figure = correlation_heatmap(
        table,
        along.factors,
        names,
        threshold=THRESHOLD,
        dark=is_dark(),
        selected=_selected(along),
    )
    headline("The paper's |corr| with true factors, not zero by chance")
    share.figure(
        "Correlations",
        "correlations",
        lambda: figure,
        run.id,
        "stored-correlation",
        is_chart=True,
        asks=along.asks,
        other=along.other,
        threshold=THRESHOLD,
        names=names,
    )

    def clicked(cell: list[int]) -> None:
        session.choose_cell((cell[0], cell[1]))

    chart(figure, page_keys.HEATMAP, clicked)
    st.caption(
        markdown(
            f"|corr| of {names[0][:1]} with the factor of the best item, mean of {along.n_queries} "
            f"queries; {THRESHOLD:g} and above framed. Click a cell to see what is behind it."
        )
    )


@fragment()
def _alpha(run: Run, report: Report, along: RangeData, table: NDArray[np.float64]) -> None:
    """D and C of the shared factors at any alpha, computed from the stored table."""
    headline("D and C against alpha")
    figure, alpha = alpha_panel(
        table[:, list(along.shared)],
        [along.factors[k] for k in along.shared],
        key=page_keys.CURVE,
        chance=along.chance,
        chance_alpha=report.alpha,
    )
    share.figure(
        "D and C against alpha",
        "alpha",
        lambda: figure,
        run.id,
        "stored-alpha",
        is_chart=True,
        asks=along.asks,
        other=along.other,
        columns=list(along.shared),
        alpha=alpha,
    )


def alpha_panel(
    table: NDArray[np.float64],
    names: Sequence[str],
    *,
    key: str,
    chance: Mapping[str, tuple[float, float]] | None = None,
    chance_alpha: float | None = None,
) -> tuple[go.Figure, float]:
    """A slider for alpha, and the curves of D and C with a caption; returns the figure and alpha.

    Args:
        table: (d, K) of |corr|.
        names: of the K factors.
        chance, chance_alpha: see ``alpha_curve``.
    """
    from rivae.figures.alpha import STEPS, alpha_curve
    from rivae.metrics.measures.dci_paper import DEFAULT_ALPHA, C, D, paper_dci

    alpha = live_slider(
        "alpha in rho(c) = exp(alpha c)",
        STEPS,
        DEFAULT_ALPHA,
        name=page_keys.ALPHA,
        about="The paper does not give alpha. A larger one lifts both scores.",
    )
    figure = alpha_curve(table, alpha, chance=chance, chance_alpha=chance_alpha, dark=is_dark())
    chart(figure, key)
    linear, informative = paper_dci(table, rho="linear"), paper_dci(table)["informativeness"]
    plain = ", ".join(
        f"{metric.label} {linear[metric.key].score:.2f}"
        for metric in (D, C)
        if linear[metric.key].score == linear[metric.key].score
    )
    level = f" The level of chance is known at alpha {chance_alpha:g}." if chance else ""
    st.caption(
        markdown(
            f"Of {', '.join(names)}. With |corr| itself as the weight: {plain}. "
            f"I = {informative.score:.2f} at any alpha.{level}"
        )
    )
    return figure, alpha


def _digits(run: Run, along: RangeData, table: Table) -> None:
    """The transition table with overlap and coverage; a click on a row opens its items."""
    _coverage(table)
    names = names_of_axes(run, len(table))
    _transitions(run, along, table, names)


def _coverage(table: Table) -> None:
    """Which pairs of digits follow each other over all axes, with overlap and coverage."""
    from rivae.figures.digits import coverage_bars
    from rivae.metrics.measures.digits import digit_metrics

    metrics = digit_metrics(table)
    coverage, overlap = metrics["coverage"], metrics["overlap"]
    if coverage.score != coverage.score:
        st.info("No traversal changes the digit, so overlap and coverage are undefined.")
        return
    figure = coverage_bars(
        coverage.parts["union"],
        coverage.score,
        dark=is_dark(),
        overlap=overlap.score if overlap.score == overlap.score else None,
    )
    chart(figure, page_keys.COVERAGE)


def _transitions(run: Run, along: RangeData, table: Table, names: list[str]) -> None:
    from rivae.figures.digits import transition_heatmap

    figure = transition_heatmap(table, names, dark=is_dark())
    headline("Digit transitions")
    share.figure(
        "Digit transitions",
        "transitions",
        lambda: figure,
        run.id,
        "stored-digits",
        is_chart=True,
        asks=along.asks,
        other=along.other,
        names=names,
    )

    def clicked(cell: list[int]) -> None:
        session.choose_cell((cell[1], 0))  # (pair of digits, axis)

    chart(figure, page_keys.TRANSITIONS, clicked)
    st.caption("Click a row to see the items along that axis.")


def _digits_by_range(run: Run, ranges: Sequence[AtWidth], asks: Asks) -> None:
    """How overlap and coverage move with the range of z; nothing for an older evaluation."""
    if not ranges:
        return
    from rivae.figures.digits import digit_range_lines

    both = [[each.overlap for each in ranges], [each.coverage for each in ranges]]
    figure = digit_range_lines(
        [each.n_std for each in ranges],
        *([math.nan if y is None else y for y in ys] for ys in both),
        dark=is_dark(),
    )
    headline("Overlap and coverage by range of z")
    share.figure(
        "Overlap and coverage by range",
        "digit-ranges",
        lambda: figure,
        run.id,
        "stored-digit-ranges",
        is_chart=True,
        asks=asks,
    )
    chart(figure, page_keys.RANGES)
    st.caption(RANGES_NOTE)


# While dragged it reports its position ("move"). The release is a state and not an event, as
# Streamlit drops an event that another one overtakes: {"at", "count"}, so that each is a new one.
_STEPS = Component(
    "rivae_steps",
    js=("dom.js", "steps.js"),
    css=("base.css", "steps.css"),
    reports={"move": int, "commit": dict},
)


def live_slider(
    label: str, steps: Sequence[float], default: float, *, name: str, about: str = ""
) -> float:
    """One of ``steps``; ``name`` is its name in the address. Put it into a fragment."""
    texts = [f"{step:g}" for step in steps]
    usual, key, memory = steps.index(default), f"{name}_slider", f"{name}_at"
    address_text = st.query_params.get(name, "")
    # (text in the address, the chosen step): a changed address overrides the choice.
    last_place: tuple[str, int] | None = st.session_state.get(memory)
    if last_place is None or last_place[0] != address_text:
        last_place = (address_text, texts.index(address_text) if address_text in texts else usual)
        st.session_state[memory] = last_place

    def moved(at: int) -> None:
        if at in range(len(steps)):
            st.session_state[memory] = (address_text, at)

    def released(commit: dict[str, Any]) -> None:
        at = commit.get("at")
        if type(at) is not int or at not in range(len(steps)):
            return
        if at != usual:
            st.query_params[name] = texts[at]
        elif name in st.query_params:
            del st.query_params[name]
        st.session_state[memory] = (st.query_params.get(name, ""), at)

    at = last_place[1]
    _STEPS(
        {"label": label, "help": about, "steps": texts, "at": at},
        key=key,
        move=moved,
        commit=released,
    )
    return steps[at]
