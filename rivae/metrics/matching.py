"""Which axes of two models encode the same factor.

Axes have no names: another seed finds the same factor under another index and perhaps with
the opposite sign. Axes are therefore matched one to one by the Hungarian assignment that maximises
the sum of |corr| over the same rows, as the mean correlation coefficient does with true factors.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from rivae.base.arrays import Floats, Ints
from rivae.base.errors import ConfigError
from rivae.metrics.base import check_pair, standardised

Kind = Literal["pearson", "spearman"]
KINDS: tuple[Kind, ...] = ("pearson", "spearman")
# z is computed in float32: an axis that varies by less than this share of its size is rounding.
ROUNDING = 1e-6


def cross_correlation(a: Floats, b: Floats, kind: Kind = "pearson") -> Floats:
    """Correlations (d1, d2) in [-1, 1] of columns of a (n, d1) with columns of b (n, d2).

    0 where one of the two is constant. "spearman" correlates average ranks, so that ties are exact.

    Raises:
        ConfigError: for another kind.
    """
    if kind not in KINDS:
        raise ConfigError(f"a correlation is 'pearson' or 'spearman', not '{kind}'")
    if kind == "spearman":
        from scipy.stats import rankdata  # slow to import, and every trainer matches axes

        a, b = rankdata(a, axis=0), rankdata(b, axis=0)
    return np.clip(standardised(a).T @ standardised(b) / len(a), -1.0, 1.0)


def assignment(table: Floats) -> tuple[Ints, Ints]:
    """Rows and columns of the one-to-one pairs with the largest sum of |table| (d1, d2).

    min(d1, d2) pairs, rows ascending.
    """
    from scipy.optimize import linear_sum_assignment

    rows, columns = linear_sum_assignment(-np.abs(table))
    return np.asarray(rows, dtype=np.int64), np.asarray(columns, dtype=np.int64)


@dataclass(frozen=True)
class AxisMatch:
    """The axes of run a (d1 of them) and run b (d2) that belong together.

    Attributes:
        pairs: (axis of a, axis of b), axes of a ascending; at most min(d1, d2).
        signs: +1 or -1 per pair: whether both run the same way.
        strengths: |corr| per pair, in [0, 1].
        table: (d1, d2) correlations in [-1, 1], 0 for constant axes.
        unmatched: axes of a and axes of b that have no partner; a constant axis never has one.
        kind: "pearson" or "spearman".
    """

    pairs: tuple[tuple[int, int], ...]
    signs: tuple[int, ...]
    strengths: tuple[float, ...]
    table: Floats
    unmatched: tuple[tuple[int, ...], tuple[int, ...]]
    kind: Kind

    def partner(self, axis: int) -> tuple[int, int, float] | None:
        """(axis of b, sign, |corr|) that belongs to ``axis`` of a, or None."""
        for (a, b), sign, strength in zip(self.pairs, self.signs, self.strengths, strict=True):
            if a == axis:
                return b, sign, strength
        return None


def match_axes(z_a: ArrayLike, z_b: ArrayLike, *, kind: Kind = "pearson") -> AxisMatch:
    """Match the axes of two models over the same rows.

    Args:
        z_a, z_b: (n, d1) and (n, d2), row i of both from the same item; n >= 8.
        kind: "pearson" (invariant to scale) or "spearman" (to every monotone change).

    Raises:
        ConfigError: for another kind.
        DataError: for other shapes, too few rows, NaN or infinite values.
    """
    a, b = check_pair(z_a, z_b)
    table = cross_correlation(a, b, kind)
    live_a, live_b = np.flatnonzero(~_constant(a)), np.flatnonzero(~_constant(b))
    dead = np.ones(table.shape, dtype=bool)
    dead[np.ix_(live_a, live_b)] = False
    table = np.where(dead, 0.0, table)
    rows, columns = assignment(table[np.ix_(live_a, live_b)])
    pairs = tuple((int(live_a[i]), int(live_b[j])) for i, j in zip(rows, columns, strict=True))
    strengths = [float(table[pair]) for pair in pairs]
    return AxisMatch(
        pairs=pairs,
        signs=tuple(-1 if value < 0 else 1 for value in strengths),
        strengths=tuple(abs(value) for value in strengths),
        table=table,
        unmatched=(
            _left(a.shape[1], [pair[0] for pair in pairs]),
            _left(b.shape[1], [pair[1] for pair in pairs]),
        ),
        kind=kind,
    )


def match_to_first(latents: Sequence[ArrayLike], *, kind: Kind = "pearson") -> list[AxisMatch]:
    """Match the latents (n, d) of every further model to those of the first, the reference.

    Returns one match per model after the first; "a" is always the reference.

    Raises:
        ConfigError: for fewer than two models, or another kind.
        DataError: as ``match_axes``.
    """
    if len(latents) < 2:
        raise ConfigError("matching needs at least two runs: name another one")
    return [match_axes(latents[0], other, kind=kind) for other in latents[1:]]


def _constant(z: Floats) -> np.ndarray:
    return np.asarray(np.ptp(z, axis=0) <= ROUNDING * np.abs(z).max(axis=0))


def _left(d: int, used_axes: list[int]) -> tuple[int, ...]:
    return tuple(j for j in range(d) if j not in used_axes)
