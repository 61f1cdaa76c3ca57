"""What is known of every metric, and what measuring it returns."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rivae.data.base import FactorSpec
    from rivae.retrieval.base import Floats


@dataclass(frozen=True)
class Metric:
    """One metric, before anything is measured. Each stands in the file that measures it, and
    everything that prints, sorts or draws metrics finds it in ``rivae.metrics.registry``.

    Attributes:
        key: its name in files, e.g. "recall_at_1".
        label: its name in tables and charts, e.g. "R@1".
        title: what it says, in a few words.
        table: of which table of the benchmark it is a column; "" of none.
        low, high: the range it lies in (``math.inf`` where open or not known here).
        higher_is_better: which end is good.
        decimals: printed in tables.
        chance: its exact level in a random order of n items. None: shuffled factors tell it.
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
        """What was measured; ``high`` where only the data know the range's end."""
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
        low, high: the range the score lies in (``math.inf`` where open).
        higher_is_better: which end is good.
        std: s.d. over repetitions, or None when there was one.
        n: how many queries, items or repetitions stand behind it.
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
        # 1e-6 of slack: sums of rounded probabilities may pass 1 by that much.
        if self.score == self.score and not self.low - 1e-6 <= self.score <= self.high + 1e-6:
            raise ValueError(f"{self.name} = {self.score} lies outside [{self.low}, {self.high}]")

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON-ready values."""
        return asdict(self)


Results = dict[str, MetricResult]


@dataclass(frozen=True)
class Sample:
    """What metrics of z are measured on.

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
        """The same with the factors of one role, the categorical ones left out where they are to
        be ``numeric``; None where that leaves none.
        """
        chosen = [
            k
            for k, spec in enumerate(self.specs)
            if spec.role == role and not (numeric and spec.kind == "categorical")
        ]
        specs = tuple(self.specs[k] for k in chosen)
        return replace(self, factors=self.factors[:, chosen], specs=specs) if chosen else None


@dataclass(frozen=True)
class OfLatents:
    """Metrics of z itself that are measured together.

    Attributes:
        measure: the results by ``Metric.key``; none where the sample has no factor to use.
        refits: a model is fitted anew for every shuffle of a null, which is therefore made of
            fewer shuffles, fewer rows and the ``cheap`` measure.
    """

    metrics: tuple[Metric, ...]
    measure: Callable[[Sample], Results]
    refits: bool = False
