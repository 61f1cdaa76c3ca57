"""Result tables as Markdown, CSV and LaTeX, with the paper's number beside ours where given."""

from __future__ import annotations

import csv
import html
import io
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

LABELS = {
    "recall_at_1": "R@1",
    "recall_at_5": "R@5",
    "recall_at_10": "R@10",
    "median_rank": "Med-R",
    "score": "MRR",
    "mcc": "MCC",
    "r2": "linear R²",
    "disentanglement": "D",
    "completeness": "C",
    "informativeness": "I",
    "mcc_spearman": "MCC (Spearman)",
    "dci_disentanglement": "DCI D",
    "dci_completeness": "DCI C",
    "dci_informativeness": "DCI I",
    "infom": "InfoM",
    "infoe": "InfoE",
    "infoc": "InfoC",
    "coverage_minus_overlap": "coverage − overlap",
}


@dataclass(frozen=True)
class Score:
    """One number of a result table.

    Attributes:
        row, column: e.g. the method and the metric.
        value: ours; NaN where undefined, None where there is none.
        std: its s.d. over repetitions, or None.
        paper: the published value of the same cell, or None.
        higher_is_better: which end is good.
    """

    row: str
    column: str
    value: float | None
    std: float | None = None
    paper: float | None = None
    higher_is_better: bool = True


def metric_label(name: str) -> str:
    """The short name of a metric as printed in tables and charts."""
    return LABELS.get(name, name.replace("_", " "))


def scores_of(
    results: Mapping[str, Mapping[str, Any]],
    row: str,
    names: Sequence[str] | None = None,
    paper: Mapping[str, float] | None = None,
) -> list[Score]:
    """Scores from results as ``evaluation.json`` holds them (``MetricResult.to_dict()`` by name).

    Args:
        row: e.g. the method or the run.
        names: the metrics to take, in this order; those not measured are left out. None: all.
        paper: published values by metric.
    """
    chosen = [name for name in (results if names is None else names) if name in results]
    scores = []
    for name in chosen:
        result = results[name]
        value, std = result.get("score"), result.get("std")
        scores.append(Score(
            row, name, math.nan if value is None else float(value),
            None if std is None else float(std), (paper or {}).get(name),
            bool(result.get("higher_is_better", True)),
        ))
    return scores


def number(value: float | None, digits: int = 2) -> str:
    """A number for a table; an en dash where there is none, "undefined" for NaN."""
    if value is None:
        return "–"
    return "undefined" if math.isnan(value) else f"{value:.{digits}f}"


def cell(score: Score, digits: int = 2) -> str:
    """Ours ± s.d., followed by the paper's value in brackets."""
    text = number(score.value, digits)
    if score.std is not None and score.value is not None and not math.isnan(score.value):
        text += f" ± {number(score.std, digits)}"
    return text if score.paper is None else f"{text} ({number(score.paper, digits)})"


def pivot(scores: Sequence[Score]) -> tuple[list[str], list[str], dict[tuple[str, str], Score]]:
    """Row names, column names (both in order of appearance) and the score of each cell."""
    rows = list(dict.fromkeys(score.row for score in scores))
    columns = list(dict.fromkeys(score.column for score in scores))
    return rows, columns, {(score.row, score.column): score for score in scores}


def to_markdown(scores: Sequence[Score], *, corner: str = "", digits: int = 2) -> str:
    """A Markdown table, one row per ``Score.row``; the arrow tells which end is good."""
    rows, columns, cells = pivot(scores)
    heads = [_markdown(f"{metric_label(name)} {_arrow(scores, name)}") for name in columns]
    lines = ["| " + " | ".join([_markdown(corner), *heads]) + " |",
             "|" + "|".join(["---", *["---:"] * len(columns)]) + "|"]
    for row in rows:
        values = [cell(cells[row, c], digits) if (row, c) in cells else "" for c in columns]
        lines.append("| " + " | ".join([_markdown(row), *values]) + " |")
    return "\n".join(lines) + "\n"


def to_latex(scores: Sequence[Score], *, corner: str = "", digits: int = 2) -> str:
    """A LaTeX ``tabular`` with the same cells."""
    rows, columns, cells = pivot(scores)
    arrows = {"↑": r"$\uparrow$", "↓": r"$\downarrow$"}
    heads = [f"{_latex(metric_label(c))} {arrows[_arrow(scores, c)]}" for c in columns]
    lines = [rf"\begin{{tabular}}{{l{'c' * len(columns)}}}", r"\hline",
             " & ".join([_latex(corner), *heads]) + r" \\", r"\hline"]
    for row in rows:
        values = [_latex(cell(cells[row, c], digits)) if (row, c) in cells else ""
                  for c in columns]
        lines.append(" & ".join([_latex(row), *values]) + r" \\")
    return "\n".join([*lines, r"\hline", r"\end{tabular}"]) + "\n"


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


def _arrow(scores: Sequence[Score], column: str) -> str:
    return "↑" if next(s for s in scores if s.column == column).higher_is_better else "↓"


def _markdown(text: str) -> str:
    return html.escape(text, quote=False).replace("|", r"\|").replace("\n", " ")


def _latex(text: str) -> str:
    masks = {"\\": r"\textbackslash{}", "±": r"$\pm$", "–": "--", "²": "$^2$", "~": r"\~{}",
             "^": r"\^{}", **{c: "\\" + c for c in "&%$#_{}"}}
    return "".join(masks.get(c, c) for c in text)
