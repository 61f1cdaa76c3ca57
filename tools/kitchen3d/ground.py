"""The heights of what lies in a container, and pieces laid down on it."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from shapes import Floats


class Ground:
    """A height map over a square about the container's middle."""

    def __init__(self, radius: float, n: int = 110) -> None:
        self.radius, self.n, self.reach = radius, n, 1.25 * radius
        axis = np.linspace(-self.reach, self.reach, n)
        self.x, self.y = np.meshgrid(axis, axis, indexing="ij")
        self.far = np.hypot(self.x, self.y) / radius
        self.height: Floats = np.zeros((n, n))

    def at(self, x: ArrayLike, y: ArrayLike) -> Floats:
        """Heights at points, between the map's own."""
        span = (self.n - 1) / (2 * self.reach)
        a = np.clip((np.asarray(x, float) + self.reach) * span, 0, self.n - 1.001)
        b = np.clip((np.asarray(y, float) + self.reach) * span, 0, self.n - 1.001)
        i, j = a.astype(int), b.astype(int)
        u, v, h = a - i, b - j, self.height
        return np.asarray(
            h[i, j] * (1 - u) * (1 - v)
            + h[i + 1, j] * u * (1 - v)
            + h[i, j + 1] * (1 - u) * v
            + h[i + 1, j + 1] * u * v
        )

    def drop(self, x: float, y: float, radius: float, sink: float = 0.25) -> float:
        """Lay a ball down; returns the height of its middle."""
        d2 = (self.x - x) ** 2 + (self.y - y) ** 2
        under = d2 < (0.8 * radius) ** 2
        if under.any():
            base = 0.5 * self.height[under].max() + 0.5 * self.height[under].mean()
        else:
            base = float(self.at(x, y))
        middle = base + radius * (1 - 2 * sink)
        cap = d2 < radius * radius
        top = middle + 0.9 * np.sqrt(radius * radius - d2[cap])
        self.height[cap] = np.maximum(self.height[cap], top)
        return float(middle)

    def smoothed(self, k: float) -> Floats:
        """The map, blurred over ``k`` of its cells."""
        steps = np.arange(-3 * int(k) - 1, 3 * int(k) + 2)
        weights = np.exp(-0.5 * (steps / k) ** 2)
        weights /= weights.sum()
        out = np.pad(self.height, len(weights) // 2, mode="edge")
        for axis in (0, 1):
            out = np.apply_along_axis(lambda a: np.convolve(a, weights, "valid"), axis, out)
        return np.asarray(out)
