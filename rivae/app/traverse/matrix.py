"""The paper's matrix of plots: every true factor of the retrieved items against every axis."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import streamlit as st

from rivae.app.shared import charts, share
from rivae.app.traverse import page_keys, traversals

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from rivae.app.traverse.session import Anchor
    from rivae.exploring.explorer import Explorer
    from rivae.retrieval.ranges import Range

POINTS = 90  # of each plot; more cannot be told apart at this size, and the browser draws them all


def all_plots(
    explorer: Explorer,
    anchor: Anchor,
    choice: Range,
    n: int,
    columns: Sequence[int],
    threshold: float,
) -> None:
    """A switch, and below it all plots at once; those with |corr| of ``threshold`` are framed."""
    if not st.toggle("All plots", key=page_keys.MATRIX, bind="query-params"):
        return
    figure = _figure(explorer, anchor, choice, n, columns, threshold)
    with st.container(key="plot_matrix"):
        st.plotly_chart(figure, width="content", theme=None, key=f"{page_keys.MATRIX}_chart")
    share.figure(
        "All plots",
        "plots",
        lambda: figure,
        anchor.run,
        "matrix",
        is_chart=True,
        asks=anchor.asks,
        n_queries=n,
        range=choice,
        threshold=threshold,
    )


def _figure(
    explorer: Explorer,
    anchor: Anchor,
    choice: Range,
    n: int,
    columns: Sequence[int],
    threshold: float,
) -> go.Figure:
    from rivae.figures.scatter import plot_matrix

    data = explorer.data
    assert data.factors is not None
    traversal = traversals.many_queries(anchor.key, n, choice, explorer).turned(explorer.signs)
    return plot_matrix(
        traversal.values,
        data.factors[traversal.ids[..., 0]][..., columns],
        [data.factor_specs[k].name for k in columns],
        explorer.axis_names,
        table=traversals.table(anchor.key, n, choice, explorer).absolute,
        threshold=threshold,
        points_per_panel=POINTS,
        dark=charts.is_dark(),
    )
