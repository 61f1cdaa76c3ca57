"""What one run's ``evaluation.json`` holds about a traversal along one range of z.

No streamlit here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rivae.ui.loose import mapping, matrix, number, sequence
from rivae.ui.metrics_measured import read_measured

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

RANGES = {
    "paper": "Paper", "prior": "3 s.d.", "sigma": "10 s.d.", "data": "Data",
}  # fmt: skip
EXTENTS = {
    "Paper": "z from −10 to 10", "3 s.d.": "z over mean ± 3 s.d.",
    "10 s.d.": "z over mean ± 10 s.d.", "Data": "z over the central 99 % of the queries",
}  # fmt: skip


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


def extent(range_name: str) -> str:
    """The range of a traversal in words."""
    return EXTENTS.get(range_name, f"z over {range_name}")


def range_name(settings: Mapping[str, Any], suffix: str) -> str:
    """How the range of the report's first (suffix "") or second ("_other") traversal is called."""
    choice = mapping(settings.get(f"traversal{suffix}")).get("range")
    ends = [number(end) for end in sequence(choice)]
    if len(ends) == 2 and None not in ends:
        return f"{ends[0]:g} … {ends[1]:g}"
    default = "3 s.d." if suffix else "Paper"
    return RANGES.get(choice, default) if isinstance(choice, str) else default


def read_along(stored: Mapping[str, Any], suffix: str) -> Along | None:
    """What the report ``stored`` says about its first (suffix "") or second ("_other") range; None
    where that is nothing that can be drawn.
    """
    settings = mapping(stored.get("settings"))
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
        found = read_measured(name, factors.get(name))
        if found is not None and found.chance is not None and found.chance_std is not None:
            chance[name] = (found.chance, found.chance_std)
    n = number(table.get("n_queries")) or number(settings.get("n_queries")) or 0
    return Along(
        name=range_name(settings, suffix),
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
