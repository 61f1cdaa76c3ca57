"""Result tables as Markdown, CSV and LaTeX, with the paper's number beside ours where given."""

from __future__ import annotations

import csv
import html
import io
import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from rivae.plots.scores import (
    Score,
    cell,
    digits_of,
    metric_label,
    number,
    ours,
    pivot,
    runs,
    scores_of,
)

__all__ = [
    "Score",
    "cell",
    "figure_rows",
    "metric_label",
    "number",
    "pivot",
    "plain",
    "scores_of",
    "to_csv",
    "to_latex",
    "to_markdown",
]

Digits = Mapping[str, int] | int
Cells = Collection[tuple[str, str]]


def to_markdown(
    scores: Sequence[Score], *, corner: str = "", digits: Digits = 2, best: Cells = ()
) -> str:
    """A Markdown table, one row per ``Score.row``; the arrow tells which end is good.

    Intervals follow the values, and a last column tells how many runs there are, where given.

    Args:
        corner: the heading of the first column.
        digits: decimals, of all columns or by column.
        best: (row, column) of the cells in bold, see ``rivae.plots.scores.best_cells``.
    """
    rows, columns, cells = pivot(scores)
    header = [*_headings(scores, columns), *_runs_heading(scores)]
    lines = [
        "| " + " | ".join(map(_markdown, [corner, *header])) + " |",
        "|" + "|".join(["---", *["---:"] * len(header)]) + "|",
    ]
    for row in rows:
        values = []
        for c in columns:
            text, mine = _cell(cells.get((row, c)), digits_of(digits, c))
            values.append(f"**{mine}**{text[len(mine) :]}" if (row, c) in best else text)
        lines.append("| " + " | ".join([_markdown(row), *values, *_runs(scores, row)]) + " |")
    return "\n".join(lines) + "\n"


def to_latex(
    scores: Sequence[Score], *, corner: str = "", digits: Digits = 2, best: Cells = ()
) -> str:
    """A LaTeX ``tabular`` with the same cells, in the style of the package booktabs."""
    rows, columns, cells = pivot(scores)
    header = [*_headings(scores, columns), *_runs_heading(scores)]
    lines = [
        r"% needs \usepackage{booktabs}",
        rf"\begin{{tabular}}{{l{'c' * len(header)}}}",
        r"\toprule",
        " & ".join(map(_latex, [corner, *header])) + r" \\",
        r"\midrule",
    ]
    for row in rows:
        values = []
        for c in columns:
            text, mine = map(_latex, _cell(cells.get((row, c)), digits_of(digits, c)))
            bold = rf"\textbf{{{mine}}}{text[len(mine) :]}"
            values.append(bold if (row, c) in best else text)
        ends = map(_latex, _runs(scores, row))
        lines.append(" & ".join([_latex(row), *values, *ends]) + r" \\")
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}"]) + "\n"


def _cell(score: Score | None, digits: int) -> tuple[str, str]:
    """The text of a cell, and our value with which it begins."""
    return ("", "") if score is None else (cell(score, digits), ours(score, digits))


def _headings(scores: Sequence[Score], columns: Sequence[str]) -> list[str]:
    return [next(score.heading for score in scores if score.column == c) for c in columns]


def _runs_heading(scores: Sequence[Score]) -> list[str]:
    """A last column for the number of runs, where any score tells it."""
    return ["n"] if any(score.n is not None or score.n_failed for score in scores) else []


def _runs(scores: Sequence[Score], row: str) -> list[str]:
    # A metric may be undefined in some runs; the column tells how many there are.
    mine = [score for score in scores if score.row == row]
    return [runs(max(mine, key=lambda score: score.n or 0))] if _runs_heading(scores) else []


def to_csv(rows: Sequence[Mapping[str, Any]]) -> str:
    """Rows as CSV with a header; columns in order of appearance, missing and NaN cells empty."""
    columns = list(dict.fromkeys(key for row in rows for key in row))
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    for row in rows:
        values = [row.get(column) for column in columns]
        writer.writerow(["" if v is None or v != v else v for v in values])
    return out.getvalue()


def figure_rows(figure: Any) -> list[dict[str, Any]]:
    """What a Plotly figure of this package shows, as rows for ``to_csv``.

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
    return lambda value: names.get(value, plain(value) if isinstance(value, str) else float(value))


def _markdown(text: str) -> str:
    return html.escape(text, quote=False).replace("|", r"\|").replace("\n", " ")


def _latex(text: str) -> str:
    masks = {
        "\\": r"\textbackslash{}",
        "±": r"$\pm$",
        "–": "--",
        "−": "$-$",
        "²": "$^2$",
        "~": r"\~{}",
        "^": r"\^{}",
        "↑": r"$\uparrow$",
        "↓": r"$\downarrow$",
        "α": r"$\alpha$",
        "·": r"$\cdot$",
        "\n": " ",
        **{c: "\\" + c for c in "&%$#_{}"},
    }
    return "".join(masks.get(c, c) for c in text)
