"""Embeddings made elsewhere (CLIP, SigLIP …), kept next to the items of a store.

``features/NAME/pictures.npy`` (N, D1) and ``texts.npy`` (N, D2), float16 or float32, memory-mapped;
``features.json`` says where they came from.
"""

from __future__ import annotations

import math
import mmap
import tokenize
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import IO, Any

import numpy as np
import torch
from numpy.typing import NDArray

from rivae.base.arrays import in_reach
from rivae.base.errors import DataError, WorkStoppedError
from rivae.base.files import write_atomic_with, write_json
from rivae.base.installed import cache_folder
from rivae.base.reading.contents import content_hash, kept_content
from rivae.base.reading.documents import read_json
from rivae.base.reading.parquet import is_parquet, parquet_matrix
from rivae.base.reading.regular import begins_with
from rivae.data.store.manifest import checked_name

FOLDER = "features"
OWN = "own"  # came with an import
# What the pictures of an import are described with unless it brings embeddings.
DESCRIBED = ("efficientnet-lite0", "statistics")
# What a later model of an import reads beside them, where the extra that makes them is installed.
RICHER = ("efficientnet-lite2", "minilm")
SIDES = ("pictures", "texts")
ENCODER = "encoder.safetensors"  # what an encoder fitted to the store
# In features.json: their texts stand beside the words of the store's texts, and not for them.
BESIDE_WORDS = "beside_words"
JOIN = "+"  # between names of features that are read together
# In names of columns of a Parquet file with the embeddings of both sides.
WORDS_OF = {
    "pictures": ("image", "img", "picture", "photo", "visual", "vision"),
    "texts": ("text", "txt", "caption", "title", "recipe", "sentence", "language"),
}
MAX_DIM = 16_384
_BLOCK = 8192
_MAPPED_ROWS = 256  # read from a file before its pages are given back
# Errors of numpy for damaged or forged headers.
_NPY_ERRORS = (
    ValueError,
    OSError,
    EOFError,
    TypeError,
    SyntaxError,
    tokenize.TokenError,
    RecursionError,
    MemoryError,
    OverflowError,
)


class MatrixView:
    """Rows of a matrix that stays on the disk, as float32 vectors (D,) of length sqrt(D).

    So a number is 1 in the mean square, whatever the scale of the embeddings.
    """

    def __init__(self, matrix: NDArray[Any]) -> None:
        self.matrix = matrix
        self._read = 0

    @property
    def shape(self) -> tuple[int, ...]:
        return (int(self.matrix.shape[1]),)

    @property
    def blocks(self) -> tuple[int, ...]:
        """D, as one block; see ``JoinedView``."""
        return self.shape

    def __len__(self) -> int:
        return int(self.matrix.shape[0])

    def batch(self, ids: Any) -> torch.Tensor:
        """Rows ``ids`` (any integer array of shape ``s``) as float32 of shape ``s + (D,)``."""
        index = np.asarray(ids, dtype=np.int64)
        rows = torch.from_numpy(_floats(self.matrix, index.reshape(-1)))
        self._give_back(index.size)
        rows = torch.nn.functional.normalize(rows, dim=-1) * math.sqrt(rows.shape[1])
        return rows.reshape(*index.shape, -1)

    def _give_back(self, n: int) -> None:
        """Now and then, take the pages of the file that were read out of this process.

        They stay in the cache of the system, which maps up to 256 KB around a row: a training
        would soon count the whole file as its memory.
        """
        self._read += n
        pages = self.matrix.base
        if self._read >= _MAPPED_ROWS and isinstance(pages, mmap.mmap):
            self._read = 0
            if hasattr(mmap, "MADV_DONTNEED"):
                pages.madvise(mmap.MADV_DONTNEED)


