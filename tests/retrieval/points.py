"""Points that are hard to tell apart, and the definition of a search."""

import numpy as np


def brute(queries, points, k):
    """Direct differences and a stable sort: the definition."""
    d = np.stack([np.einsum("nm,nm->n", points - q, points - q) for q in queries])
    order = np.argsort(d, axis=1, kind="stable")[:, :k]
    return order, np.take_along_axis(d, order, axis=1), d


def hard_points(kind, rng):
    """Points that are hard to tell apart, (N, 12)."""
    points = rng.normal(size=(3000, 12)) * np.geomspace(3, 0.01, 12)
    if kind == "far from the origin":
        return points + 1e4
    if kind == "nearly equal":
        return 1.0 + 1e-6 * points
    if kind == "on a sphere":
        return points / np.linalg.norm(points, axis=1, keepdims=True)
    if kind == "on a grid":
        return np.round(points)
    if kind == "a few, many times":
        return points[rng.integers(0, 40, 3000)]
    assert kind == "one far away"
    return np.concatenate([points, [[1e6] * 12]])


KINDS = (
    "far from the origin",
    "nearly equal",
    "on a sphere",
    "on a grid",
    "a few, many times",
    "one far away",
)
