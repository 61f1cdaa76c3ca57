"""Fills plates and bowls: what is dry, what is wet, and sectors of grains, fruit and leaves."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import palette
from ground import Ground
from looks import mix, rgb, set_turbid
from pieces import (
    BALL,
    BALL_LOW,
    CITRUS,
    CUBE,
    FRUIT_SIZE,
    GRAIN_COLOUR,
    LEAF_SIZE,
    Things,
    crumbs,
    grain,
    lay_egg,
    lay_fruit,
    lay_meatball,
    lay_shrimp,
    lay_wafer,
    leaf,
    scoop,
    swirl,
)
from shapes import (
    PI,
    Floats,
    Noise,
    Rng,
    facing,
    grid_faces,
    ring,
    spread,
    turn_any,
    turn_x,
    turn_z,
)
from vessels import Vessel

_SHARE = (1.0, 0.88, 0.72, 0.5, 0.0)  # of the surface that stands out of the liquid
_RISE = (0.4, 0.3, 0.22, 0.14, 0.0)


def mound(things: Things, vessel: Vessel, codes: dict[str, int], rng: Rng) -> Ground:
    """The body of the dish and the liquid about it; returns its heights."""
    wet, baked, dessert = codes["wateriness"], codes["baked"], codes["dessert"]
    radius, z = vessel.radius, vessel.food_z
    ground = Ground(radius)
    xy = np.stack([ground.x, ground.y], -1)
    broad, fine = Noise(rng, 4.5 / radius), Noise(rng, 15 / radius)
    share = max(_SHARE[wet], 0.02)
    dome = np.clip(1 - (ground.far / share) ** 2, 0, 1)
    bumps = 0.014 * broad(xy) * (dome > 0) + 0.02 * fine(xy)
    surface = z - 0.06 + (_RISE[wet] * dome**0.6 + bumps) * radius
    ground.height = np.where(ground.far < share, surface, z - 0.1)
    if vessel.code:
        ground.height = np.where(ground.far > 0.97, z - 0.06, ground.height)
    n, k = 64, 150
    r = np.linspace(0.01, min(0.99, share + 0.05), n)[:, None] * radius
    th = np.linspace(0, 2 * PI, k, endpoint=False)[None]
    x, y = r * np.cos(th), r * np.sin(th)
    base = palette.BASE[dessert]
    if wet < 4:
        at = np.stack([x, y], -1)
        patch = np.clip(0.5 + 0.5 * broad(at) + 0.25 * fine(at), 0, 1)
        brown = np.clip(palette.BROWN[baked] * (0.25 + 0.75 * patch), 0, 1)[..., None]
        toasted = mix(rgb("d99c4c"), rgb("8a4a1a"), max(0, baked - 1) / 3)
        v = np.stack([x, y, ground.at(x, y)], -1)
        colour = mix(base, toasted, 0.75 * brown).reshape(-1, 3)
        things["crust" if baked >= 3 else "base"].add((v, grid_faces(n, k, False, True)), colour)
    if wet == 0:  # dry: crumbly
        a, far = rng.uniform(0, 2 * PI, 420), np.sqrt(rng.random(420)) * 0.93 * radius
        spots = np.stack([far * np.cos(a), far * np.sin(a)], 1)
        at3 = np.c_[spots, ground.at(spots[:, 0], spots[:, 1]) + 0.008]
        size = rng.uniform(0.008, 0.022, 420)
        shade = base * rng.uniform(0.7, 1.2, (420, 1))
        things["base"].add_copies(BALL_LOW, turn_any(rng, 420) * size[:, None, None], at3, shade)
    else:
        _liquid(things, vessel, ground, codes, th, rng)
    return ground


def _liquid(
    things: Things, vessel: Vessel, ground: Ground, codes: dict[str, int], th: Floats, rng: Rng
) -> None:
    wet = codes["wateriness"]
    level = vessel.food_z + (-0.04, 0.0, 0.02, 0.04, 0.05)[wet]
    colour = palette.LIQUID[codes["dessert"]]
    edge = float(vessel.inner_radius(level)) if vessel.code else 1.17
    r = np.linspace(0.01, 1, 70)[:, None] * edge
    x, y = r * np.cos(th), r * np.sin(th)
    waves = 0.005 * Noise(rng, 9)(np.stack([x, y], -1))
    faces = grid_faces(70, th.shape[1], False, True)
    shore = 0.02 * np.exp(-(edge - r) / 0.03)
    things["liquid"].add((np.stack([x, y, level + waves + shore], -1), faces), colour)
    deep = 0.97 * float(vessel.inner_radius(level - 0.12)) / edge if vessel.code else 0.9
    floor = np.stack([deep * x, deep * y, np.maximum(level - 0.12, 0.078) + 0 * x], -1)
    things["base"].add((floor, faces), mix(colour, (0, 0, 0), 0.25))
    under = np.where(ground.far < edge / vessel.radius, level - 0.05, -1)
    ground.height = np.maximum(ground.height, under)
    for x0, y0 in spread(rng, 6 * wet, (0, 2 * PI), (0.1 * vessel.radius, 0.95 * vessel.radius)):
        s = rng.uniform(0.02, 0.055)  # eyes of oil, bubbles
        flat = np.diag([s, s, s * 0.16])
        things["glaze"].add_copies(
            BALL, flat, [x0, y0, level + 0.006], mix(colour, rgb("fff2d8"), 0.5)
        )
    if codes["dessert"] > 2 and wet >= 3:
        for x0, y0 in spread(rng, (2, 5)[wet - 3], (4.2, 5.2), (0.1, 0.8 * vessel.radius)):
            turn = turn_z(rng.uniform(0, 6)) @ turn_x(rng.uniform(-0.5, 0.5)) * 0.11
            things["ice"].add_copies(CUBE, turn, [x0, y0, level], (0.97, 0.99, 1))
    set_turbid("liquid", (1, 0.9, 0.8, 0.68, 0.55)[wet])


def _sector(middle: float, half: float) -> tuple[float, float]:
    return middle - half, middle + half


def pile_grains(
    things: Things, vessel: Vessel, ground: Ground, level: int, order: dict[str, Any], rng: Rng
) -> None:
    """Grains in their sector, a heap from level 2 on."""
    kind, radius = order["grain"], vessel.radius
    half, n = palette.GRAIN_HALF[level], palette.N_GRAINS[level]
    angle = np.arctan2(ground.y, ground.x)
    off = np.abs((angle - palette.GRAIN_AT + PI) % (2 * PI) - PI)
    heap = np.clip((half - off) / 0.35, 0, 1) * np.clip((0.98 - ground.far) / 0.2, 0, 1)
    heap = heap * np.clip((ground.far - 0.05) / 0.2, 0, 1)
    ground.height = ground.height + heap * (0.02 + 0.035 * level) * radius
    n = int(n * (0.62 if kind == "puffed rice" else 1) * radius)
    a = rng.uniform(*_sector(palette.GRAIN_AT, half), n)
    r = np.sqrt(rng.uniform(0.04, 0.88, n)) * radius
    x, y = r * np.cos(a), r * np.sin(a)
    z = ground.at(x, y) + 0.012 + rng.random(n) ** 2 * 0.05
    turns = turn_any(rng, n) * vessel.scale**0.5 * rng.uniform(0.85, 1.25, (n, 1, 1))
    shade = GRAIN_COLOUR[kind] * rng.uniform(0.8, 1.05, (n, 1))
    things["grain"].add_copies(grain(kind), turns, np.stack([x, y, z], 1), shade)


def lay_toppings(
    things: Things, vessel: Vessel, ground: Ground, level: int, order: dict[str, Any], rng: Rng
) -> None:
    """What makes a dish savory (levels 0, 1) or sweet (3, 4), in its middle and in front."""
    radius, s = vessel.radius, vessel.scale
    _specks(things, ground, level, radius, rng)
    spots = [(0.0, 0.05), (0.12, -0.48), (-0.22, -0.42), (0.33, -0.2), (-0.3, -0.08), (0.0, -0.75)]
    if level < 2:
        for k, (x, y) in enumerate(spots[: (6, 3)[level]]):
            x, y = x * radius, y * radius
            kind = order["savory"][k % 2]
            size = {"egg": 0.19, "meatballs": 0.15, "shrimp": 0.25}[kind] * s
            z = ground.drop(x, y, size * (0.6 if kind == "shrimp" else 1))
            if kind == "egg":
                turn = facing([0.1, -0.35, 1.0]) @ turn_z(rng.uniform(0, 6.3)) * size
                lay_egg(things, [x, y, z + 0.25 * size], turn)
            elif kind == "shrimp":
                turn = turn_z(rng.uniform(0, 6.3)) @ turn_x(rng.uniform(-0.3, 0.3)) * size
                lay_shrimp(things, [x, y, z], turn)
            else:
                lay_meatball(things, [x, y, z], size, rng)
    elif level > 2:
        flavours = palette.ICE_CREAM
        if level == 4:
            for k, (x, y) in enumerate(((-0.27, -0.2), (0.24, -0.36))):
                size = 0.28 * s
                z = ground.drop(x * radius, y * radius, size, 0.2)
                tone = flavours[(k + int(rng.integers(2))) % 3]
                at = [x * radius, y * radius, z]
                things["cream"].add_copies(scoop(rng), np.eye(3) * size, at, tone)
        size = (0.27, 0.26)[level - 3] * s
        x, y = (0.0, -0.1 * radius) if level == 3 else (0.06 * radius, 0.08 * radius)
        z = float(ground.at(x, y)) - 0.03
        cream = rgb("fffaf0")
        things["cream"].add_copies(swirl(), np.eye(3) * size, [x, y, z], cream)
        ground.drop(x, y, size * 0.8, 0.3)
        for x, y in spread(rng, (8, 18)[level - 3], (3.9, 5.4), (0.2 * radius, 0.85 * radius)):
            edge = 0.034 * s * rng.uniform(0.8, 1.3)
            turn = turn_any(rng, 1) @ np.diag([edge, edge, edge * 0.8])
            at = [x, y, float(ground.at(x, y)) + 0.4 * edge]
            things["choc"].add_copies(CUBE, turn, at, palette.CHOCOLATE)
        if level == 4:
            for k in range(2):
                along = np.array([0.25 - 0.35 * k, 0.35, 0.8])
                foot = np.array([0.05 * radius, 0.16 * radius, z])
                lay_wafer(things, foot, along / np.linalg.norm(along), 0.72 * s, 0.055 * s)


def _specks(things: Things, ground: Ground, level: int, radius: float, rng: Rng) -> None:
    """Pepper on what is savory, sprinkles on what is sweet."""
    n = (170, 80, 0, 45, 130)[level]
    if not n:
        return
    tones = np.array(palette.PEPPER if level < 2 else palette.SPRINKLES)
    a, r = rng.uniform(0, 2 * PI, n), np.sqrt(rng.random(n)) * 0.9 * radius
    x, y = r * np.cos(a), r * np.sin(a)
    long = 0.012 if level < 2 else 0.032
    flat = np.diag([0.012, long, 0.011])
    turns = np.stack(
        [facing([*rng.normal(0, 0.3, 2), 1]) @ turn_z(rng.uniform(0, 6)) @ flat for _ in range(n)]
    )
    at = np.stack([x, y, ground.at(x, y) + 0.012], 1)
    things["choc"].add_copies(BALL_LOW, turns, at, tones[rng.integers(len(tones), size=n)])


def lay_fruits(
    things: Things, vessel: Vessel, ground: Ground, level: int, order: dict[str, Any], rng: Rng
) -> None:
    """Two kinds of fruit in their sector, the second one a third of it."""
    radius, s = vessel.radius, vessel.scale
    n = round(palette.N_FRUIT[level] * (1, 1, 0.9)[vessel.code])
    sector = _sector(palette.FRUIT_AT, palette.FRUIT_HALF[level])
    for k, (x, y) in enumerate(spread(rng, n, sector, (0.35 * radius, 0.86 * radius))):
        kind = order["fruits"][int(k % 3 == 1)]
        r = FRUIT_SIZE[kind] * s * (1.08, 1.08, 1.2)[vessel.code]
        z = ground.drop(x, y, r * (0.7 if kind in CITRUS else 1), 0.22)
        lay_fruit(things, kind, [x, y, z], r, rng)


def lay_leaves(
    things: Things, vessel: Vessel, ground: Ground, level: int, order: dict[str, Any], rng: Rng
) -> None:
    """Leaves at the back and chopped ones all over."""
    kind, radius = order["leaf"], vessel.radius
    size = LEAF_SIZE[kind] * vessel.scale
    sector = _sector(palette.GREEN_AT, palette.GREEN_HALF[level])
    for x, y in spread(rng, palette.N_LEAVES[level], sector, (0.3 * radius, 0.9 * radius)):
        shape, colour = leaf(kind, rng)
        out = math.atan2(y, x) + rng.normal(0, 0.5)
        turn = turn_z(out - PI / 2) @ turn_x(rng.uniform(0.25, 0.95)) * size
        turn = turn * rng.uniform(0.75, 1.15)
        at = [x * 0.82, y * 0.82, float(ground.at(x, y)) + 0.02]
        things["leaf"].add_copies(shape, turn, at, colour)
        near = (ground.x - x) ** 2 + (ground.y - y) ** 2 < (0.12 * vessel.scale) ** 2
        ground.height[near] += 0.02
    n = palette.N_HERBS[level]
    a, r = rng.uniform(0, 2 * PI, n), np.sqrt(rng.random(n)) * 0.9 * radius
    x, y = r * np.cos(a), r * np.sin(a)
    shape, _ = leaf("basil", rng, 4, 3)
    turns = turn_any(rng, n) * 0.08 * rng.uniform(0.6, 1.4, (n, 1, 1))
    at = np.stack([x, y, ground.at(x, y) + 0.012], 1)
    things["leaf"].add_copies(shape, turns, at, rgb("4c8f2a"))


def crust_ring(things: Things, vessel: Vessel, level: int, rng: Rng) -> None:
    """A pinched pastry edge along the rim: thicker and browner with the level."""
    r0, z0 = vessel.rim
    thick = palette.CRUST[level]
    pinches = round(2 * PI * r0 / 0.24)
    t = np.linspace(0, 2 * PI, 10 * pinches, endpoint=False)
    path = np.stack([(r0 - 0.03) * np.cos(t), (r0 - 0.03) * np.sin(t), z0 + 0.4 * thick + 0 * t], 1)
    slow = Noise(rng, 3, 10, 3)
    tubes = ring(path, thick * (1 + 0.08 * slow(path * 3)), 18)
    pinch = np.abs(np.sin(0.5 * pinches * t + 0.35 * np.sin(7 * t))) ** 0.55
    swell = (0.78 + 0.34 * pinch)[:, None] * (1 + 0.05 * Noise(rng, 14, 12, 3)(tubes))
    v = path[:, None] + (tubes - path[:, None]) * swell[..., None] * [1, 1, 0.85]
    high = np.clip((v[..., 2] - z0) / (1.6 * thick), 0, 1)
    patches = 0.5 + 0.5 * slow(v * 2.2)
    brown = high * 0.5 + 0.5 * (patches - 0.3) * (0.4 + level / 6) + 0.25 * (pinch[:, None] - 0.5)
    pale = mix(rgb("e8c182"), rgb("c98a40"), (level - 1) / 3)
    dark = mix(rgb("cf9040"), rgb("6b3410"), (level - 1) / 3)
    colour = mix(pale, dark, np.clip(brown, 0, 1)[..., None]).reshape(-1, 3)
    things["crust"].add((v, grid_faces(len(t), 18, True, True)), colour)


def strew_crumbs(things: Things, vessel: Vessel, ground: Ground, level: int, rng: Rng) -> None:
    """Toasted crumbs all over."""
    n = palette.N_CRUMBS[level]
    a, r = rng.uniform(0, 2 * PI, n), np.sqrt(rng.random(n)) * 0.92 * vessel.radius
    x, y = r * np.cos(a), r * np.sin(a)
    at = np.stack([x, y, ground.at(x, y) + 0.01], 1)
    crumbs(things, rng, at, 0.022, (level - 1) / 3)
