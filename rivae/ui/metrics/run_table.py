"""All metrics of one run as a table for the browser and for files. No streamlit here."""

from __future__ import annotations

import math
from typing import Any

from rivae.metrics.registry import metric
from rivae.plots.scores import Score, number, published
from rivae.ui.metrics.report import Measured, Report
from rivae.ui.metrics.table import typeset

COLUMNS = (
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


def run_payload(report: Report, label: str) -> dict[str, Any]:
    """The table for ``rivae.ui.metrics.table``, one section per kind of metric."""
    rows: list[dict[str, Any]] = []
    every = [m for _, group in report.groups for m in group]
    empty = {"p": all(m.p is None for m in every), "paper": all(m.paper is None for m in every)}
    shown = [column for column in COLUMNS if not empty.get(column[0])]
    columns = [
        {"id": name, "label": text, "kind": kind, "title": title, "sortable": False}
        for name, text, kind, title in shown
    ]
    for heading, group in report.groups:
        rows.append({"section": heading})
        for measured in group:
            cells = _cells(measured)
            kept = [cells[name] for name, *_ in shown[1:]]
            rows.append(
                {
                    "name": f"{measured.label} {'↑' if measured.higher_is_better else '↓'}",
                    "detail": "",
                    "quiet": False,
                    "title": None,
                    "cells": kept,
                }
            )
    return {"label": label, "columns": columns, "rows": rows, "sort": None, "notes": []}


def _cells(m: Measured) -> dict[str, dict[str, Any]]:
    """The cells of a metric by column."""
    from rivae.benchmark.paper import printed_decimals

    digits = metric(m.name).decimals
    spread = "" if m.std is None or math.isnan(m.value) else f" ± {m.std:.{digits}f}"
    chance = "–" if m.chance is None else f"{m.chance:.{digits}f}"
    if m.chance is not None and m.chance_std is not None:
        chance += f" ± {m.chance_std:.{digits}f}"
    score = Score("", m.name, m.value, paper=m.paper)
    return {
        "value": {
            "main": typeset(number(m.value, digits) + spread),
            "sub": m.reason or None,
            "state": "not-run" if math.isnan(m.value) else "",
        },
        "range": {"main": f"{_end(m.low, '−∞', digits)} … {_end(m.high, '∞', digits)}"},
        "chance": {"main": typeset(chance)},
        "p": {"main": "–" if m.p is None else f"{m.p:.2f}"},
        "paper": {"main": published(score, printed_decimals(m.name)) or "–"},
    }


def _end(value: float | None, open_end: str, digits: int) -> str:
    if value is None:
        return open_end
    text = f"{value:g}" if value == round(value, 1) else f"{value:.{digits}f}"
    return typeset(text)


def run_scores(report: Report, run_id: str) -> dict[str, list[Score]]:
    """By heading, one row of scores: what the exports write."""
    return {
        heading: [
            Score(run_id, m.name, m.value, m.std, m.paper, m.higher_is_better, label=m.label)
            for m in group
        ]
        for heading, group in report.groups
    }


def run_csv_rows(report: Report, run_id: str) -> list[dict[str, Any]]:
    """One row per metric with all that is known of it."""
    return [
        {
            "run": run_id,
            "group": heading,
            "metric": m.name,
            "value": m.value,
            "sd": m.std,
            "n": m.n,
            "low": m.low,
            "high": m.high,
            "higher_is_better": m.higher_is_better,
            "chance": m.chance,
            "chance_sd": m.chance_std,
            "p": m.p,
            "paper": m.paper,
            "undefined": m.reason,
        }
        for heading, group in report.groups
        for m in group
    ]
