"""Sprites: squares and ellipses of the same scale and position (paper, Sec. 5.2).

x1 is the square, x2 the ellipse, 64 x 64 binary, 6 scales x 32 X x 32 Y positions = 6,144 pairs,
orientation 0. The images are rendered here (``render``), equal to the published dSprites, or read
from a user's own dSprites file. The paper does not give its split; here 70 / 10 / 20 %.

Factors are in the units of dSprites: scale 0.5 .. 1.0, X and Y 0 .. 1 (index / 31), X to the right
and Y downwards. Rows run over scale, X, Y, with Y fastest.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image, ImageOps
from pydantic import Field

from rivae.base.arrays import Floats
from rivae.base.errors import DataError
from rivae.base.reading.contents import file_content
from rivae.data.base import PairedDataset, Shape, TensorView, random_split
from rivae.data.dataset import Dataset
from rivae.data.factors import FactorSpec
from rivae.data.npz import NpzFile
from rivae.data.pictures import light_on_dark, otsu_threshold, to_grey
from rivae.data.settings import DatasetSettings, Fractions, HostPath, SplitSeed

VERSION = "1"  # of what ``render`` draws
SIZE = 64
SCALES = np.round(np.arange(0.5, 1.01, 0.1), 1)
N_POSITIONS = 32
_HALF_SIDE, _STRETCH, _N_CORNERS, _SUB_PIXELS = 9.6, 1.33, 100, 256
_MAX_ROWS = 1_000_000  # the published file has 737,280
_N_COLUMNS = 6
_SQUARE, _ELLIPSE = 0, 1
MIN_PAIRS = 100  # of a user's own file

FACTOR_SPECS = (
    FactorSpec("scale", "continuous", ends=("small", "large")),
    FactorSpec("X position", "continuous", ends=("left", "right")),
    FactorSpec("Y position", "continuous", ends=("top", "bottom")),
)
_SQUARE_COLOUR, _ELLIPSE_COLOUR = (86, 180, 233), (230, 159, 0)  # Okabe-Ito, safe for all eyes


class Sprites(PairedDataset):
    """The data set with its pictures: one view in white on black, both in two colours."""

    accepts_upload = True

    def __init__(
        self,
        *,
        squares: NDArray[np.uint8],
        ellipses: NDArray[np.uint8],
        latents: NDArray[np.int64],
        **rest: Any,
    ) -> None:
        self._images = tuple(images * np.uint8(255) for images in (squares, ellipses))
        factors = np.column_stack([SCALES[latents[:, 0]], latents[:, 1:] / (N_POSITIONS - 1)])
        super().__init__(
            name="sprites",
            x1=TensorView(torch.from_numpy(self._images[0][:, None])),
            x2=TensorView(torch.from_numpy(self._images[1][:, None])),
            factors=factors,
            factor_specs=FACTOR_SPECS,
            view_names=("square", "ellipse"),
            **rest,
        )

    def picture(self, i: int, side: int = 2) -> Image.Image:
        """64 x 64: grey for one view; side 0 lays the ellipse over the square in colour."""
        if side:
            return Image.fromarray(self._images[side - 1][i])
        square, ellipse = (Image.fromarray(images[i]) for images in self._images)
        both = Image.new("RGB", (SIZE, SIZE))
        both.paste(_SQUARE_COLOUR, mask=square)
        both.paste(_ELLIPSE_COLOUR, mask=ellipse.point(lambda v: v * 4 // 5))
        return both

    def title(self, i: int) -> str:
        assert self.factors is not None
        scale, x, y = self.factors[i]
        return f"scale {scale:.1f}, X {x:.2f}, Y {y:.2f}"

    def from_upload(self, image: Image.Image) -> torch.Tensor:
        """Any picture as a binary 64 x 64 query: grey, padded to a square, Otsu, light on dark."""
        grey = light_on_dark(to_grey(image))
        grey = ImageOps.pad(grey, (SIZE, SIZE), Image.Resampling.BOX)
        values = np.asarray(grey)
        binary = values > otsu_threshold(values)
        return torch.from_numpy(binary.astype(np.float32))[None, None]


class Settings(DatasetSettings):
    """Settings of Sprites."""

    path: HostPath = Field(
        default=None,
        title="dSprites file",
        description="a dSprites .npz (the published layout, or packed bits); empty draws all pairs",
    )
    split_seed: SplitSeed = 0
    fractions: Fractions = (0.7, 0.1, 0.2)


def content(settings: Settings) -> str:
    """A hash of the user's file, or the version of ``render``.

    Raises:
        DataError: the file cannot be read.
    """
    if settings.path is None:
        return VERSION
    try:
        return file_content(Path(settings.path))
    except OSError as error:
        raise DataError(f"{settings.path} cannot be read: {error.strerror}") from error


def load(settings: Settings) -> PairedDataset:
    """Render Sprites, or read them from a dSprites file.

    Returns:
        Views of shape (1, 64, 64) with values 0 and 1, factors (N, 3): scale, X, Y.

    Raises:
        DataError: for a file that is missing, broken or no dSprites file.
    """
    file = settings.path
    if file is None:
        latents = all_latents()
        squares, ellipses = (
            render(shape, SCALES[latents[:, 0]], latents[:, 1], latents[:, 2])
            for shape in ("square", "ellipse")
        )
    else:
        squares, ellipses, latents = read_sprites(file)
    splits = random_split(len(latents), settings.fractions, settings.split_seed)
    return Sprites(
        squares=squares,
        ellipses=ellipses,
        latents=latents,
        settings=settings.kept(),
        splits=splits,
        search_size=min(1000, len(splits["test"])),
    )


def shapes(settings: Settings) -> tuple[Shape, Shape]:
    """Of items of both views, without making or reading any."""
    return (1, SIZE, SIZE), (1, SIZE, SIZE)


def _unit_outline(shape: str) -> tuple[Floats, Floats]:
    """Corners of the shape at scale 1 around (0, 0), clockwise on a screen with Y downwards."""
    if shape == "square":
        return _HALF_SIDE * np.array([1, 1, -1, -1.0]), _HALF_SIDE * np.array([-1, 1, 1, -1.0])
    angles = 2 * np.pi * np.arange(_N_CORNERS) / _N_CORNERS
    return _HALF_SIDE * _STRETCH * np.cos(angles), _HALF_SIDE / _STRETCH * np.sin(angles)


def fill_convex(xs: Floats, ys: Floats) -> NDArray[np.uint8]:
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
    shape: str, scale: Floats, pos_x: NDArray[np.int64], pos_y: NDArray[np.int64]
) -> NDArray[np.uint8]:
    """P sprites of one shape ("square" or "ellipse") as (P, 64, 64) uint8 of 0 and 1.

    The rule was fitted to original images and reproduces all 3,569 that were compared (1,771
    squares, 1,798 ellipses) pixel by pixel:

    * the centre is 16 + 32 * index / 31 pixels, X to the right and Y downwards;
    * a square has half the side 9.6 * scale; an ellipse is a polygon of 100 corners at equal
      angles with half axes 9.6 * 1.33 * scale (X) and 9.6 / 1.33 * scale (Y);
    * corners are rounded to 1/256 pixel, as graphics cards do;
    * a pixel is on when its centre lies inside; a centre exactly on the outline counts on the left
      and lower side only (the usual "top-left" rule, seen with the Y axis pointing up).

    Args:
        scale: (P,) 0.5 .. 1.0.
        pos_x, pos_y: (P,) position indices 0 .. 31.
    """
    outline_x, outline_y = _unit_outline(shape)

    def corners(index: NDArray[np.int64], outline: Floats) -> Floats:
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


def read_sprites(
    path: str | Path,
) -> tuple[NDArray[np.uint8], NDArray[np.uint8], NDArray[np.int64]]:
    """Squares, ellipses (both (n, 64, 64) uint8 of 0 and 1) and latents (n, 3) of a dSprites file.

    Two layouts are known: the published ``dsprites_ndarray_…npz`` (``imgs``, 737,280 x 64 x 64)
    and the packed one of this project (``imgs_packed``, N x 512, 8 pixels per byte). Both hold
    ``latents_classes`` and ``latents_values`` with the columns color, shape, scale, orientation, X
    and Y.

    Row i of both has the same scale, X and Y index, ``latents[i]``; orientation is 0; rows are
    sorted by scale, X, Y. A file with only some of the 6,144 pairs is accepted.

    Raises:
        DataError: naming the file and the reason, when it is broken or something else.
    """
    file = NpzFile(path)
    is_packed = "imgs_packed" in file
    if not is_packed and "imgs" not in file:
        raise DataError(f"{path} is not a dSprites file: it holds neither 'imgs' nor 'imgs_packed'")
    classes = _latents(file)
    mask = (classes[:, 1] <= _ELLIPSE) & (classes[:, 3] == 0)
    key, item_shape = ("imgs_packed", (SIZE * SIZE // 8,)) if is_packed else ("imgs", (SIZE, SIZE))
    images = file.rows(key, mask, kinds="ub", item_shape=item_shape, max_bytes=256 << 20)
    if is_packed:
        images = np.unpackbits(images.astype(np.uint8), axis=1).reshape(-1, SIZE, SIZE)
    images = images.astype(np.uint8)
    if images.size and images.max() > 1:
        raise DataError(f"{path}: '{key}' holds values other than 0 and 1, not binary sprites")
    return _paired(path, images, classes[mask])


def _latents(file: NpzFile) -> NDArray[np.int64]:
    """The six class columns, checked against their ranges and against ``latents_values``."""
    limit = _MAX_ROWS * _N_COLUMNS * 8
    shape = {"item_shape": (_N_COLUMNS,), "max_bytes": limit}
    classes = file.array("latents_classes", kinds="iu", **shape).astype(np.int64)  # type: ignore[arg-type]
    values = file.array("latents_values", kinds="f", **shape)  # type: ignore[arg-type]
    if len(values) != len(classes):
        raise DataError(
            f"{file.path}: {len(classes)} rows of 'latents_classes' but {len(values)} of "
            "'latents_values'"
        )
    highest = np.array([0, 2, len(SCALES) - 1, 39, N_POSITIONS - 1, N_POSITIONS - 1])
    if len(classes) and (classes.min() < 0 or (classes.max(0) > highest).any()):
        raise DataError(f"{file.path}: 'latents_classes' holds indices that dSprites does not have")
    factors = np.column_stack([SCALES[classes[:, 2]], classes[:, 4:] / (N_POSITIONS - 1)])
    # NaN is not close to anything, so it is refused here too.
    if not np.allclose(values[:, [2, 4, 5]], factors, atol=1e-4, rtol=0):
        raise DataError(f"{file.path}: 'latents_values' do not fit 'latents_classes'")
    return classes


def _paired(
    path: str | Path, images: NDArray[np.uint8], classes: NDArray[np.int64]
) -> tuple[NDArray[np.uint8], NDArray[np.uint8], NDArray[np.int64]]:
    """Rows of both shapes in the same order, one square and one ellipse for every latent."""
    code = (classes[:, 2] * N_POSITIONS + classes[:, 4]) * N_POSITIONS + classes[:, 5]
    rows = {}
    for shape in (_SQUARE, _ELLIPSE):
        mine = np.flatnonzero(classes[:, 1] == shape)
        rows[shape] = mine[np.argsort(code[mine], kind="stable")]
    squares, ellipses = rows[_SQUARE], rows[_ELLIPSE]
    if len(np.unique(code[squares])) != len(squares) or not np.array_equal(
        code[squares], code[ellipses]
    ):
        raise DataError(
            f"{path}: squares ({len(squares)}) and ellipses ({len(ellipses)}) of orientation 0 do "
            "not form pairs, one of each per scale and position"
        )
    if len(squares) < MIN_PAIRS:
        raise DataError(f"{path} holds {len(squares)} pairs, fewer than the {MIN_PAIRS} needed")
    return images[squares], images[ellipses], classes[squares][:, [2, 4, 5]]


DATASET = Dataset(
    name="sprites",
    title="Sprites",
    blurb="A square and an ellipse of the same size and place: move them about.",
    description=__doc__,
    settings=Settings,
    load=load,
    shapes=shapes,
    content=content,
    seeded_by=("split_seed",),
)
