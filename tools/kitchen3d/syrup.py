"""Syrup and glaze: a drizzle over the food, and what runs over the rim and hangs down in drips."""

from __future__ import annotations

import math

import numpy as np
from ground import Ground
from palette import COLLAR, DRIP, N_DRIPS, PASSES, SYRUP, THREAD, WIDE_THREAD
from pieces import Things
from shapes import PI, Floats, Noise, Rng, ball, grid_faces, tube
from vessels import Vessel


def drizzle(things: Things, ground: Ground, level: int, radius: float, rng: Rng) -> None:
    """A thread to and fro over the food, thicker with the level."""
    passes = PASSES[level]
    t = np.linspace(0, 1, 24 * passes)
    wobble = Noise(rng, 14, 8, 1)
    y = (2 * t - 1) * 0.84
    x = 0.85 * np.sin(t * PI * passes + 0.5 * wobble(t[:, None])) * np.sqrt(1 - y * y)
    x = x * (1 + 0.1 * wobble(t[:, None] + 3))
    angle = rng.uniform(0.3, 0.9) * rng.choice([-1, 1])
    c, s = math.cos(angle), math.sin(angle)
    x, y = radius * (x * c - y * s), radius * (x * s + y * c)
    kept = ground.height
    ground.height = np.maximum(ground.smoothed(2.2), kept - 0.06)
    thread = (WIDE_THREAD if radius > 1 else THREAD)[level]
    width = thread * (1 + 0.25 * np.sin(t * 37) + 0.15 * np.sin(t * 91)) * radius**0.5
    path = np.stack([x, y, ground.at(x, y) + 0.4 * width], 1)
    things["glaze"].add(tube(path, width, 10, 0.75), SYRUP)
    ground.height = kept


def dot(things: Things, level: int, rng: Rng) -> None:
    """Dots of syrup on the rim of a plate, then a pool about the food."""
    r = np.array([1.13, 1.24, 1.44])
    z = np.array([0.078, 0.118, 0.19])
    n = (0, 6, 11, 9, 9)[level]
    around = np.linspace(0, 2 * PI, n, endpoint=False) + rng.uniform(0, 2 * PI)
    v, f = ball(8, 20)
    for a in around + rng.normal(0, 0.04, n):
        far = rng.uniform(1.32, 1.37)
        s = (0, 0.055, 0.085, 0.07, 0.08)[level] * rng.uniform(0.8, 1.2)
        at = [far * math.cos(a), far * math.sin(a), np.interp(far, r, z)]
        things["glaze"].add_copies((v, f), np.diag([s, s, 0.3 * s]), at, SYRUP)
    if level < 3:
        return
    th, share = np.linspace(0, 2 * PI, 160, endpoint=False), np.linspace(0.5, 1, 26)[:, None]
    edge = (1.15, 1.32)[level - 3] + 0.03 * np.sin(3 * th + rng.uniform(0, 6))
    edge = edge + 0.035 * np.sin(5 * th + rng.uniform(0, 6))
    far = share * edge
    height = np.interp(far, [0, *r], [0.07, *z]) + 0.035 * np.sqrt(1 - share**12) - 0.004 * share
    v = np.stack([far * np.cos(th), far * np.sin(th), height], -1)
    things["glaze"].add((v, grid_faces(26, 160, False, True)), SYRUP)


def run_over(things: Things, vessel: Vessel, level: int, crust: float, rng: Rng) -> None:
    """One sheet that follows the rim and the outside, its lower edge in drips."""
    path = _way_down(vessel, crust)
    steps = np.linalg.norm(np.diff(path, axis=0), axis=1)
    arc = np.r_[0, np.cumsum(steps)]
    along = np.gradient(path, axis=0)
    normal = np.stack([along[:, 1], -along[:, 0]], 1)
    outside = (normal * (path - [vessel.rim[0] - 0.1, vessel.rim[1] - 0.5])).sum(1, keepdims=True)
    normal = np.where(outside < 0, -normal, normal)
    normal /= np.linalg.norm(normal, axis=1, keepdims=True)
    n, k, drips = 420, 44, N_DRIPS[level]
    th = np.linspace(0, 2 * PI, n, endpoint=False)
    # A drip is always in front.
    where = np.linspace(0, 2 * PI, drips, endpoint=False) + 1.5 * PI + rng.uniform(-0.08, 0.08)
    where = where + rng.uniform(-0.18, 0.18, drips) * 2 * PI / drips
    wide = (0.07, 0.1, 0.125, 0.135, 0.21)[vessel.code] * rng.uniform(0.85, 1.35, drips)
    wide = wide * (0, 0.55, 0.75, 0.95, 1)[level]
    far = np.abs((th[:, None] - where[None] + PI) % (2 * PI) - PI)
    bell = np.exp(-((far / wide) ** 3.2))
    over = arc[9]
    long = DRIP[level] * rng.uniform(0.55, 1.15, drips)
    low = COLLAR[level] * (1 + 0.3 * np.sin(5 * th + rng.uniform(0, 6)))
    # A crust stays in sight between the drips.
    sheet = (
        over * (0, 0, 0.1, 0.2, 0.3)[level] if crust else over * (0, 0, 0.35, 0.7, 1)[level] + low
    )
    length = np.minimum(sheet + ((long + over) * bell).max(1), arc[-1] - 0.02)
    share = np.linspace(0, 1, k)[None]
    run, bulge = length[:, None] * share, bell.max(1)[:, None]
    thick = (0.016 + 0.004 * level) * (1 - np.abs(2 * share - 1) ** 9) ** 0.5
    thick = thick * (0.75 + 0.5 * bulge) - 0.012 * (share > 0.995) - 0.01 * (share < 0.005)
    drop = np.exp(-(((run - length[:, None] + 0.045) / 0.045) ** 2))
    thick = thick + 0.022 * bulge * drop * np.sqrt(np.clip(1 - share**30, 0, 1))

    thick = thick * np.minimum(1, length[:, None] / 0.06)  # nothing where nothing runs

    def follow(column: Floats) -> Floats:
        return np.interp(run, arc, column)

    r = follow(path[:, 0]) + thick * follow(normal[:, 0])
    z = follow(path[:, 1]) + thick * follow(normal[:, 1])
    v = np.stack([r * np.cos(th)[:, None], r * np.sin(th)[:, None], z], -1)
    things["glaze"].add((v, grid_faces(n, k, True, False)), SYRUP)


def _way_down(vessel: Vessel, crust: float) -> Floats:
    """(k, 2) of (radius, height): over the rim or its crust, then down to the table."""
    r0, z0 = vessel.rim
    bead = crust * 1.02 + 0.008
    turn = np.linspace(PI * 0.9, 0, 10)
    z1 = z0 + crust * 0.4
    top = np.stack([r0 - 0.03 + bead * np.cos(turn), z1 + 0.82 * bead * np.sin(turn)], 1)
    z = np.linspace(z1, 0.03, 60)[1:]
    stands_out = (r0 - 0.03 + bead) * np.exp(-(((z1 - z) / (0.6 * crust + 0.02)) ** 2))
    r = np.maximum(vessel.outer_radius(z) + 0.012, stands_out)
    return np.concatenate([top, np.stack([r, z], 1)])
