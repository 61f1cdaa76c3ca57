"""A dish: eight shared factors, and private ones that only its picture or its text shows.

Item ``i`` has its own random stream, so it is the same dish however many are made.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from rivae.base.errors import ConfigError
from rivae.data.food_factors import FACTOR_NAMES, N_LEVELS

TABLES = ("pine", "walnut", "linen", "slate", "peach", "lilac", "sky", "sand")
CLOTHS = ("plain", "planks", "stripes", "checks")
WARES = ("white", "cream", "blue", "rose", "mustard", "grey", "lavender", "terracotta")
STYLES = ("plain", "chatty", "terse")
FRACTIONS = ("1/2", "½")
UNITS = ("long", "short")

# The last number of a seed: which independent stream of item i it is.
_FACTORS, _PICTURE, _TEXT, _PARTITION = range(4)
_BLOCK = ("train",) * 14 + ("val",) * 3 + ("test",) * 3


@dataclass(frozen=True)
class Camera:
    """Private to the picture: how a dish is photographed and on what.

    Attributes:
        tilt: factor 0.88 to 1.12 on how far one looks into the container from above.
        zoom: factor 0.96 to 1.06.
        roll: rotation of the picture in degrees, -6 to 6.
        shift: (x, y) in pixels of 128, each -4 to 4.
        light: brightness 0.90 to 1.06.
        warmth: colour of the light, -1 (cool) to 1 (warm).
        mirrored: whether light falls from the right.
        table, cloth, ware: names in ``TABLES``, ``CLOTHS`` and ``WARES``.
        sections: whether the pieces lie sorted in sections instead of mixed.
    """

    tilt: float
    zoom: float
    roll: float
    shift: tuple[float, float]
    light: float
    warmth: float
    mirrored: bool
    table: str
    cloth: str
    ware: str
    sections: bool


@dataclass(frozen=True)
class Wording:
    """Private to the text: how a recipe is written.

    Attributes:
        style: of the instructions, one of ``STYLES``.
        fraction: how a half is spelled, one of ``FRACTIONS``.
        units: "long" (tablespoons) or "short" (tbsp).
        heads: whether ingredients come under heads such as "Topping:".
        shuffled: whether ingredients come in any order instead of by kind.
    """

    style: str
    fraction: str
    units: str
    heads: bool
    shuffled: bool


@dataclass(frozen=True)
class Dish:
    """One item of the kitchen. ``codes`` are the eight factors in the order of ``FACTOR_NAMES``,
    0 to 4 (level minus 1); ``seed`` and ``index`` fix everything that is left to chance.
    """

    seed: int
    index: int
    codes: tuple[int, ...]
    camera: Camera
    wording: Wording

    def code(self, name: str) -> int:
        """Factor ``name`` as a code 0 to 4."""
        return self.codes[FACTOR_NAMES.index(name)]

    def with_codes(self, **codes: int) -> Dish:
        """The same dish, photograph and wording with other factors.

        Raises:
            ConfigError: for an unknown factor or a code outside 0 to 4.
        """
        new = dict(zip(FACTOR_NAMES, self.codes, strict=True))
        for name, code in codes.items():
            if name not in new or not 0 <= code < N_LEVELS:
                raise ConfigError(f"{name}={code}: the factors are {FACTOR_NAMES}, codes 0 to 4")
            new[name] = code
        return replace(self, codes=tuple(new.values()))

    def picture_rng(self, part: int) -> np.random.Generator:
        """The stream of one part of the picture; other parts do not disturb it."""
        return np.random.default_rng((self.seed, self.index, _PICTURE, 1 + part))

    def text_rng(self, part: int) -> np.random.Generator:
        """The stream of one part of the text."""
        return np.random.default_rng((self.seed, self.index, _TEXT, 1 + part))


def draw_codes(seed: int, index: int) -> tuple[int, ...]:
    """The eight factors of item ``index``, independent and uniform on 0 to 4."""
    rng = np.random.default_rng((seed, index, _FACTORS, 0))
    return tuple(int(c) for c in rng.integers(0, N_LEVELS, len(FACTOR_NAMES)))


def make_dish(seed: int, index: int) -> Dish:
    """Item ``index`` of the kitchen with this seed (both 0 or more)."""
    rng = np.random.default_rng((seed, index, _PICTURE, 0))
    camera = Camera(
        tilt=float(rng.uniform(0.88, 1.12)),
        zoom=float(rng.uniform(0.96, 1.06)),
        roll=float(rng.uniform(-6, 6)),
        shift=(float(rng.uniform(-4, 4)), float(rng.uniform(-4, 4))),
        light=float(rng.uniform(0.90, 1.06)),
        warmth=float(rng.uniform(-1, 1)),
        mirrored=bool(rng.integers(2)),
        table=str(rng.choice(TABLES)),
        cloth=str(rng.choice(CLOTHS)),
        ware=str(rng.choice(WARES)),
        sections=bool(rng.integers(2)),
    )
    rng = np.random.default_rng((seed, index, _TEXT, 0))
    wording = Wording(
        style=str(rng.choice(STYLES)),
        fraction=str(rng.choice(FRACTIONS)),
        units=str(rng.choice(UNITS)),
        heads=bool(rng.random() < 0.25),
        shuffled=bool(rng.integers(2)),
    )
    return Dish(seed, index, draw_codes(seed, index), camera, wording)


def draw_factors(n: int, seed: int = 0) -> NDArray[np.int64]:
    """(n, 8) codes 0 to 4 of the first ``n`` dishes."""
    rows = [draw_codes(seed, i) for i in range(n)]
    return np.array(rows, dtype=np.int64).reshape(n, len(FACTOR_NAMES))


def partition(seed: int, index: int) -> str:
    """ "train", "val" or "test": 14, 3 and 3 of every 20 dishes, in random order."""
    block, place = divmod(index, len(_BLOCK))
    rng = np.random.default_rng((seed, block, _PARTITION, 0))
    return _BLOCK[int(rng.permutation(len(_BLOCK))[place])]
