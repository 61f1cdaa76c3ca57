r"""Ridge CCA: the linear maps of two views whose images correlate most, in closed form.

With means m_i and covariances C_ij of the training pairs, and ridges r_i relative to the mean
variance s_i of a number of view i, the singular values and vectors

    (C_11 + r_1 s_1 I)^{-1/2}  C_12  (C_22 + r_2 s_2 I)^{-1/2}  =  U diag(\rho) V'

give v_1 = (x_1 - m_1) (C_11 + r_1 s_1 I)^{-1/2} U diag(\rho^p), v_2 likewise, both then brought to
unit length. Ridges and the power p are those with which validation pairs find each other best.
Nothing is drawn, so the same pairs give the same maps.

Reference: Vinod, "Canonical ridge and econometrics of joint production" (1976); the weighting by
powers of the correlations is that of Gong et al., "A multi-view embedding space for modeling
internet images, tags, and their semantics" (2014), eq. 10.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import numpy as np

from rivae.base.errors import DataError
from rivae.models.pair_components import Floats, Rows, Side, View, Watch, batches, in_components

RIDGES = (0.1, 0.3, 1.0, 3.0, 10.0)
POWERS = (0.5, 1.0, 1.5, 2.0)
FIRST = (1.0, 1.0)  # tried first, and taken where there are no validation pairs
MAX_VALIDATION = 1000


@dataclass(frozen=True)
class RidgeCCA:
    """The maps v_i = x_i @ weights[i] + biases[i], to be brought to unit length.

    Attributes:
        weights: (D1, d) and (D2, d); columns of zeros where there are fewer correlations than d.
        biases: (d,) each.
        correlations: (d,) of the training pairs, shrunk by the ridges, falling.
        ridges, power: r_1, r_2 and p.
        score: mean reciprocal rank of validation pairs, the mean of both directions; NaN without.
    """

    weights: tuple[Floats, Floats]
    biases: tuple[Floats, Floats]
    correlations: Floats
    ridges: tuple[float, float]
    power: float
    score: float


def fit_ridge_cca(
    views: tuple[View, View],
    rows: Rows,
    validation: Rows,
    n_components: int,
    watch: Watch | None = None,
    sums_file: Path | None = None,
) -> RidgeCCA:
    """Fit the maps to training pairs; memory does not grow with their number.

    Sums over the pairs are made by the workers of a cluster where one is named (``on_cluster``),
    in shards that are added in order, so that they are the same numbers anywhere.

    Args:
        views: both views; an item of any shape is read as one row of numbers. Of a cluster's work
            ``rivae.data.views.Views``, which is opened there.
        rows: training rows, at least two.
        validation: rows that choose the ridges and the power, of which 1,000 are used.
        n_components: d, the length of v.
        watch: called with the share that is done, 0 to 1; an exception of it ends the fit.
        sums_file: for the sums so far, named by the views and the rows: a stopped fit resumes with
            them. It is removed when the fit is done.

    Raises:
        DataError: fewer than two pairs, numbers that are not finite, or a view that is constant.
    """
    watch = watch or (lambda share: None)
    if len(rows) < 2:
        raise DataError(f"{len(rows)} training pairs have no correlations: at least 2 are needed")
    sides, cross = in_components(views, rows, watch, sums_file)
    held_out = validation[:MAX_VALIDATION]
    views_of_held_out = [
        np.concatenate([(part - side.mean) @ side.axes for part in batches(view, held_out)])
        if len(held_out)
        else np.empty((0, side.axes.shape[1]))
        for view, side in zip(views, sides, strict=True)
    ]
    search = _Search(sides, cross, views_of_held_out, n_components)
    best = search.best(lambda share: watch(0.8 + 0.2 * share))
    u, rho, v = search.directions(*best.ridges)
    weights, biases = [], []
    for side, vectors, ridge in zip(sides, (u, v), best.ridges, strict=True):
        weight = side.axes @ (_shrunk(side, ridge)[:, None] * vectors * rho**best.power)
        full_weight = np.zeros((len(weight), n_components))
        full_weight[:, : weight.shape[1]] = weight
        weights.append(full_weight)
        biases.append(-side.mean @ full_weight)
    correlations = np.zeros(n_components)
    correlations[: len(rho)] = rho
    if sums_file is not None:
        sums_file.unlink(missing_ok=True)
    return RidgeCCA(
        (weights[0], weights[1]),
        (biases[0], biases[1]),
        correlations,
        best.ridges,
        best.power,
        best.score,
    )


def mean_reciprocal_rank(v1: Floats, v2: Floats) -> float:
    """Of n pairs (n, d) each, by cosine, the mean of both directions; ties count as found last."""
    lengths = (np.maximum(np.linalg.norm(v, axis=1, keepdims=True), 1e-30) for v in (v1, v2))
    unit1, unit2 = (v / length for v, length in zip((v1, v2), lengths, strict=True))
    cosines = unit1 @ unit2.T
    pair_cosines = np.diag(cosines)
    ranks = ((cosines >= pair_cosines[:, None]).sum(1), (cosines >= pair_cosines).sum(0))
    return float(np.mean([np.mean(1.0 / rank) for rank in ranks]))


@dataclass(frozen=True)
class _Choice:
    score: float
    ridges: tuple[float, float]
    power: float


class _Search:
    """The ridges and the power by validation pairs: equal ridges first, then one by one."""

    def __init__(
        self, sides: Sequence[Side], cross: Floats, held_out: Sequence[Floats], d: int
    ) -> None:
        self._sides, self._cross, self._held_out = sides, cross, held_out
        self._d = min(d, *cross.shape)
        self._svds: dict[tuple[float, float], tuple[Floats, Floats, Floats]] = {}

    def directions(self, ridge1: float, ridge2: float) -> tuple[Floats, Floats, Floats]:
        """U (k1, d), rho (d,) and V (k2, d) of these ridges."""
        if (ridge1, ridge2) not in self._svds:
            first, second = (
                _shrunk(side, ridge)
                for side, ridge in zip(self._sides, (ridge1, ridge2), strict=True)
            )
            self._svds[ridge1, ridge2] = _singular(first[:, None] * self._cross * second, self._d)
        return self._svds[ridge1, ridge2]

    def best(self, watch: Watch) -> _Choice:
        if not len(self._held_out[0]):
            return _Choice(float("nan"), FIRST, 1.0)
        choices: dict[tuple[float, float], _Choice] = {}
        steps = [(ridge, ridge) for ridge in RIDGES]
        for k, pair in enumerate(steps):
            choices[pair] = self._scored(pair)
            watch(k / (len(steps) + 4))
        while True:  # around the best so far, until no neighbour is better
            centre = max(choices.values(), key=lambda choice: choice.score)
            near = [pair for pair in _neighbours(centre.ridges) if pair not in choices]
            if not near:
                return centre
            for pair in near:
                choices[pair] = self._scored(pair)
            watch(min(1.0, len(choices) / (len(steps) + 8)))

    def _scored(self, ridges: tuple[float, float]) -> _Choice:
        u, rho, v = self.directions(*ridges)
        first, second = (
            rows @ (_shrunk(side, ridge)[:, None] * vectors)
            for rows, side, ridge, vectors in zip(
                self._held_out, self._sides, ridges, (u, v), strict=True
            )
        )
        return max(
            (
                _Choice(mean_reciprocal_rank(first * rho**p, second * rho**p), ridges, p)
                for p in POWERS
            ),
            key=lambda choice: choice.score,
        )


def _neighbours(ridges: tuple[float, float]) -> Iterator[tuple[float, float]]:
    """The pairs of ridges one step away."""
    places = [RIDGES.index(ridge) for ridge in ridges]
    for step1, step2 in product((-1, 0, 1), repeat=2):
        i, j = places[0] + step1, places[1] + step2
        if abs(step1) + abs(step2) == 1 and min(i, j) >= 0 and max(i, j) < len(RIDGES):
            yield RIDGES[i], RIDGES[j]


def _shrunk(side: Side, ridge: float) -> Floats:
    """1 / root of each component's variance with the ridge."""
    shrunk: Floats = 1.0 / np.sqrt(side.variances + ridge * side.mean_variance)
    return shrunk


def _singular(matrix: Floats, d: int) -> tuple[Floats, Floats, Floats]:
    """The ``d`` largest singular values and both sides' vectors (k1, d), (d,), (k2, d)."""
    from scipy.sparse.linalg import svds

    if d >= min(matrix.shape) // 2:
        u, rho, vt = np.linalg.svd(matrix, full_matrices=False)
    else:
        start = np.ones(min(matrix.shape), dtype=matrix.dtype)  # of a power iteration: not drawn
        u, rho, vt = svds(matrix, d, v0=start)
    order = np.argsort(-rho, kind="stable")[:d]
    u, rho, v = u[:, order], rho[order], vt[order].T
    signs = np.sign(u[np.abs(u).argmax(0), np.arange(len(order))])
    return u * signs, np.clip(rho, 0.0, 1.0), v * signs
