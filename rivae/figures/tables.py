"""Result tables, with the paper's number next to ours where given."""

from __future__ import annotations

import html
import math
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from rivae.base.table import Cell, Column, Table
from rivae.metrics.registry import metric
from rivae.runs.results import Result

Digits = Mapping[str, int] | int
Cells = Collection[tuple[str, str]]
State = Literal["", "failed", "not run"]
STATES: dict[State, str] = {"failed": "Failed", "not run": "not run"}


@dataclass(frozen=True)
class Score:
    """One number of a result table.

    Attributes:
        row, column: e.g. the method and the metric.
        value: ours; NaN where undefined, None where there is none.
        std: its s.d. over repetitions, or None.
        paper: the published value of the same cell, or None.
        higher_is_better: which end is good.
        low, high: an interval of the mean, or None.
        n, n_failed: repetitions behind it, and those that gave nothing.
        state: "failed" or "not run" where there is no value for that reason.
        reason: why, in one sentence.
        paper_failed: the paper prints "Failed" here.
        label: name of the column as printed; that of ``metric_label`` when empty.
    """

    row: str
    column: str
    value: float | None
    std: float | None = None
    paper: float | None = None
    higher_is_better: bool = True
    low: float | None = None
    high: float | None = None
    n: int | None = None
    n_failed: int = 0
    state: State = ""
    reason: str = ""
    paper_failed: bool = False
    label: str = ""

    @property
    def heading(self) -> str:
        """Name of the column with an arrow to its good end."""
        arrow = "↑" if self.higher_is_better else "↓"
        return f"{self.label or metric_label(self.column)} {arrow}"


def metric_label(name: str) -> str:
    """The short name of a metric as printed in tables and charts."""
    return metric(name).label


def scores_of(
    results: Mapping[str, Result],
    row: str,
    names: Sequence[str] | None = None,
    paper: Mapping[str, float] | None = None,
) -> list[Score]:
    """Scores from the results of one group of a run's evaluation, by name.

    Args:
        row: e.g. the method or the run.
        names: the metrics to take, in this order; those not measured are skipped. None: all.
        paper: published values by metric.
    """
    return [
        Score(
            row,
            name,
            results[name].value,
            results[name].std,
            (paper or {}).get(name),
            results[name].higher_is_better is not False,
        )
        for name in (results if names is None else names)
        if name in results
    ]


def number(value: float | None, digits: int = 2) -> str:
    """A number for a table; an en dash where there is none, "undefined" for NaN."""
    if value is None:
        return "–"
    return "undefined" if math.isnan(value) else f"{value:.{digits}f}"


def with_spread(value: float | None, std: float | None, digits: int = 2) -> str:
    """``number`` ± its s.d., without it where there is none or either is NaN."""
    text = number(value, digits)
    if value is None or std is None or math.isnan(value) or math.isnan(std):
        return text
    return f"{text} ± {number(std, digits)}"


def ours(score: Score, digits: int = 2) -> str:
    """Our value ± s.d., or the state in its place."""
    if score.state:
        return STATES[score.state]
    return with_spread(score.value, score.std, digits)


def interval(score: Score, digits: int = 2) -> str:
    """The interval in brackets, or nothing."""
    if score.low is None or score.high is None or score.state:
        return ""
    return f"[{number(score.low, digits)}, {number(score.high, digits)}]"


def published(score: Score, digits: int = 2) -> str:
    """The paper's value with all the digits that it prints, "Failed", or nothing."""
    if score.paper_failed:
        return STATES["failed"]
    if score.paper is None:
        return ""
    text = number(score.paper, digits)
    return text if float(text) == score.paper else f"{score.paper:g}"


def runs(score: Score) -> str:
    """How many runs a value is the mean of, and how many failed."""
    failures = f"{score.n_failed} failed" if score.n_failed else ""
    return ", ".join(part for part in (str(score.n) if score.n else "", failures) if part)


def cell(score: Score, digits: int = 2) -> str:
    """Ours ± s.d. with its interval, followed by the paper's value in brackets."""
    paper = published(score, digits)
    parts = (ours(score, digits), interval(score, digits), paper and f"({paper})")
    return " ".join(part for part in parts if part)


def pivot(scores: Sequence[Score]) -> tuple[list[str], list[str], dict[tuple[str, str], Score]]:
    """Row names, column names (both in order of appearance) and the score of each cell."""
    rows = list(dict.fromkeys(score.row for score in scores))
    columns = list(dict.fromkeys(score.column for score in scores))
    return rows, columns, {(score.row, score.column): score for score in scores}


