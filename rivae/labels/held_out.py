"""The gain of an alignment to labels, measured on labelled items held out from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from rivae.base.errors import ConfigError, DataError
from rivae.labels.align import MIN_LABELS, Alignment, align_axes
from rivae.metrics.matching import assignment
from rivae.retrieval.base import Floats, Ints

HELD_OUT = 0.3  # share of the labelled items


@dataclass(frozen=True)
class FactorGain:
    """One factor before and after, on held-out items.

    Attributes:
        factor: its id.
        axis_before: 0-based axis, matched to the factors one to one on the other items.
        before, after: correlation of its axis with the levels, in [-1, 1]; its mean over the
            factors is the MCC of these labels.
        r2_before, r2_after: R² of the levels predicted from that axis alone by a line fitted on
            the other items; at most 1.
        n: held-out items with a level.
    """

    factor: str
    axis_before: int
    before: float
    after: float
    r2_before: float
    r2_after: float
    n: int


def held_out_split(n: int, share: float = HELD_OUT, random_state: int = 0) -> tuple[Ints, Ints]:
    """Positions to fit on and positions held out, both sorted.

    Raises:
        ConfigError: the share leaves one of the two empty.
    """
    size = round(n * share)
    if not 0 < size < n:
        raise ConfigError(f"{share:g} of {n} labelled items leaves nothing to fit or to score on")
    order = np.random.default_rng(random_state).permutation(n).astype(np.int64)
    return np.sort(order[size:]), np.sort(order[:size])


def factor_gains(
    alignment: Alignment,
    fit: tuple[ArrayLike, ArrayLike],
    held_out: tuple[ArrayLike, ArrayLike],
) -> list[FactorGain]:
    """The gain of an alignment per factor.

    Args:
        alignment: made from ``fit`` alone.
        fit: latents (m, d) before the change and levels (m, K) of its items.
        held_out: the same for other items.

    Raises:
        DataError: a factor has fewer than two different held-out levels.
    """
    x, y = (np.asarray(a, dtype=np.float64) for a in fit)
    x_new, y_new = (np.asarray(a, dtype=np.float64) for a in held_out)
    matched = _matched(x, y)
    change = alignment.change
    gains = []
    for k, factor in enumerate(alignment.factors):
        seen, asked = ~np.isnan(y[:, k]), ~np.isnan(y_new[:, k])
        level, wanted = y[seen, k], y_new[asked, k]
        if len(wanted) < 2 or np.ptp(wanted) == 0:
            raise DataError(f"the held-out labels of {factor} do not differ: label more items")
        own = [
            _judged(old[seen, j], level, new[asked, j], wanted)
            for old, new, j in (
                (x, x_new, matched[k]),
                (x @ change.matrix, x_new @ change.matrix, k),
            )
        ]
        sign = np.sign(_correlation(x[seen, matched[k]], level)) or 1.0
        gains.append(
            FactorGain(
                factor,
                int(matched[k]),
                float(sign) * own[0][0],
                own[1][0],
                own[0][1],
                own[1][1],
                len(wanted),
            )
        )
    return gains


def _matched(x: Floats, y: Floats) -> Ints:
    table = np.zeros((x.shape[1], y.shape[1]))
    for k in range(y.shape[1]):
        known = ~np.isnan(y[:, k])
        table[:, k] = [_correlation(column, y[known, k]) for column in x[known].T]
    axes, columns = assignment(table)
    out = np.zeros(y.shape[1], dtype=np.int64)
    out[columns] = axes
    return out


def _correlation(a: Floats, b: Floats) -> float:
    if np.ptp(a) == 0 or np.ptp(b) == 0:
        return 0.0
    return float(np.corrcoef(a, b)[0, 1])


def _judged(axis: Floats, level: Floats, new_axis: Floats, wanted: Floats) -> tuple[float, float]:
    """Correlation and R² on the new items of the line fitted on the others."""
    spread = float(axis.var())
    slope = float(((axis - axis.mean()) * level).mean()) / spread if spread > 0 else 0.0
    guess = level.mean() + slope * (new_axis - axis.mean())
    r2 = 1 - float(((wanted - guess) ** 2).sum()) / float(((wanted - wanted.mean()) ** 2).sum())
    return _correlation(new_axis, wanted), r2


def align_and_judge(
    mu: ArrayLike,
    latents: ArrayLike,
    levels: ArrayLike,
    factors: Sequence[str],
    *,
    reach: float = 10.0,
    share: float = HELD_OUT,
    random_state: int = 0,
) -> tuple[Alignment, list[FactorGain]]:
    """The alignment to all labels, and the gain on the other items of one from 70 % of the items.

    Arguments and errors are those of ``align_axes``. The gain is conservative, since the returned
    alignment uses more labels. It is empty if there are too few labels to hold some out.
    """
    x, y = np.asarray(latents, dtype=np.float64), np.asarray(levels, dtype=np.float64)
    alignment = align_axes(mu, x, y, factors, reach=reach)
    fit, rest = held_out_split(len(x), share, random_state)
    if min(alignment.n_labels) * (1 - share) < MIN_LABELS:
        return alignment, []
    try:
        part = align_axes(mu, x[fit], y[fit], factors, reach=reach)
        return alignment, factor_gains(part, (x[fit], y[fit]), (x[rest], y[rest]))
    except DataError:  # by chance a factor does not vary in one of the parts
        return alignment, []
