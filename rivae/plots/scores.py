"""One number of a result table, with all that is needed to print it honestly."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from rivae.metrics.registry import metric
from rivae.runs.evaluation_file import Result

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
        state: "failed" or "not run" where that stands in place of a value.
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
        names: the metrics to take, in this order; those not measured are left out. None: all.
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


def ours(score: Score, digits: int = 2) -> str:
    """Our value ± s.d., or the state in its place."""
    if score.state:
        return STATES[score.state]
    text = number(score.value, digits)
    if score.std is not None and score.value is not None and not math.isnan(score.value):
        text += f" ± {number(score.std, digits)}"
    return text


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
    """How many runs stand behind a value, and how many failed."""
    failed = f"{score.n_failed} failed" if score.n_failed else ""
    return ", ".join(part for part in (str(score.n) if score.n else "", failed) if part)


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
    scores: Sequence[Score], digits: Mapping[str, int] | int = 2, left_out: Collection[str] = ()
) -> set[tuple[str, str]]:
    """(row, column) of the best value of every column; all that print the same number share it.

    A column with a single value has no best one.

    Args:
        digits: decimals printed, of all columns or by column.
        left_out: rows that take no part, e.g. a chance level.
    """
    found: set[tuple[str, str]] = set()
    for column in dict.fromkeys(score.column for score in scores):
        rounded = {
            score.row: (round(score.value, digits_of(digits, column)), score.higher_is_better)
            for score in scores
            if score.column == column
            and score.row not in left_out
            and not score.state
            and score.value is not None
            and math.isfinite(score.value)
        }
        if len(rounded) > 1:
            good = max(value if higher else -value for value, higher in rounded.values())
            found |= {
                (row, column)
                for row, (value, higher) in rounded.items()
                if (value if higher else -value) == good
            }
    return found


def digits_of(digits: Mapping[str, int] | int, column: str) -> int:
    """Decimals of a column; 2 where a mapping does not name it."""
    return digits if isinstance(digits, int) else digits.get(column, 2)
