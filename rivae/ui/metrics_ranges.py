"""Overlap and coverage by range of z, as a run's ``evaluation.json`` holds them. No streamlit here.

The file may come from another hand: what cannot be such a value is undefined, what cannot be such a
row is left out.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from rivae.metrics.digits import MAX_OVERLAP
from rivae.ui.loose import mapping, number, sequence

MAX_RANGES = 20  # ours are five; a chart of many more could not be read
MAX_STD = 1e6
ROUNDING = 1e-9


@dataclass(frozen=True)
class DigitRange:
    """Both measures over mean ± ``n_std`` (> 0) s.d. of the aggregated prior.

    Attributes:
        overlap: in [0, 1/45], NaN where undefined.
        coverage: in [0, 1], NaN where undefined.
    """

    n_std: float
    overlap: float
    coverage: float


def read_ranges(stored: Any) -> tuple[DigitRange, ...]:
    """The rows of ``digits_ranges`` by growing width, each width once; none in an old file."""
    found: dict[float, DigitRange] = {}
    for row in map(mapping, sequence(stored)[:MAX_RANGES]):
        width = number(row.get("n_std"))
        if width is None or not 1 / MAX_STD <= width <= MAX_STD:
            continue
        overlap = _within(row.get("overlap"), MAX_OVERLAP)
        coverage = _within(row.get("coverage"), 1.0)
        if not (math.isnan(overlap) and math.isnan(coverage)):
            found[width] = DigitRange(width, overlap, coverage)
    return tuple(found[width] for width in sorted(found))


def _within(value: Any, most: float) -> float:
    """A value of [0, most], NaN for anything else."""
    found = number(value)
    if found is None or not -ROUNDING <= found <= most + ROUNDING:
        return math.nan
    return min(max(found, 0.0), most)
