"""Straight coordinates of a curved sheet of embeddings, without labels.

A contrastive fit forgets what is private to one side of a pair and lays out what both sides share,
as a sheet that is curled up in many dimensions. Its axes are read off in three steps:

1. distances along the sheet (Isomap; Tenenbaum et al., 2000), measured from landmarks;
2. of their principal components those that are new: a long side of a sheet has overtones, which
   come before a short side. Each next axis is the direction that the axes before it explain least
   (Dsilva et al., 2018, "Parsimonious representation of nonlinear dynamical systems");
3. independent components, bent so that they stay independent and cross at right angles
   (``independence.py``).

What is left of the variance after each step says how many axes there are.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rivae.base.arrays import Floats
from rivae.base.errors import ConfigError
from rivae.training.independence import bent
from rivae.training.smooth_start import along_graph, neighbour_graph, whiten

MAX_ROWS = 10_000  # of which are unfolded; more are placed next to them
N_NEIGHBOURS = (8, 12)  # that are tried
LOCAL_ROWS = 40  # of a local linear regression
MORE_AXES = 3  # beyond the requested ones, to estimate how many there are
MIN_AXES = 6  # looked for at least
STEEP = 3.0  # times less variance
# Weight of a direction's own variance against what other axes explain of it, in shares of the
# whole variance: high takes the largest directions, low takes small ones that are all new.
EPSILON = 0.03
_BRIDGES = 0.05  # share of a piece's rows that tie it to the others


@dataclass(frozen=True)
class Unfolded:
    """Coordinates of the rows, and what the data say of their number.

    Attributes:
        axes: (n, d), mean 0 and variance 1.
        shares: of the variance along the sheet that each axis adds, in the order in which they
            were found; more than d of them.
        pieces: parts of the sheet that no neighbours connect; they were tied together.
    """

    axes: Floats
    shares: tuple[float, ...]
    pieces: int

    @property
    def n_axes(self) -> int:
        """How many axes the sheet seems to have."""
        return count_axes(self.shares)


def count_axes(shares: Sequence[float]) -> int:
    """The number of axes behind which ``shares`` fall steeply; from there on, where only noise is
    left, they do so no more.
    """
    levels = np.maximum(shares, 1e-12)
    falls = np.flatnonzero(levels[:-1] > STEEP * levels[1:])
    return int(falls[-1]) + 1 if len(falls) else 1


def require_sheet(n: int, n_components: int) -> None:
    """ConfigError where ``n`` pairs are too few for :func:`unfold`."""
    if n < max(2 * N_NEIGHBOURS[0], n_components + MORE_AXES + 2):
        raise ConfigError(
            f"{n} training pairs are too few to find {n_components} axes in them: choose "
            "init=cos-sim-lvm"
        )


def unfold(rows: NDArray[np.float32], n_components: int, random_state: int = 0) -> Unfolded:
    """Coordinates of ``rows`` (n, D), as many as ``n_components``.

    Raises:
        ConfigError: too few rows, or constant rows.
    """
    require_sheet(len(rows), n_components)
    if np.ptp(rows, axis=0).max() == 0:
        raise ConfigError("all training pairs are embedded at one point: choose init=cos-sim-lvm")
    # Overtones take room as well: several components for every axis.
    n_wanted = min(max(15, 2 * n_components + MORE_AXES), len(rows) - 1)
    trials = []
    for n_neighbours in N_NEIGHBOURS:
        rng = np.random.default_rng(random_state)  # the same landmarks
        components, pieces = sheet_components(rows, n_wanted, rng, n_neighbours)
        trials.append((*new_directions(components, n_components), pieces))
    # More neighbours measure distances better, until a few of them lie across a fold: then the
    # sheet has more sides, and its axes hold less of the variance.
    axes, shares, pieces = max(trials, key=lambda one: sum(one[1]))
    straight = straight_components(axes, rows, count_axes(shares), random_state)
    return Unfolded(straight, shares, pieces)


def straight_components(
    axes: Floats, rows: NDArray[np.floating], n_found: int, random_state: int = 0
) -> Floats:
    """Independent components of ``axes`` (n, d), straight in terms of the ``rows`` (n, D) that
    they were read off; mean 0 and variance 1.

    Only the first ``n_found`` are turned and bent: what is left is mostly noise and overtones,
    which would pull the others along. It keeps its directions, as far as they are new.
    """
    straight = bent(_independent(axes[:, :n_found], random_state), rows, random_state)
    rest = axes[:, n_found:]
    if not rest.shape[1]:
        return straight
    rest = rest - rest.mean(axis=0)
    return np.column_stack([straight, whiten(rest - straight @ (straight.T @ rest) / len(rest))])


def sheet_components(
    rows: NDArray[np.float32],
    n_components: int,
    rng: np.random.Generator,
    n_neighbours: int = N_NEIGHBOURS[0],
) -> tuple[Floats, int]:
    """Principal components (n, n_components) of the distances along the sheet, and its pieces."""
    from scipy.sparse.csgraph import connected_components

    graph = neighbour_graph(rows, n_neighbours)
    graph = graph.maximum(graph.T)
    pieces, labels = connected_components(graph, directed=False)
    n, piece_labels = pieces, labels
    while n > 1:  # each round ties every piece to another one, so at least halves their number
        graph = _tied(graph, rows, piece_labels)
        n, piece_labels = connected_components(graph, directed=False)
    components = along_graph(graph, n_components, rng)
    return components - components.mean(axis=0), int(pieces)


def _tied(graph: Any, rows: NDArray[np.float32], labels: NDArray[np.int32]) -> Any:
    """The graph with edges from every piece's outermost rows to the nearest rows of others."""
    from scipy.sparse import csr_matrix
    from sklearn.neighbors import NearestNeighbors

    starts, ends, lengths = [], [], []
    for piece in range(labels.max() + 1):
        inside, rest = np.flatnonzero(labels == piece), np.flatnonzero(labels != piece)
        if len(inside) > len(rest):
            continue  # the others come to it
        others = NearestNeighbors(n_neighbors=1).fit(rows[rest])
        distances, nearest = others.kneighbors(rows[inside])
        order = np.argsort(distances[:, 0], kind="stable")[: max(1, int(_BRIDGES * len(inside)))]
        starts.append(inside[order])
        ends.append(rest[nearest[order, 0]])
        lengths.append(np.maximum(distances[order, 0], 1e-9))
    edges = (np.concatenate(lengths), (np.concatenate(starts), np.concatenate(ends)))
    bridges = csr_matrix(edges, shape=graph.shape)
    return graph.maximum(bridges).maximum(bridges.T)