def best_cells(
    scores: Sequence[Score], digits: Digits = 2, left_out: Collection[str] = ()
) -> set[tuple[str, str]]:
    """(row, column) of the best value of every column; all that print the same number share it.

    A column with a single value has no best one.

    Args:
        digits: decimals printed, of all columns or by column.
        left_out: rows that do not compete, e.g. a chance level.
    """
    best: set[tuple[str, str]] = set()
    for column in dict.fromkeys(score.column for score in scores):
        numbers = {
            score.row: (round(score.value, digits_of(digits, column)), score.higher_is_better)
            for score in scores
            if score.column == column
            and score.row not in left_out
            and not score.state
            and score.value is not None
            and math.isfinite(score.value)
        }
        if len(numbers) > 1:
            good = max(value if higher else -value for value, higher in numbers.values())
            best |= {
                (row, column)
                for row, (value, higher) in numbers.items()
                if (value if higher else -value) == good
            }
    return best


def digits_of(digits: Digits, column: str) -> int:
    """Decimals of a column; 2 where a mapping does not name it."""
    return digits if isinstance(digits, int) else digits.get(column, 2)


def to_markdown(
    scores: Sequence[Score], *, corner: str = "", digits: Digits = 2, best: Cells = ()
) -> str:
    """A Markdown table, one row per ``Score.row``; the arrow shows which end is good.

    Intervals follow the values, and a last column has the number of runs, where given.

    Args:
        corner: the heading of the first column.
        digits: decimals, of all columns or by column.
        best: (row, column) of the cells in bold, see ``best_cells``.
    """
    return table_of(scores, corner, digits, best).markdown()


def to_latex(
    scores: Sequence[Score], *, corner: str = "", digits: Digits = 2, best: Cells = ()
) -> str:
    """A LaTeX ``tabular`` with the same cells, in the style of the package booktabs."""
    return table_of(scores, corner, digits, best).latex()


def table_of(scores: Sequence[Score], corner: str, digits: Digits, best: Cells) -> Table:
    """The scores as a table; arguments as for ``to_markdown``."""
    rows, names, cells = pivot(scores)
    columns = [Column(corner)]
    for name in names:
        heading = next(score.heading for score in scores if score.column == name)
        columns.append(Column(heading, _writer(digits_of(digits, name), best), numeric=True))
    lines = [[row, *(cells.get((row, name)) for name in names)] for row in rows]
    if any(score.n is not None or score.n_failed for score in scores):
        columns.append(Column("n", runs, numeric=True))
        for row, line in zip(rows, lines, strict=True):
            # A metric may be undefined in some runs; the column has the number of all runs.
            mine = [score for score in scores if score.row == row]
            line.append(max(mine, key=lambda score: score.n or 0))
    return Table(columns, lines)


def _writer(digits: int, best: Cells) -> Callable[[Score | None], str | Cell]:
    """Writes the cells of a column, our value in bold where it is among the ``best``."""

    def write(score: Score | None) -> str | Cell:
        if score is None:
            return ""
        text, value = cell(score, digits), ours(score, digits)
        is_best = (score.row, score.column) in best
        return Cell(text.removeprefix(value), value) if is_best else text

    return write


def figure_rows(figure: Any) -> list[dict[str, Any]]:
    """The data of a Plotly figure of this package, as rows for ``to_csv``.

    One row per point (series, x, y) or cell of a heat map (column, row, value). A figure that
    thinned its curves gives the points it draws.
    """
    rows: list[dict[str, Any]] = []
    for trace in figure.data:
        if trace.meta and trace.meta.get("overlay"):
            continue
        x_name = _tick_names(figure.layout[_axis(trace.xaxis, "x")])
        y_name = _tick_names(figure.layout[_axis(trace.yaxis, "y")])
        if trace.type == "heatmap":
            for y, line in zip(trace.y, trace.z, strict=True):
                rows += [
                    {"row": y_name(y), "column": x_name(x), trace.name or "value": float(value)}
                    for x, value in zip(trace.x, line, strict=True)
                ]
            continue
        for x, y in zip(trace.x, trace.y, strict=True):
            rows.append({"series": plain(trace.name or ""), "x": x_name(x), "y": y_name(y)})
    return rows


def plain(text: str) -> str:
    """Plotly text as plain text, without its tags and masks."""
    return html.unescape(re.sub(r"</?(b|i|sub|sup|span)\b[^>]*>", "", text.replace("<br>", " ")))


def _axis(reference: str | None, letter: str) -> str:
    return f"{letter}axis{(reference or letter)[1:]}"


def _tick_names(axis: Any) -> Any:
    names = dict(zip(axis.tickvals or (), map(plain, axis.ticktext or ()), strict=False))

    def name(value: Any) -> Any:
        if value is None:  # a gap in a curve
            return ""
        return names.get(value, plain(value) if isinstance(value, str) else float(value))

    return name
