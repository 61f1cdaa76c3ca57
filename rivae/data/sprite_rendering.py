"""Draws dSprites squares and ellipses exactly as the published images have them.

The rule was fitted to original images and reproduces every one of the 3,569 at hand (1,771
squares, 1,798 ellipses) pixel by pixel:

* the centre is 16 + 32 * index / 31 pixels, X to the right and Y downwards;
* a square has half the side 9.6 * scale; an ellipse is a polygon of 100 corners at equal angles
  with half axes 9.6 * 1.33 * scale (X) and 9.6 / 1.33 * scale (Y);
* corners are rounded to 1/256 pixel, as graphics cards do;
* a pixel is on when its centre lies inside; a centre exactly on the outline counts on the left
  and lower side only (the usual "top-left" rule, seen with the Y axis pointing up).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

SIZE = 64
SCALES = np.round(np.arange(0.5, 1.01, 0.1), 1)
N_POSITIONS = 32
_HALF_SIDE, _STRETCH, _N_CORNERS, _SUB_PIXELS = 9.6, 1.33, 100, 256

Array = NDArray[np.float64]


def _unit_outline(shape: str) -> tuple[Array, Array]:
    """Corners of the shape at scale 1 around (0, 0), clockwise on a screen with Y downwards."""
    if shape == "square":
        return _HALF_SIDE * np.array([1, 1, -1, -1.0]), _HALF_SIDE * np.array([-1, 1, 1, -1.0])
    angles = 2 * np.pi * np.arange(_N_CORNERS) / _N_CORNERS
    return _HALF_SIDE * _STRETCH * np.cos(angles), _HALF_SIDE / _STRETCH * np.sin(angles)


def fill_convex(xs: Array, ys: Array) -> NDArray[np.uint8]:
    """Fill P convex outlines on a 64 x 64 grid.

    Args:
        xs, ys: (P, n) corners in pixels, multiples of 1/256, clockwise with Y downwards.

    Returns:
        (P, 64, 64) uint8 of 0 and 1.
    """
    centres = np.arange(SIZE) + 0.5
    top, bottom = ys.min(1), ys.max(1)
    n_rows = int(np.ceil((bottom - top).max())) + 1
    first = np.floor(top).astype(np.int64).clip(0, SIZE - n_rows)
    rows = first[:, None] + np.arange(n_rows)
    y = rows + 0.5

    # A row of a convex shape is one interval: from the furthest right of its left edges to the
    # furthest left of its right edges.
    dx, dy = np.roll(xs, -1, 1) - xs, np.roll(ys, -1, 1) - ys
    slope = np.divide(dx, dy, out=np.zeros_like(dx), where=dy != 0)
    crossing = (xs - ys * slope)[:, None, :] + y[:, :, None] * slope[:, None, :]
    left = np.where(dy[:, None, :] < 0, crossing, -np.inf).max(2)
    right = np.where(dy[:, None, :] > 0, crossing, np.inf).min(2)

    # Corners are multiples of 1/256, so centres off the outline are further away than this.
    tie = 1e-9
    inside = (centres >= left[:, :, None] - tie) & (centres < right[:, :, None] - tie)
    inside &= ((y > top[:, None]) & (y <= bottom[:, None]))[:, :, None]
    images = np.zeros((len(xs), SIZE, SIZE), np.uint8)
    images[np.arange(len(xs))[:, None], rows] = inside
    return images


def render(
    shape: str, scale: Array, pos_x: NDArray[np.int64], pos_y: NDArray[np.int64]
) -> NDArray[np.uint8]:
    """P sprites of one shape ("square" or "ellipse") as (P, 64, 64) uint8 of 0 and 1.

    Args:
        scale: (P,) 0.5 .. 1.0.
        pos_x, pos_y: (P,) position indices 0 .. 31.
    """
    outline_x, outline_y = _unit_outline(shape)

    def corners(index: NDArray[np.int64], outline: Array) -> Array:
        centre = 16 + 32 * index / (N_POSITIONS - 1)
        exact = centre[:, None] + scale[:, None] * outline
        return np.round(exact * _SUB_PIXELS) / _SUB_PIXELS

    xs, ys = corners(pos_x, outline_x), corners(pos_y, outline_y)
    # In blocks, so that the table of crossings stays in the processor's cache.
    blocks = [fill_convex(xs[i : i + 256], ys[i : i + 256]) for i in range(0, len(xs), 256)]
    return np.concatenate(blocks)


def all_latents() -> NDArray[np.int64]:
    """(6144, 3) indices of scale, X and Y of all sprites, Y running fastest as in dSprites."""
    shape = (len(SCALES), N_POSITIONS, N_POSITIONS)
    return np.indices(shape).reshape(3, -1).T.astype(np.int64)
