"""What stands and lies about the dish, each thing graded with its factor and at its own place.

Behind right: a tumbler with as much water as the dish is watery, and leaves before it. Behind
left: biscuits or bread, stacked higher the more baked it is. In front, left: a wooden bowl of
grains; in the middle: loose fruit; right: mushrooms by savory dishes, macarons by sweet ones.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from looks import mix, rgb
from pieces import (
    CUBE,
    FRUIT_SIZE,
    GRAIN_COLOUR,
    LEAF_SIZE,
    Things,
    biscuit,
    grain,
    lay_fruit,
    leaf,
)
from shapes import (
    Noise,
    Rng,
    disc,
    grid_faces,
    lathe,
    smooth_profile,
    turn_any,
    turn_x,
    turn_z,
)
from vessels import Vessel


@dataclass(frozen=True)
class Places:
    """Where each thing goes, (x, y) before the camera's turn, and how large things are."""

    water: tuple[float, float]
    bread: tuple[float, float]
    grains: tuple[float, float]
    sign: tuple[float, float]
    fruit: tuple[float, float]
    herbs: tuple[float, float]
    size: float


_PLACES = (
    Places(
        (1.45, 1.45), (-1.45, 1.45), (-1.22, -1.62), (1.3, -1.45), (0.15, -1.66), (1.52, 0.95), 1.0
    ),
    Places((1.4, 1.25), (-1.4, 1.2), (-1.08, -1.5), (1.18, -1.3), (0.05, -1.6), (1.5, 0.7), 1.0),
    Places(
        (1.3, 0.75), (-1.3, 0.7), (-0.98, -1.15), (1.05, -1.05), (0.05, -1.3), (1.32, 0.1), 0.95
    ),
    Places(
        (1.2, 0.15), (-1.2, 0.2), (-1.0, -0.62), (0.95, -1.0), (0.05, -1.15), (1.22, -0.4), 0.85
    ),
    Places((1.15, 0.2), (-1.12, 0.2), (-0.98, -0.6), (1.0, -1.1), (0.05, -1.2), (1.2, -0.4), 0.95),
)


def lay_table(things: Things, vessel: Vessel, order: dict[str, Any], rng: Rng) -> None:
    """Lay everything about the dish."""
    places, az = _PLACES[vessel.code], order["azimuth"]
    codes: dict[str, int] = order["codes"]
    turn = turn_z(az)

    def spot(xy: tuple[float, float]) -> np.ndarray:
        return turn @ [xy[0] + rng.normal(0, 0.05), xy[1] + rng.normal(0, 0.05), 0]

    _tumbler(things, spot(places.water), codes["wateriness"], places.size, rng)
    _stack(things, spot(places.bread), codes["baked"], order["taste"] == "sweet", places.size, rng)
    _grain_bowl(things, spot(places.grains), codes["grains"], order["grain"], places.size, rng)
    _fruit(things, spot(places.fruit), codes["fruit"], order["fruits"][0], places.size, rng)
    _herbs(things, spot(places.herbs), codes["greenness"], order["leaf"], places.size, rng)
    _sign(things, spot(places.sign), codes["dessert"], places.size, rng)


def _tumbler(things: Things, at: np.ndarray, level: int, size: float, rng: Rng) -> None:
    if not level:
        return
    r, h = (0, 0.24, 0.28, 0.32, 0.36)[level] * size, (0, 0.5, 0.72, 0.95, 1.25)[level] * size
    wall = [(0.001, 0.0), (0.85 * r, 0), (0.9 * r, 0.03), (r, h)]
    v, f = lathe(wall, 48)
    things["glass"].add((v + at, f), (0.93, 0.97, 0.99))
    top = 0.86 * h
    fill = np.linspace(0.04, top, 8)
    radii = np.interp(fill, [0, h], [0.88 * r, r]) - 0.02
    v, f = lathe([(0.001, 0.04), *zip(radii, fill, strict=True), (0.001, top)], 48)
    things["water"].add((v + at, f), rgb("c2e0ee"))
    for _ in range(level):
        z = top - rng.uniform(0, 0.4) * h
        place = at + [*rng.uniform(-0.35 * r, 0.35 * r, 2), z]
        things["ice"].add_copies(CUBE, turn_any(rng, 1) * 0.09 * size, place, (0.97, 0.99, 1))


def _stack(things: Things, at: np.ndarray, level: int, sweet: bool, size: float, rng: Rng) -> None:
    r, h = 0.36 * size, 0.19 * size
    for k in range((0, 1, 2, 4, 6)[level]):
        (v, f), colour = biscuit(sweet, rng, r, h)
        v = v @ turn_x(rng.normal(0, 0.04)).T
        shift = [*rng.normal(0, 0.03, 2), 0.004 + 0.93 * k * h]
        things["crust"].add((v @ turn_z(rng.uniform(0, 6)).T + at + shift, f), colour)