class JoinedView:
    """The rows of several views next to each other, as vectors (D1 + D2 + ...,).

    Attributes:
        blocks: D1, D2 ...
    """

    def __init__(self, views: Sequence[MatrixView]) -> None:
        self._views = tuple(views)
        self.blocks = tuple(view.shape[0] for view in views)

    @property
    def shape(self) -> tuple[int, ...]:
        return (sum(self.blocks),)

    def __len__(self) -> int:
        return len(self._views[0])

    def batch(self, ids: Any) -> torch.Tensor:
        """Rows ``ids`` (any integer array of shape ``s``) as float32 of shape ``s + (D,)``."""
        return torch.cat([view.batch(ids) for view in self._views], -1)


def read_matrix(path: Path, side: str = "") -> NDArray[Any]:
    """A matrix of floats: an .npy file, memory-mapped, or Parquet with a list column or D columns.

    Its rows are checked when they are stored, see ``write_features``.

    Args:
        side: "pictures" or "texts", which tells the columns of a Parquet file that has both.

    Raises:
        DataError: in one sentence.
    """
    if not path.is_file():
        raise DataError(f"{path} does not exist or is not a file: check the path")
    if is_parquet(path):
        matrix: NDArray[Any] = parquet_matrix(path, WORDS_OF.get(side, ()))
    else:
        try:
            matrix = np.lib.format.open_memmap(path, mode="r")
        except _NPY_ERRORS as error:
            if not begins_with(path, np.lib.format.MAGIC_PREFIX):
                raise DataError(
                    f"{path.name} is neither an .npy file nor Parquet: save one array with "
                    "numpy.save, or write a table with to_parquet"
                ) from error
            why = str(error).splitlines()[0][:200] if str(error) else "its header is damaged"
            raise DataError(f"{path.name} is not a sound .npy file of numbers: {why}") from error
    if matrix.ndim != 2 or matrix.dtype.kind != "f":
        raise DataError(
            f"{path.name} holds {matrix.dtype} of shape {matrix.shape}, not a matrix of floats"
        )
    if not 2 <= matrix.shape[1] <= MAX_DIM:
        raise DataError(f"{path.name} has {matrix.shape[1]} columns, not 2 to {MAX_DIM:,}")
    return matrix


def write_features(
    folder: Path,
    name: str,
    matrices: Mapping[str, NDArray[Any]],
    rows: Mapping[str, NDArray[np.int64]],
    about: Mapping[str, Any],
) -> None:
    """Store rows of two matrices as the features ``name`` of the store in ``folder``.

    Args:
        matrices: "pictures" and "texts", at least as long as ``rows`` reaches.
        rows: (N,) the row of each item, of either matrix.
        about: where they came from.

    Raises:
        DataError: when a matrix is too short, or a row is all zero or not finite.
    """
    for side in SIDES:
        last = int(rows[side].max(initial=-1))
        if last >= len(matrices[side]):
            raise DataError(
                f"the {side} matrix has {len(matrices[side]):,} rows but record "
                f"{last + 1:,} is used: give one row per record of the table"
            )
    place = folder / FOLDER / checked_name(name)
    try:
        place.mkdir(parents=True, exist_ok=True)
        for side in SIDES:
            write_atomic_with(
                place / f"{side}.npy", partial(_write_rows, side, matrices[side], rows[side])
            )
        write_json(place / "features.json", {**about, "n_items": len(rows[SIDES[0]])})
    except OSError as error:
        raise WorkStoppedError(
            f"{folder.parent} cannot be written: {error.strerror or error}; make room and run the "
            "same command again, it resumes where it stopped"
        ) from error


def _write_rows(
    side: str, matrix: NDArray[Any], rows: NDArray[np.int64], stream: IO[bytes]
) -> None:
    """The rows as an .npy file, without a memory map: on a full disk that kills the process."""
    dtype = np.dtype(np.float16 if matrix.dtype == np.float16 else np.float32)
    header = {"descr": dtype.str, "fortran_order": False, "shape": (len(rows), matrix.shape[1])}
    np.lib.format.write_array_header_1_0(stream, header)
    for start in range(0, len(rows), _BLOCK):
        block = _floats(matrix, rows[start : start + _BLOCK])
        bad = ~np.isfinite(block).all(1) | ~(np.abs(block).sum(1) > 0)
        if bad.any():
            row = int(rows[start + int(bad.argmax())])
            raise DataError(
                f"row {row + 1:,} of the {side} matrix is all zero or not finite: remove "
                "that record from the table and from both matrices"
            )
        stream.write(np.ascontiguousarray(block, dtype=dtype).tobytes())


