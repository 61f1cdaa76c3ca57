"""Five containers, from plate to bottle: profiles, and where food and camera go."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from looks import mix, rgb
from numpy.typing import ArrayLike
from shapes import PI, Batch, Floats, Rng, grid_faces, lathe, ring, smooth_profile


@dataclass(frozen=True)
class Vessel:
    """One container; lengths in units of about 10 cm.

    Attributes:
        code: longishness, 0 (plate) to 4 (bottle).
        outer, inner: profiles of (radius, height).
        radius, food_z: of the surface of the food.
        rim: (radius, height).
        scale: of the pieces in it.
        elevation, distance, aim_y, aim_z: of the camera, in degrees and units.
    """

    code: int
    outer: tuple[tuple[float, float], ...]
    inner: tuple[tuple[float, float], ...]
    radius: float
    food_z: float
    rim: tuple[float, float]
    scale: float
    elevation: float
    distance: float
    aim_y: float
    aim_z: float

    @property
    def glass(self) -> bool:
        """Whether one sees through it."""
        return self.code >= 3

    def outer_radius(self, z: ArrayLike) -> Floats:
        """Outside radius at a height."""
        p = smooth_profile(self.outer)  # as it is drawn
        return np.asarray(np.interp(z, p[1:, 1], p[1:, 0]))

    def inner_radius(self, z: ArrayLike) -> Floats:
        """Inside radius at a height."""
        p = np.array(self.inner)[::-1]
        return np.asarray(np.interp(z, p[:, 1], p[:, 0]))


VESSELS = (
    Vessel(
        0,
        ((0, 0), (0.85, 0), (0.9, 0.03), (1.22, 0.07), (1.43, 0.15), (1.46, 0.17)),
        ((1.44, 0.185), (1.24, 0.115), (1.15, 0.075), (0, 0.07)),
        1.12, 0.085, (1.18, 0.1), 1.08, 55, 7.8, -0.05, 0.1,
    ),
    Vessel(
        1,
        ((0, 0), (0.5, 0), (0.55, 0.04), (0.9, 0.16), (1.14, 0.38), (1.2, 0.56), (1.21, 0.58)),
        ((1.19, 0.585), (1.12, 0.42), (0.85, 0.2), (0, 0.1)),
        1.13, 0.44, (1.19, 0.58), 1.05, 43, 7.2, 0.0, 0.3,
    ),
    Vessel(
        2,
        ((0, 0), (0.58, 0), (0.64, 0.04), (0.74, 0.25), (0.8, 0.6), (0.81, 1.1), (0.85, 1.18),
         (0.85, 1.21)),
        ((0.81, 1.22), (0.75, 1.14), (0.74, 0.6), (0.64, 0.12), (0, 0.1)),
        0.76, 1.1, (0.84, 1.21), 0.85, 33, 6.8, 0.0, 0.62,
    ),
    Vessel(
        3,
        ((0, 0), (0.53, 0), (0.56, 0.03), (0.59, 0.2), (0.68, 1.0), (0.76, 1.72), (0.76, 1.74)),
        ((0.75, 1.74), (0.67, 1.0), (0.58, 0.2), (0.53, 0.08), (0, 0.07)),
        0.72, 1.64, (0.76, 1.74), 0.8, 21, 6.5, 0.0, 0.88,
    ),
    Vessel(
        4,
        ((0, 0), (0.52, 0), (0.58, 0.04), (0.6, 0.2), (0.6, 1.35), (0.53, 1.64), (0.42, 1.86),
         (0.39, 2.02), (0.4, 2.28), (0.44, 2.32), (0.44, 2.38)),
        ((0.42, 2.38), (0.39, 2.28), (0.38, 2.02), (0.41, 1.86), (0.52, 1.64), (0.59, 1.35),
         (0.59, 0.2), (0.55, 0.08), (0, 0.07)),
        0.38, 2.2, (0.44, 2.38), 0.6, 14, 7.2, 0.0, 1.2,
    ),
)  # fmt: skip

WARES = {
    "white": "f2efe9",
    "cream": "efe4cd",
    "blue": "8fb0cb",
    "grey": "b4b6b8",
}


def set_out(things: dict[str, Batch], vessel: Vessel, ware: str, rng: Rng) -> None:
    """Put the empty container on the table."""
    outer, inner = smooth_profile(vessel.outer), smooth_profile(vessel.inner)
    if vessel.glass:
        things["glass"].add(lathe(outer, 72), (0.95, 0.98, 0.98))
        t = np.linspace(0, 2 * PI, 80, endpoint=False)
        r, z = vessel.rim
        path = np.stack([r * np.cos(t), r * np.sin(t), z + 0 * t], 1)
        lip = ring(path, np.full(80, 0.016), 8)
        things["glass"].add((lip, grid_faces(80, 8, True, True)), (0.9, 0.96, 0.96))
        return
    profile = np.concatenate([outer, inner])
    tone = rgb(WARES[ware])
    colours = np.tile(tone, (len(profile), 96, 1))
    if rng.random() < 0.4:
        colours[len(outer) :] = mix(tone, rgb("f4f0e8"), 0.8)
    if rng.random() < 0.4 and vessel.code:
        colours[np.abs(profile[:, 1] - vessel.rim[1]) < 0.02] = rgb("7b5a3c")
    things["ceramic"].add(lathe(profile, 96), colours)
