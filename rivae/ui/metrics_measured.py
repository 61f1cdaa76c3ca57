"""One metric of one run as ``evaluation.json`` holds it, and what it is compared with.

No streamlit here.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rivae.plots.scores import metric_label
from rivae.ui.loose import mapping, number

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


def read_measured(name: str, stored: Any, dataset: str = "", method: str = "") -> Measured | None:
    """A stored metric, or None where it is none.

    Args:
        dataset, method: of the run, for the paper's number; without them there is none.
    """
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
