"""The description of a metric, its result, and the checks that metrics share."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rivae.base.arrays import Floats, Ints
from rivae.base.errors import DataError
from rivae.data.factors import FactorSpec

MIN_ROWS = 8  # a held-out half of fewer rows means nothing


@dataclass(frozen=True)
class Metric:
    """The description of a metric. Each is defined in the file that measures
    it; code that prints, sorts or draws metrics asks ``rivae.metrics.registry``.

    Attributes:
        key: its name in files, e.g. "recall_at_1".
        label: its name in tables and charts, e.g. "R@1".
        title: its meaning in a few words.
        table: the table of the benchmark that has it as a column, or "".
        low, high: its range (``math.inf`` where open or not known here).
        higher_is_better: which end is good.
        decimals: printed in tables.
        chance: its exact level in a random order of n items. None: estimated by shuffled factors.
    """

    key: str
    label: str
    title: str = ""
    table: str = ""
    low: float = 0.0
    high: float = 1.0
    higher_is_better: bool = True
    decimals: int = 3
    chance: Callable[[int], float] | None = None

    @property
    def heading(self) -> str:
        """The label with an arrow to the good end."""
        return f"{self.label} {'↑' if self.higher_is_better else '↓'}"

    @property
    def along_z(self) -> bool:
        """Whether it depends on the range that z is moved over."""
        return self.table in ("factors", "private", "digits", "alpha")

    def result(
        self,
        score: float,
        *,
        settings: Mapping[str, Any],
        high: float | None = None,
        std: float | None = None,
        n: int | None = None,
        parts: Mapping[str, Any] | None = None,
    ) -> MetricResult:
        """The result of measuring it; ``high`` if the range's end depends on the data."""
        return MetricResult(
            name=self.key,
            score=score,
            low=self.low,
            high=self.high if high is None else high,
            higher_is_better=self.higher_is_better,
            std=std,
            n=n,
            parts=parts or {},
            settings=settings,
        )

    def mean_of_factors(
        self,
        scores: Sequence[float],
        specs: Sequence[FactorSpec],
        *,
        n: int,
        settings: Mapping[str, Any],
    ) -> MetricResult:
        """The mean of a score of each factor, measured on ``n`` rows."""
        parts = {"per_factor": dict(zip([spec.name for spec in specs], scores, strict=True))}
        return self.result(float(np.mean(scores)), n=n, parts=parts, settings=settings)

    def undefined(
        self, reason: str, *, settings: Mapping[str, Any], parts: Mapping[str, Any] | None = None
    ) -> MetricResult:
        """A result that has no value, and why."""
        return self.result(math.nan, parts=parts, settings={**settings, "undefined": reason})


