"""Sprites-hard: Sprites with private backgrounds, rings and hues, or with gaps in the positions.

Sprites is kind to methods that look for factors: its factors are independent and evenly spread,
and everything that varies is shared by both pictures. Each setting here takes away one of these,
alone or together with others:

* ``background``: a grey level behind the shape, drawn for every picture;
* ``distractor``: a small ring, behind the shape, at a place drawn for every picture;
* ``texture``: stripes behind the shape, their direction and phase drawn for every picture;
* ``noise``: independent Gaussian noise on every pixel, cut to 0 .. 1;
* ``hue``: RGB pictures, shape and ring in a hue drawn for every picture;
* ``correlation``: of the X and Y positions, each of which stays uniform (a Gaussian copula);
* ``hole``: no shape in a square in the middle of the positions;
* ``uneven``: fewer shapes to the right and at the bottom, X and Y still independent;
* ``n_shapes``: a shared class: square with ellipse, triangle with half disc, bar with capsule.

View 1 shows the first shape of a class, view 2 the second one; scale, X and Y are shared and
continuous. What is drawn for every picture is a private factor of its view, so the truth says
which factors should be found and which should not. Each setting has random numbers of its own:
switching one on leaves the other factors as they are, but ``correlation`` moves shapes in Y, and
``hole`` and ``uneven`` replace the positions that they refuse.

Units of the factors: scale 0.5 .. 1.0; X and Y 0 .. 1, to the right and downwards, of ring and
shape; background 0 .. 1 for black to the brightest level; stripes 0 .. 1 for waves along X to
waves along Y (0 to 90 degrees); hue 0 .. 1 for red to blue.
"""

from __future__ import annotations

import colorsys

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image
from pydantic import Field

from rivae.base.arrays import Floats
from rivae.data.base import PairedDataset, Shape, TensorView, random_split
from rivae.data.dataset import Dataset
from rivae.data.factors import FactorRole, FactorSpec
from rivae.data.sets.sprites import FACTOR_SPECS, SIZE, fill_convex
from rivae.data.settings import DatasetSettings, Fractions, Seed, SplitSeed

Pictures = NDArray[np.uint8]

CLASSES = ("square · ellipse", "triangle · half disc", "bar · capsule")
_HALF_SIDE, _N_CORNERS, _SUB_PIXELS = 9.6, 100, 256
_RING = (4.0, 6.5)  # inner and outer radius in pixels
_RING_OPACITY = 0.7  # between the ground and the shape: it differs from both
_HUES = 0.7  # of the colour circle, red to blue: its ends differ, so that a hue is a number
_WAVELENGTH = 10.0  # of the stripes, in pixels
_AT_ONCE = 256  # pictures made together: their floats stay in the processor's cache


class SpritesHard(PairedDataset):
    """The data set with its pictures: one view, or both next to each other."""

    def picture(self, i: int, side: int = 2) -> Image.Image:
        """64 x 64 (side 1 or 2), or 128 x 64 with both views (side 0)."""
        views = [self.x1, self.x2] if not side else [(self.x1, self.x2)[side - 1]]
        parts = [view.batch([i])[0].mul(255).round().byte().numpy() for view in views]
        pixels = np.concatenate(parts, axis=-1).transpose(1, 2, 0)
        return Image.fromarray(np.ascontiguousarray(pixels.squeeze()))

    def title(self, i: int) -> str:
        assert self.factors is not None
        scale, x, y = self.factors[i, :3]
        return f"scale {scale:.2f}, X {x:.2f}, Y {y:.2f}"


class Settings(DatasetSettings):
    """Settings of Sprites-hard."""

    n_pairs: int = Field(
        default=6144, ge=100, le=50_000, title="Pairs", description="number of pairs"
    )
    background: float = Field(
        default=0.0,
        ge=0,
        le=0.9,
        title="Private background",
        description="brightest grey level behind the shape, drawn for every picture; 0 is black",
    )
    distractor: bool = Field(
        default=False,
        title="Private distractor",
        description="a small ring at a place drawn for every picture",
    )
    texture: float = Field(
        default=0.0,
        ge=0,
        le=0.9,
        title="Private texture",
        description="contrast of stripes whose direction and phase are drawn for every picture",
    )
    noise: float = Field(
        default=0.0,
        ge=0,
        le=1,
        title="Private noise",
        description="s.d. of independent noise on every pixel, whose range is 0 to 1",
    )
    hue: bool = Field(
        default=False, title="Private hue", description="RGB pictures, a hue drawn for each"
    )
    correlation: float = Field(
        default=0.0,
        ge=-0.95,
        le=0.95,
        title="Correlation of X and Y",
        description="both stay uniform; in the whole data set, before a hole or unevenness",
    )
    hole: float = Field(
        default=0.0,
        ge=0,
        le=0.8,
        title="Hole",
        description="side of the empty square amid the positions; 0.55 leaves out 30 % of them",
    )
    uneven: float = Field(
        default=0.0,
        ge=0,
        le=0.95,
        title="Unevenness",
        description="share of the shapes that is missing at the right edge, and at the lower one",
    )
    n_shapes: int = Field(
        default=1,
        ge=1,
        le=len(CLASSES),
        title="Shapes",
        description="classes of the shared shape, equally frequent",
    )
    seed: Seed = Field(default=0, title="Seed", description="draw of all factors and of the noise")
    split_seed: SplitSeed = 0
    fractions: Fractions = (0.7, 0.1, 0.2)


