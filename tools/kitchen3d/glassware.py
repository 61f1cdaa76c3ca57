"""Fills glass and bottle: layers behind the wall, and what stands out at the top."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import palette
from looks import rgb, set_turbid
from pieces import (
    BALL_LOW,
    CITRUS,
    CUBE,
    FRUIT_SIZE,
    GRAIN_COLOUR,
    LEAF_SIZE,
    Things,
    crumbs,
    grain,
    lay_fruit,
    lay_meatball,
    lay_shrimp,
    lay_wafer,
    leaf,
    press_citrus,
    scoop,
    swirl,
)
from shapes import PI, Floats, Noise, Rng, facing, lathe, spread, tube, turn_any, turn_x, turn_z
from vessels import Vessel


class Glass:
    """One glass as it is filled; ``view`` is the angle of the side that the camera sees."""

    def __init__(
        self, things: Things, vessel: Vessel, codes: dict[str, int], order: dict[str, Any]
    ) -> None:
        self.things, self.vessel, self.codes, self.order = things, vessel, codes, order
        self.view = -PI / 2 + order["azimuth"]
        self.low, self.high = 0.1, vessel.food_z
        self.tall = self.high - self.low
        self.grain_top = self.low + self.tall * palette.GRAIN_BAND * codes["grains"]
        self.fruit_top = self.grain_top + self.tall * palette.FRUIT_BAND * codes["fruit"]
        self.crumb_low = self.high - self.tall * palette.CRUMB_BAND * codes["baked"]
        self.green_low = self.crumb_low - self.tall * palette.GREEN_BAND * codes["greenness"]

    def fill(self, rng: Rng) -> None:
        """Everything behind the wall."""
        codes, dessert = self.codes, self.codes["dessert"]
        wet = codes["wateriness"]
        base, liquid = palette.BASE[dessert], palette.LIQUID[dessert]
        surface = self.high - self.tall * palette.WET_SHARE[wet]
        wobble = Noise(rng, 5, 10, 3)
        if wet < 4:
            shape = self._body(self.low, surface)
            shade = 1 + 0.08 * wobble(shape[0] * 3)[:, None]
            self.things["base"].add(shape, base * shade)
        if wet:
            set_turbid("liquid", (1, 0.75, 0.66, 0.56, 0.45)[wet])
            self.things["liquid"].add(
                self._body(surface if wet < 4 else self.low, self.high), liquid
            )
            for _ in range((0, 2, 4, 6, 9)[wet]):
                z = rng.uniform(max(surface, self.low) + 0.08, self.high + 0.02)
                r = max(float(self.vessel.inner_radius(z)) - 0.17, 0.02)
                a = self.view + rng.uniform(-1.3, 1.3)
                at = [r * math.cos(a), r * math.sin(a), z]
                size = 0.12 if self.vessel.code == 3 else 0.1
                self.things["ice"].add_copies(CUBE, turn_any(rng, 1) * size, at, (0.97, 0.99, 1))
        self._specks(rng)
        if codes["grains"]:
            self._grains(rng)
        if codes["fruit"]:
            self._fruit(rng)
        if codes["baked"]:
            self._crumbs(rng)
        if codes["greenness"]:
            self._leaves(rng)

    def _body(self, a: float, b: float) -> tuple[Floats, Any]:
        z = np.linspace(a, max(b, a + 0.05), max(6, int(40 * (b - a) / self.tall)))
        wall = np.c_[self.vessel.inner_radius(z) - 0.03, z]
        return lathe(np.concatenate([[[0.001, z[0]]], wall, [[0.001, z[-1]]]]), 96)

    def _wall(self, rng: Rng, n: int, a: float, b: float, inset: float) -> tuple[Floats, Floats]:
        """n places on the inner wall between two heights, evenly, and the normals there."""
        angles = self.view + rng.uniform(-1.2, 1.2, (n, 8))
        heights = rng.uniform(a, max(b, a + 0.01), (n, 8))
        kept: list[Floats] = []
        chosen = []
        for k in range(n):
            flat = np.stack([angles[k] * 0.55, heights[k]], 1)
            best = 0
            if kept:
                gaps = np.linalg.norm(flat[:, None] - np.array(kept)[None], axis=2).min(1)
                best = int(gaps.argmax())
            kept.append(flat[best])
            chosen.append((angles[k, best], heights[k, best]))
        angle, z = np.array(chosen).T
        r = self.vessel.inner_radius(z) - inset
        normals = np.stack([np.cos(angle), np.sin(angle), 0 * angle], 1)
        return np.stack([r * np.cos(angle), r * np.sin(angle), z], 1), normals

    def _specks(self, rng: Rng) -> None:
        level = self.codes["dessert"]
        n = (110, 50, 0, 30, 90)[level]
        if not n:
            return
        tones = np.array(palette.PEPPER if level < 2 else palette.SPRINKLES)
        at, normals = self._wall(rng, n, self.low + 0.1, self.high - 0.05, 0.022)
        long = 0.013 if level < 2 else 0.032
        flat = np.diag([0.012, long, 0.008])
        turns = np.stack([facing(m) @ turn_z(rng.uniform(0, 6)) @ flat for m in normals])
        shade = tones[rng.integers(len(tones), size=n)]
        self.things["choc"].add_copies(BALL_LOW, turns, at, shade)

    def _flat(self, rng: Rng, angles: Floats) -> Floats:
        """Rotations that lay grains along the wall, each turned in it."""
        out = []
        for a in angles:
            c, s = math.cos(a), math.sin(a)
            frame = np.array([[0, c, -s], [0, s, c], [1.0, 0, 0]])
            b = rng.uniform(0, 2 * PI)
            spin = np.array(
                [[math.cos(b), 0, -math.sin(b)], [0, 1, 0], [math.sin(b), 0, math.cos(b)]]
            )
            out.append(frame @ spin)
        return np.array(out)

    def _grains(self, rng: Rng) -> None:
        kind = self.order["grain"]
        n = palette.N_WALL_GRAINS[self.codes["grains"]]
        tone = GRAIN_COLOUR[kind]
        self.things["grain"].add(self._shell(self.low - 0.01, self.grain_top, 0.028), tone * 0.85)
        a = self.view + rng.uniform(-1.7, 1.7, n)
        z = rng.uniform(self.low, self.grain_top + 0.03, n)
        r = self.vessel.inner_radius(z) - 0.024
        at = np.stack([r * np.cos(a), r * np.sin(a), z], 1)
        shade = tone * rng.uniform(0.75, 1.08, (n, 1))
        self.things["grain"].add_copies(grain(kind), self._flat(rng, a), at, shade)

    def _shell(self, a: float, b: float, inset: float) -> tuple[Floats, Any]:
        """A band just inside the wall."""
        z = np.linspace(a, b, 12)
        return lathe(np.c_[self.vessel.inner_radius(z) - inset, z], 96)

    def _fruit(self, rng: Rng) -> None:
        level = self.codes["fruit"]
        n = palette.N_WALL_FRUIT[level]
        if self.vessel.code == 4:
            n = round(0.85 * n)
        spots, normals = self._wall(rng, n, self.grain_top + 0.07, self.fruit_top + 0.06, 0.1)
        for k, (at, normal) in enumerate(zip(spots, normals, strict=True)):
            kind = self.order["fruits"][int(k % 3 == 1)]
            if kind in CITRUS:
                press_citrus(self.things, kind, at + normal * 0.07, normal, 0.19)
            else:
                lay_fruit(self.things, kind, at, FRUIT_SIZE[kind] * 1.0, rng)

    def _crumbs(self, rng: Rng) -> None:
        level = self.codes["baked"]
        dark = (level - 1) / 3
        tone = (1 - dark) * rgb("d9a458") + dark * rgb("84491c")
        self.things["crust"].add(self._shell(self.crumb_low, self.high, 0.027), tone)
        n = 60 * level
        a = self.view + rng.uniform(-1.7, 1.7, n)
        z = rng.uniform(self.crumb_low - 0.02, self.high, n)
        r = self.vessel.inner_radius(z) - 0.028
        crumbs(self.things, rng, np.stack([r * np.cos(a), r * np.sin(a), z], 1), 0.024, dark)
        n = (60, 120, 200, 300)[level - 1]
        far = np.sqrt(rng.random(n)) * 0.95 * self.vessel.radius
        a = rng.uniform(0, 2 * PI, n)
        heap = (0.04, 0.09, 0.15, 0.22)[level - 1] * self.vessel.radius / 0.7
        z = self.high + heap * np.clip(1 - (far / self.vessel.radius) ** 2, 0, 1)
        z = z - rng.random(n) * 0.02
        at = np.stack([far * np.cos(a), far * np.sin(a), z], 1)
        crumbs(self.things, rng, at, 0.05 * self.vessel.scale, dark)

    def _leaves(self, rng: Rng) -> None:
        level, kind = self.codes["greenness"], self.order["leaf"]
        n = palette.N_WALL_LEAVES[level]
        top = self.crumb_low - 0.04
        spots, _ = self._wall(rng, n, max(self.green_low, self.low + 0.1), top, 0.035)
        size = 0.34 if self.vessel.code == 3 else 0.29
        if level > 1:  # leaves behind leaves
            low = max(self.green_low, self.low + 0.1)
            self.things["leaf"].add(self._shell(low, top + 0.04, 0.034), rgb("4c8f2a") * 0.8)
        for x, y, z in spots:
            (v, f), colour = leaf(kind, rng)
            flat = (v * [1.1, 1, 0.1] - [0, 0.45, 0]) @ turn_z(rng.uniform(-1.2, 1.2)).T * size
            height = np.clip(z + flat[:, 1], 0.15, self.high)
            r = self.vessel.inner_radius(height) - 0.02 + 0.004 * rng.random()
            a = math.atan2(y, x) + flat[:, 0] / r
            bent = np.stack([r * np.cos(a), r * np.sin(a), height], 1)
            self.things["leaf"].add((bent, f), colour)

    def crown(self, rng: Rng) -> None:
        """What stands out at the top: cream or shrimp, leaves, fruit, a straw."""
        codes, vessel = self.codes, self.vessel
        z = self.high + (0.0, 0.02, 0.05, 0.09, 0.13)[codes["baked"]] * vessel.radius / 0.7
        dessert, radius = codes["dessert"], vessel.radius
        if dessert > 2:
            if dessert == 4 and vessel.code == 3:
                tone = palette.ICE_CREAM[int(rng.integers(3))]
                at = [-0.22 * radius, 0, z + 0.12]
                self.things["cream"].add_copies(scoop(rng), np.eye(3) * 0.27, at, tone)
            size = (0.3, 0.36)[dessert - 3] * (1 if vessel.code == 3 else 0.72)
            at = [0.2 * radius if vessel.code == 3 else 0, 0, z - 0.02]
            self.things["cream"].add_copies(swirl(), np.eye(3) * size, at, rgb("fffaf0"))
            if dessert == 4:
                along = np.array([0.4, 0.2, 0.9]) / math.sqrt(0.4**2 + 0.2**2 + 0.9**2)
                lay_wafer(self.things, [0.3 * radius, 0.1, z - 0.1], along, 0.6, 0.045)
        elif dessert < 2:
            for k in range((3, 1)[dessert] if vessel.code == 3 else (2, 1)[dessert]):
                a = self.view + (-0.7, 0.75, 0.0)[k]
                if self.order["savory"][0] == "meatballs":
                    self._skewer(a, rng)
                    continue
                out = np.array([math.cos(a), math.sin(a), 0])
                up = np.array([0, 0, 1.0])
                turn = np.stack([out, up, np.cross(out, up)], 1) @ turn_z(0.6)
                size = 0.23 if vessel.code == 3 else 0.19
                at = out * (vessel.rim[0] + 0.04) + [0, 0, vessel.rim[1] + 0.02]
                lay_shrimp(self.things, at, turn * size)
        n = (0, 1, 2, 4, 6)[codes["greenness"]]
        kind = self.order["leaf"]
        for x, y in spread(rng, n, (0.9, 2.2), (0.1 * radius, 0.6 * radius)):
            shape, colour = leaf(kind, rng)
            turn = turn_z(math.atan2(y, x) - PI / 2) @ turn_x(rng.uniform(0.6, 1.2))
            at = [x, y, z]
            size = LEAF_SIZE[kind] * vessel.scale * 0.95
            self.things["leaf"].add_copies(shape, turn * size, at, colour)
        n = (0, 1, 2, 3, 5)[codes["fruit"]] if vessel.code == 3 else (0, 0, 1, 1, 2)[codes["fruit"]]
        for k, (x, y) in enumerate(spread(rng, n, (3.3, 5.9), (0.45 * radius, 0.8 * radius))):
            kind = self.order["fruits"][int(k % 3 == 1)]
            r = FRUIT_SIZE[kind] * vessel.scale * 1.1
            lay_fruit(self.things, kind, [x, y, z + 0.6 * r], r, rng)
        if codes["wateriness"] >= 3:
            a = self.view + PI + rng.uniform(-0.5, 0.5)
            lean = np.array([math.cos(a), math.sin(a), 0]) * radius * 0.6
            s = np.linspace(0, 1, 20)[:, None]
            path = lean * (0.3 + 0.9 * s) + [0, 0, 1] * (self.high - 0.5 + 1.05 * s)
            stripe = (np.arange(20) % 4 < 2)[:, None, None]
            tone = np.where(stripe, rgb("e05a4e"), rgb("f7f3ea")) + np.zeros((20, 12, 1))
            r = 0.035 if vessel.code == 3 else 0.028
            self.things["cream"].add(tube(path, r, 12), tone.reshape(-1, 3))

    def _skewer(self, angle: float, rng: Rng) -> None:
        """A stick with meatballs that leans on the rim."""
        vessel = self.vessel
        out = np.array([math.cos(angle), math.sin(angle), 0])
        foot = np.array([*(-0.35 * vessel.radius * out[:2]), vessel.rim[1] - 0.25])
        tip = out * (vessel.rim[0] + 0.16) + [0, 0, vessel.rim[1] + 0.42]
        s = np.linspace(0, 1, 8)[:, None]
        self.things["crust"].add(tube(foot + s * (tip - foot), 0.016, 8), rgb("d9b27a"))
        size = 0.13 if vessel.code == 3 else 0.105
        for share in (0.52, 0.76):
            lay_meatball(self.things, foot + share * (tip - foot), size, rng)
