"""Charts beside a run's metrics: the stored correlation table, D and C against alpha, digits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import streamlit as st

from rivae.ui.metrics import digits, session
from rivae.ui.panels.component import Component
from rivae.ui.shared import charts as theme
from rivae.ui.shared import exports, runs
from rivae.ui.shared.charts import chart, headline
from rivae.ui.shell import keys
from rivae.ui.shell.text import markdown

if TYPE_CHECKING:
    import numpy as np
    import plotly.graph_objects as go
    from numpy.typing import NDArray

    from rivae.runs import Run
    from rivae.ui.metrics.report import Along, Report

THRESHOLD = 0.5


def charts(run: Run, report: Report, along: Along) -> None:
    """The charts of one range of z."""
    if along.correlation is not None:
        _correlations(run, along, along.correlation, runs.names_of(run, len(along.correlation)))
        if len(along.shared) > 1 or len(along.correlation) > 1:
            _alpha(run, report, along, along.correlation)
    if along.transitions is not None:
        digits.charts(run, along, along.transitions, chosen_cell(along))
        digits.by_range(run, report.digit_ranges)


def chosen_cell(along: Along) -> tuple[int, int] | None:
    """The cell in the address, as far as the table has it."""
    found = session.cell()
    table = along.correlation if along.correlation is not None else along.transitions
    if found is None or table is None or found[0] >= len(table):
        return None
    if along.correlation is None:
        return found[0], 0
    return found if found[1] < len(along.factors) else None


def _correlations(run: Run, along: Along, table: NDArray[np.float64], names: list[str]) -> None:
    from rivae.plots.heatmap import correlation_heatmap

    figure = correlation_heatmap(
        table,
        along.factors,
        names,
        threshold=THRESHOLD,
        dark=theme.is_dark(),
        selected=chosen_cell(along),
    )
    with headline("Correlation with true factors"):
        exports.panel(
            "correlations",
            lambda: figure,
            run.id,
            "stored-correlation",
            is_chart=True,
            other=along.other,
            threshold=THRESHOLD,
            names=names,
        )

    def clicked(cell: list[int]) -> None:
        session.choose_cell((cell[0], cell[1]))

    chart(figure, keys.METRICS_HEATMAP, clicked)
    st.caption(
        markdown(
            f"|corr| of {names[0][:1]} with the factor of the best item, mean of {along.n_queries} "
            f"queries; {THRESHOLD:g} and above framed. Click a cell, or choose below, to see "
            "what is "
            "behind it."
        )
    )
    _cell_picker(along, table, names)


def _cell_picker(along: Along, table: NDArray[np.float64], names: list[str]) -> None:
    """The same cell from two lists, for the keyboard."""
    shown = chosen_cell(along)
    st.session_state[keys.METRICS_CELL_DIM] = None if shown is None else shown[0]
    st.session_state[keys.METRICS_CELL_FACTOR] = None if shown is None else shown[1]

    def chosen() -> None:
        j, k = (st.session_state[key] for key in (keys.METRICS_CELL_DIM, keys.METRICS_CELL_FACTOR))
        if shown is not None and (j is None or k is None):
            session.choose_cell(None)
        elif j is not None or k is not None:
            # The one that was not chosen: where the correlation is strongest.
            j = int(table[:, k].argmax()) if j is None else j
            session.choose_cell((j, int(table[j].argmax()) if k is None else k))

    with st.container(horizontal=True):
        st.selectbox(
            "Axis",
            range(len(table)),
            index=None,
            placeholder="none",
            format_func=lambda j: names[j],
            width=150,
            key=keys.METRICS_CELL_DIM,
            on_change=chosen,
        )
        st.selectbox(
            "Factor",
            range(len(along.factors)),
            index=None,
            placeholder="none",
            format_func=lambda k: along.factors[k],
            width=210,
            key=keys.METRICS_CELL_FACTOR,
            on_change=chosen,
        )


@st.fragment
def _alpha(run: Run, report: Report, along: Along, table: NDArray[np.float64]) -> None:
    """D and C of the shared factors at any alpha, computed anew from the stored table."""
    head = headline("D and C against alpha")
    figure, alpha = alpha_panel(
        table[:, list(along.shared)],
        [along.factors[k] for k in along.shared],
        key=keys.METRICS_CURVE,
        chance=along.chance,
        chance_alpha=report.alpha,
    )
    with head:
        exports.panel(
            "alpha",
            lambda: figure,
            run.id,
            "stored-alpha",
            is_chart=True,
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
    """A slider for alpha, the curves of D and C with what they say; the figure and alpha.

    Args:
        table: (d, K) of |corr|.
        names: of the K factors.
        chance, chance_alpha: see ``alpha_curve``.
    """
    from rivae.metrics.dci_paper import DEFAULT_ALPHA, C, D, paper_dci
    from rivae.plots.alpha import STEPS, alpha_curve

    alpha = live_slider(
        "alpha in rho(c) = exp(alpha c)",
        STEPS,
        DEFAULT_ALPHA,
        name=keys.METRICS_ALPHA,
        about="The paper does not give alpha. A larger one lifts both scores.",
    )
    figure = alpha_curve(
        table, alpha, chance=chance, chance_alpha=chance_alpha, dark=theme.is_dark()
    )
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


# While it is dragged it reports where it is ("move"). The release is a state and not an event, as
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
    usual, key, kept = steps.index(default), f"{name}_slider", f"{name}_at"
    written = st.query_params.get(name, "")
    # (what the address says, the chosen step): another address wins over what was chosen.
    known: tuple[str, int] | None = st.session_state.get(kept)
    if known is None or known[0] != written:
        known = (written, texts.index(written) if written in texts else usual)
        st.session_state[kept] = known

    def moved(at: int) -> None:
        if at in range(len(steps)):
            st.session_state[kept] = (written, at)

    def released(commit: dict[str, Any]) -> None:
        at = commit.get("at")
        if type(at) is not int or at not in range(len(steps)):
            return
        if at != usual:
            st.query_params[name] = texts[at]
        elif name in st.query_params:
            del st.query_params[name]
        st.session_state[kept] = (st.query_params.get(name, ""), at)

    at = known[1]
    _STEPS(
        {"label": label, "help": about, "steps": texts, "at": at},
        key=key,
        move=moved,
        commit=released,
    )
    return steps[at]
