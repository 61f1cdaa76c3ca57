"""How sure the axes of a run are before anybody labels an item: sure, only as a plane, or unsure.

A contrastive start fits several models, each from weights and a sample of the pairs of its own
(``init=contrast``). For every axis of the run three questions are asked, without labels:

* is it there? *Inside* is the held-out linear R² of the axis from all axes of such a fit; more than
  half of the fits have to hold it;
* is its direction determined? *Turn* is the angle to the nearest axis of these fits, within what a
  fit holds, over the fits and over independent components of resampled pairs. Fits share their
  pairs, so they alone may agree on a direction that is chance (of two Gaussian factors, say);
* do the axes depend on each other? Then the assumption that picked them fails, whoever agrees.

It knows no truth: fits that share a wrong bias agree as well.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from pydantic import BaseModel, ConfigDict, Field

from rivae.base.arrays import Floats, Ints
from rivae.base.errors import DataError
from rivae.base.wording import join_words, short
from rivae.metrics.matching import ROUNDING, assignment, cross_correlation

Verdict = Literal["sure", "plane", "unsure"]

# Where simulated and real sheets part, see docs/training.md, "How sure the axes are".
INSIDE = 0.8  # held-out R² from which on a fit holds the axis
TURN = 15.0  # degrees
DEPENDENT = 0.13
CHANCE = 4.0  # / sqrt(n): what independent axes may reach
RESAMPLES = 6  # of the pairs, for every fit
SHARE = 0.9  # of the turns that count: one odd sample decides nothing
CURVES = 2  # per axis, of which the most alike two measure how far the axes depend on each other
MIN_ROWS = 100
MAX_ROWS = 5_000

VERSION = 2  # of the measure: what was kept of another one is measured again


class AxisCertainty(BaseModel):
    """How sure one axis is.

    Attributes:
        axis: its number from 0.
        n_fits: fits that were asked.
        n_held: those of them that hold it; of the others nothing more is asked, as one fit in
            several may curl up.
        agreement: the least |r| with the axis of such a fit that belongs to it.
        inside: the median over all fits of the held-out R² from all axes of a fit.
        turn: degrees between it and the axes of the fits and of resampled pairs; 90 % lie below.
        dependence: the highest correlation of a curve of this axis with a curve of another one.
        turned: other axes that it turns with, the strongest first.
        dependent: other axes that it depends on, the strongest first.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    axis: int = Field(ge=0)
    verdict: Verdict
    n_fits: int = Field(ge=1)
    n_held: int = Field(default=0, ge=0)
    agreement: float = 0.0
    inside: float = 0.0
    turn: float = 90.0
    dependence: float = 0.0
    turned: tuple[int, ...] = ()
    dependent: tuple[int, ...] = ()

    @property
    def partners(self) -> tuple[int, ...]:
        """The other axes of its plane."""
        return tuple(dict.fromkeys((*self.turned, *self.dependent)))

    def reason(self, names: Sequence[str]) -> str:
        """The verdict in plain words; ``names`` are those of all axes."""
        fits = f"{self.n_fits} fits from different starting points"
        if self.verdict == "unsure":
            how_many = f"Only {self.n_held}" if self.n_held else "None"
            return (
                f"{how_many} of {fits} holds this axis (R² {short(max(self.inside, 0))}): it may "
                "be noise. Label items along it, or train on more pairs."
            )
        if self.n_held < self.n_fits:
            fits = f"{self.n_held} of {fits}"
        if self.verdict == "sure":
            return (
                f"{fits} agree on this axis (|r| {short(self.agreement)} or more), and other "
                f"samples of the pairs turn it by {self.turn:.0f}° at most."
            )
        sentences = []
        if self.turned:
            sentences.append(
                f"{fits} agree only on the {'plane' if len(self.turned) == 1 else 'space'} of "
                f"{_list([self.axis, *self.turned], names)}: other fits or samples of the "
                f"pairs turn this axis by up to {self.turn:.0f}°, and any turn would do."
            )
        if self.dependent:
            sentences.append(
                f"{_list([self.axis, *self.dependent], names)} depend on each other (r up to "
                f"{short(self.dependence)} once both may bend), so they need not be the factors."
            )
        return " ".join([*sentences, "A few labels decide."])


