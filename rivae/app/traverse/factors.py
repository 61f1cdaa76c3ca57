"""The Traverse panel about true factors: correlations, the plot behind one of them, digits."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from rivae.app.panels.component import reveal
from rivae.app.shared import address, charts, frame, share
from rivae.app.shared.charts import chart
from rivae.app.shared.runs import asks_picker
from rivae.app.shell import report
from rivae.app.shell.text import markdown
from rivae.app.traverse import matrix, page_keys, traversals
from rivae.app.work import certainty

if TYPE_CHECKING:
    from rivae.app.traverse.session import Anchor
    from rivae.exploring.explorer import Explorer
    from rivae.retrieval.ranges import Range

QUERIES = (20, 50, 100)
THRESHOLD = 0.5
DETAIL = "detail_traverse"  # key of the plot behind a cell


def correlations(explorer: Explorer, anchor: Anchor, choice: Range) -> None:
    """The table of |corr| between dimensions and true factors; a click opens the scatter."""
    from rivae.evaluation.of_run import is_digits
    from rivae.metrics.correlation import numeric_factors

    data = explorer.data
    if data.factors is None:
        st.info("These data have no true factors to compare the axes with: imports can name some.")
        return
    columns = numeric_factors(data.factor_specs)
    with frame.run_chip():
        asks_picker(explorer, choose=address.choose_asks)
    with frame.details():
        n = (
            st.segmented_control(
                "Queries averaged",
                QUERIES,
                default=QUERIES[0],
                required=True,
                key=page_keys.QUERIES,
                bind="query-params",
            )
            or QUERIES[0]
        )
    cell: tuple[int, int] | None
    if columns:
        with report.waiting("Comparing each axis with the true factors …", 260):
            cell = _heatmap(explorer, anchor, choice, n, columns)
        if cell is None:
            st.caption("Click a cell to see the retrieved items' factor values against one axis.")
    else:
        names = ", ".join(spec.name for spec in data.factor_specs)
        st.caption(
            f"The factor here ({markdown(names)}) is a category, which has no correlation; the "
            "plots show which categories are retrieved along an axis."
        )
        if is_digits(data):
            _transitions(explorer, anchor, choice, n)
        cell = _cell_picker(explorer)
    if cell is not None:
        with st.container(key=DETAIL):
            _scatter(explorer, anchor, choice, n, cell)
    if columns:
        matrix.all_plots(explorer, anchor, choice, n, columns, THRESHOLD)


def _transitions(explorer: Explorer, anchor: Anchor, choice: Range, n: int) -> None:
    """Which digits follow each other along each dimension (the paper's Split-MNIST table)."""
    from rivae.figures.digits import transition_heatmap
    from rivae.metrics.measures.digits import transition_table

    assert explorer.data.factors is not None
    traversal = traversals.many_queries(anchor.key, n, choice, explorer)
    table = transition_table(explorer.data.factors[traversal.ids[..., 0], 0])
    figure = transition_heatmap(table, explorer.axis_names, dark=charts.is_dark())
    chart(figure, page_keys.TRANSITIONS)
    share.figure(
        "Digit transitions",
        "digits",
        lambda: figure,
        anchor.run,
        "digits",
        is_chart=True,
        asks=anchor.asks,
        n_queries=n,
        range=choice,
    )


def _heatmap(
    explorer: Explorer, anchor: Anchor, choice: Range, n: int, columns: list[int]
) -> tuple[int, int] | None:
    """Draw the table; returns the chosen (dimension, factor column), held in our own state."""
    from rivae.figures.heatmap import correlation_heatmap

    table = traversals.table(anchor.key, n, choice, explorer)
    cell: tuple[int, int] | None = st.session_state.get(page_keys.CELL)
    if cell is not None and not (cell[0] < explorer.n_components and cell[1] in columns):
        cell = None
    figure = correlation_heatmap(
        table.absolute,
        table.factor_names,
        explorer.axis_names,
        threshold=THRESHOLD,
        dark=charts.is_dark(),
        selected=None if cell is None else (cell[0], columns.index(cell[1])),
    )

    def clicked(values: list[int]) -> None:
        st.session_state[page_keys.CELL] = (values[0], columns[values[1]])
        reveal(DETAIL)

    chart(figure, page_keys.HEATMAP, clicked)
    frames = (
        "The paper's |corr| of z with a factor of the best item; without its sign it does not "
        f"vanish by chance · ≥ {THRESHOLD:g} framed · mean of {table.n_queries} queries"
    )
    left_out = f" · without the categories {', '.join(table.left_out)}" if table.left_out else ""
    st.caption(markdown(frames + left_out))
    share.figure(
        "Correlations",
        "correlations",
        lambda: figure,
        anchor.run,
        "correlation",
        is_chart=True,
        asks=anchor.asks,
        n_queries=n,
        range=choice,
        threshold=THRESHOLD,
    )
    return cell


def _cell_picker(explorer: Explorer) -> tuple[int, int]:
    """A dimension and a factor from two lists, where there is no table to click."""
    axis_certainty = certainty.known_certainty(explorer.run)
    with st.container(horizontal=True):
        j = st.selectbox(
            "Axis",
            range(explorer.n_components),
            width=160,
            format_func=certainty.signed(axis_certainty, explorer.axis_names).__getitem__,
            key=page_keys.CELL_DIM,
        )
        specs = explorer.data.factor_specs
        k = st.selectbox(
            "Factor",
            range(len(specs)),
            format_func=lambda k: specs[k].name,
            width=220,
            key=page_keys.CELL_FACTOR,
        )
    return int(j or 0), int(k or 0)


def _scatter(
    explorer: Explorer, anchor: Anchor, choice: Range, n: int, cell: tuple[int, int]
) -> None:
    """Factor values of the retrieved items against the values of one dimension."""
    from rivae.figures.scatter import traversal_scatter
    from rivae.figures.theme import alt_text
    from rivae.metrics.correlation import numeric_factors

    j, k = cell
    data = explorer.data
    assert data.factors is not None
    spec = data.factor_specs[k]
    traversal = traversals.many_queries(anchor.key, n, choice, explorer).turned(explorer.signs)
    numeric = numeric_factors(data.factor_specs)
    table = traversals.table(anchor.key, n, choice, explorer) if k in numeric else None
    figure = traversal_scatter(
        traversal.values[j],
        data.factors[traversal.ids[:, j, :, 0], k],
        j=j,
        k=k,
        factor_name=spec.name,
        levels=spec.levels,
        ordered=spec.kind != "categorical",
        correlation=None if table is None else float(table.absolute[j, numeric.index(k)]),
        axis_name=explorer.axis_names[j],
        dark=charts.is_dark(),
    )
    st.plotly_chart(figure, theme=None, key=page_keys.SCATTER, alt=alt_text(figure))
    share.figure(
        "Plot behind a cell",
        "scatter",
        lambda: figure,
        anchor.run,
        "scatter",
        is_chart=True,
        asks=anchor.asks,
        n_queries=n,
        range=choice,
        dim=j,
        factor=k,
    )
