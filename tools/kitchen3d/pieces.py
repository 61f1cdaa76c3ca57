"""Ingredients as painted shapes: leaves, fruit, grains, what is savory and what is sweet."""

from __future__ import annotations

import math

import numpy as np
from looks import mix, rgb
from numpy.typing import ArrayLike
from shapes import (
    PI,
    Batch,
    Floats,
    Noise,
    Rng,
    Shape,
    ball,
    cube,
    facing,
    grid_faces,
    lathe,
    smooth_profile,
    tube,
    turn_any,
    turn_x,
    turn_z,
)

Things = dict[str, Batch]
Painted = tuple[Shape, Floats]

BALL, BALL_LOW, BALL_FINE, CUBE = ball(), ball(6, 8), ball(22, 30), cube()
_LEAF_WIDTH = {"basil": 0.32, "mint": 0.28, "spinach": 0.36}
_LEAF_COLOUR = {"basil": "3f8a22", "mint": "4f9f3a", "spinach": "347a25"}
LEAF_SIZE = {"basil": 0.42, "mint": 0.4, "spinach": 0.46}
GRAIN_COLOUR = {"rice": rgb("fffaea"), "puffed rice": rgb("fff3d6")}
# Half the width of a piece of fruit.
FRUIT_SIZE = {
    "blueberries": 0.095,
    "raspberries": 0.115,
    "strawberries": 0.155,
    "cherries": 0.12,
    "red grapes": 0.115,
    "lemon slices": 0.15,
    "orange slices": 0.16,
}
CITRUS = ("lemon slices", "orange slices")


def leaf(kind: str, rng: Rng, nu: int = 12, nv: int = 9) -> Painted:
    """A leaf along y, of length 1."""
    u, s = np.linspace(0, 1, nu)[:, None], np.linspace(-1, 1, nv)[None]
    width = _LEAF_WIDTH[kind] * np.sin(PI * np.clip(u, 0.02, 0.985) ** 0.82) ** 0.75
    if kind == "mint":
        width = width * (1 + 0.12 * np.sign(np.sin(22 * u)))
    bend = rng.uniform(0.15, 0.55)
    z = 0.35 * np.abs(s) ** 1.3 * width - bend * u**2
    z = z + 0.012 * np.sin(9 * u * PI + 3 * np.abs(s)) * np.abs(s)
    if kind == "spinach":
        z = z + 0.035 * np.sin(7 * PI * u + rng.uniform(0, 6)) * s * np.abs(s)
    rib = 0.5 * np.exp(-((s / 0.12) ** 2)) + 0 * u
    side = 0.18 * np.exp(-(((np.sin(11 * u * PI - 4 * np.abs(s)) - 1) / 0.25) ** 2))
    tone = rgb(_LEAF_COLOUR[kind]) * rng.uniform(0.85, 1.15)
    colour = mix(tone, rgb("a6cc6a"), 0.6 * (rib + side).reshape(-1, 1))
    v = np.stack([width * s, u + 0 * s, z + 0 * s], -1).reshape(-1, 3)
    return (v, grid_faces(nu, nv)), colour


def _citrus(flesh: Floats, rind: Floats, n: int = 72) -> Painted:
    r = np.array([0.02, 0.12, 0.3, 0.5, 0.7, 0.8, 0.86, 0.93, 1, 1, 0.93, 0.8, 0.5, 0.02])
    z = np.array([0.08] * 8 + [0.06, -0.06] + [-0.08] * 4)
    shape = lathe(np.c_[r, z], n)
    around = np.linspace(0, 2 * PI, n, endpoint=False)
    wall = np.clip((np.abs(((around * 9 / (2 * PI)) % 1) - 0.5) * 2 - 0.82) / 0.1, 0, 1)
    pith = rgb("fff1cf")
    rows = []
    for radius in r:
        if radius > 0.94:
            rows.append(np.tile(rind, (n, 1)))
        elif radius > 0.84 or radius < 0.1:
            rows.append(np.tile(pith, (n, 1)))
        else:
            rows.append(mix(flesh, pith, wall[:, None]))
    return shape, np.concatenate(rows)


_LEMON = _citrus(rgb("f3cf3e"), rgb("f0b90f"))
_ORANGE = _citrus(rgb("f28a1e"), rgb("ee6a0c"))


def _strawberry() -> Painted:
    points = [(0.02, -1.15), (0.28, -1.0), (0.6, -0.55), (0.82, 0), (0.84, 0.4), (0.6, 0.68)]
    profile = smooth_profile([*points, (0.02, 0.62)], 5)
    n = 36
    th, z = np.linspace(0, 2 * PI, n, endpoint=False)[None], profile[:, 1:]
    seed = (np.cos(7 * th + 3 * np.round(z * 5)) > 0.86) & (np.abs(np.sin(z * 5 * PI)) < 0.45)
    pale = np.clip((z - 0.35) / 0.4, 0, 1)[..., None] * 0.55 + 0 * th[..., None]
    colour = np.where(seed[..., None], rgb("f0c860"), mix(rgb("c8141c"), rgb("f3b08c"), pale))
    return lathe(profile, n), colour.reshape(-1, 3)