def axis_certainty(
    z: ArrayLike, fits: ArrayLike, *, random_state: int = 0
) -> tuple[AxisCertainty, ...]:
    """How sure each axis of ``z`` is.

    Args:
        z: (n, d) latents of training pairs; at most 5,000 of them are used.
        fits: (K, n, d') coordinates of the same pairs by K independent fits, their axes in any
            order and sign.
        random_state: of the samples.

    Raises:
        DataError: other shapes, too few rows, or numbers that are not finite.
    """
    latents, others = np.asarray(z, dtype=np.float64), np.asarray(fits, dtype=np.float64)
    if latents.ndim != 2 or others.ndim != 3 or not len(others) or others.shape[1] != len(latents):
        raise DataError(
            f"latents {latents.shape} and fits {others.shape} are not of the same pairs"
        )
    if len(latents) < MIN_ROWS:
        raise DataError(
            f"{len(latents)} pairs are too few to say how sure an axis is: {MIN_ROWS} do"
        )
    if not (np.isfinite(latents).all() and np.isfinite(others).all()):
        raise DataError("latents or fits are not finite: train the run again")
    rng = np.random.default_rng(random_state)
    if len(latents) > MAX_ROWS:
        rows = np.sort(rng.choice(len(latents), MAX_ROWS, replace=False))
        latents, others = latents[rows], others[:, rows]
    live = np.flatnonzero(np.ptp(latents, axis=0) > ROUNDING * np.abs(latents).max(axis=0))
    d, n_fits = latents.shape[1], len(others)
    axes = [AxisCertainty(axis=j, verdict="unsure", n_fits=n_fits) for j in range(d)]
    if len(live):
        latents = (latents[:, live] - latents[:, live].mean(axis=0)) / latents[:, live].std(axis=0)
        for certainty in _measured(latents, others, live, rng):
            axes[certainty.axis] = certainty
    return tuple(axes)


