"""A result table as the browser draws it: columns, cells, footnotes, and its order, which a
click on a heading changes.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

from rivae.app.panels.component import Component
from rivae.benchmark.run_report import Measured, Report
from rivae.benchmark.table_views import TableRow, TableView
from rivae.figures.tables import (
    Score,
    digits_of,
    interval,
    ours,
    pivot,
    published,
    runs,
    with_spread,
)
from rivae.metrics.registry import metric

PAPER = "paper-"  # column ids of the paper's numbers begin with this
INTERVAL = "our mean ± s.d. and 95 % interval, cut at the metric's range"
ROW, RUNS = "method", "n"

# Of the table: id, heading, kind, what it holds.
RUN_COLUMNS = (
    ("metric", "Metric", "", None),
    ("value", "Value", "", "± s.d. over random search sets, where there are several"),
    ("range", "Range", "", "possible values"),
    (
        "chance",
        "By chance",
        "",
        "with shuffled factors: mean ± s.d.; for retrieval of a random order, exact",
    ),
    ("p", "p", "", "share of shuffles that score at least as well"),
    ("paper", "Paper", "paper", "printed for this method and data set"),
)


@dataclass(frozen=True)
class Sort:
    """A column and whether its worst value comes first."""

    column: str
    reversed: bool = False


def columns_of(view: TableView) -> list[dict[str, Any]]:
    """The columns in order; the paper's next to ours where it has any number."""
    columns = [_column(ROW, "Method", "", "")]
    for name in pivot(view.scores)[1]:
        mine = [score for score in view.scores if score.column == name]
        columns.append(_column(name, mine[0].heading, "ours", INTERVAL))
        if any(published(score) for score in mine):
            spoken_title = f"paper, {mine[0].heading}"
            columns.append(
                _column(PAPER + name, "paper", "paper", spoken_title) | {"spoken": spoken_title}
            )
    columns.append(_column(RUNS, "n", "", "runs (seeds × draws of the data set) behind a mean"))
    return columns


def _column(name: str, label: str, kind: str, title: str) -> dict[str, Any]:
    return {"id": name, "label": label, "kind": kind, "title": title, "sortable": True}


def sorted_lines(view: TableView, sort: Sort | None) -> list[TableRow]:
    """The rows with the best value of a column first (or last); rows without a value stay last."""
    lines = list(view.lines)
    if sort is None or sort.column not in {column["id"] for column in columns_of(view)}:
        return lines
    if sort.column == ROW:
        return sorted(lines, key=lambda line: line.key.casefold(), reverse=sort.reversed)
    cells = pivot(view.scores)[2]
    column = sort.column.removeprefix(PAPER)

    def value(line: TableRow) -> float | None:
        if sort.column == RUNS:
            return float(max(s.n or 0 for s in view.scores if s.row == line.key))
        score = cells.get((line.key, column))
        if score is None:
            return None
        number = score.paper if sort.column.startswith(PAPER) else score.value
        if number is None or not math.isfinite(number):
            return None
        return number if score.higher_is_better else -number

    value_of = {line: found for line in lines if (found := value(line)) is not None}
    first = sorted(value_of, key=lambda line: value_of[line], reverse=not sort.reversed)
    return first + [line for line in lines if line not in value_of]


def next_sort(sort: Sort | None, column: str) -> Sort | None:
    """The order after a click on a heading: best first, worst first, the paper's order."""
    if sort is None or sort.column != column:
        return Sort(column)
    return None if sort.reversed else replace(sort, reversed=True)


def payload(view: TableView, sort: Sort | None, label: str) -> dict[str, Any]:
    """The table for ``rivae.app.metrics.results_table``; ``label`` names it for screen readers."""
    columns, best = columns_of(view), view.best
    cells = pivot(view.scores)[2]
    notes: dict[str, str] = {}
    rows = []
    for line in sorted_lines(view, sort):
        mine = [score for score in view.scores if score.row == line.key]
        mark = _mark(notes, line, mine)
        row = []
        for column in (c["id"] for c in columns[1:]):
            if column == RUNS:
                text = runs(max(mine, key=lambda s: s.n or 0))
                has_failures = any(s.n_failed for s in mine)
                row.append({"main": text or "–", "note": mark if has_failures else None})
                continue
            score = cells.get((line.key, column.removeprefix(PAPER)))
            row.append(_cell(score, column, best, view, mark))
        rows.append(
            {
                "name": line.name,
                "detail": line.detail,
                "quiet": not line.ranked,
                "cells": row,
                "title": None,
            }
        )
    return {
        "label": label,
        "columns": columns,
        "rows": rows,
        "sort": _direction(view, sort),
        "notes": [[mark, text] for text, mark in notes.items()],
    }