def new_directions(components: Floats, n_axes: int) -> tuple[Floats, tuple[float, ...]]:
    """Directions (n, n_axes) of ``components`` of which each says something new, and their shares.

    The shares go on for some directions more.
    """
    from scipy.linalg import eigh

    whole = components.var(axis=0).sum()
    ridge = EPSILON * whole * np.eye(components.shape[1])
    directions = np.zeros((components.shape[1], 0))
    shares = []
    n_looked = max(n_axes + MORE_AXES, MIN_AXES)
    for k in range(min(n_looked, components.shape[1])):
        prediction = np.zeros_like(components)
        if k:
            prediction = _local_regression(components @ directions, components)
        residual_covariance = np.cov((components - prediction).T)
        _, vectors = eigh(residual_covariance, np.cov(prediction.T) + ridge)
        direction = vectors[:, -1] / np.linalg.norm(vectors[:, -1])
        direction = direction * np.sign(direction[np.abs(direction).argmax()])
        shares.append(float(direction @ residual_covariance @ direction / whole))
        directions = np.column_stack([directions, direction])
    return components @ directions[:, :n_axes], tuple(shares)


def _local_regression(axes: Floats, components: Floats) -> Floats:
    """What ``axes`` (n, k) say about ``components`` (n, m): a linear fit to each row's neighbours,
    without the row itself.
    """
    from sklearn.neighbors import NearestNeighbors

    axes = (axes - axes.mean(axis=0)) / axes.std(axis=0)
    k = min(max(LOCAL_ROWS, 3 * (axes.shape[1] + 1)), len(axes) - 1)
    near = NearestNeighbors(n_neighbors=k + 1).fit(axes).kneighbors(axes, return_distance=False)
    out = np.empty_like(components)
    for start in range(0, len(axes), 512):  # memory for some rows only
        here = slice(start, start + 512)
        index = near[here, 1:]
        steps = axes[index] - axes[here, None]
        design = np.concatenate([np.ones((*index.shape, 1)), steps], axis=2)
        normal = np.einsum("nki,nkj->nij", design, design) + 1e-9 * np.eye(design.shape[2])
        right = np.einsum("nki,nkm->nim", design, components[index])
        out[here] = np.linalg.solve(normal, right)[:, 0]
    return out


def _independent(axes: Floats, random_state: int) -> Floats:
    """Independent components of ``axes``; the whitened axes where there is nothing to turn."""
    from sklearn.decomposition import FastICA
    from sklearn.exceptions import ConvergenceWarning

    white = whiten(axes)
    if white.shape[1] == 1:
        return white
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        # "logcosh" keeps the axes of a region with a hole, where "cube" turns them by 45 degrees.
        ica = FastICA(whiten=False, fun="logcosh", max_iter=500, random_state=random_state)
        components = ica.fit_transform(white)
    return np.asarray(components) if np.isfinite(components).all() else white


def placed(rows: NDArray[np.float32], landmarks: NDArray[np.float32], axes: Floats) -> Floats:
    """Coordinates of all ``rows``, interpolated between their nearest ``landmarks``."""
    import faiss

    index = faiss.IndexFlatL2(rows.shape[1])
    index.add(np.ascontiguousarray(landmarks))
    sq_distances, near = index.search(np.ascontiguousarray(rows), N_NEIGHBOURS[0])
    weights = 1.0 / (np.sqrt(np.maximum(sq_distances, 0)) + 1e-6)
    weights /= weights.sum(axis=1, keepdims=True)
    return np.asarray(np.einsum("nk,nkd->nd", weights, axes[near]))
