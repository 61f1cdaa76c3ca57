"""Reads squares and ellipses from a user's own dSprites file.

Two layouts are known: the published ``dsprites_ndarray_…npz`` (``imgs``, 737,280 x 64 x 64) and the
packed one of this project (``imgs_packed``, N x 512, 8 pixels per byte). Both carry
``latents_classes`` and ``latents_values`` with the columns color, shape, scale, orientation, X, Y.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rivae.data.npz import NpzFile
from rivae.data.sprite_rendering import N_POSITIONS, SCALES, SIZE
from rivae.errors import DataError

_MAX_ROWS = 1_000_000  # the published file has 737,280
_N_COLUMNS = 6
_SQUARE, _ELLIPSE = 0, 1
MIN_PAIRS = 100


def read_sprites(
    path: str | Path,
) -> tuple[NDArray[np.uint8], NDArray[np.uint8], NDArray[np.int64]]:
    """Squares, ellipses (both (n, 64, 64) uint8 of 0 and 1) and latents (n, 3) of a file.

    Row i of both has the same scale, X and Y index, ``latents[i]``; orientation is 0; rows are
    sorted by scale, X, Y. A file with only some of the 6,144 pairs is accepted.

    Raises:
        DataError: naming the file and the reason, when it is broken or something else.
    """
    file = NpzFile(path)
    packed = "imgs_packed" in file
    if not packed and "imgs" not in file:
        raise DataError(f"{path} is no dSprites file: it holds neither 'imgs' nor 'imgs_packed'")
    classes = _latents(file)
    chosen = (classes[:, 1] <= _ELLIPSE) & (classes[:, 3] == 0)
    key, item_shape = ("imgs_packed", (SIZE * SIZE // 8,)) if packed else ("imgs", (SIZE, SIZE))
    images = file.rows(key, chosen, kinds="ub", item_shape=item_shape, max_bytes=256 << 20)
    if packed:
        images = np.unpackbits(images.astype(np.uint8), axis=1).reshape(-1, SIZE, SIZE)
    images = images.astype(np.uint8)
    if images.size and images.max() > 1:
        raise DataError(f"{path}: '{key}' holds values other than 0 and 1, not binary sprites")
    return _paired(path, images, classes[chosen])


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
    known = np.column_stack([SCALES[classes[:, 2]], classes[:, 4:] / (N_POSITIONS - 1)])
    # NaN is not close to anything, so it is refused here too.
    if not np.allclose(values[:, [2, 4, 5]], known, atol=1e-4, rtol=0):
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