def _measured(
    z: Floats, fits: Floats, axes: Ints, rng: np.random.Generator
) -> Iterator[AxisCertainty]:
    """The certainty of axes ``z`` (n, d), each of variance 1, which are called ``axes``."""
    inside = np.stack([_cross_fitted_r2(z, fit) for fit in fits])
    middle = np.sort(inside, axis=0)[(len(fits) - 1) // 2]  # of two, the lower one
    agreement = np.stack([_agreement(z, fit) for fit in fits])
    cosines = np.stack([np.stack(list(_directions(z, fit, rng))) for fit in fits])
    depends, least = dependence(z), max(DEPENDENT, CHANCE / len(z) ** 0.5)
    for j, axis in enumerate(axes):
        holds_axis = inside[:, j] >= INSIDE
        fits_with_axis = holds_axis if holds_axis.any() else ~holds_axis
        axis_cosines = cosines[fits_with_axis].reshape(-1, *cosines.shape[2:])
        turn = float(np.degrees(np.arccos(np.quantile(axis_cosines[:, j, j], 1 - SHARE))))
        turning_axes: list[int] = []
        if turn > TURN and len(axes) > 1:
            both_ways = np.maximum(axis_cosines[:, j], axis_cosines[:, :, j])
            overlap = np.quantile(both_ways, SHARE, axis=0)
            nearest = float(np.delete(overlap, j).max())
            turning_axes = _others(overlap, j, min(float(np.sin(np.radians(TURN))), nearest))
        dependent = _others(depends[j], j, least)
        verdict: Verdict = "plane" if turning_axes or dependent else "sure"
        yield AxisCertainty(
            axis=int(axis),
            verdict="unsure" if middle[j] < INSIDE else verdict,
            n_fits=len(fits),
            n_held=int(holds_axis.sum()),
            agreement=round(float(agreement[fits_with_axis, j].min()), 4),
            inside=round(float(middle[j]), 4),
            turn=round(turn, 2),
            dependence=round(float(depends[j].max()), 4),
            turned=tuple(int(axes[k]) for k in turning_axes),
            dependent=tuple(int(axes[k]) for k in dependent),
        )


def _cross_fitted_r2(z: Floats, fit: Floats) -> Floats:
    """R² (d,) of axes ``z`` (n, d) from all axes of a fit, linear, each half from the other."""
    design = np.column_stack([fit - fit.mean(axis=0), np.ones(len(fit))])
    residual = np.zeros(z.shape[1])
    for half in (0, 1):
        here, there = slice(half, None, 2), slice(1 - half, None, 2)
        weights = np.linalg.lstsq(design[here], z[here], rcond=None)[0]
        residual += ((z[there] - design[there] @ weights) ** 2).sum(axis=0)
    return np.asarray(1 - residual / len(z))


def _agreement(z: Floats, fit: Floats) -> Floats:
    """|r| (d,) with the axis of a fit that belongs to each axis; 0 where none is left."""
    table = np.abs(cross_correlation(z, fit))
    out = np.zeros(z.shape[1])
    rows, columns = assignment(table)
    out[rows] = table[rows, columns]
    return out


def _directions(z: Floats, fit: Floats, rng: np.random.Generator) -> Iterator[Floats]:
    """|cosines| (d, d) between the axes of ``z`` and the axes that belong to them, within what a
    fit holds: of the fit itself, then of independent components of resampled pairs.
    """
    n, d = z.shape
    white = _white(fit)
    axes_of_z = _unit(white.T @ z / n)
    resamples = (_independent(white[rng.integers(0, n, n)], rng) for _ in range(RESAMPLES))
    for axes in (_unit(white.T @ fit / n), *resamples):
        table = np.abs(axes_of_z.T @ axes)
        rows, columns = assignment(table)
        cosines = np.zeros((d, d))
        cosines[:, rows] = np.minimum(table[:, columns], 1.0)
        yield cosines


def _unit(columns: Floats) -> Floats:
    return np.asarray(columns / np.maximum(np.linalg.norm(columns, axis=0), 1e-12))


def _white(rows: Floats) -> Floats:
    """Orthogonal directions (n, r) of variance 1 that span the centred ``rows`` (n, d); r <= d."""
    whitened, spread, _ = np.linalg.svd(rows - rows.mean(axis=0), full_matrices=False)
    return np.asarray(whitened[:, spread > ROUNDING * np.abs(rows).max()] * np.sqrt(len(rows)))


def _independent(rows: Floats, rng: np.random.Generator) -> Floats:
    """Directions (r, r), as columns, of the independent components of ``rows`` (n, r)."""
    from sklearn.decomposition import FastICA
    from sklearn.exceptions import ConvergenceWarning

    if rows.shape[1] < 2:
        return np.eye(rows.shape[1])
    to_white = np.linalg.pinv(rows) @ (white := _white(rows))
    seed = int(rng.integers(2**31))
    # Where no direction is better than others the search ends anywhere, which is the answer.
    ica = FastICA(whiten=False, fun="logcosh", max_iter=200, tol=1e-3, random_state=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        ica.fit(white)
    return _unit(to_white @ np.asarray(ica.components_).T)


def dependence(z: Floats) -> Floats:
    """The highest correlation (d, d) of a curve of one axis with a curve of another; 0 with itself.

    The curves are sums of the first cosines of an axis' ranks, so an axis may bend but not jump.
    """
    from scipy.stats import rankdata

    n, d = z.shape
    place = (rankdata(z, axis=0) - 0.5) / n
    curves = np.cos(np.pi * place[:, :, None] * np.arange(1, CURVES + 1)).reshape(n, -1)
    curves = (curves - curves.mean(axis=0)) / curves.std(axis=0)
    table = (curves.T @ curves / n).reshape(d, CURVES, d, CURVES).transpose(0, 2, 1, 3)
    strongest = np.linalg.svd(table, compute_uv=False)[..., 0]
    return np.asarray(np.minimum(strongest, 1.0) * (1 - np.eye(d)))


def _others(strengths: Floats, axis: int, least: float) -> list[int]:
    """The others that are as strong as ``least``, the strongest first."""
    order = np.argsort(-strengths, kind="stable")
    return [int(k) for k in order if k != axis and strengths[k] >= least]


def _list(axes: Sequence[int], names: Sequence[str]) -> str:
    """z1, z2 and z3, in their order."""
    return join_words([names[j] for j in sorted(axes)])
