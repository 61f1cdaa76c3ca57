"""One run's ``evaluation.json`` as the Metrics page shows it. No streamlit here.

The file may come from an older version or another hand: whatever is missing, null or NaN is said
to be undefined, and what cannot be drawn is left out.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from rivae.errors import RunError
from rivae.metrics.dci_paper import DEFAULT_ALPHA
from rivae.metrics.digits import MAX_OVERLAP
from rivae.plots.scores import metric_label
from rivae.ui.loose import mapping, matrix, number, sequence
from rivae.ui.metrics_ranges import DigitRange, read_ranges

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from rivae.runs import Run

# Ours are some 100 kB.
MAX_BYTES = 32 * 2**20
RANGES = {
    "paper": "Paper", "prior": "3 s.d.", "sigma": "10 s.d.", "data": "Data",
}  # fmt: skip
EXTENTS = {
    "Paper": "z from −10 to 10", "3 s.d.": "z over mean ± 3 s.d.",
    "10 s.d.": "z over mean ± 10 s.d.", "Data": "z over the central 99 % of the queries",
}  # fmt: skip
PRIVATE = "_with_private"


@dataclass(frozen=True)
class Measured:
    """One metric of one run.

    Attributes:
        value: NaN where undefined, with the ``reason``.
        low, high: the range it lies in; None where open.
        chance, chance_std: its level under shuffled factors (exact for retrieval), or None.
        p: share of shuffles at least as good, or None.
        paper: the printed number of the same method and data set, or None.
    """

    name: str
    label: str
    value: float
    reason: str
    std: float | None
    n: int | None
    low: float | None
    high: float | None
    higher_is_better: bool
    chance: float | None
    chance_std: float | None
    p: float | None
    paper: float | None


@dataclass(frozen=True)
class Along:
    """What was measured along one range of z.

    Attributes:
        name: e.g. "Paper" or "3 s.d.".
        scale: one sentence about the range.
        other: whether it is the report's second range.
        correlation: (d, K) of |corr|, or None without numeric factors.
        factors: K names.
        shared: columns that the paper's scores count.
        n_queries: queries averaged.
        undefined: (d, K) share of queries without a correlation.
        transitions: (d, 45) of digits, or None.
        chance: mean and s.d. of shuffled factors of D, C and I.
    """

    name: str
    scale: str
    other: bool
    correlation: NDArray[np.float64] | None
    factors: tuple[str, ...]
    shared: tuple[int, ...]
    n_queries: int
    undefined: NDArray[np.float64] | None
    transitions: NDArray[np.float64] | None
    chance: Mapping[str, tuple[float, float]]


@dataclass(frozen=True)
class Report:
    """A readable evaluation; ``groups`` are (heading, metrics) in the order of the page."""

    created: str
    alpha: float
    groups: tuple[tuple[str, tuple[Measured, ...]], ...]
    along: tuple[Along, ...]
    digit_ranges: tuple[DigitRange, ...]
    stored: Mapping[str, Any]


def read_evaluation(run: Run) -> dict[str, Any] | None:
    """The run's evaluation, or None where it has none.

    Raises:
        RunError: the file is damaged or far too large.
    """
    path = run.path / "evaluation.json"
    try:
        if path.stat().st_size > MAX_BYTES:
            raise RunError(f"run {run.id}: evaluation.json is too large: evaluate the run again")
    except OSError:
        return None
    return run.evaluation


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
        is_paper = group == "retrieval" or _range_name(settings, suffix) == RANGES["paper"]
        of = method if is_paper else ""
        found = tuple(
            measured for name in chosen
            if (measured := _measured(name, results[name], dataset, of)) is not None
        )  # fmt: skip
        if found:
            groups.append((heading, found))
    ranges = read_ranges(stored.get("digits_ranges"))
    if ranges:
        groups.append(("Digit transitions, by the range of z", _digit_ranges(ranges)))
    along = [_along(stored, settings, suffix) for suffix in ("", "_other")]
    alpha = number(settings.get("alpha"))
    return Report(
        str(stored.get("created") or ""), alpha if alpha and alpha > 0 else DEFAULT_ALPHA,
        tuple(groups), tuple(a for a in along if a is not None), ranges, stored,
    )  # fmt: skip


def _sections(
    stored: Mapping[str, Any], settings: Mapping[str, Any]
) -> list[tuple[str, str, list[str] | None]]:
    """(heading, group, metrics) in the order of the page."""
    factors = mapping(stored.get("factors"))
    paper = [f"{name}{end}" for end in ("", PRIVATE)
             for name in ("disentanglement", "completeness", "informativeness")]  # fmt: skip
    of_z = " ".join(str(settings.get("latents") or "mu(v1)").split()).replace("mu(", "μ(")
    extents = [extent(_range_name(settings, suffix)) for suffix in ("", "_other")]
    return [
        ("Retrieval", "retrieval", None),
        (f"Retrieved items, {extents[0]}", "factors", paper),
        (f"Retrieved items, {extents[1]}", "factors_other", paper),
        (f"Digit transitions, {extents[0]}", "digits", None),
        (f"Digit transitions, {extents[1]}", "digits_other", None),
        (f"z itself, {of_z}", "factors", [name for name in factors if name not in paper]),
    ]


def extent(range_name: str) -> str:
    """The range of a traversal in words."""
    return EXTENTS.get(range_name, f"z over {range_name}")


def _range_name(settings: Mapping[str, Any], suffix: str) -> str:
    choice = mapping(settings.get(f"traversal{suffix}")).get("range")
    ends = [number(end) for end in sequence(choice)]
    if len(ends) == 2 and None not in ends:
        return f"{ends[0]:g} … {ends[1]:g}"
    default = "3 s.d." if suffix else "Paper"
    return RANGES.get(choice, default) if isinstance(choice, str) else default


def _measured(name: str, stored: Any, dataset: str, method: str) -> Measured | None:
    if not isinstance(stored, Mapping) or "score" not in stored:
        return None
    settings, parts = mapping(stored.get("settings")), mapping(stored.get("parts"))
    null, value = mapping(parts.get("null")), number(stored.get("score"))
    chance, spread = number(null.get("mean")), number(null.get("std"))
    if chance is None:
        chance = _retrieval_chance(name, number(settings.get("search_size")))
    n = number(stored.get("n"))
    return Measured(
        name=name,
        label=_label(name),
        value=math.nan if value is None else value,
        reason=str(settings.get("undefined") or ""),
        std=number(stored.get("std")),
        n=None if n is None else int(n),
        low=number(stored.get("low")),
        high=number(stored.get("high")),
        higher_is_better=stored.get("higher_is_better") is not False,
        chance=chance,
        chance_std=spread,
        p=number(null.get("p_value")),
        paper=_printed(dataset, method, name),
    )


def _digit_ranges(ranges: Sequence[DigitRange]) -> tuple[Measured, ...]:
    """Overlap and coverage over several half widths of the traversal."""
    found = []
    for name, most in (("overlap", MAX_OVERLAP), ("coverage", 1.0)):
        for each in ranges:
            result = {"score": getattr(each, name), "higher_is_better": name == "coverage",
                      "low": 0.0, "high": most}  # fmt: skip
            measured = _measured(name, result, "", "")
            if measured is not None:
                found.append(replace(measured, label=f"{name}, mean ± {each.n_std:g} s.d."))
    return tuple(found)


def _label(name: str) -> str:
    from rivae.benchmark.tables import LABELS

    private = ", private too" if name.endswith(PRIVATE) else ""
    short = name.removesuffix(PRIVATE)
    return LABELS.get(short, metric_label(short)) + private


def _printed(dataset: str, method: str, name: str) -> float | None:
    from rivae.benchmark.paper import paper_value

    value = paper_value(dataset, method, name) if method else None
    return value if isinstance(value, float) else None


def _retrieval_chance(name: str, n: float | None) -> float | None:
    """Of a random order of n items: k / n, and the middle rank."""
    if n is None or n < 1:
        return None
    if name == "median_rank":
        return (n + 1) / 2
    k = name.removeprefix("recall_at_")
    return min(int(k) / n, 1.0) if k.isdigit() and k != name else None


def _along(stored: Mapping[str, Any], settings: Mapping[str, Any], suffix: str) -> Along | None:
    table = mapping(stored.get(f"correlation{suffix}"))
    names = tuple(str(name) for name in sequence(table.get("factor_names")))
    correlation = matrix(table.get("absolute"))
    if correlation is not None and (
        correlation.shape[1] != len(names) or not ((correlation >= 0) & (correlation <= 1)).all()
    ):
        correlation = None
    undefined = matrix(table.get("undefined_share"))
    if correlation is None or undefined is None or undefined.shape != correlation.shape:
        undefined = None
    digits = mapping(mapping(stored.get(f"digits{suffix}")).get("transitions"))
    transitions = matrix(digits.get("table"))
    if transitions is not None and (transitions.shape[1] != 45 or (transitions < 0).any()):
        transitions = None
    if correlation is None and transitions is None:
        return None
    factors = mapping(stored.get(f"factors{suffix}"))
    scored = mapping(mapping(factors.get("disentanglement")).get("settings")).get("factors")
    shared = tuple(k for k, name in enumerate(names) if name in sequence(scored))
    chance = {}
    for name in ("disentanglement", "completeness", "informativeness"):
        found = _measured(name, factors.get(name), "", "")
        if found is not None and found.chance is not None and found.chance_std is not None:
            chance[name] = (found.chance, found.chance_std)
    n = number(table.get("n_queries")) or number(settings.get("n_queries")) or 0
    return Along(
        name=_range_name(settings, suffix),
        scale=str(mapping(settings.get(f"traversal{suffix}")).get("scale") or ""),
        other=bool(suffix),
        correlation=correlation,
        factors=names,
        shared=shared or tuple(range(len(names))),
        n_queries=int(n),
        undefined=undefined,
        transitions=transitions,
        chance=chance,
    )
