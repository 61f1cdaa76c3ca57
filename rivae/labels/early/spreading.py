"""Levels of unlabelled items, drawn from what labelled ones say: a Gaussian process per factor.

Levels become normal scores. One of eight fixed mixtures of kernels, and the share of the scores
that it explains, are drawn in proportion to their marginal likelihood. All items are drawn by
Matheron's rule (Wilson et al. 2020), with noise, and cut into levels; labelled items keep theirs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

import numpy as np
from scipy.linalg import block_diag
from scipy.special import ndtri

from rivae.labels.early.describing import joined
from rivae.labels.guideline import N_LEVELS
from rivae.retrieval.base import Floats, Ints

SHARES = np.array([0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 0.9, 0.95, 0.985])
# Weights of text, picture, V, z and nearness in V.
MIXTURES = np.array(
    [
        [0.2, 0.2, 0.2, 0.2, 0.2],
        [0.7, 0.1, 0.1, 0.0, 0.1],
        [0.1, 0.7, 0.1, 0.0, 0.1],
        [0.0, 0.0, 0.7, 0.0, 0.3],
        [0.0, 0.0, 0.2, 0.7, 0.1],
        [0.1, 0.1, 0.1, 0.0, 0.7],
        [0.4, 0.4, 0.0, 0.0, 0.2],
        [0.3, 0.0, 0.4, 0.0, 0.3],
    ]
)
Z = 3  # the block of z
AXIS = 0.9  # weight of one axis in the mixtures that begin with it
N_AXES = 5  # axes that have one
MOST_TOLD = 0.99  # of a latent score by the kernels
MAX_KEPT = 64
_NONE = 1e-10  # eigenvalues that count as 0, relative to the largest


class LevelSpreader:
    """Draws the levels of N items from those of some.

    Args:
        blocks: of ``describe``, (N, p) each; ``Z`` is that of z.
    """

    def __init__(self, blocks: Sequence[Floats]) -> None:
        self._columns, number = joined(blocks)
        self._base = MIXTURES[:, number]  # (mixtures, columns)
        self._axes = np.flatnonzero(number == Z)
        self._with_axis = self._base[[0] * len(self._axes)] * (1 - AXIS)  # (axes, columns)
        self._with_axis[np.arange(len(self._axes)), self._axes] += AXIS * len(self._axes)
        self._spectra: dict[tuple[bytes, int], tuple[Floats, Floats]] = {}

    @classmethod
    def together(cls, spreaders: Sequence[LevelSpreader]) -> Self:
        """What several runs know of the same items: the mixtures and axes of each."""
        all_of = cls.__new__(cls)
        all_of._columns = np.hstack([one._columns for one in spreaders])
        all_of._base = block_diag(*[one._base for one in spreaders])
        all_of._with_axis = block_diag(*[one._with_axis for one in spreaders])
        starts = np.cumsum([0, *(one._columns.shape[1] for one in spreaders)])
        all_of._axes = np.concatenate(
            [start + one._axes for start, one in zip(starts, spreaders, strict=False)]
        )
        all_of._spectra = {}
        return all_of

    def draws(self, labels: Floats, n_draws: int, rng: np.random.Generator) -> Floats:
        """Levels of one factor, ``n_draws`` times.

        Args:
            labels: (N,) levels 1 to 5, or halfway between two for a range; NaN where there is
                none. At least two are known.

        Returns:
            (n_draws, N) whole levels.
        """
        known = np.flatnonzero(~np.isnan(labels))
        given = labels[known]
        counts = _counts(given)
        cuts = _cuts(rng.dirichlet(np.maximum(counts, 1e-3), n_draws))  # (S, levels - 1)
        y, jitter, held = _normal_scores(given, counts)
        noisy = y[:, None] + jitter[:, None] * rng.standard_normal((len(y), n_draws))
        mixtures = self._mixtures(known, y)
        which, shares = self._chosen(known, y, mixtures, n_draws, rng)
        told = np.minimum(shares / held, MOST_TOLD)
        latent = self._posterior([mixtures[m] for m in which], shares, told, known, noisy, rng)
        out = np.stack(
            [1.0 + np.searchsorted(cut, column) for cut, column in zip(cuts, latent.T, strict=True)]
        )
        self._keep(out, labels, rng)
        return out

    @staticmethod
    def _keep(out: Floats, labels: Floats, rng: np.random.Generator) -> None:
        """Labelled items keep their level, ranges the nearer of their two."""
        has_level = np.flatnonzero(~np.isnan(labels))
        level = labels[has_level]
        low, high = np.floor(level), np.ceil(level)
        drawn = out[:, has_level]
        chance = np.where(drawn <= low, 0.25, np.where(drawn >= high, 0.75, 0.5))
        out[:, has_level] = np.where(rng.random(drawn.shape) < chance, high, low)

    def _mixtures(self, known: Ints, y: Floats) -> list[int]:
        """The fixed mixtures, and one for each of the axes that the scores go with most."""
        z = self._columns[known][:, self._axes]
        z = z - z.mean(axis=0)
        strength = np.abs(y @ z) / np.maximum(np.linalg.norm(z, axis=0), 1e-12)
        n = len(self._base)
        return [*range(n), *(n + np.argsort(-strength, kind="stable")[:N_AXES]).tolist()]

    def _weights(self, mixture: int) -> Floats:
        """Of the columns (p,); square roots of the kernels' weights."""
        n = len(self._base)
        return np.sqrt(self._base[mixture] if mixture < n else self._with_axis[mixture - n])

    def _spectrum(self, known: Ints, mixture: int) -> tuple[Floats, Floats]:
        """Kept for the other factors, which are mostly labelled on the same items."""
        key = known.tobytes(), mixture
        if key not in self._spectra:
            if len(self._spectra) >= MAX_KEPT:
                self._spectra.pop(next(iter(self._spectra)))
            weights = self._weights(mixture)
            used = weights > 0
            self._spectra[key] = _spectrum(self._columns[known][:, used] * weights[used])
        return self._spectra[key]

    def _chosen(
        self, known: Ints, y: Floats, mixtures: list[int], n_draws: int, rng: np.random.Generator
    ) -> tuple[Ints, Floats]:
        """The place in ``mixtures`` and the share of each draw."""
        log_likelihood = np.empty((len(mixtures), len(SHARES)))
        for m, mixture in enumerate(mixtures):
            vectors, values = self._spectrum(known, mixture)
            inside = (vectors.T @ y) ** 2
            outside = max(float(y @ y - inside.sum()), 0.0)
            variance = SHARES[:, None] * values + 1 - SHARES[:, None]
            rest = len(y) - len(values)
            log_likelihood[m] = -0.5 * (
                np.log(variance).sum(axis=1)
                + rest * np.log(1 - SHARES)
                + (inside / variance).sum(axis=1)
                + outside / (1 - SHARES)
            )
        chance = np.exp(log_likelihood - log_likelihood.max()).ravel()
        picks = rng.choice(chance.size, n_draws, p=chance / chance.sum())
        which, share = np.unravel_index(picks, log_likelihood.shape)
        return which.astype(np.int64), SHARES[share]

    def _posterior(
        self,
        mixtures: Sequence[int],
        shares: Floats,
        told: Floats,
        known: Ints,
        y: Floats,
        rng: np.random.Generator,
    ) -> Floats:
        """Latent scores (N, S) of all items, noise included; y is (labelled, S).

        The means of the levels' slices hold only a part of the variance of the latent scores, so
        kernels tell more (``told``) of these than of the levels (``shares``).
        """
        columns, some = self._columns, self._columns[known]
        weights = np.column_stack([self._weights(mixture) for mixture in mixtures])
        prior = rng.standard_normal(weights.shape)
        noise = np.sqrt(1 - shares) * rng.standard_normal(y.shape)
        gap = y - np.sqrt(shares) * (some @ (weights * prior)) - noise
        solved = np.empty_like(gap)
        for mixture in set(mixtures):
            mine = np.flatnonzero(np.array(mixtures) == mixture)
            vectors, values = self._spectrum(known, mixture)
            variance = shares[mine] * values[:, None] + 1 - shares[mine]
            solved[:, mine] = vectors @ ((vectors.T @ gap[:, mine]) / variance)
        posterior = prior + np.sqrt(shares) * weights * (some.T @ solved)
        latent = np.sqrt(told) * (columns @ (weights * posterior))
        return np.asarray(latent + np.sqrt(1 - told) * rng.standard_normal(latent.shape))


