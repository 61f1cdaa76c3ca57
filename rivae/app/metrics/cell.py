"""Behind a cell of a run's map or table: the scatter, and the items along the axis."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from rivae.app.metrics import page_keys, session
from rivae.app.panels.links import ExploreLink
from rivae.app.shared import charts, share
from rivae.app.shared.charts import chart, headline
from rivae.app.shell import cache, pages
from rivae.app.shell.report import waiting
from rivae.app.shell.text import markdown
from rivae.base.errors import RivaeError
from rivae.retrieval.ranges import extent

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from rivae.benchmark.run_report import RangeData, Report
    from rivae.exploring.explorer import Explorer
    from rivae.figures.sheet import Sheet
    from rivae.retrieval.traversal import Traversal
    from rivae.runs import Run
    from rivae.runs.evaluation_file import Evaluation

N_STRIPS = 3
MAX_POINTS = 8
GONE = "The data set no longer has a {} {}."
LINKS: tuple[tuple[str, str, dict[str, str]], ...] = (
    ("Strips of this run", ":material/timeline:", {}),
    ("All plots", ":material/grid_on:", {"view": "Correlations", "plots": "true"}),
)


def panel(run: Run, report: Report, along: RangeData) -> None:
    """The panel of the chosen cell, where one is chosen."""
    if (cell := session.cell()) is not None and _is_there(cell, report, along):
        with st.container(key=session.DETAIL):
            _behind(run, report, along, *cell)


def _is_there(cell: session.Cell, report: Report, along: RangeData) -> bool:
    j, column = cell
    prior = report.stored.settings.prior
    if prior is None or j >= len(prior.mean):
        return False
    return isinstance(column, str) or column < max(len(along.factors), 1)


def _behind(run: Run, report: Report, along: RangeData, j: int, column: int | str) -> None:
    from rivae.evaluation.replay import measured_queries

    try:
        with waiting("Opening the model and searching its items …", 420):
            explorer = cache.explorer(run.id, asks=along.asks)
            key = cache.model_key(run.id, along.asks)
            points = behind(key, report.created, j, along.other, explorer, report.stored)
            points = points.turned(explorer.signs)
            sheet = items_sheet(explorer, points, measured_queries(explorer.data, report.stored))
    except RivaeError as error:
        st.warning(markdown(str(error)), icon=":material/info:")
        return
    factor = column if isinstance(column, int) else None
    if isinstance(column, str):
        name = column.partition(".")[2]
    else:
        name = along.factors[column] if along.factors else ""
    with headline(f"Behind {explorer.axis_names[j]}{name and f' and {name}'}"):
        st.button(
            "Close",
            icon=":material/close:",
            type="tertiary",
            on_click=session.choose_cell,
            args=(None,),
        )
    if factor is not None and along.correlation is None:
        _items(run, along, sheet)
        return
    with st.grid(2, min_column_width=500, gap="large"):
        with st.container():
            if isinstance(column, str):
                _share(points, explorer, j, *column.split(".", 1))
            elif along.correlation is not None:
                _scatter(run, along, along.correlation, points, explorer, j, column)
        with st.container():
            _items(run, along, sheet)


@st.cache_resource(max_entries=24, show_spinner=False)
def behind(
    key: str, created: str, dim: int, other: bool, _explorer: Explorer, _stored: Evaluation
) -> Traversal:
    """The traversal that a stored table was computed from; ``key`` and ``created`` name the two."""
    from rivae.evaluation.replay import replay

    return replay(_explorer.retriever, _explorer.data, _stored, dim, other=other)


def items_sheet(explorer: Explorer, traversal: Traversal, rows: NDArray[np.int64]) -> Sheet:
    """The items along the axis for the first queries, where the best one changes.

    ``rows`` are the data rows of the traversal's queries.
    """
    from rivae.figures.sheet import stacked
    from rivae.figures.traversals import strips_of, strips_sheet

    data, side = explorer.data, 0 if explorer.shows_whole else explorer.found_side
    return stacked(
        [
            strips_sheet(
                strips_of(traversal, q, explorer.axis_names, max_points=MAX_POINTS),
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
    link = ExploreLink(run=run.id, asks=along.asks).write()
    with st.container(horizontal=True):
        for label, icon, more in LINKS:
            if "plots" not in more or along.correlation is not None:
                st.page_link(
                    pages.path("traverse"), label=label, icon=icon, query_params={**link, **more}
                )


def _share(traversal: Traversal, explorer: Explorer, j: int, kind: str, name: str) -> None:
    """Which share of the items found for the queries has a tag or word, along the axis."""
    from rivae.figures.scatter import traversal_scatter

    has = _holders(explorer, kind, name)
    if has is None:
        st.info(markdown(GONE.format(kind, name)))
        return
    figure = traversal_scatter(
        traversal.values[0],
        has[traversal.ids[:, 0, :, 0]].mean(axis=0),
        j=j,
        factor_name=f"share with {name}",
        axis_name=explorer.axis_names[j],
        dark=charts.is_dark(),
    )
    figure.update_yaxes(range=(-0.02, 1.02))  # so that chance looks as small as it is
    chart(figure, page_keys.SCATTER)
    st.caption(f"Of the best items of {len(traversal.ids)} queries.")


def _holders(explorer: Explorer, kind: str, name: str) -> NDArray[np.float64] | None:
    """(N,) 1 for the items that have a tag or word, or the value of a factor; None where none
    does."""
    import numpy as np

    from rivae.exploring.words.item_words import item_tags, item_words
    from rivae.exploring.words.relations import factor_table

    if kind == "factor":
        factors, names = factor_table(explorer.data)
        return factors[:, names.index(name)] if factors is not None and name in names else None
    sets = item_tags(explorer.data) if kind == "tag" else item_words(explorer.data).sets
    has = np.array([float(name in of_item) for of_item in sets or ()])
    return has if has.any() else None


def _scatter(
    run: Run,
    along: RangeData,
    table: NDArray[np.float64],
    traversal: Traversal,
    explorer: Explorer,
    j: int,
    k: int,
) -> None:
    """Factor of the retrieved items against z, exactly those behind the stored number."""
    from rivae.figures.scatter import traversal_scatter

    specs = explorer.data.factor_specs
    column = next((i for i, spec in enumerate(specs) if spec.name == along.factors[k]), None)
    if column is None or explorer.data.factors is None:
        st.info(markdown(GONE.format("factor", along.factors[k])))
        return
    figure = traversal_scatter(
        traversal.values[0],
        explorer.data.factors[traversal.ids[:, 0, :, 0], column],
        j=j,
        k=k,
        factor_name=specs[column].name,
        levels=specs[column].levels,
        axis_name=explorer.axis_names[j],
        correlation=float(table[j, k]),
        dark=charts.is_dark(),
    )
    chart(figure, page_keys.SCATTER)
    same = 0.0 if along.undefined is None else float(along.undefined[j, k])
    if same > 0:
        st.caption(
            markdown(
                f"For {same:.0%} of the queries the factor stays the same along "
                f"{explorer.axis_names[j]}; their correlation counts as 0."
            )
        )
    share.figure(
        "Plot behind a cell",
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