@dataclass(frozen=True)
class MetricResult:
    """One score with everything needed to read it.

    Attributes:
        name: the ``Metric.key``, e.g. "disentanglement".
        score: the value; NaN where undefined, with the reason under ``settings["undefined"]``.
        low, high: the range of the score (``math.inf`` where open).
        higher_is_better: which end is good.
        std: s.d. over repetitions, or None when there was one.
        n: the number of queries, items or repetitions measured.
        parts: named pieces (numbers, lists), e.g. one value per factor.
        settings: every constant that moved the score.
    """

    name: str
    score: float
    low: float = 0.0
    high: float = 1.0
    higher_is_better: bool = True
    std: float | None = None
    n: int | None = None
    parts: Mapping[str, Any] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        # 1e-6 of tolerance: sums of rounded probabilities may pass 1 by that much.
        if self.score == self.score and not self.low - 1e-6 <= self.score <= self.high + 1e-6:
            raise ValueError(f"{self.name} = {self.score} lies outside [{self.low}, {self.high}]")

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON-ready values."""
        return asdict(self)


Results = dict[str, MetricResult]


@dataclass(frozen=True)
class Sample:
    """The data that metrics of z are measured on.

    Attributes:
        latents: (n, d), here the means mu(v1).
        factors: (n, K) true factors with their ``specs``.
        random_state: seed of halves, models and estimators.
        cheap: measure roughly, for one of many shuffles.
    """

    latents: Floats
    factors: Floats
    specs: tuple[FactorSpec, ...]
    random_state: int = 0
    cheap: bool = False

    def only(self, role: str, *, numeric: bool = False) -> Sample | None:
        """The same with the factors of one role, without categorical ones if ``numeric``; None if
        no factor is left.
        """
        columns = [
            k
            for k, spec in enumerate(self.specs)
            if spec.role == role and not (numeric and spec.kind == "categorical")
        ]
        specs = tuple(self.specs[k] for k in columns)
        return replace(self, factors=self.factors[:, columns], specs=specs) if columns else None


@dataclass(frozen=True)
class MetricGroup:
    """One way to measure, and the metrics that come of it: a part of ``registry.METRICS``.

    Groups that are no ``OfLatents`` are of ranks, of the items along traversals, or of other runs;
    what measures these calls their functions.

    Attributes:
        name: that of its file, with "-" for "_".
        metrics: in the order of their columns.
    """

    name: str
    metrics: tuple[Metric, ...]


@dataclass(frozen=True)
class OfLatents(MetricGroup):
    """Metrics of z itself and true factors: ``evaluate`` measures every group of this class.

    Attributes:
        measure: the results by ``Metric.key``; none where the sample has no factor to use.
        refits: every shuffle of a null fits a model again, so the null uses fewer shuffles, fewer
            rows and the ``cheap`` measure.
    """

    measure: Callable[[Sample], Results]
    refits: bool = False


def check_pair(latents: ArrayLike, factors: ArrayLike) -> tuple[Floats, Floats]:
    """Latents (n, d) and factors (n, K) as finite float64 matrices of equal length.

    Raises:
        DataError: for other shapes, fewer than 8 rows, NaN or infinite values.
    """
    z = np.asarray(latents, dtype=np.float64)
    f = np.asarray(factors, dtype=np.float64)
    if z.ndim != 2 or f.ndim != 2 or len(z) != len(f) or not z.shape[1] or not f.shape[1]:
        raise DataError(f"latents {z.shape} and factors {f.shape} must be (n, d) and (n, K)")
    if len(z) < MIN_ROWS:
        raise DataError(f"factor metrics need at least {MIN_ROWS} rows, got {len(z)}")
    if not (np.isfinite(z).all() and np.isfinite(f).all()):
        raise DataError("latents or factors hold NaN or infinite values")
    return z, f


def check_specs(factors: Floats, specs: tuple[FactorSpec, ...]) -> None:
    """Raises DataError unless there is one specification per column."""
    if factors.shape[1] != len(specs):
        raise DataError(f"{factors.shape[1]} factor columns but {len(specs)} specifications")


def halves(n: int, random_state: int) -> tuple[Ints, Ints]:
    """Two disjoint random halves of range(n): one to fit on, one to score on."""
    order = np.random.default_rng(random_state).permutation(n)
    return order[: n // 2], order[n // 2 :]


def standardised(x: Floats) -> Floats:
    """Columns with mean 0 and s.d. 1; a constant column becomes zeros."""
    spread = x.std(axis=0)
    constant = np.ptp(x, axis=0) == 0  # the s.d. of equal numbers may round to above zero
    return np.where(constant, 0.0, (x - x.mean(axis=0)) / np.where(constant, 1.0, spread))


def one_minus_entropy(weights: Floats) -> Floats:
    """1 - normalised entropy of each row of ``weights`` >= 0 (..., r, c), c >= 2, in [0, 1].

    A row of zeros carries no preference and counts as uniform: 0.
    """
    n_columns = weights.shape[-1]
    total = weights.sum(axis=-1, keepdims=True)
    share = np.where(total > 0, weights / np.where(total > 0, total, 1.0), 1.0 / n_columns)
    logs = np.log(np.where(share > 0, share, 1.0))  # 0 log 0 = 0
    entropy = -(share * logs).sum(axis=-1) / np.log(n_columns)
    return np.clip(1.0 - entropy, 0.0, 1.0)