def load(settings: Settings) -> PairedDataset:
    """Draw the factors and render both pictures of every pair.

    Returns:
        Views of shape (1, 64, 64), or (3, 64, 64) with ``hue``, values 0 .. 1; factors (N, K):
        scale, X, Y, the shape class if there are several, then the private ones of view 1 and 2.
    """
    s = settings
    position_rng, shared_rng, *private_rngs = np.random.default_rng(s.seed).spawn(4)
    x, y = _positions(position_rng, s)
    scale = shared_rng.uniform(0.5, 1.0, s.n_pairs)
    kind = shared_rng.integers(0, s.n_shapes, s.n_pairs)

    columns = [scale, x, y]
    specs = list(FACTOR_SPECS)
    if s.n_shapes > 1:
        columns.append(kind.astype(float))
        specs.append(FactorSpec("shape", "categorical", "shared", CLASSES[: s.n_shapes]))
    views = []
    for view, rng in enumerate(private_rngs, start=1):
        private, noise_rng = _private_factors(rng, s.n_pairs)
        pictures = _render(view, scale, x, y, kind, private, s, noise_rng)
        views.append(TensorView(torch.from_numpy(pictures)))
        role: FactorRole = "private1" if view == 1 else "private2"
        for name in _shown(s):
            columns.append(private[name])
            specs.append(FactorSpec(f"{name} {view}", "continuous", role))
    splits = random_split(s.n_pairs, s.fractions, s.split_seed)
    return SpritesHard(
        name="sprites-hard",
        settings=s.kept(),
        x1=views[0],
        x2=views[1],
        factors=np.column_stack(columns),
        factor_specs=tuple(specs),
        view_names=("first shape", "second shape"),
        splits=splits,
        search_size=min(1000, len(splits["test"])),
    )


def shapes(settings: Settings) -> tuple[Shape, Shape]:
    """Of items of both views, without making any."""
    shape = (3 if settings.hue else 1, SIZE, SIZE)
    return shape, shape


# factors


def _positions(rng: np.random.Generator, s: Settings) -> tuple[Floats, Floats]:
    """X and Y of all pairs, (N,) each: a Gaussian copula, thinned by ``hole`` and ``uneven``."""
    from scipy.special import ndtr

    # The correlation of two uniform numbers whose normal ones have 2 sin(pi r / 6) is r.
    r = 2 * np.sin(np.pi * s.correlation / 6)
    places: list[Floats] = []
    n = 0
    while n < s.n_pairs:
        normal = rng.standard_normal((s.n_pairs, 2))
        normal[:, 1] = r * normal[:, 0] + np.sqrt(1 - r**2) * normal[:, 1]
        place = ndtr(normal)
        chance = np.prod(1 - s.uneven * place, axis=1)
        inside = (np.abs(place - 0.5) < s.hole / 2).all(axis=1)
        place = place[(rng.random(s.n_pairs) < chance) & ~inside]
        places.append(place)
        n += len(place)
    x, y = np.concatenate(places)[: s.n_pairs].T
    return x, y


def _private_factors(
    rng: np.random.Generator, n: int
) -> tuple[dict[str, Floats], np.random.Generator]:
    """All private factors of a view, (N,) each and 0 .. 1, shown or not; the noise's generator."""
    names = ("background", "ring X", "ring Y", "stripes", "phase", "hue")
    *streams, noise_rng = rng.spawn(len(names) + 1)
    factors = {name: stream.random(n) for name, stream in zip(names, streams, strict=True)}
    return factors, noise_rng


def _shown(s: Settings) -> list[str]:
    """The private factors that pictures show and the truth names.

    The phase of the stripes is not named: it goes round, so that no single number follows it.
    """
    return [
        *(["background"] if s.background else []),
        *(["ring X", "ring Y"] if s.distractor else []),
        *(["stripes"] if s.texture else []),
        *(["hue"] if s.hue else []),
    ]


# pictures


