"""What is known of items without a label, as numbers that labels are spread by.

Text, picture, both embeddings, z, and nearness in V: blocks of columns whose inner products are
kernels with a mean diagonal of 1.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from rivae.retrieval.base import Floats, Ints
from rivae.retrieval.retriever import Retriever

N_COLUMNS = 40  # of a block
N_WAVES = 120  # random Fourier features of the RBF kernel (Rahimi and Recht 2007)
WIDTH = 0.3  # of the median squared distance
_MAX_FIT = 2_000  # items that principal components are fitted to


def describe(retriever: Retriever, rows: ArrayLike) -> list[Floats]:
    """Blocks (N, p) of data rows: text, picture, V, z and nearness in V.

    Args:
        retriever: of the run that is labelled; only its model and data are used.
        rows: (N,) data rows.
    """
    items = np.asarray(rows, dtype=np.int64)
    data, model = retriever.data, retriever.model
    first, second = (
        _components(view.batch(items).reshape(len(items), -1).double().numpy())
        for view in (data.x1, data.x2)
    )
    embedded = np.hstack(
        [
            _unit(_centred(model.embed_queries(data.x1, items))),
            _unit(_centred(model.embed_targets(data.x2, items))),
        ]
    )
    z, _ = retriever.encode(items)
    spread = z.std(axis=0)
    standard = _centred(z) / np.where(spread > 0, spread, 1.0)
    return [second, first, _components(embedded), _unit(standard), waves(embedded)]


def waves(x: Floats, random_state: int = 0) -> Floats:
    """(N, ``N_WAVES``) whose inner products approximate an RBF kernel on x (N, D)."""
    rng = np.random.default_rng(random_state)
    some = x[rng.permutation(len(x))[:400]]
    squares = (some**2).sum(axis=1)
    distances = squares[:, None] + squares - 2 * some @ some.T
    width = WIDTH * max(float(np.median(distances)), 1e-12)
    turns = x @ (rng.standard_normal((x.shape[1], N_WAVES // 2)) / np.sqrt(width))
    return np.hstack([np.cos(turns), np.sin(turns)]) * np.sqrt(2 / N_WAVES)


def joined(blocks: Sequence[Floats]) -> tuple[Floats, Ints]:
    """All columns (N, p), and the block of each."""
    number = np.repeat(np.arange(len(blocks)), [block.shape[1] for block in blocks])
    return np.hstack(blocks), number


def _components(x: Floats) -> Floats:
    """At most ``N_COLUMNS`` principal components, of mean square length 1."""
    from sklearn.decomposition import PCA

    fit = x if len(x) <= _MAX_FIT else x[:: -(-len(x) // _MAX_FIT)]
    n = min(N_COLUMNS, *fit.shape)
    model = PCA(n, random_state=0, svd_solver="randomized").fit(fit)
    return _unit(np.asarray(model.transform(x), dtype=np.float64))


def _centred(x: Floats) -> Floats:
    return x - x.mean(axis=0)


def _unit(x: Floats) -> Floats:
    """Scaled so that rows have a mean square length of 1."""
    square = float((x**2).sum(axis=1).mean())
    return x / np.sqrt(square) if square > 0 else x
