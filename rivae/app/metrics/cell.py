"""Behind a cell of a run's stored table: the scatter, and the items along the axis."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from rivae.app.metrics import session
from rivae.app.metrics.charts import chosen_cell
from rivae.app.panels.links import ExploreLink
from rivae.app.shared import charts, exports
from rivae.app.shared.charts import chart, headline
from rivae.app.shell import cache, keys, pages
from rivae.app.shell.report import waiting
from rivae.app.shell.text import markdown
from rivae.base.errors import RivaeError
from rivae.retrieval.ranges import extent

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from rivae.app.metrics.report import RangeData, Report
    from rivae.exploring.explorer import Explorer
    from rivae.figures.sheet import Sheet
    from rivae.retrieval.traversal import Traversal
    from rivae.runs import Run
    from rivae.runs.evaluation_file import Evaluation

N_STRIPS = 3
MAX_POINTS = 8


def panel(run: Run, report: Report, along: RangeData) -> None:
    """The panel of the chosen cell, where one is chosen."""
    cell = chosen_cell(along)
    if cell is None:
        return
    with st.container(key=session.DETAIL):
        _behind(run, report, along, cell)


def _behind(run: Run, report: Report, along: RangeData, cell: tuple[int, int]) -> None:
    j, k = cell
    from rivae.evaluation.replay import measured_queries

    try:
        with waiting("Opening the model and searching its items …", 420):
            explorer = cache.explorer(run.id, asks=along.asks)
            key = cache.model_key(run.id, along.asks)
            found = behind(key, report.created, j, along.other, explorer, report.stored)
            found = found.turned(explorer.signs)
            sheet = items_sheet(explorer, found, measured_queries(explorer.data, report.stored))
    except RivaeError as error:
        st.warning(markdown(str(error)), icon=":material/info:")
        return
    factor = "" if along.correlation is None else f" and {along.factors[k]}"
    with headline(f"Behind {explorer.axis_names[j]}{factor}"):
        st.button(
            "Close",
            icon=":material/close:",
            type="tertiary",
            on_click=session.choose_cell,
            args=(None,),
        )
    if along.correlation is None:
        _items(run, along, sheet)
        return
    with st.grid(2, min_column_width=500, gap="large"):
        with st.container():
            _scatter(run, along, along.correlation, found, explorer, j, k)
        with st.container():
            _items(run, along, sheet)


@st.cache_resource(max_entries=24, show_spinner=False)
def behind(
    key: str, created: str, dim: int, other: bool, _explorer: Explorer, _stored: Evaluation
) -> Traversal:
    """The traversal that a stored table was computed from; ``key`` and ``created`` name the two."""
    from rivae.evaluation.replay import replay

    return replay(_explorer.retriever, _explorer.data, _stored, dim, other=other)


def items_sheet(explorer: Explorer, found: Traversal, rows: NDArray[np.int64]) -> Sheet:
    """The items along the axis for the first queries, where the best one changes.

    ``rows`` are the data rows of the traversal's queries.
    """
    from rivae.figures.sheet import stacked
    from rivae.figures.traversals import strips_of, strips_sheet

    data, side = explorer.data, 0 if explorer.shows_whole else explorer.found_side
    return stacked(
        [
            strips_sheet(
                strips_of(found, q, explorer.axis_names, max_points=MAX_POINTS),
                lambda i: data.picture(i, side),
                side=44,
                title=data.title,
                query=data.picture(row, explorer.query_side),
                query_title=data.title(row),
                marked=(row,),
            )
            for q, row in enumerate(rows[:N_STRIPS].tolist())
        ],
        gap=0,
    )


def _items(run: Run, along: RangeData, sheet: Sheet) -> None:
    from rivae.figures.sheet import to_fragment

    st.html(to_fragment(sheet, dark=charts.is_dark()))
    st.caption(
        markdown(
            f"Items found for the first {N_STRIPS} of the measured queries, "
            f"{extent(along.range)}, at "
            "points where the best item changes; a framed one is the query's own pair."
        )
    )
    st.page_link(
        pages.path("traverse"),
        label="Open in Traverse",
        icon=":material/timeline:",
        query_params=ExploreLink(run=run.id, asks=along.asks).write(),
    )


def _scatter(
    run: Run,
    along: RangeData,
    table: NDArray[np.float64],
    found: Traversal,
    explorer: Explorer,
    j: int,
    k: int,
) -> None:
    """Factor of the retrieved items against z, exactly those behind the stored number."""
    from rivae.figures.scatter import traversal_scatter

    specs = explorer.data.factor_specs
    column = next((i for i, spec in enumerate(specs) if spec.name == along.factors[k]), None)
    if column is None or explorer.data.factors is None:
        st.info(markdown(f"The data set no longer has a factor {along.factors[k]}."))
        return
    figure = traversal_scatter(
        found.values[0],
        explorer.data.factors[found.ids[:, 0, :, 0], column],
        j=j,
        k=k,
        factor_name=specs[column].name,
        levels=specs[column].levels,
        axis_name=explorer.axis_names[j],
        correlation=float(table[j, k]),
        dark=charts.is_dark(),
    )
    chart(figure, keys.METRICS_SCATTER)
    share = 0.0 if along.undefined is None else float(along.undefined[j, k])
    if share > 0:
        st.caption(
            markdown(
                f"For {share:.0%} of the queries the factor stays the same along "
                f"{explorer.axis_names[j]}; their correlation counts as 0."
            )
        )
    exports.panel(
        "behind-cell",
        lambda: figure,
        run.id,
        "stored-scatter",
        is_chart=True,
        asks=along.asks,
        dim=j,
        factor=column,
        other=along.other,
    )