def _blueberry() -> Painted:
    v, f = ball(16, 20)
    d, a = np.hypot(v[:, 0], v[:, 1]), np.arctan2(v[:, 1], v[:, 0])
    top = v[:, 2] > 0
    dent = 0.35 * (1 - (d / 0.42) ** 2)
    crown = 0.12 * np.exp(-(((d - 0.34) / 0.08) ** 2)) * (1 + 0.5 * np.cos(5 * a))
    v[:, 2] = np.where(top & (d < 0.42), v[:, 2] - dent + crown, v[:, 2])
    return (v, f), np.where((top & (d < 0.4))[:, None], rgb("1d2340"), rgb("35437f"))


def _raspberry() -> Painted:
    vertices, faces, colours = [], [], []
    v, f = BALL_LOW
    for k in range(42):
        z, ph = 1 - 2 * (k + 0.5) / 42, k * 2.39996
        r = math.sqrt(1 - z * z) * (0.9 - 0.22 * z)
        vertices.append(v * 0.3 + [0.78 * r * math.cos(ph), 0.78 * r * math.sin(ph), 0.92 * z])
        faces.append(f + k * len(v))
        colours.append(np.tile(mix(rgb("b51638"), rgb("d83a58"), (k * 0.37) % 1), (len(v), 1)))
    return (np.concatenate(vertices), np.concatenate(faces)), np.concatenate(colours)


_STRAWBERRY, _BLUEBERRY, _RASPBERRY = _strawberry(), _blueberry(), _raspberry()


def lay_fruit(things: Things, kind: str, at: ArrayLike, r: float, rng: Rng) -> None:
    """One piece of fruit with its middle at ``at``."""
    spot = np.asarray(at, float)
    about = [*rng.normal(0, 0.5, 2), 1.0]
    if kind == "blueberries":
        shape, colour = _BLUEBERRY
        things["fruit"].add_copies(shape, facing(about) * r, spot, colour)
    elif kind == "raspberries":
        shape, colour = _RASPBERRY
        things["fruit"].add_copies(shape, facing(about) * r, spot, colour)
    elif kind == "strawberries":
        shape, colour = _STRAWBERRY
        turn = facing([*rng.normal(0, 0.8, 2), -0.7]) * r
        things["fruit"].add_copies(shape, turn, spot, colour)
        (v, f), _ = leaf("basil", rng, 6, 5)
        for k in range(7):
            small = (v * [1, 0.75, 1], f)
            place = spot + turn @ [0, 0, 0.66]
            things["leaf"].add_copies(small, turn @ turn_z(k * 0.9) @ turn_x(0.15), place, _CALYX)
    elif kind in CITRUS:
        shape, colour = _LEMON if kind == "lemon slices" else _ORANGE
        turn = facing([rng.normal(0, 0.25), rng.normal(-0.9, 0.25), 1.0]) * r * 1.6
        things["fruit"].add_copies(shape, turn, spot + [0, 0, 0.5 * r], colour)
    else:
        dark, light = ("8a1638", "b02a50") if kind == "red grapes" else ("8e0f1c", "c01d2a")
        tone = mix(rgb(dark), rgb(light), rng.random())
        tall = 1.12 if kind == "red grapes" else 0.92
        turn = facing(about) @ np.diag([r, r, r * tall])
        things["fruit"].add_copies(BALL_FINE, turn, spot, tone)
        if kind == "cherries":
            t = np.linspace(0, 1, 8)[:, None]
            lean = rng.normal(0, 0.5, 2)
            path = spot + [0, 0, 0.85 * r] + t * [*(lean * r * 2), 2.2 * r]
            things["leaf"].add(tube(path, 0.09 * r, 6), rgb("6c7d34"))


_CALYX = rgb("5d9a35")


def press_citrus(things: Things, kind: str, at: Floats, normal: Floats, r: float) -> None:
    """A slice of citrus flat behind glass."""
    shape, colour = _LEMON if kind == "lemon slices" else _ORANGE
    things["fruit"].add_copies(shape, facing(normal + [0, 0, 0.1]) * r, at, colour)


def grain(kind: str) -> Shape:
    """One grain."""
    v, f = ball(7, 8)
    size = {"rice": [0.016, 0.016, 0.046], "puffed rice": [0.03, 0.03, 0.046]}[kind]
    return v * size, f


def lay_shrimp(things: Things, at: ArrayLike, turn: Floats) -> None:
    """A boiled shrimp."""
    n = 26
    t = np.linspace(0, 1, n)
    a = -0.3 + 4.3 * t
    path = np.stack([0.62 * np.cos(a), 0.62 * np.sin(a), 0 * a], 1)
    body = np.clip(np.sin(PI * np.clip(t * 0.93 + 0.07, 0, 1)) ** 0.6, 0.12, 1)
    r = 0.3 * body * (1 - 0.55 * t) * (1 + 0.07 * np.sin(44 * t))
    r[-4:] = [0.07, 0.05, 0.16, 0.2]
    stripe = np.repeat((0.5 + 0.5 * np.sin(44 * t)) ** 2, 12)[:, None] * 0.8 + 0.1
    things["fruit"].add_copies(tube(path, r, 12), turn, at, mix(_SHRIMP[0], _SHRIMP[1], stripe))