def _floats(matrix: NDArray[Any], rows: NDArray[np.int64]) -> NDArray[np.float32]:
    """Rows in float32, scaled where they are beyond its reach."""
    exact = np.float64 if matrix.dtype.itemsize > 4 else np.float32
    return in_reach(matrix[rows].astype(exact)).astype(np.float32, copy=False)


def feature_names(folder: Path) -> list[str]:
    """The features that the store in ``folder`` has."""
    return sorted(path.parent.name for path in (folder / FOLDER).glob("*/features.json"))


def usual_features(folder: Path) -> str:
    """The features that a run on the import in ``folder`` reads unless it says otherwise: those
    that came with it, or else those that its pictures were described with; "" for pixels.
    """
    names = feature_names(folder)
    return OWN if OWN in names else JOIN.join(name for name in DESCRIBED if name in names)


def single_names(name: str) -> tuple[str, ...]:
    """The features that ``name`` reads together, "a+b", each once and in alphabetical order."""
    return tuple(sorted(set(name.split(JOIN))))


def feature_sides(folder: Path, name: str) -> tuple[str, ...]:
    """Of which sides the store in ``folder`` has features ``name``, one or several together."""
    places = [folder / FOLDER / one for one in single_names(name)]
    return tuple(side for side in SIDES if any((p / f"{side}.npy").is_file() for p in places))


def beside_words(folder: Path, name: str) -> bool:
    """Whether the features ``name`` of texts, one or several together, stand beside their words.

    Those that came with an import stand for the words, and so do those of earlier versions.
    """
    abouts = [
        read_json(folder / FOLDER / one / "features.json")
        for one in set(single_names(name)) & set(feature_names(folder))
        if SIDES[1] in feature_sides(folder, one)
    ]
    return bool(abouts) and all(about.get(BESIDE_WORDS) is True for about in abouts)


def features_content(folder: Path, name: str) -> str:
    """The hash of the features ``name`` of the store in ``folder``, one or several together; ""
    where it has none.

    Raises:
        DataError: they cannot be read.
    """
    digest, has_files = content_hash(), False
    for one in single_names(name):
        place = folder / FOLDER / one
        for side in feature_sides(folder, one):
            has_files = True
            try:
                content = kept_content(place / f"{side}.npy", cache_folder(folder))
                digest.update(f"{side} {content} ".encode())
            except OSError as error:
                raise DataError(f"{place} cannot be read: {error.strerror}") from error
        if beside_words(folder, one):
            digest.update(BESIDE_WORDS.encode())
    return str(digest.hexdigest()) if has_files else ""


def read_features(folder: Path, name: str, n: int) -> dict[str, MatrixView | JoinedView]:
    """The features ``name`` by side, "pictures" (n, D1) and "texts" (n, D2); one may be missing.

    Args:
        name: of one, or of several that are read together, "a+b".

    Raises:
        DataError: when the store has none of that name, or they do not fit it.
    """
    views: dict[str, list[MatrixView]] = {}
    for one in single_names(name):
        if one not in feature_names(folder):
            names = ", ".join(feature_names(folder)) or "none"
            raise DataError(
                f"{folder.name} has no features '{one[:60]}' (it has: {names}): bring them in with "
                "`rivae import --embeddings`, or make them with `rivae features`"
            )
        place = folder / FOLDER / one
        for side in feature_sides(folder, one):
            matrix = read_matrix(place / f"{side}.npy")
            if len(matrix) != n:
                raise DataError(
                    f"{place} has {len(matrix):,} rows for {n:,} items: delete that folder and "
                    "make the features again with `rivae features`"
                )
            views.setdefault(side, []).append(MatrixView(matrix))
    return {
        side: parts[0] if len(parts) == 1 else JoinedView(parts) for side, parts in views.items()
    }
