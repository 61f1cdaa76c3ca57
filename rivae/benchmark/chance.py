"""Baselines: random axes of a perfect model, random items, and a ridge CCA.

"chance-rotation" is z = f R: the true shared factors f under a random rotation R, with perfect
embeddings and the same traversal and items. On Synth the factors are Gaussian and G is random, so
no unsupervised method can prefer the true axes to a rotation of them.

"chance-items" retrieves random items.

"ridge-cca" is a ridge CCA of both views in closed form (``rivae.models.ridge_cca``), the start of
methods on features: the least that a network must beat. Pictures are averaged to at most 12 x 12
pixels, words are the data set's weights. Validation rows choose its ridges.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from scipy.stats import special_ortho_group

from rivae.benchmark.plan import SIZES, draw_settings
from rivae.benchmark.rows import Row, make_row
from rivae.benchmark.tables import RIDGE_CCA
from rivae.data import load_dataset
from rivae.data.base import PairedDataset, View
from rivae.data.tokens import TokensView
from rivae.evaluation.of_run import MAX_FACTOR_ROWS, N_QUERIES_DIGITS, is_digits
from rivae.metrics import registry
from rivae.metrics.correlation import correlation_table, numeric_factors
from rivae.metrics.measures.dci_paper import alpha_scores, alpha_sensitivity, paper_dci
from rivae.metrics.measures.digits import digit_metrics, transition_table
from rivae.metrics.measures.retrieval import MEDIAN_RANK, METRICS, RECALL, search_sets
from rivae.metrics.suite import NullSettings, latent_metrics
from rivae.models.ridge_cca import fit_ridge_cca
from rivae.retrieval.base import Floats, Ints, median_rank, ranks_of_targets, recall_at_k
from rivae.retrieval.indexes.brute_force import NumpyIndex
from rivae.retrieval.ranges import paper_grid
from rivae.retrieval.traversal import Traversal

REACH = 10.0  # as in rivae.training.alignment.folding: the central 99 % of the data end at -+ 10
N_ROTATIONS = {"full": 10, "quick": 3, "tiny": 1}

# Of the ridge CCA.
SIDE = 12
N_CANONICAL = 60
N_SETS = 10
_BLOCK = 512


def shared_factors(data: PairedDataset) -> list[int]:
    """Columns of the shared numeric factors."""
    specs = data.factor_specs
    return [k for k in numeric_factors(specs) if specs[k].role == "shared"]


def rotated_factors(
    data: PairedDataset, n_queries: int = 100, random_state: int = 0
) -> dict[str, float]:
    """The paper's D, C and I (alpha = 10, -10 ... 10) and the standard metrics of z = f R.

    D and C also at the other alphas, under the names of ``dci_paper.at_alpha``.

    Raises:
        ValueError: the data set has fewer than two shared numeric factors.
    """
    columns = shared_factors(data)
    if data.factors is None or len(columns) < 2:
        raise ValueError("a rotation needs at least two shared numeric factors")
    specs = tuple(data.factor_specs[k] for k in columns)
    rng = np.random.default_rng(random_state)
    factors = data.factors[:, columns]
    standard = (factors - factors.mean(axis=0)) / factors.std(axis=0)
    z = standard @ special_ortho_group.rvs(len(columns), random_state=rng)
    z *= 2 * REACH / np.subtract(*np.percentile(z, [99.5, 0.5], axis=0))
    # At random: rows may be sorted by their factors.
    items = search_sets(data.splits["test"], data.search_size, 1, random_state)[0]
    queries = rng.permutation(items)[:n_queries]
    traversal = _traverse(NumpyIndex(z[items]), items, z[queries])
    table = correlation_table(traversal, factors, specs)
    results = paper_dci(table.absolute)
    rows = rng.permutation(data.splits["test"])[:MAX_FACTOR_ROWS]
    results |= latent_metrics(z[rows], factors[rows], specs, null=NullSettings(0, 0))
    scores = {name: result.score for name, result in results.items()}
    return scores | alpha_scores(alpha_sensitivity(table.absolute))


def _traverse(index: NumpyIndex, items: np.ndarray, z_ref: Floats) -> Traversal:
    """Each axis alone over the paper's range, the nearest item at every point."""
    grid = paper_grid()
    d = z_ref.shape[1]
    points = np.tile(z_ref[:, None, None, :], (1, d, len(grid), 1))
    for j in range(d):
        points[:, j, :, j] = grid
    positions, distances = index.search(points.reshape(-1, d), 1)
    shape = (len(z_ref), d, len(grid), 1)
    return Traversal(
        z_ref,
        np.arange(d),
        np.tile(grid, (d, 1)),
        items[positions].reshape(shape),
        distances.reshape(shape),
    )