_SHRIMP = rgb("f7b896"), rgb("e4602c")


def lay_egg(things: Things, at: ArrayLike, turn: Floats) -> None:
    """Half a boiled egg, its yolk up."""
    v, f = ball(30, 30)
    d = np.hypot(v[:, 0], v[:, 1])
    up = v[:, 2] > 0
    v[:, 1] *= 1.3
    v[:, 2] = np.where(up, 0.06 * np.exp(-((d / 0.5) ** 8)), v[:, 2] * 0.7)
    yolk = up & (d < 0.56)
    colour = np.where(yolk[:, None], rgb("f7a823"), rgb("fbf6ec"))
    things["cream"].add_copies((v, f), turn, at, colour)


def lay_meatball(things: Things, at: ArrayLike, r: float, rng: Rng) -> None:
    """A meatball."""
    v, f = BALL_FINE
    lumpy = v * (1 + 0.05 * Noise(rng, 6, 10, 3)(v))[:, None]
    tone = mix(rgb("6d3b1f"), rgb("8a4d2a"), rng.random())
    things["meat"].add_copies((lumpy, f), np.eye(3) * r, at, tone)


def swirl(turns: float = 2.4) -> Shape:
    """A swirl of whipped cream, radius 1, height 1.45."""
    nu, nv = 46, 60
    t, a = np.linspace(0, 1, nu)[:, None], np.linspace(0, 2 * PI, nv, endpoint=False)[None]
    layers = np.abs(np.sin(PI * (3 * t + 0.12))) ** 0.6
    r = (1 - t) ** 0.75 * (0.72 + 0.28 * layers) * (1 + 0.15 * np.cos(7 * (a + turns * t * 2)))
    v = np.stack([r * np.cos(a), r * np.sin(a), 1.45 * t + 0 * a], -1)
    v[-1, :, :2] *= 0.05
    return v.reshape(-1, 3), grid_faces(nu, nv, False, True)


def scoop(rng: Rng) -> Shape:
    """A scoop of ice cream with its skirt."""
    v, f = ball(26, 36)
    broad, fine = Noise(rng, 6, 14, 3), Noise(rng, 17, 14, 3)
    v = v * (1 + 0.05 * broad(v) + 0.03 * fine(v))[:, None]
    skirt = np.exp(-(((v[:, 2] + 0.45) / 0.14) ** 2)) * (1 + 0.5 * fine(v * [1, 1, 0.2]))
    v[:, :2] *= (1 + 0.16 * skirt)[:, None]
    v[:, 2] = np.maximum(v[:, 2], -0.6)
    return v, f


def lay_wafer(things: Things, foot: ArrayLike, along: Floats, length: float, r: float) -> None:
    """A striped wafer roll."""
    path = np.asarray(foot, float) + np.linspace(0, length, 24)[:, None] * along
    turn = np.arange(24)[:, None] * 0.9 + np.arange(14)[None] * 2 * PI / 14
    colour = np.where((np.sin(turn) > 0.3)[..., None], rgb("6a3a1c"), rgb("d9a25e"))
    things["crust"].add(tube(path, r, 14), colour.reshape(-1, 3))


def biscuit(sweet: bool, rng: Rng, radius: float, height: float) -> Painted:
    """A round biscuit (sweet) or a slice of bread with its crust (savory)."""
    from shapes import disc

    v, f = disc(radius, height)
    d = np.hypot(v[:, 0], v[:, 1]) / radius
    v = v * (1 + 0.03 * Noise(rng, 4, 8, 3)(v))[:, None]
    mottle = np.clip(0.5 + 0.4 * Noise(rng, 9, 10, 3)(v / radius * 0.4), 0, 1)[:, None]
    edge = np.clip((d - (0.3 if sweet else 0.8)) / 0.2, 0, 1)[:, None]
    pale, dark = ("dba65c", "c98d45") if sweet else ("e6bd7c", "a9682f")
    inner = mix(rgb(pale), rgb(dark), mottle if sweet else mottle**3)
    return (v, f), mix(inner, rgb("a8642a" if sweet else "b9773a"), edge)


def crumbs(things: Things, rng: Rng, places: Floats, size: float, dark: float) -> None:
    """Crumbs of a baked topping: ``dark`` 0 (pale) to 1."""
    n = len(places)
    v, f = BALL_LOW
    v = v * (1 + 0.25 * Noise(rng, 2.5, 8, 3)(v))[:, None]
    tone = np.clip(dark + rng.normal(0, 0.2, n), 0, 1)[:, None]
    colour = mix(rgb("dfae68"), rgb("7a4218"), tone)
    turns = turn_any(rng, n) * (size * rng.uniform(0.6, 1.4, n))[:, None, None]
    things["crust"].add_copies((v, f), turns, places, colour)