def _outlines(view: int) -> list[Floats]:
    """Corners (2, 100) of the three shapes of a view around (0, 0), clockwise on a screen."""
    angles = 2 * np.pi * np.arange(_N_CORNERS) / _N_CORNERS
    circle = np.stack([np.cos(angles), np.sin(angles)])
    if view == 1:
        square = _polygon([(-1, -1), (1, -1), (1, 1), (-1, 1)])
        triangle = _polygon([(0, -1.3), (1.2, 0.9), (-1.2, 0.9)])
        bar = _polygon([(-0.5, -1.5), (0.5, -1.5), (0.5, 1.5), (-0.5, 1.5)])
        return [_HALF_SIDE * outline for outline in (square, triangle, bar)]
    ellipse = circle * np.array([[1.33], [1 / 1.33]])
    half = circle * np.array([[1.3], [1.5]])
    half[1] = np.minimum(half[1], 0.0) + 0.6
    capsule = circle * 0.6
    capsule[1] += np.where(capsule[1] > 0, 0.9, -0.9)
    return [_HALF_SIDE * outline for outline in (ellipse, half, capsule)]


def _polygon(corners: list[tuple[float, float]]) -> Floats:
    """Its outline with as many corners as a circle has, so that all shapes are filled together."""
    repeats = -(-_N_CORNERS // len(corners))
    return np.repeat(np.array(corners, float), repeats, axis=0)[:_N_CORNERS].T


def _render(
    view: int,
    scale: Floats,
    x: Floats,
    y: Floats,
    kind: NDArray[np.int64],
    private: dict[str, Floats],
    s: Settings,
    noise_rng: np.random.Generator,
) -> Pictures:
    """Pictures (N, C, 64, 64) of one view."""
    outlines = np.stack(_outlines(view))
    n_channels = 3 if s.hue else 1
    pictures = np.empty((len(scale), n_channels, SIZE, SIZE), np.uint8)
    for start in range(0, len(scale), _AT_ONCE):
        rows = slice(start, start + _AT_ONCE)
        corners = outlines[kind[rows]] * scale[rows, None, None]
        corners = corners + 16 + 32 * np.stack([x[rows], y[rows]], axis=1)[:, :, None]
        corners = np.round(corners * _SUB_PIXELS) / _SUB_PIXELS
        shape = fill_convex(corners[:, 0], corners[:, 1]).astype(float)
        batch = {name: values[rows] for name, values in private.items()}
        cover = np.maximum(shape, _ring(batch) * _RING_OPACITY) if s.distractor else shape
        ground = _ground(batch, s)[:, None]
        values = ground + cover[:, None] * (_colours(batch, s) - ground)
        if s.noise:
            values = values + s.noise * noise_rng.standard_normal(values.shape, np.float32)
        pictures[rows] = np.rint(values.clip(0, 1) * 255).astype(np.uint8)
    return pictures


def _ring(batch: dict[str, Floats]) -> Floats:
    """(P, 64, 64) of 0 and 1: a ring whose place does not depend on the shape's."""
    centres = [8 + 48 * batch[name][:, None, None] for name in ("ring X", "ring Y")]
    across, down = np.arange(SIZE) + 0.5, (np.arange(SIZE) + 0.5)[:, None]
    radius = np.hypot(across - centres[0], down - centres[1])
    return ((radius >= _RING[0]) & (radius <= _RING[1])).astype(float)


def _ground(batch: dict[str, Floats], s: Settings) -> Floats:
    """(P, 64, 64) grey levels behind the shapes: the background's, and the stripes on it."""
    level = np.broadcast_to(
        s.background * batch["background"][:, None, None], (len(batch["phase"]), SIZE, SIZE)
    )
    if not s.texture:
        return level
    angle = np.pi / 2 * batch["stripes"][:, None, None]
    across, down = np.arange(SIZE), np.arange(SIZE)[:, None]
    along = (across * np.cos(angle) + down * np.sin(angle)) / _WAVELENGTH
    stripes = 0.5 + 0.5 * np.sin(2 * np.pi * (along + batch["phase"][:, None, None]))
    return level + (0.9 - level) * s.texture * stripes


def _colours(batch: dict[str, Floats], s: Settings) -> Floats:
    """(P, C, 1, 1) of shape and ring: white, or one pure hue for each picture."""
    if not s.hue:
        return np.ones((len(batch["hue"]), 1, 1, 1))
    rgb = [colorsys.hsv_to_rgb(_HUES * hue, 1.0, 1.0) for hue in batch["hue"]]
    return np.array(rgb)[:, :, None, None]


DATASET = Dataset(
    name="sprites-hard",
    title="Sprites-hard",
    blurb="Sprites in which much varies that the two pictures do not share.",
    description=__doc__,
    settings=Settings,
    load=load,
    shapes=shapes,
)
