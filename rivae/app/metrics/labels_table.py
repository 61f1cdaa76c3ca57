"""Scores from labels as tables for the browser. No streamlit here."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from rivae.metrics.measures.dci_paper import METRICS

if TYPE_CHECKING:
    from rivae.app.metrics.labels_data import PlanScores, ScoredRun
    from rivae.labels.coverage import Coverage
    from rivae.labels.scores import LabelScores, ScoredDims

DIGITS = 3
MAX_BRIEF = 24  # characters below a number
SCORES_TITLE = "D, C and I from labels"
COVERAGE_TITLE = "Labels by factor"
COLUMNS = (
    ("run", "Run", ""),
    *((m.key, m.heading, f"{m.key}, with its 95 % interval") for m in METRICS),
    ("labelled", "Labelled", "items with a level of the items that the run needs, over factors"),
    ("queries", "Queries", "those that count, of those measured: least over the factors"),
    ("annotators", "Annotators", "behind the levels"),
)
SCORES = tuple(name for name, *_ in COLUMNS[1:4])
EVERY, SELECTED = "Over all axes", "Over the 10 axes with the largest |corr|"


def scores_payload(found: PlanScores) -> dict[str, Any]:
    """The table of runs for ``rivae.app.metrics.results_table``.

    A second section has the scores over selected axes if some run has more than those.
    """
    rows = [{"section": EVERY}, *_section(found, lambda scores: scores.every)]
    if any(line.scores is not None and line.scores.selected for line in found.lines):
        rows += [
            {"section": SELECTED},
            *_section(found, lambda scores: scores.selected or scores.every),
        ]
    return _payload(SCORES_TITLE, COLUMNS, rows)


def _section(
    scores: PlanScores, choose: Callable[[LabelScores], ScoredDims]
) -> list[dict[str, Any]]:
    from rivae.labels.run_scores import ranks

    scores_by_run = {line.run.id: choose(line.scores) for line in scores.lines if line.scores}
    places = {name: ranks(scores_by_run, name) for name in SCORES}
    several = sum(dims.results["informativeness"].score >= 0 for dims in scores_by_run.values()) > 1
    rows = []
    for line in scores.lines:
        dims = scores_by_run.get(line.run.id)
        cells = [
            {"main": "–", "state": "not-run"}
            if dims is None
            else _score(dims, name, places[name].get(line.run.id), several)
            for name in SCORES
        ]
        rows.append(
            {
                "name": line.run.id,
                "detail": _detail(line),
                "quiet": False,
                "title": None,
                "cells": [*cells, *_covered(line)],
            }
        )
    return rows


def _detail(line: ScoredRun) -> str:
    parts = [f"derived from {line.parent}" if line.parent else "", line.remark, line.trouble]
    return "; ".join(part for part in parts if part)


def _score(dims: ScoredDims, name: str, place: int | None, several: bool) -> dict[str, Any]:
    result, (low, high) = dims.results[name], dims.intervals[name]
    if math.isnan(result.score):
        why = str(result.settings.get("undefined", ""))
        brief = why.partition(":")[0]
        return {
            "main": "–",
            "state": "not-run",
            "title": why,
            "sub": brief if len(brief) < MAX_BRIEF else "too few labels",
        }
    sub = "no interval" if math.isnan(low) else f"{low:.{DIGITS}f} … {high:.{DIGITS}f}"
    if several:
        sub += f" · {'tie' if place is None else ordinal(place)}"
    return {"main": f"{result.score:.{DIGITS}f}", "sub": sub}


def ordinal(n: int) -> str:
    """1 as "1st"; for places of a few runs."""
    ending = "th" if 10 < n % 100 < 14 else {1: "st", 2: "nd", 3: "rd"}.get(n % 10, "th")
    return f"{n}{ending}"


def _covered(line: ScoredRun) -> list[dict[str, Any]]:
    """Labelled, queries, annotators: over the factors that are scored, else over all."""
    scores = line.scores or line.all_factors
    if scores is None:
        return [{"main": "–"}] * 3
    coverage = scores.coverage
    total, n_asked = sum(coverage.labelled), coverage.needed * len(coverage.labelled)
    low, high = min(coverage.labelled), max(coverage.labelled)
    each = f"{low:,}" if low == high else f"{low:,} to {high:,}"
    return [
        {"main": f"{total / n_asked:.0%}", "sub": f"{each} of {coverage.needed:,} items"},
        {"main": f"{min(coverage.queries)}", "sub": f"of {scores.settings['n_queries']}"},
        {"main": str(scores.n_annotators)},
    ]


def coverage_payload(coverage: Coverage, names: Sequence[str], n_queries: int) -> dict[str, Any]:
    """How much of every factor is labelled for one run.

    Args:
        names: of the factors, in the order of the coverage.
    """
    columns = (
        ("factor", "Factor", ""),
        ("labelled", "Labelled", "items with a level, of those that the run needs"),
        ("cannot", "Cannot tell", "items with an answer but no level"),
        ("points", "Points", "share of the points along z whose item has a level"),
        ("queries", "Queries", "those with enough labels to count"),
    )
    rows = [
        {
            "name": name,
            "detail": "",
            "quiet": False,
            "title": None,
            "cells": [
                {"main": f"{coverage.labelled[k]:,} of {coverage.needed:,}"},
                {"main": f"{coverage.cannot_tell[k]:,}"},
                {"main": f"{coverage.points[k]:.0%}"},
                {"main": f"{coverage.queries[k]} of {n_queries}"},
            ],
        }
        for k, name in enumerate(names)
    ]
    return _payload(COVERAGE_TITLE, columns, rows)


def _payload(
    label: str,
    columns: Sequence[tuple[str, str, str]],
    rows: list[dict[str, Any]],
    kind: str = "",
) -> dict[str, Any]:
    """A table for the component; the cells of ``kind`` "wrap" take several lines where the page is
    narrow.
    """
    return {
        "label": label,
        "sort": None,
        "notes": [],
        "rows": rows,
        "columns": [
            {"id": name, "label": text, "kind": kind, "title": title or None, "sortable": False}
            for name, text, title in columns
        ],
    }
