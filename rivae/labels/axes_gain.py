"""What the axes of labelled factors gain over those of z, on items that they were not fitted to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from rivae.base.arrays import Floats
from rivae.base.wording import short
from rivae.exploring.axes.scores import MIN_ROWS

N_DRAWS = 500
SURE = (5, 95)  # percentiles: a 90 % interval
WORTH = 0.02  # a gain of the mean that somebody would see

UNKNOWN = (
    "Too few labels to tell whether these axes are better: label at least {} items on different "
    "levels."
)
GAIN = "These axes follow your labels better than those of the model: {}."
NO_GAIN = "No gain: the axes of the model follow your labels as well, {}."
LOSS = "No gain but a loss: the axes of the model follow your labels better, {}."


@dataclass(frozen=True)
class ViewGain:
    """Before and after, with one view as the query.

    Attributes:
        asks: the view, "first" (the picture) or "second".
        before: (K,) correlation of each factor with the axis of z that goes with it most, matched
            one to one on other items; NaN where it cannot be told.
        after: (K,) of its own axis, found from other items.
        low, high: 90 % interval of the gain of the mean, from resampled items.
        n: items.
        after_low: 5th percentile of the mean after, from the same resamples.
    """

    asks: str
    before: tuple[float, ...]
    after: tuple[float, ...]
    low: float
    high: float
    n: int
    after_low: float = float("nan")

    @property
    def mcc(self) -> tuple[float, float]:
        """The means over the factors before and after; NaN where none can be told."""
        known = ~np.isnan(self.before)
        if not known.any():
            return float("nan"), float("nan")
        return float(np.mean(np.array(self.before)[known])), float(
            np.mean(np.array(self.after)[known])
        )

    @property
    def is_gain(self) -> bool:
        """Whether the mean is surely higher, by ``WORTH`` or more, and more than chance."""
        before, after = self.mcc
        return self.low > 0 and self.after_low > 0 and after - before >= WORTH

    @property
    def is_loss(self) -> bool:
        """Whether the mean is surely lower, by ``WORTH`` or more."""
        before, after = self.mcc
        return self.high < 0 and before - after >= WORTH


def is_gain(gains: Sequence[ViewGain]) -> bool:
    """Whether a view that asks gains, and none loses."""
    return any(one.is_gain for one in gains) and not any(one.is_loss for one in gains)


def verdict(gains: Sequence[ViewGain], view_names: Mapping[str, str]) -> str:
    """One sentence: what the axes gain, or that they gain nothing.

    Args:
        gains: of each view that can ask.
        view_names: of "first" and "second", as "picture".
    """
    known = [one for one in gains if not np.isnan(one.mcc[0])]
    if not known:
        return UNKNOWN.format(MIN_ROWS)
    said = " and ".join(
        f"MCC {short(max(one.mcc[0], 0.0))} → {short(max(one.mcc[1], 0.0))} for "
        f"{view_names[one.asks]} queries"
        for one in known
    )
    if is_gain(known):
        return GAIN.format(said)
    return (LOSS if any(one.is_loss for one in known) else NO_GAIN).format(said)


def gain_of(
    asks: str, before: Floats, after: Floats, levels: Floats, random_state: int = 0
) -> ViewGain:
    """The gain of readings (m, K) over those (m, K) of the axes there were.

    Args:
        asks: the view that was the query.
        before, after: NaN where an item was read by no axis.
        levels: (m, K), NaN where there is none.
        random_state: of the resamples.
    """
    n = len(levels)
    draws = np.random.default_rng(random_state).multinomial(n, np.full(n, 1 / n), N_DRAWS)
    all_once = np.ones((1, n))
    counts = np.concatenate([all_once, draws])
    known = ~(np.isnan(before) | np.isnan(after) | np.isnan(levels))
    tables = [
        np.stack(
            [_correlations(r[:, k], levels[:, k], counts, known[:, k]) for k in range(r.shape[1])]
        )
        for r in (before, after)
    ]
    told = ~np.isnan(tables[0][:, 0])
    low = high = after_low = float("nan")
    if told.any():
        old, new = (table[told, 1:].mean(axis=0) for table in tables)
        low, high = np.percentile(new - old, SURE)
        after_low = np.percentile(new, SURE[0])
    return ViewGain(
        asks,
        tuple(tables[0][:, 0].tolist()),
        tuple(tables[1][:, 0].tolist()),
        float(low),
        float(high),
        int(known.any(axis=1).sum()),
        float(after_low),
    )


def correlations(readings: Floats, levels: Floats) -> Floats:
    """(K,) correlations of readings with levels (m, K); NaN where fewer than ``MIN_ROWS`` tell."""
    known = ~(np.isnan(readings) | np.isnan(levels))
    once = np.ones((1, len(levels)))
    return np.array(
        [
            _correlations(readings[:, k], levels[:, k], once, known[:, k])[0]
            for k in range(levels.shape[1])
        ]
    )


def _correlations(x: Floats, y: Floats, counts: Floats, known: np.ndarray) -> Floats:
    """(B,) correlations of the known of x and y (m,), each item as often as ``counts`` (B, m) says;
    NaN throughout where fewer than ``MIN_ROWS`` are known or all levels are equal.
    """
    x, y = x[known], y[known]
    if len(y) < MIN_ROWS or np.ptp(y) == 0:
        return np.full(len(counts), np.nan)
    x, y = x - x.mean(), y - y.mean()  # so that sums of squares keep their digits
    weights = counts[:, known].astype(np.float64)
    weights /= np.maximum(weights.sum(axis=1, keepdims=True), 1.0)
    mx, my = weights @ x, weights @ y
    size = np.sqrt(np.maximum((weights @ x**2 - mx**2) * (weights @ y**2 - my**2), 0.0))
    return np.asarray(
        np.divide(weights @ (x * y) - mx * my, size, out=np.zeros_like(mx), where=size > 1e-12)
    )
