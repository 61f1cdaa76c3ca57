"""One run's ``evaluation.json`` as the Metrics page shows it. No streamlit here."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from rivae.metrics.dci_paper import DEFAULT_ALPHA
from rivae.metrics.digits import COVERAGE, OVERLAP
from rivae.metrics.registry import metric
from rivae.ui.metrics.along import (
    RANGES,
    Along,
    Measured,
    extent,
    mapping,
    number,
    range_name,
    read_along,
    read_measured,
    sequence,
)


@dataclass(frozen=True)
class Report:
    """A readable evaluation; ``groups`` are (heading, metrics) in the order of the page."""

    created: str
    alpha: float
    groups: tuple[tuple[str, tuple[Measured, ...]], ...]
    along: tuple[Along, ...]
    digit_ranges: tuple[DigitRange, ...]
    stored: Mapping[str, Any]


def report_of(stored: Mapping[str, Any], dataset: str, method: str) -> Report:
    """What ``rivae.evaluation.evaluate`` returned, ordered and checked.

    Args:
        dataset, method: of the run, for the paper's numbers.
    """
    settings = mapping(stored.get("settings"))
    groups = []
    for heading, group, names in _sections(stored, settings):
        results = mapping(stored.get(group))
        chosen = [name for name in results if names is None or name in names]
        suffix = "_other" if group.endswith("_other") else ""
        # The paper's numbers belong to the paper's range.
        is_paper = group == "retrieval" or range_name(settings, suffix) == RANGES["paper"]
        of = method if is_paper else ""
        found = tuple(
            measured
            for name in chosen
            if (measured := read_measured(name, results[name], dataset, of)) is not None
        )
        if found:
            groups.append((heading, found))
    ranges = read_ranges(stored.get("digits_ranges"))
    if ranges:
        groups.append(("Digit transitions, by the range of z", _digit_ranges(ranges)))
    along = [read_along(stored, suffix) for suffix in ("", "_other")]
    alpha = number(settings.get("alpha"))
    return Report(
        str(stored.get("created") or ""),
        alpha if alpha and alpha > 0 else DEFAULT_ALPHA,
        tuple(groups),
        tuple(a for a in along if a is not None),
        ranges,
        stored,
    )


def _sections(
    stored: Mapping[str, Any], settings: Mapping[str, Any]
) -> list[tuple[str, str, list[str] | None]]:
    """(heading, group, metrics) in the order of the page."""
    factors = mapping(stored.get("factors"))
    paper = [name for name in factors if metric(name).along_z]
    of_z = " ".join(str(settings.get("latents") or "mu(v1)").split()).replace("mu(", "μ(")
    extents = [extent(range_name(settings, suffix)) for suffix in ("", "_other")]
    return [
        ("Retrieval", "retrieval", None),
        (f"Retrieved items, {extents[0]}", "factors", paper),
        (f"Retrieved items, {extents[1]}", "factors_other", None),
        (f"Digit transitions, {extents[0]}", "digits", None),
        (f"Digit transitions, {extents[1]}", "digits_other", None),
        (f"z itself, {of_z}", "factors", [name for name in factors if name not in paper]),
    ]


def _digit_ranges(ranges: Sequence[DigitRange]) -> tuple[Measured, ...]:
    """Overlap and coverage over several half widths of the traversal."""
    found = []
    for of in (OVERLAP, COVERAGE):
        for each in ranges:
            result = of.result(getattr(each, of.key), settings={}).to_dict()
            measured = read_measured(of.key, result)
            if measured is not None:
                found.append(replace(measured, label=f"{of.label}, mean ± {each.n_std:g} s.d."))
    return tuple(found)


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
        overlap = _within(row.get("overlap"), OVERLAP.high)
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
