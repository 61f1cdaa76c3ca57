"""Chance levels: what the tables say of something that knows nothing of the axes, or nothing.

"chance-rotation" is a perfect model of the shared factors whose axes mean nothing. On Synth the
shared factors are Gaussian and G is random, so no unsupervised method can prefer the true axes to
any rotation of them. What such a rotation scores by luck is what a score must be read against:
z = f R with a random rotation R, perfect embeddings, the same traversal and items.

"chance-items" retrieves random items.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy.stats import special_ortho_group

from rivae.benchmark.linear_cca import linear_cca
from rivae.benchmark.plan import draw_settings
from rivae.benchmark.rows import Row, make_row
from rivae.benchmark.sizes import SIZES
from rivae.data import load_dataset
from rivae.data.base import PairedDataset
from rivae.evaluation import MAX_FACTOR_ROWS, N_QUERIES_DIGITS, is_digits
from rivae.metrics import registry
from rivae.metrics.correlation import correlation_table, numeric_factors
from rivae.metrics.dci_paper import alpha_scores, alpha_sensitivity, paper_dci
from rivae.metrics.digits import digit_metrics, transition_table
from rivae.metrics.retrieval import METRICS, search_sets
from rivae.metrics.suite import NullSettings, latent_metrics
from rivae.ranges import paper_grid
from rivae.retrieval.base import Floats
from rivae.retrieval.exact import NumpyIndex
from rivae.traversal import Traversal

REACH = 10.0  # as in alignment/axes.py: the central 99 % of the data end at -+ 10
N_ROTATIONS = {"full": 10, "quick": 3, "tiny": 1}


def shared_factors(data: PairedDataset) -> list[int]:
    """Columns of the shared numeric factors."""
    specs = data.factor_specs
    return [k for k in numeric_factors(specs) if specs[k].role == "shared"]


def rotated_factors(
    data: PairedDataset, n_queries: int = 100, random_state: int = 0
) -> dict[str, float]:
    """The paper's D, C and I (alpha = 10, -10 ... 10) and the standard metrics of z = f R.

    D and C also at the other alphas, named as ``dci_paper.at_alpha`` says.

    Raises:
        ValueError: the data set has fewer than two shared numeric factors.
    """
    shared = shared_factors(data)
    if data.factors is None or len(shared) < 2:
        raise ValueError("a rotation needs at least two shared numeric factors")
    specs = tuple(data.factor_specs[k] for k in shared)
    rng = np.random.default_rng(random_state)
    factors = data.factors[:, shared]
    standard = (factors - factors.mean(axis=0)) / factors.std(axis=0)
    z = standard @ special_ortho_group.rvs(len(shared), random_state=rng)
    z *= 2 * REACH / np.subtract(*np.percentile(z, [99.5, 0.5], axis=0))
    # At random: rows may be sorted by their factors.
    items = search_sets(data.splits["test"], data.search_size, 1, random_state)[0]
    queries = rng.permutation(items)[:n_queries]
    found = _traverse(NumpyIndex(z[items]), items, z[queries])
    table = correlation_table(found, factors, specs)
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
    found, squared = index.search(points.reshape(-1, d), 1)
    shape = (len(z_ref), d, len(grid), 1)
    return Traversal(
        z_ref,
        np.arange(d),
        np.tile(grid, (d, 1)),
        items[found].reshape(shape),
        squared.reshape(shape),
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

    ``settings`` are changes to the data set's own. Pictures with texts also get the linear CCA.

    Raises:
        ConfigError, DataError: when the data set cannot be loaded.
    """
    rows = []
    for draw in draws:
        own = {**SIZES[size].data.get(dataset, {}), **draw_settings(dataset, draw)}
        data = load_dataset(dataset, **{**own, **(settings or {})})
        about: dict[str, Any] = {"dataset": dataset, "size": size, "draw": draw}
        for metric, score in random_items(data, draw).items():
            where = "paper" if registry.metric(metric).along_z else ""
            rows.append(
                make_row(**about, method="chance-items", metric=metric, range=where, score=score)
            )
        if data.text_view == 2 and len(data.x1.shape) == 3:
            for metric, score in linear_cca(data, draw).items():
                rows.append(make_row(**about, method="linear-cca", metric=metric, score=score))
        if len(shared_factors(data)) < 2:
            continue
        for seed in range(n_rotations or N_ROTATIONS[size]):
            # Every draw has rotations of its own, so that draws are independent.
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