def _spectrum(x: Floats) -> tuple[Floats, Floats]:
    """Eigenvectors (n, r) and values (r,) of x x' of x (n, p), without those that are 0."""
    n, p = x.shape
    values, vectors = np.linalg.eigh(x @ x.T if n <= p else x.T @ x)
    some = values > _NONE * values[-1]
    values, vectors = values[some], vectors[:, some]
    return (vectors if n <= p else x @ vectors / np.sqrt(values)), values


def _counts(levels: Floats) -> Floats:
    """How many items have each level; a range counts half for each of its two."""
    ends = np.concatenate([np.floor(levels), np.ceil(levels)]).astype(np.int64)
    return np.bincount(ends - 1, minlength=N_LEVELS)[:N_LEVELS] / 2


def _cuts(shares: Floats) -> Floats:
    """(S, levels - 1) normal quantiles between the levels, from shares (S, levels)."""
    upto = np.cumsum(shares, axis=1)[:, :-1]
    return np.asarray(ndtri(np.clip(upto, 1e-9, 1 - 1e-9)))


def _normal_scores(levels: Floats, counts: Floats) -> tuple[Floats, Floats, float]:
    """Score and its further s.d. (n,) of levels: the mean of the normal slice of each level.

    A range has the mean of its two, and half their distance as s.d.
    """
    edges = np.concatenate([[-np.inf], _cuts((counts / counts.sum())[None])[0], [np.inf]])
    density = np.exp(-(edges**2) / 2) / np.sqrt(2 * np.pi)
    share = np.maximum(counts / counts.sum(), 1e-9)
    score = -np.diff(density) / share
    low = score[np.floor(levels).astype(np.int64) - 1]
    high = score[np.ceil(levels).astype(np.int64) - 1]
    y = (low + high) / 2
    scale = max(float(np.sqrt((y**2).mean())), 1e-9)
    return y / scale, np.abs(high - low) / 2 / scale, min(scale**2, 1.0)