def _grain_bowl(
    things: Things, at: np.ndarray, level: int, kind: str, size: float, rng: Rng
) -> None:
    """A dark wooden bowl, larger with the level, heaped with grains."""
    if not level:
        return
    r = (0, 0.2, 0.28, 0.37, 0.46)[level] * size
    outer = [(0.001, 0), (0.5, 0), (0.55, 0.04), (0.86, 0.3), (1, 0.58), (0.93, 0.58), (0.001, 0.5)]
    v, f = lathe(smooth_profile(outer), 48)
    things["crust"].add((v * [r, r, 0.8 * r] + at, f), rgb("6b4226"))
    heap = smooth_profile([(0.001, 0.82), (0.45, 0.74), (0.8, 0.6), (0.95, 0.5)])
    v, f = lathe(heap, 40)
    things["grain"].add((v * [r, r, 0.8 * r] + at, f), GRAIN_COLOUR[kind] * 0.8)
    n = round(900 * r**2 * 4 * (0.6 if kind != "rice" else 1))
    a, far = rng.uniform(0, 2 * np.pi, n), np.sqrt(rng.random(n)) * 0.95
    z = np.interp(far, heap[:, 0], heap[:, 1]) * 0.8 * r + 0.01
    places = at + np.stack([far * r * np.cos(a), far * r * np.sin(a), z], 1)
    shade = GRAIN_COLOUR[kind] * rng.uniform(0.8, 1.05, (n, 1))
    things["grain"].add_copies(grain(kind), turn_any(rng, n), places, shade)


def _fruit(things: Things, at: np.ndarray, level: int, kind: str, size: float, rng: Rng) -> None:
    spots = [(0.0, 0.0), (0.3, 0.05), (-0.3, 0.08), (0.14, -0.26), (-0.16, -0.24), (0.56, -0.08)]
    for x, y in spots[: (0, 1, 2, 4, 6)[level]]:
        r = FRUIT_SIZE[kind] * size * 1.05
        shift = rng.normal(0, 0.03, 2)
        place = at + [x * size + shift[0], y * size + shift[1], 0.85 * r]
        lay_fruit(things, kind, place, r, rng)


def _herbs(things: Things, at: np.ndarray, level: int, kind: str, size: float, rng: Rng) -> None:
    """Loose leaves, more of them and farther apart with the level."""
    n = (0, 2, 5, 9, 14)[level]
    for k in range(n):
        shape, colour = leaf(kind, rng)
        far, around = 0.09 * k**0.5 * size, 2.4 * k + rng.normal(0, 0.2)
        turn = turn_z(around) @ turn_x(rng.uniform(0.25, 0.6)) * LEAF_SIZE[kind] * 0.85 * size
        place = at + [far * np.cos(around + 1.57), far * np.sin(around + 1.57), 0.05 + 0.006 * k]
        things["leaf"].add_copies(shape, turn, place, colour)


def _sign(things: Things, at: np.ndarray, level: int, size: float, rng: Rng) -> None:
    n = (3, 1, 0, 1, 3)[level]
    spots = [(0.0, 0.0), (-0.34, 0.12), (-0.12, -0.36)]
    for x, y in spots[:n]:
        place = at + np.array([x, y, 0]) * size + [*rng.normal(0, 0.02, 2), 0]
        if level < 2:
            _mushroom(things, place, 0.2 * size, rng)
        else:
            _macaron(things, place, 0.23 * size, rng)


def _mushroom(things: Things, at: np.ndarray, r: float, rng: Rng) -> None:
    cap = smooth_profile(
        [(0.001, 1.75), (0.55, 1.62), (0.95, 1.15), (1, 0.85), (0.7, 0.75), (0.001, 0.8)]
    )
    stem = smooth_profile([(0.001, 0), (0.42, 0.02), (0.36, 0.4), (0.34, 0.85)])
    tilt = turn_z(rng.uniform(-0.9, 0.9)) @ turn_x(rng.uniform(-1.3, -1.0))
    at = at + [0, 0, 0.75 * r]
    v, f = lathe(cap, 40)
    tone = mix(rgb("8a5a36"), rgb("6e4326"), rng.random())
    things["cream"].add((v * r @ tilt.T + at, f), tone)
    v, f = lathe(stem, 28)
    things["cream"].add((v * r @ tilt.T + at, f), rgb("f1e6d2"))


def _macaron(things: Things, at: np.ndarray, r: float, rng: Rng) -> None:
    tone = rgb(("f07fa0", "f29ab8", "e86a94")[rng.integers(3)])
    v, f = disc(r, 0.42 * r)
    foot = np.clip(1 - v[:, 2:] / (0.1 * r), 0, 1)
    rough = v * (1 + 0.05 * foot * Noise(rng, 30, 10, 3)(v / r)[:, None])
    lower = rough * [1, 1, -1] + [0, 0, 0.42 * r]
    things["cream"].add((lower + at, f[:, ::-1]), tone)
    v2, f2 = disc(0.93 * r, 0.16 * r)
    things["cream"].add((v2 + at + [0, 0, 0.42 * r], f2), rgb("fff3e6"))
    things["cream"].add((rough + at + [0, 0, 0.58 * r], f), tone)


def lay_napkin(things: Things, tone: str, rng: Rng) -> None:
    """A napkin under the dish."""
    angle = rng.uniform(-0.6, 0.6)
    u = np.linspace(-1, 1, 60)
    x, y = np.meshgrid(u * rng.uniform(1.3, 1.7), u * rng.uniform(1.0, 1.5), indexing="ij")
    waves = Noise(rng, 2.2)(np.stack([x, y], -1))
    z = 0.02 + 0.018 * (1 + waves) * np.clip(np.hypot(x, y) - 0.8, 0, 1)
    colours = np.tile(rgb(tone), (60, 60, 1))
    hem = np.abs(np.abs(u) - 0.86) < 0.025
    colours[hem] *= 0.55
    colours[:, hem] *= 0.55
    v = np.stack([x, y, np.minimum(z, 0.06)], -1).reshape(-1, 3) @ turn_z(angle).T
    things["cloth"].add((v + [0, -0.1, 0.002], grid_faces(60, 60)), colours)
