"""Shapes as grids of quads: vertices (n, 3), faces (m, 4); lathes, tubes, balls, smooth noise."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Faces = NDArray[np.int64]
Shape = tuple[Floats, Faces]
Rng = np.random.Generator
PI = math.pi


class Batch:
    """Shapes that share a material, with a linear RGB colour at every vertex."""

    def __init__(self) -> None:
        self.vertices: list[Floats] = []
        self.faces: list[Faces] = []
        self.colours: list[Floats] = []
        self.count = 0

    def add(self, shape: tuple[ArrayLike, Faces], colour: ArrayLike) -> None:
        """Add one shape; ``colour`` is (3,) or one per vertex."""
        vertices = np.asarray(shape[0], float).reshape(-1, 3)
        colours = np.asarray(colour, float)
        if colours.ndim == 1:
            colours = np.tile(colours, (len(vertices), 1))
        self.vertices.append(vertices)
        self.faces.append(shape[1] + self.count)
        self.colours.append(colours.reshape(-1, 3))
        self.count += len(vertices)

    def add_copies(
        self, shape: Shape, turns: ArrayLike, places: ArrayLike, colour: ArrayLike
    ) -> None:
        """Add copies: ``turns`` (n, 3, 3) or (3, 3), ``places`` (n, 3), ``colour`` (3,) or (n, 3)
        or, where the shape is painted, (vertices, 3)."""
        vertices, faces = shape
        spots = np.atleast_2d(np.asarray(places, float))
        n, size = len(spots), len(vertices)
        matrices = np.broadcast_to(np.asarray(turns, float), (n, 3, 3))
        moved = np.einsum("nij,vj->nvi", matrices, vertices) + spots[:, None]
        all_faces = (faces[None] + (np.arange(n) * size)[:, None, None]).reshape(-1, 4)
        colours = np.asarray(colour, float)
        if colours.ndim == 2 and len(colours) == size != n:
            colours = np.broadcast_to(colours, (n, size, 3))
        elif colours.ndim == 2:
            colours = np.repeat(colours[:, None], size, 1)
        else:
            colours = np.broadcast_to(colours, (n, size, 3))
        self.add((moved.reshape(-1, 3), all_faces), colours.reshape(-1, 3))


class Noise:
    """Smooth noise of about -1.5 to 1.5: a sum of random waves."""

    def __init__(self, rng: Rng, frequency: float, waves: int = 12, axes: int = 2) -> None:
        k = rng.normal(size=(waves, axes))
        k /= np.linalg.norm(k, axis=1, keepdims=True)
        self.k = k * frequency * rng.uniform(0.6, 1.5, (waves, 1))
        self.phase = rng.uniform(0, 2 * PI, waves)

    def __call__(self, x: ArrayLike) -> Floats:
        waves = np.sin(np.asarray(x, float) @ self.k.T + self.phase)
        return np.asarray(waves.sum(-1) / math.sqrt(len(self.phase)))


def grid_faces(nu: int, nv: int, wrap_u: bool = False, wrap_v: bool = False) -> Faces:
    """The quads of a grid of nu x nv vertices, closed along u or v where asked."""
    i = np.arange(nu if wrap_u else nu - 1)[:, None]
    j = np.arange(nv if wrap_v else nv - 1)[None]
    i2, j2 = (i + 1) % nu, (j + 1) % nv
    corners = np.broadcast_arrays(i * nv + j, i2 * nv + j, i2 * nv + j2, i * nv + j2)
    return np.stack(corners, -1).reshape(-1, 4)


def lathe(profile: ArrayLike, n: int = 64) -> Shape:
    """A profile of (radius, height) turned about the z axis."""
    p = np.asarray(profile, float)
    t = np.linspace(0, 2 * PI, n, endpoint=False)
    r = np.maximum(p[:, :1], 1e-4)
    v = np.stack([r * np.cos(t), r * np.sin(t), np.repeat(p[:, 1:2], n, 1)], -1)
    return v.reshape(-1, 3), grid_faces(len(p), n, False, True)[:, ::-1]


def smooth_profile(points: ArrayLike, k: int = 4) -> Floats:
    """A Catmull-Rom curve through the points."""
    p = np.asarray(points, float)
    q = np.concatenate([p[:1], p, p[-1:]])
    out = []
    for a, b, c, d in zip(q, q[1:], q[2:], q[3:], strict=False):
        for t in np.linspace(0, 1, k, endpoint=False):
            out.append(
                0.5
                * (
                    2 * b
                    + (c - a) * t
                    + (2 * a - 5 * b + 4 * c - d) * t**2
                    + (3 * b - a - 3 * c + d) * t**3
                )
            )
    return np.array([*out, p[-1]])


def ball(nu: int = 10, nv: int = 14) -> Shape:
    """The unit ball."""
    th = np.linspace(0.02, PI - 0.02, nu)[:, None]
    ph = np.linspace(0, 2 * PI, nv, endpoint=False)[None]
    v = np.stack([np.sin(th) * np.cos(ph), np.sin(th) * np.sin(ph), np.cos(th) + 0 * ph], -1)
    return v.reshape(-1, 3), grid_faces(nu, nv, False, True)


def cube(nu: int = 12, nv: int = 16, sharpness: float = 0.45) -> Shape:
    """A cube of half side 1 with soft edges."""
    v, f = ball(nu, nv)
    return np.sign(v) * np.abs(v) ** sharpness, f


def disc(radius: float, height: float, n: int = 72) -> Shape:
    """A flat cake: lathe of soft edges, from z = 0 up."""
    r, h = radius, height
    points = [
        (0.001, h),
        (0.6 * r, h),
        (0.9 * r, 0.93 * h),
        (r, 0.55 * h),
        (0.94 * r, 0),
        (0.001, 0),
    ]
    return lathe(smooth_profile(points, 4), n)


def turn_z(angle: float) -> Floats:
    """Rotation about z."""
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[c, -s, 0], [s, c, 0], [0, 0, 1.0]])


def turn_x(angle: float) -> Floats:
    """Rotation about x."""
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[1.0, 0, 0], [0, c, -s], [0, s, c]])


def turn_any(rng: Rng, n: int) -> Floats:
    """(n, 3, 3) rotations, uniform."""
    q = rng.normal(size=(n, 4))
    w, x, y, z = (q / np.linalg.norm(q, axis=1, keepdims=True)).T
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), -1, 0)


def facing(normal: Sequence[float] | Floats) -> Floats:
    """A rotation whose z axis is ``normal``."""
    n = np.asarray(normal, float)
    n = n / np.linalg.norm(n)
    a = np.array([1.0, 0, 0]) if abs(n[0]) < 0.8 else np.array([0, 1.0, 0])
    x = np.cross(a, n)
    x /= np.linalg.norm(x)
    return np.stack([x, np.cross(n, x), n], 1)


def tube(path: ArrayLike, radii: ArrayLike, n: int = 10, flat: float = 1.0) -> Shape:
    """A tube along ``path`` (k, 3), as flat as asked, with open ends."""
    p = np.asarray(path, float)
    r = np.broadcast_to(np.asarray(radii, float), len(p))
    t = np.gradient(p, axis=0)
    t /= np.linalg.norm(t, axis=1, keepdims=True) + 1e-9
    u = np.cross(t, np.broadcast_to((0.0, 0.0, 1.0), t.shape))
    u[np.linalg.norm(u, axis=1) < 1e-3] = [1, 0, 0]
    u /= np.linalg.norm(u, axis=1, keepdims=True)
    w = np.cross(u, t)
    a = np.linspace(0, 2 * PI, n, endpoint=False)[None, :, None]
    v = p[:, None] + r[:, None, None] * (np.cos(a) * u[:, None] + flat * np.sin(a) * w[:, None])
    return v.reshape(-1, 3), grid_faces(len(p), n, False, True)


def ring(path: Floats, radii: Floats, n: int) -> Floats:
    """(k, n, 3) vertices of a closed tube along ``path``."""
    t = np.roll(path, -1, 0) - np.roll(path, 1, 0)
    t /= np.linalg.norm(t, axis=1, keepdims=True)
    u = np.cross(t, [0, 0, 1.0])
    w = np.cross(u, t)
    a = np.linspace(0, 2 * PI, n, endpoint=False)[None, :, None]
    return path[:, None] + radii[:, None, None] * (np.cos(a) * u[:, None] + np.sin(a) * w[:, None])


def spread(
    rng: Rng, n: int, angles: tuple[float, float], radii: tuple[float, float], tries: int = 14
) -> Floats:
    """(n, 2) places in a sector, each the farthest of ``tries`` from those before it."""
    spots: list[Floats] = []
    for _ in range(n):
        a = rng.uniform(*angles, tries)
        r = np.sqrt(rng.uniform(radii[0] ** 2, radii[1] ** 2, tries))
        c = np.stack([r * np.cos(a), r * np.sin(a)], 1)
        if spots:
            gaps = np.linalg.norm(c[:, None] - np.array(spots)[None], axis=2).min(1)
            spots.append(c[gaps.argmax()])
        else:
            spots.append(c[0])
    return np.array(spots).reshape(-1, 2)