def _direction(view: TableView, sort: Sort | None) -> dict[str, str] | None:
    """Which way the values run, for the arrow and for screen readers."""
    if sort is None:
        return None
    mine = [s for s in view.scores if s.column == sort.column.removeprefix(PAPER)]
    rises = sort.column == ROW or any(not score.higher_is_better for score in mine)
    order = "ascending" if rises != sort.reversed else "descending"
    return {"column": sort.column, "order": order}


def _cell(
    score: Score | None,
    column: str,
    best: Collection[tuple[str, str]],
    view: TableView,
    mark: str | None,
) -> dict[str, Any]:
    if score is None:
        return {"main": "–"}
    digits = digits_of(view.digits, score.column)
    if column.startswith(PAPER):
        state = "failed" if score.paper_failed else ""
        return {
            "main": published(score, _printed_digits(view, score.column)) or "–",
            "state": state,
        }
    if score.state:
        return {
            "main": ours(score),
            "state": score.state.replace(" ", "-"),
            "note": mark,
            "title": score.reason or None,
        }
    return {
        "main": typeset(ours(score, digits)),
        "sub": typeset(interval(score, digits)) or None,
        "best": (score.row, score.column) in best,
        "state": "not-run" if score.value is None or math.isnan(score.value) else "",
    }


def _printed_digits(view: TableView, column: str) -> int:
    """Decimals that the paper prints in a column: 0.69 below 0.6169 becomes 0.6900."""
    texts = [published(score) for score in view.scores if score.column == column]
    return max(len(text.partition(".")[2]) for text in texts)


def typeset(text: str) -> str:
    """Numbers with a minus sign in place of a hyphen."""
    return text.replace("-", "−")


def _mark(notes: dict[str, str], line: TableRow, scores: Sequence[Score]) -> str | None:
    """The footnote with the reason why a line failed or was not run; equal reasons share one."""
    reason = next((score.reason for score in scores if score.reason), "")
    if not reason:
        return None
    has_failures = any(score.n_failed for score in scores)
    text = f"{'Failed' if has_failures else 'Not run'}: {reason}"
    return notes.setdefault(text, str(len(notes) + 1))


def run_payload(report: Report, label: str) -> dict[str, Any]:
    """The table for ``results_table.RESULTS``, one section per kind of metric."""
    rows: list[dict[str, Any]] = []
    every = [m for _, group in report.groups for m in group]
    empty = {"p": all(m.p is None for m in every), "paper": all(m.paper is None for m in every)}
    some_columns = [column for column in RUN_COLUMNS if not empty.get(column[0])]
    columns = [
        {"id": name, "label": text, "kind": kind, "title": title, "sortable": False}
        for name, text, kind, title in some_columns
    ]
    for heading, group in report.groups:
        rows.append({"section": heading})
        for run_line in group:
            cells = _metric_cells(run_line)
            texts = [cells[name] for name, *_ in some_columns[1:]]
            rows.append(
                {
                    "name": f"{run_line.label} {'↑' if run_line.higher_is_better else '↓'}",
                    "detail": "",
                    "quiet": False,
                    "title": None,
                    "cells": texts,
                }
            )
    return {"label": label, "columns": columns, "rows": rows, "sort": None, "notes": []}


def _metric_cells(m: Measured) -> dict[str, dict[str, Any]]:
    """The cells of a metric by column."""
    from rivae.benchmark.paper import printed_decimals

    digits = metric(m.name).decimals
    score = Score("", m.name, m.value, paper=m.paper)
    return {
        "value": {
            "main": typeset(with_spread(m.value, m.std, digits)),
            "sub": m.reason or None,
            "state": "not-run" if math.isnan(m.value) else "",
        },
        "range": {"main": f"{_end(m.low, '−∞', digits)} … {_end(m.high, '∞', digits)}"},
        "chance": {"main": typeset(with_spread(m.chance, m.chance_std, digits))},
        "p": {"main": "–" if m.p is None else f"{m.p:.2f}"},
        "paper": {"main": published(score, printed_decimals(m.name)) or "–"},
    }


def _end(value: float | None, open_end: str, digits: int) -> str:
    if value is None:
        return open_end
    text = f"{value:g}" if value == round(value, 1) else f"{value:.{digits}f}"
    return typeset(text)


# A table made in this module; a click on a heading reports the id of its column.
RESULTS = Component(
    "rivae_results",
    js=("dom.js", "results.js"),
    css=("base.css", "results.css"),
    reports={"sort": str},
)
