"""The heat map of what each axis changes: measured in the background, reliable axes first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import streamlit as st

from rivae.app.metrics import page_keys, session, work
from rivae.app.panels.component import Component
from rivae.app.shared import share
from rivae.app.shared.charts import headline, is_dark
from rivae.app.shell import report as outcome
from rivae.app.work.certainty import SIGNS
from rivae.app.work.tasks import Task
from rivae.exploring.words.axis_names import axis_signs, known_names, pole_names
from rivae.figures.effect_cells import effect_columns, effect_height, effect_table
from rivae.runs.results import Change

if TYPE_CHECKING:
    from collections.abc import Sequence

    import plotly.graph_objects as go

    from rivae.benchmark.run_report import RangeData
    from rivae.evaluation.evidence import Evidence
    from rivae.figures.effect_cells import Column
    from rivae.metrics.certainty import AxisCertainty
    from rivae.runs import Run

# The map, of which a click reports a cell.
_HEAT = Component(
    "rivae_heat",
    js=("dom.js", "heat.js"),
    css=("base.css", "heat.css"),
    reports={"cell": dict},
)
TITLE = "What each axis changes"
N_ROWS = 12  # axes that are shown at first
WAITING = "Another run is being measured first."
RANKS = {"sure": 0, "plane": 1, "unsure": 2}


@dataclass(frozen=True)
class Row:
    """An axis of the map: its number, what it is called, and what it changes as it is shown."""

    axis: int
    name: str
    changes: tuple[Change, ...]


def rows_of(
    run: Run, evidence: Evidence, axis_certainty: Sequence[AxisCertainty] | None
) -> tuple[Row, ...]:
    """The axes of a run, the reliable ones first: by the verdict of the fits, then those that
    change anything, by how far their names hold on other items, and by the largest change.
    """
    d = len(evidence.effects)
    verdicts = {axis.axis: axis.verdict for axis in axis_certainty or ()}
    scores = [name.held_out if name else None for name in known_names(run, d)]
    signs, names = axis_signs(run, d), pole_names(run, d)

    def rank(row: Row) -> tuple[int, bool, float, float]:
        score = scores[row.axis]
        above = score.score - score.chance if score else 0.0
        largest = max((abs(change.change) for change in row.changes), default=0.0)
        return RANKS.get(verdicts.get(row.axis, ""), 3), not row.changes, -above, -largest

    rows = [
        Row(
            j,
            f"{SIGNS[verdicts[j]]} {names[j]}" if j in verdicts else names[j],
            tuple(
                change.model_copy(update={"change": signs[j] * change.change})
                for change in of_axis.changes
            ),
        )
        for j, of_axis in enumerate(evidence.effects)
    ]
    return tuple(sorted(rows, key=rank))


def panel(
    run: Run,
    found: Evidence | Task | None,
    axis_certainty: Sequence[AxisCertainty] | None,
    along: RangeData,
    n_axes: int,
) -> None:
    """The map, or how far it is measured on a place of its height."""
    head = headline(TITLE)
    if found is None or isinstance(found, Task):
        _measuring(found, effect_height(min(n_axes, N_ROWS)))
        return
    if not found.effects:
        st.caption("This method has no latent, so its axes are not measured.")
        return
    every = rows_of(run, found, axis_certainty)
    rows = every
    if len(every) > N_ROWS:
        with head:
            everything = st.toggle(
                f"All {len(every)} axes", key=page_keys.AXES, bind="query-params"
            )
        rows = every if everything else every[:N_ROWS]
    changes, names, axes = (
        [row.changes for row in rows],
        [row.name for row in rows],
        [row.axis for row in rows],
    )
    columns = effect_columns(changes, along.factors)
    selection, dark = _selected(columns, along), is_dark()

    def figure() -> go.Figure:
        from rivae.figures.effects import effect_heatmap

        return effect_heatmap(changes, names, columns, axes=axes, selected=selection, dark=dark)

    share.figure(
        TITLE,
        "effects",
        figure,
        run.id,
        "effects",
        is_chart=True,
        asks=along.asks,
        axes=axes,
        names=names,
    )

    def chosen(cell: dict[str, Any]) -> None:
        axis, column = cell.get("axis"), cell.get("column")
        if (
            type(axis) is int
            and axis in axes
            and type(column) is int
            and column in range(len(columns))
        ):
            session.choose_cell((axis, _cell_of(columns[column], along)))

    with st.container(key="effects_map"):
        _HEAT(
            effect_table(changes, names, columns, axes=axes, selected=selection, dark=dark),
            key=page_keys.EFFECTS,
            height=effect_height(len(rows)),
            cell=chosen,
        )


def _measuring(task: Task | None, height: int) -> None:
    if task is not None and task.error:
        outcome.warning(task.error)
        return
    with st.container(height=height, border=False):
        if task is None:
            st.caption(f":material/hourglass_top: {WAITING}")
            outcome.wait_for(lambda: not work.measuring())
        elif task.running:
            outcome.watch([task], page_keys.EFFECTS)
        else:
            st.caption("Stopped. Reload the page to begin again.")
            return
        st.skeleton(height=height - 120)


def _cell_of(column: Column, along: RangeData) -> int | str:
    """What stands for a column in the address: the number of a factor of the table, as ever."""
    kind, name = column
    if kind == "factor" and name in along.factors:
        return along.factors.index(name)
    return f"{kind}.{name}"


def _selected(columns: Sequence[Column], along: RangeData) -> tuple[int, Column] | None:
    cell = session.cell()
    if cell is None:
        return None
    at = {_cell_of(column, along): column for column in columns}
    return (cell[0], at[cell[1]]) if cell[1] in at else None
