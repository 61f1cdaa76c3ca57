"""Pictures that a table holds: paths, bytes, PIL pictures and arrays, as they are shown."""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from PIL import Image, ImageOps

from rivae.base.arrays import refuse_masked
from rivae.base.errors import DataError, some_of
from rivae.data.picture_colors import in_srgb
from rivae.data.picture_depth import Remark, white_of_integers
from rivae.data.pictures import decoding, open_picture

KINDS = (
    "give paths, bytes, PIL pictures, or arrays (height, width) or (height, width, 1 to 4) of "
    "0 ... 255, of floats 0 ... 1, or of uint16"
)
_ENOUGH = 32  # pixels a side that a picture is decoded to when it is only checked
_OVER = 0.01  # of the largest value: what resizing adds beyond white, and below black


def picture_of(
    value: Any, label: str, enough: int | None = None, remarks: list[Remark] | None = None
) -> Image.Image | None:
    """A picture of the table, upright, in grey, RGB or RGBA of 8 bits and sRGB; None where there is
    none.

    Args:
        label: what to call it in an error.
        enough: see ``open_picture``.
        remarks: see ``open_picture``.

    Raises:
        DataError: it cannot be read.
    """
    notes: list[Remark] = [] if remarks is None else remarks
    if isinstance(value, str | Path):
        image = open_picture(value, enough=enough, remarks=notes) if str(value) else None
    elif isinstance(value, bytes):
        image = open_picture(io.BytesIO(value), label, enough, remarks=notes)
    elif isinstance(value, Image.Image):
        with decoding(label):
            value.load()
            image = in_srgb(value, notes)
    elif value is None or (pd.api.types.is_scalar(value) and pd.isna(value)):
        image = None
    else:
        image = _of_array(value, label)
    return None if image is None else _shown(image, label)


def check_pictures(
    table: pd.DataFrame, column: str, progress: Callable[[float], None] | None = None
) -> None:
    """Read each picture of a column once, and warn of what was guessed of their colours.

    Raises:
        DataError: naming the first that cannot be read.
    """
    rows_by_remark: dict[str, list[int]] = {}
    for i, value in enumerate(table[column]):
        remarks: list[Remark] = []
        picture_of(value, called_in(i, column), _ENOUGH, remarks)
        for remark, _ in remarks:
            rows_by_remark.setdefault(remark, []).append(i)
        if progress is not None:
            progress((i + 1) / len(table))
    for remark, rows in rows_by_remark.items():
        first = some_of([f"row {i}" for i in rows])
        warnings.warn(f"'{column}', {first}: {remark}", stacklevel=2)


def called_in(i: int, column: str) -> str:
    """What to call the picture of a row."""
    return f"row {i} of '{column}'"


def _shown(image: Image.Image, label: str) -> Image.Image:
    try:
        image = ImageOps.exif_transpose(image)
        if image.mode in ("RGB", "RGBA", "L"):
            return image
        return image.convert("RGBA" if image.has_transparency_data else "RGB")
    except DataError:
        raise
    except Exception as error:  # its tags alone can raise nearly everything
        raise DataError(f"{label} is a damaged picture: {error!s:.80}") from error


def _of_array(value: Any, label: str) -> Image.Image:
    refuse_masked(DataError, **{label: value})
    try:
        array = np.asarray(value)
    except (TypeError, ValueError):
        raise DataError(f"{label} is no picture: {KINDS}") from None
    if array.ndim == 3 and array.shape[2] == 1:
        array = array[:, :, 0]
    is_picture = array.ndim == 2 or (array.ndim == 3 and array.shape[2] <= 4)
    if not is_picture or not array.size or array.dtype.kind not in "buif":
        raise DataError(f"{label} is no picture, but {array.dtype} {array.shape}: {KINDS}")
    if array.dtype != np.uint8:
        array = _eight_bits(array, label)
    return Image.fromarray(np.ascontiguousarray(array))


def _eight_bits(array: NDArray[Any], label: str) -> NDArray[np.uint8]:
    """0 ... 255, of numbers whose range tells what white is."""
    values = array.astype(np.float64)
    low, high = float(values.min()), float(values.max())
    white: float = 255
    if array.dtype.kind == "b" or (array.dtype.kind == "f" and high <= 1 + _OVER):
        white = 1
    elif array.dtype.kind in "ui" and high > 255:
        white = (white_of_integers(array, 65_535) if low >= 0 and high <= 65_535 else None) or 255
    spare = _OVER * white if array.dtype.kind == "f" else 0
    between = array.dtype.kind == "f" and white == 255 and high < 2  # of 1, or of 255?
    if not (-spare <= low and high <= white + spare) or between:  # NaN is in no range
        raise DataError(f"{label} holds numbers from {low:g} to {high:g}: {KINDS}")
    return (values.clip(0, white) * (255 / white)).round().astype(np.uint8)