def random_items(data: PairedDataset, random_state: int = 0) -> dict[str, float]:
    """Retrieval in random order (exact), and digit transitions among random items."""
    n = min(data.search_size, len(data.splits["test"]))
    scores = {metric.key: metric.chance(n) for metric in METRICS if metric.chance}
    if is_digits(data):
        assert data.factors is not None
        rng = np.random.default_rng(random_state)
        items = rng.choice(data.splits["test"], (N_QUERIES_DIGITS, 10, len(paper_grid())))
        table = transition_table(data.factors[items, 0])
        scores |= {name: result.score for name, result in digit_metrics(table).items()}
    return scores


def chance_rows(
    dataset: str,
    draws: tuple[int, ...],
    size: str = "full",
    n_rotations: int | None = None,
    settings: Mapping[str, Any] | None = None,
) -> list[Row]:
    """Result rows of the chance levels of a data set: per draw, rotation and metric.

    ``settings`` change those of the data set.

    Raises:
        ConfigError, DataError: when the data set cannot be loaded.
    """
    rows = []
    for draw in draws:
        defaults = {**SIZES[size].data.get(dataset, {}), **draw_settings(dataset, draw)}
        data = load_dataset(dataset, **{**defaults, **(settings or {})})
        about: dict[str, Any] = {"dataset": dataset, "size": size, "draw": draw}
        for metric, score in random_items(data, draw).items():
            where = "paper" if registry.metric(metric).along_z else ""
            rows.append(
                make_row(**about, method="chance-items", metric=metric, range=where, score=score)
            )
        if not isinstance(data.x2, TokensView):  # the numbers of words are no quantities
            for metric, score in ridge_cca(data, draw).items():
                rows.append(make_row(**about, method=RIDGE_CCA, metric=metric, score=score))
        if len(shared_factors(data)) < 2:
            continue
        for seed in range(n_rotations or N_ROTATIONS[size]):
            # Every draw has other rotations, so that draws are independent.
            for metric, score in rotated_factors(data, random_state=1000 * draw + seed).items():
                where = "paper" if registry.metric(metric).along_z else ""
                rows.append(
                    make_row(
                        **about,
                        method="chance-rotation",
                        seed=seed,
                        metric=metric,
                        range=where,
                        score=score,
                    )
                )
    return rows


def ridge_cca(data: PairedDataset, random_state: int = 0) -> dict[str, float]:
    """Mean recall at 1, 5 and 10 and median rank over 10 random sets of test pairs.

    Views of shape (C, H, W) are pictures; others are taken as vectors.
    """
    views = _Small(data.x1), _Small(data.x2)
    test = data.splits["test"]
    fit = fit_ridge_cca(views, data.splits["train"], data.splits["validation"], N_CANONICAL)
    u, v = (
        view.mapped(test, weight, bias)
        for view, weight, bias in zip(views, fit.weights, fit.biases, strict=True)
    )
    position = {int(row): i for i, row in enumerate(test)}
    ranks = []
    for rows in search_sets(test, data.search_size, N_SETS, random_state):
        places = np.array([position[int(row)] for row in rows])
        ranks.append(ranks_of_targets(-u[places] @ v[places].T, np.arange(len(places))))
    scores = {m.key: float(np.mean([recall_at_k(r, k) for r in ranks])) for k, m in RECALL.items()}
    return {**scores, MEDIAN_RANK.key: float(np.mean([median_rank(r) for r in ranks]))}


class _Small:
    """A view whose pictures are averaged to at most ``SIDE`` x ``SIDE`` pixels."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._sides = tuple(min(SIDE, side) for side in view.shape[1:])

    @property
    def shape(self) -> tuple[int, ...]:
        shape = self._view.shape
        return (shape[0], *self._sides) if len(shape) == 3 else shape

    def batch(self, ids: Ints) -> torch.Tensor:
        batch = self._view.batch(ids)
        if len(self.shape) == 3:
            batch = torch.nn.functional.adaptive_avg_pool2d(batch, self.shape[1:])
        return batch.flatten(1)

    def mapped(self, rows: Ints, weight: Floats, bias: Floats) -> Floats:
        """The images (n, d) of rows under an affine map, of unit length."""
        parts = (rows[i : i + _BLOCK] for i in range(0, len(rows), _BLOCK))
        out = np.concatenate([self.batch(part).numpy() @ weight + bias for part in parts])
        unit: Floats = out / np.maximum(np.linalg.norm(out, axis=1, keepdims=True), 1e-12)
        return unit
