"""A review as rows for tables, on a page, in a file or in a terminal. Unknown numbers are NaN."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rivae.labels.cells import escaped
from rivae.labels.review import Agreed, Said, reading

Row = dict[str, Any]


def progress_rows(said: Said, names: Mapping[str, str]) -> list[Row]:
    """One row per annotator and factor.

    Args:
        names: what a person reads, by factor id; ids that are missing stand for themselves.
    """
    return [
        {
            "annotator": p.annotator,
            "factor": names.get(p.factor, p.factor),
            "labelled": p.labelled,
            "items": said.n_items,
            "share": p.labelled / said.n_items if said.n_items else 0.0,
            "cannot tell": p.cannot_tell,
            "repeats answered": p.repeats,
            "repeats": said.n_repeats,
            "mean seconds": p.seconds / p.labelled if p.labelled else float("nan"),
        }
        for p in said.progress
    ]


def alpha_rows(agreed: Agreed, names: Mapping[str, str]) -> list[Row]:
    """One row per factor: alpha, its interval, what it rests on, and what it says."""
    return [
        {
            "factor": names.get(a.factor, a.factor),
            "alpha": a.alpha,
            "low 95 %": a.low,
            "high 95 %": a.high,
            "shared items": a.n_items,
            "annotators": a.n_annotators,
            "reading": reading(a),
        }
        for a in agreed.alphas
    ]


def pair_rows(agreed: Agreed, names: Mapping[str, str]) -> list[Row]:
    """One row per factor and pair of annotators."""
    return [
        {
            "factor": names.get(factor, factor),
            "first": first,
            "second": second,
            "shared items": n,
            "weighted kappa": kappa,
        }
        for factor, first, second, n, kappa in agreed.pairs.itertuples(index=False)
    ]


def own_rows(agreed: Agreed, names: Mapping[str, str]) -> list[Row]:
    """One row per factor and annotator with an answer to a hidden repeat."""
    return [
        {
            "factor": names.get(factor, factor),
            "annotator": who,
            "repeats": n,
            "same level": same,
            "at most one apart": near,
            "weighted kappa": kappa,
        }
        for factor, who, n, same, near, kappa in agreed.own.itertuples(index=False)
    ]


def plain_csv(rows: list[Row]) -> str:
    """The rows as CSV that a spreadsheet can open: no name is taken for a formula."""
    from rivae.plots.tables import to_csv

    return to_csv(
        [
            {key: escaped(value) if isinstance(value, str) else value for key, value in row.items()}
            for row in rows
        ]
    )
