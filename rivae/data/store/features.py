"""Embeddings that came from elsewhere (CLIP, SigLIP …), kept beside the items of a store.

``features/NAME/pictures.npy`` (N, D1) and ``texts.npy`` (N, D2), float16 or float32, memory-mapped;
``features.json`` says where they came from.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from rivae.data.store.place import checked_name
from rivae.errors import DataError
from rivae.files import write_json

FOLDER = "features"
SIDES = ("pictures", "texts")
MAX_DIM = 16_384
_BLOCK = 8192


class MatrixView:
    """Rows of a matrix that stays on the disk, as float32 vectors (D,) of length sqrt(D).

    So a number is 1 in the mean square, whatever the scale of the embeddings.
    """

    def __init__(self, matrix: NDArray[Any]) -> None:
        self.matrix = matrix

    @property
    def shape(self) -> tuple[int, ...]:
        return (int(self.matrix.shape[1]),)

    def __len__(self) -> int:
        return int(self.matrix.shape[0])

    def batch(self, ids: Any) -> torch.Tensor:
        """Rows ``ids`` (any integer array of shape ``s``) as float32 of shape ``s + (D,)``."""
        index = np.asarray(ids, dtype=np.int64)
        rows = torch.from_numpy(self.matrix[index.reshape(-1)].astype(np.float32))
        rows = torch.nn.functional.normalize(rows, dim=-1) * math.sqrt(rows.shape[1])
        return rows.reshape(*index.shape, -1)


def read_matrix(path: Path) -> NDArray[Any]:
    """A matrix of floats: an .npy file, memory-mapped, or Parquet with a list column or D columns.

    Its rows are checked when they are taken over, see ``write_features``.

    Raises:
        DataError: in one sentence.
    """
    if not path.is_file():
        raise DataError(f"{path} does not exist or is no file: check the path")
    if path.suffix.lower() == ".parquet":
        matrix = _parquet(path)
    else:
        try:
            matrix = np.load(path, mmap_mode="r", allow_pickle=False)
        except (ValueError, OSError, EOFError) as error:
            raise DataError(f"{path.name} is no sound .npy file of numbers: {error}") from error
        if not isinstance(matrix, np.ndarray):
            raise DataError(f"{path.name} holds several arrays: save one matrix as .npy")
    if matrix.ndim != 2 or matrix.dtype.kind != "f":
        raise DataError(
            f"{path.name} holds {matrix.dtype} of shape {matrix.shape}, not a matrix of floats"
        )
    if not 2 <= matrix.shape[1] <= MAX_DIM:
        raise DataError(f"{path.name} has {matrix.shape[1]} columns, not 2 to {MAX_DIM:,}")
    return matrix


def _parquet(path: Path) -> NDArray[Any]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        table = pq.read_table(path)
        if table.num_columns == 1 and not pa.types.is_primitive(table.schema.types[0]):
            column = table.column(0).combine_chunks()
            flat = column.flatten().to_numpy(zero_copy_only=False)
            return np.asarray(flat, dtype=np.float32).reshape(len(column), -1)
        return np.column_stack([c.to_numpy() for c in table.columns]).astype(np.float32)
    except (OSError, pa.ArrowException, ValueError, TypeError, AttributeError) as error:
        raise DataError(f"{path.name} is no table of numbers: {error}") from error


def write_features(
    folder: Path,
    name: str,
    matrices: Mapping[str, NDArray[Any]],
    rows: NDArray[np.int64],
    about: Mapping[str, Any],
) -> None:
    """Take over rows of two matrices as the features ``name`` of the store in ``folder``.

    Args:
        matrices: "pictures" and "texts", at least as long as ``rows`` reaches.
        rows: (N,) the row of each item.
        about: where they came from.

    Raises:
        DataError: when a matrix is too short, or a row is all zero or not finite.
    """
    place = folder / FOLDER / checked_name(name)
    place.mkdir(parents=True, exist_ok=True)
    for side in SIDES:
        matrix = matrices[side]
        if len(rows) and rows.max() >= len(matrix):
            raise DataError(
                f"the {side} matrix has {len(matrix):,} rows but record {int(rows.max()) + 1:,} is "
                "used: give one row per record of the table"
            )
        dtype = np.float16 if matrix.dtype == np.float16 else np.float32
        out = np.lib.format.open_memmap(
            place / f"{side}.npy", mode="w+", dtype=dtype, shape=(len(rows), matrix.shape[1])
        )
        for start in range(0, len(rows), _BLOCK):
            block = np.asarray(matrix[rows[start : start + _BLOCK]], dtype=np.float32)
            bad = ~np.isfinite(block).all(1) | ~(np.abs(block).sum(1) > 0)
            if bad.any():
                row = int(rows[start + int(bad.argmax())])
                raise DataError(
                    f"row {row + 1:,} of the {side} matrix is all zero or not finite: leave that "
                    "record out of the table and of both matrices"
                )
            out[start : start + len(block)] = block
        out.flush()
    write_json(place / "features.json", {**about, "n_items": len(rows)})


def feature_names(folder: Path) -> list[str]:
    """The features that the store in ``folder`` has."""
    return sorted(path.parent.name for path in (folder / FOLDER).glob("*/features.json"))


def read_features(folder: Path, name: str, n: int) -> dict[str, MatrixView]:
    """The features ``name`` by side, "pictures" (n, D1) and "texts" (n, D2); one may be missing.

    Raises:
        DataError: when there are none of that name, or they do not fit the store.
    """
    if name not in feature_names(folder):
        known = ", ".join(feature_names(folder)) or "none"
        raise DataError(
            f"{folder.name} has no features '{name[:60]}' (it has: {known}): bring them in with "
            "`rivae import --embeddings`, or make them with `rivae features`"
        )
    place = folder / FOLDER / name
    views = {}
    for side in SIDES:
        if not (place / f"{side}.npy").is_file():
            continue
        matrix = read_matrix(place / f"{side}.npy")
        if len(matrix) != n:
            raise DataError(f"{place} has {len(matrix):,} rows for {n:,} items: make it again")
        views[side] = MatrixView(matrix)
    return views
