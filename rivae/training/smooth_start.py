"""Smooth starting coordinates: unfold the manifold of the training pairs, without labels.

A contrastive start folds the manifold: retrieval becomes perfect while the latent axes mean
nothing, and no later training unfolds it. Conformal Isomap (de Silva and Tenenbaum, 2003) of
the *pairs* instead measures distances along the data and divides out that a step changes more
pixels in one place than in another, so independent factors of a product manifold come out as
straight, orthogonal directions. Neighbourhoods are found in principal components of the
(blurred) pair, both modalities side by side.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from rivae.base.errors import ConfigError

N_LANDMARKS = 600


@dataclass(frozen=True)
class Unfolds:
    """What unfolds the pairs: its setting of the neighbours, and how to do without it."""

    neighbours: str
    instead: str


SMOOTH = Unfolds("smooth_neighbours", "choose init=cos-sim-lvm")
HEADS = Unfolds("unfold_neighbours", "set unfold_epochs=0")


def require_rows(n: int, n_components: int, n_neighbours: int, by: Unfolds = SMOOTH) -> None:
    """ConfigError where ``n`` pairs are too few to be unfolded to so many coordinates."""
    if n <= n_components:  # n points lie in n - 1 dimensions
        raise ConfigError(
            f"{n} training pairs are too few to find {n_components} axes in them: lower "
            f"n_components, or {by.instead}"
        )
    if n <= n_neighbours:
        raise ConfigError(
            f"{n} training pairs are too few for {n_neighbours} neighbours: lower "
            f"{by.neighbours}, or {by.instead}"
        )


def blurred_pairs(
    x1: NDArray[np.float32], x2: NDArray[np.float32], blur: float
) -> NDArray[np.float32]:
    """Both views as flat rows, pictures blurred by ``blur`` pixels and sub-sampled; (N, P)."""
    from scipy.ndimage import gaussian_filter

    parts = []
    for view in (x1, x2):
        if view.ndim == 4 and blur > 0:
            view = gaussian_filter(view, sigma=(0, 0, blur, blur))
            step = max(1, int(2 * blur))  # above the Nyquist limit of what the blur leaves
            view = view[:, :, ::step, ::step]
        parts.append(view.reshape(len(view), -1))
    return np.concatenate(parts, axis=1).astype(np.float32)


def conformal_isomap(
    rows: NDArray[np.float32],
    n_components: int,
    n_neighbours: int = 6,
    random_state: int = 0,
    conformal: bool = True,
    by: Unfolds = SMOOTH,
) -> NDArray[np.float64]:
    """Whitened landmark C-Isomap coordinates of ``rows``; (N, n_components).

    Without ``conformal`` steps keep their length (plain Isomap): right where the density of the
    rows carries meaning, as for Gaussian factors, which C-Isomap would spread evenly. ``by`` is
    what errors advise to change.

    Raises:
        ConfigError: when the neighbourhood graph falls apart, or there are too few rows.
    """
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import connected_components
    from sklearn.decomposition import PCA

    require_rows(len(rows), n_components, n_neighbours, by)
    if (rows == rows[0]).all():
        raise ConfigError(f"all training pairs look the same: {by.instead}")
    n_pca = min(100, *rows.shape)
    components = PCA(n_pca, random_state=random_state).fit_transform(rows)
    graph = neighbour_graph(components, n_neighbours)
    # Conformal: a step counts relative to the mean step around its two ends.
    local = np.asarray(graph.sum(axis=1)).ravel() / n_neighbours if conformal else None
    graph = graph.maximum(graph.T).tocoo()
    weights = graph.data
    if local is not None:
        weights = weights / np.sqrt(local[graph.row] * local[graph.col])
    graph = csr_matrix((weights, (graph.row, graph.col)), shape=graph.shape)
    pieces, _ = connected_components(graph, directed=False)
    if pieces > 1:
        raise ConfigError(
            f"the training pairs fall into {pieces} separate groups at {n_neighbours} neighbours: "
            f"raise {by.neighbours}, or {by.instead}"
        )
    return whiten(along_graph(graph, n_components, np.random.default_rng(random_state)))


def neighbour_graph(rows: NDArray[np.floating], n_neighbours: int) -> Any:
    """Distances of every row to its nearest others, a sparse (n, n) matrix in one direction."""
    from sklearn.neighbors import kneighbors_graph

    graph = kneighbors_graph(rows, n_neighbours, mode="distance").tocsr()
    # Equal rows stay neighbours: a sparse graph forgets an edge of length 0.
    graph.data = np.maximum(graph.data, 1e-6 * float(graph.data.mean()) or 1.0)
    return graph


def along_graph(graph: Any, n_components: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """Principal components (n, n_components) of the shortest ways along ``graph``, from landmarks.

    ``graph`` hangs together.
    """
    from scipy.sparse.csgraph import shortest_path

    n = graph.shape[0]
    landmarks = rng.choice(n, min(N_LANDMARKS, n), replace=False)
    squared_distances = shortest_path(graph, directed=False, indices=landmarks) ** 2
    return landmark_scaling(squared_distances, landmarks, n_components)


def landmark_scaling(
    squared_distances: NDArray[np.float64], landmarks: NDArray[np.int64], n_components: int
) -> NDArray[np.float64]:
    """Classical scaling on the landmarks, the other rows placed by their distances to them."""
    between = squared_distances[:, landmarks]
    centring = np.eye(len(landmarks)) - 1 / len(landmarks)
    values, vectors = np.linalg.eigh(-0.5 * centring @ between @ centring)
    top = np.argsort(values)[::-1][:n_components]
    projection = vectors[:, top] / np.sqrt(np.maximum(values[top], 1e-9))
    coordinates: NDArray[np.float64] = (
        -0.5 * (squared_distances - between.mean(axis=1, keepdims=True)).T @ projection
    )
    return coordinates


def whiten(coordinates: NDArray[np.float64]) -> NDArray[np.float64]:
    """The principal components of ``coordinates`` (n, d), each of variance 1."""
    offsets = coordinates - coordinates.mean(axis=0)
    basis, _, _ = np.linalg.svd(offsets, full_matrices=False)
    # A fixed sign, so that the same data give the same axes on every machine.
    basis *= np.sign(basis[np.abs(basis).argmax(axis=0), np.arange(basis.shape[1])])
    return np.asarray(basis * np.sqrt(len(basis)))


def lift_to_sphere(coordinates: NDArray[np.float64], dim_v: int, radius: float = 0.8) -> Tensor:
    """Unit vectors (N, dim_v) whose first entries are the scaled coordinates.

    Embeddings are unit vectors, so plain normalisation would lose one direction. Instead the
    coordinates become a patch of the sphere, |y| <= ``radius`` < 1, and the next entry is
    sqrt(1 - |y|^2); entries after it are 0 and free for joint training.

    Raises:
        ConfigError: when dim(V) leaves no room for the extra entry.
    """
    n, d = coordinates.shape
    if d + 1 > dim_v:
        raise ConfigError(
            f"a smooth start of {d} components needs dim_v of at least {d + 1}: raise dim_v"
        )
    inside = coordinates * (radius / np.linalg.norm(coordinates, axis=1).max())
    out = np.zeros((n, dim_v), dtype=np.float32)
    out[:, :d] = inside
    out[:, d] = np.sqrt(1 - (inside**2).sum(axis=1))
    return torch.from_numpy(out)


def smooth_target(
    x1: Tensor,
    x2: Tensor,
    n_components: int,
    dim_v: int,
    n_neighbours: int,
    blur: float,
    random_state: int,
) -> Tensor:
    """The starting embedding of the training pairs, (N, dim_v) unit vectors."""
    rows = blurred_pairs(x1.numpy(), x2.numpy(), blur)
    coordinates = conformal_isomap(rows, n_components, n_neighbours, random_state=random_state)
    return lift_to_sphere(coordinates, dim_v)


def unfolded_coordinates(
    v2: Tensor, n_components: int, n_neighbours: int, random_state: int
) -> Tensor:
    """Plain Isomap coordinates of the target embeddings v2 (n, D), whitened; (n, n_components).

    A contrastive fit puts what query and target share on a curved sheet of V. Its coordinates
    are the straight latents that heads trained from random weights fold. Neighbours are doubled
    until the sheet hangs together.

    Raises:
        ConfigError: when it does not, or there are too few rows.
    """
    rows = v2.numpy()
    while True:
        try:
            coordinates = conformal_isomap(
                rows,
                n_components,
                n_neighbours,
                random_state=random_state,
                conformal=False,
                by=HEADS,
            )
            return torch.from_numpy(coordinates).float()
        except ConfigError:
            n_neighbours *= 2
            if n_neighbours > min(100, len(rows) - 1):
                raise
