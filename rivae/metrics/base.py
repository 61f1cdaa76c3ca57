"""What every metric returns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(frozen=True)
class MetricResult:
    """One score with everything needed to read it.

    Attributes:
        name: the metric, e.g. "disentanglement".
        score: the value; NaN where undefined, with the reason under ``settings["undefined"]``.
        low, high: the range the score lies in (use ``math.inf`` where open).
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
