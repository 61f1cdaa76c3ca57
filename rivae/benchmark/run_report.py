"""One run's evaluation in the order in which it is shown, each metric beside its level of chance
and the number that the paper prints, and as a table for files.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rivae.figures.tables import Score
from rivae.metrics.measures.dci_paper import DEFAULT_ALPHA, METRICS, D
from rivae.metrics.measures.digits import COVERAGE, OVERLAP
from rivae.metrics.registry import metric
from rivae.retrieval import ranges
from rivae.retrieval.ranges import PAPER, Range, extent
from rivae.runs.evaluation_file import Evaluation
from rivae.runs.results import AtWidth, Correlation, Result, Results

if TYPE_CHECKING:
    from rivae.base.config import Asks

MAX_WIDTHS = 20  # ours are five; a chart of many more could not be read


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


def measured(name: str, result: Result, dataset: str = "", method: str = "") -> Measured:
    """A measured metric with its level of chance and the paper's number.

    Args:
        dataset, method: of the run, for the paper's number; without them there is none.
    """
    from rivae.benchmark.paper import paper_value

    known, null, size = metric(name), result.null, result.constants.search_size
    chance, printed = null.mean, paper_value(dataset, method, name) if method else None
    if chance is None and known.chance is not None and size is not None and size >= 1:
        chance = known.chance(int(size))
    return Measured(
        name=name,
        label=known.label,
        value=result.value,
        reason=result.constants.undefined or "",
        std=result.std,
        n=result.n,
        low=result.low,
        high=result.high,
        higher_is_better=result.higher_is_better is not False,
        chance=chance,
        chance_std=null.std,
        p=null.p_value,
        paper=printed if isinstance(printed, float) else None,
    )


@dataclass(frozen=True)
class RangeData:
    """The data of the charts of one range of z.

    Attributes:
        scale: one sentence about the range.
        other: whether it is the evaluation's second range.
        correlation: (d, K) of |corr|, or None without numeric factors.
        factors: K names.
        shared: columns that the paper's scores count.
        asks: the view that was the query.
        n_queries: queries averaged.
        undefined: (d, K) share of queries without a correlation.
        transitions: (d, 45) of digits, or None.
        chance: mean and s.d. of shuffled factors of D, C and I.
    """

    range: Range
    scale: str
    other: bool
    asks: Asks
    correlation: NDArray[np.float64] | None
    factors: tuple[str, ...]
    shared: tuple[int, ...]
    n_queries: int
    undefined: NDArray[np.float64] | None
    transitions: NDArray[np.float64] | None
    chance: Mapping[str, tuple[float, float]]

    @property
    def title(self) -> str:
        """The name of the range."""
        return ranges.title(self.range)

    @property
    def has_table(self) -> bool:
        """Whether correlations or transitions were measured."""
        return self.correlation is not None or self.transitions is not None


def _along(stored: Evaluation, other: bool) -> RangeData:
    """The charts' data of the first or second range."""
    found = stored.along[other]
    table = found.correlation or Correlation()
    transitions = found.digits.transitions if found.digits else None
    scored = found.factors.get(D.key, Result()).constants.factors or ()
    shared = tuple(k for k, name in enumerate(table.factor_names) if name in scored)
    nulls = {m.key: found.factors.get(m.key, Result()).null for m in METRICS}
    return RangeData(
        range=found.range,
        scale=found.scale,
        other=other,
        asks=stored.settings.asks,
        correlation=_matrix(table.absolute),
        factors=tuple(table.factor_names),
        shared=shared or tuple(range(len(table.factor_names))),
        n_queries=table.n_queries or stored.settings.n_queries or 0,
        undefined=_matrix(table.undefined_share),
        transitions=np.array(transitions.table) if transitions else None,
        chance={
            name: (null.mean, null.std)
            for name, null in nulls.items()
            if null.mean is not None and null.std is not None
        },
    )


def _matrix(shares: list[list[float]] | None) -> NDArray[np.float64] | None:
    return np.clip(np.array(shares), 0.0, 1.0) if shares else None


@dataclass(frozen=True)
class Report:
    """A readable evaluation; ``groups`` are (heading, metrics) in the order of the page."""

    created: str
    alpha: float
    groups: tuple[tuple[str, tuple[Measured, ...]], ...]
    along: tuple[RangeData, RangeData]
    digit_ranges: tuple[AtWidth, ...]
    stored: Evaluation


def report_of(stored: Evaluation, dataset: str, method: str) -> Report:
    """An evaluation in the order of the page.

    Args:
        dataset, method: of the run, for the paper's numbers.
    """
    groups = [
        (heading, tuple(measured(name, result, dataset, of) for name, result in results.items()))
        for heading, results, of in _sections(stored, method)
    ]
    by_width = {at.n_std: at for at in stored.digits_ranges[:MAX_WIDTHS]}
    widths = tuple(by_width[width] for width in sorted(by_width))
    groups.append(("Digit transitions, by the range of z", _digit_widths(widths)))
    return Report(
        stored.created,
        stored.settings.alpha or DEFAULT_ALPHA,
        tuple((heading, found) for heading, found in groups if found),
        (_along(stored, False), _along(stored, True)),
        widths,
        stored,
    )


def _sections(stored: Evaluation, method: str) -> list[tuple[str, Results, str]]:
    """(heading, results, the method whose printed numbers belong to them, "" for none)."""
    first = stored.along[0].factors
    # The paper asks with the first view, by samples of z.
    factors_of = method if stored.settings.asks == "first" else ""
    moved, of_z = [], " ".join(stored.settings.latents.split()).replace("mu(", "μ(")
    for kind in ("Retrieved items", "Digit transitions"):
        for along in stored.along:
            digits = along.digits.results if along.digits else {}
            items = {name: r for name, r in along.factors.items() if metric(name).along_z}
            results = items if kind == "Retrieved items" else digits
            # The paper's numbers belong to the paper's range.
            of = factors_of if along.range == PAPER else ""
            moved.append((f"{kind}, {extent(along.range)}", results, of))
    others = stored.retrieval_back, stored.retrieval_both
    ways = [
        (
            f"Retrieval, {way}" if way else "Retrieval",
            results,
            "" if any(results is each for each in others) else method,
        )
        for way, results in stored.searches()
    ]
    of_latents = {name: r for name, r in first.items() if not metric(name).along_z}
    return [
        *ways,
        *moved,
        (f"z itself, {of_z}", of_latents, factors_of if stored.along[0].range == PAPER else ""),
    ]


def _digit_widths(widths: tuple[AtWidth, ...]) -> tuple[Measured, ...]:
    """Overlap and coverage over several half widths of the traversal."""
    return tuple(
        replace(
            measured(of.key, Result(score=getattr(at, of.key), low=of.low, high=of.high)),
            label=f"{of.label}, mean ± {at.n_std:g} s.d.",
            higher_is_better=of.higher_is_better,
        )
        for of in (OVERLAP, COVERAGE)
        for at in widths
    )


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
    """One row per metric with everything measured."""
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
