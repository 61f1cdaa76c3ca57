"""The chance level of D/C/I: a perfect model of the shared factors whose axes mean nothing.

On Synth the shared factors are Gaussian and G is random, so no unsupervised method can prefer the
true axes to any rotation of them. What such a rotation scores by luck is what a score must be
read against: z = f R with a random rotation R, perfect embeddings, the same traversal and items.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.stats import special_ortho_group

from rivae.benchmark.plan import draw_settings
from rivae.data import load_dataset
from rivae.data.base import PairedDataset
from rivae.metrics.correlation import correlation_table, numeric_factors
from rivae.metrics.dci_paper import paper_dci
from rivae.retrieval.base import Floats
from rivae.retrieval.exact import NumpyIndex
from rivae.traversal import Traversal, paper_grid

REACH = 10.0  # as in alignment/axes.py: the central 99 % of the data end at -+ 10


def rotated_factors(
    data: PairedDataset, n_queries: int = 100, random_state: int = 0
) -> dict[str, float]:
    """D, C and I (alpha = 10, -10 ... 10) of randomly rotated true shared factors.

    Raises:
        ValueError: the data set has fewer than two shared numeric factors.
    """
    specs = data.factor_specs
    shared = [k for k in numeric_factors(specs) if specs[k].role == "shared"]
    if data.factors is None or len(shared) < 2:
        raise ValueError("a rotation needs at least two shared numeric factors")
    rng = np.random.default_rng(random_state)
    factors = data.factors[:, shared]
    factors = (factors - factors.mean(axis=0)) / factors.std(axis=0)
    rotation = special_ortho_group.rvs(len(shared), random_state=rng)
    z = factors @ rotation
    z *= 2 * REACH / np.subtract(*np.percentile(z, [99.5, 0.5], axis=0))
    items = data.splits["test"][: data.search_size]
    queries = rng.permutation(items)[:n_queries]
    found = _traverse(NumpyIndex(z[items]), items, z[queries])
    table = correlation_table(found, data.factors[:, shared], tuple(specs[k] for k in shared))
    return {name: result.score for name, result in paper_dci(table.absolute).items()}


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


def chance_rows(name: str, draws: tuple[int, ...], n_rotations: int) -> list[dict[str, Any]]:
    """Result rows of the chance level, one per draw of the data set, rotation and metric."""
    rows = []
    for draw in draws:
        data = load_dataset(name, **draw_settings(name, draw))
        for seed in range(n_rotations):
            scores = rotated_factors(data, random_state=seed)
            for metric, score in scores.items():
                rows.append(
                    {
                        "dataset": name,
                        "method": "chance: true factors, randomly rotated",
                        "preset": "–",
                        "settings": "",
                        "seed": seed,
                        "draw": draw,
                        "state": "finished",
                        "message": "",
                        "seconds": None,
                        "metric": metric,
                        "range": "paper",
                        "score": score,
                    }
                )
    return rows
