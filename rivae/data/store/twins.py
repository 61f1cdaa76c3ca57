"""Which items of an import share a picture, so that no picture gets into two parts of a split.

``same_picture.npy`` (N,) int64 names for every item the first one with the same picture. The file
exists only where pictures are shared and the split is drawn; imports of older versions have none.
While an import grows, ``marks-00000.bin`` keeps the marks of a chunk's pictures.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from rivae.base.errors import DataError
from rivae.base.files import write_atomic_with
from rivae.data.store.layout import items_path, marks_path

SAME_PICTURE = "same_picture.npy"
MARK_BYTES = 12
NO_MARK = bytes(MARK_BYTES)

Groups = NDArray[np.int64]


def mark_of(picture: bytes) -> bytes:
    """12 bytes that equal pictures share, and others do not."""
    return hashlib.blake2b(picture, digest_size=MARK_BYTES).digest()


def groups_of(marks: bytes | bytearray) -> Groups:
    """(N,) the first item with the same mark, of each item; itself where it has none.

    Args:
        marks: those of N items, one after the other; ``NO_MARK`` for an item without a picture.
    """
    each = np.frombuffer(marks, dtype=f"S{MARK_BYTES}")
    _, first, which = np.unique(each, return_index=True, return_inverse=True)
    return np.where(each == b"", np.arange(len(each)), first[which]).astype(np.int64)


def are_shared(groups: Groups) -> bool:
    """Whether two items share a picture."""
    return bool((groups != np.arange(len(groups))).any())


def marks_and_parts(folder: Path, n_chunks: int) -> tuple[bytes, list[str]]:
    """The marks of the pictures, and the named parts of the split, in chunks of a growing import.

    Raises:
        DataError: a file is missing or damaged.
    """
    marks, parts = bytearray(), list[str]()
    try:
        for chunk in range(n_chunks):
            marks += marks_path(folder, chunk).read_bytes()
            table = pq.read_table(items_path(folder, chunk), columns=["partition"])
            parts += table["partition"].to_pylist()
    except (OSError, pa.ArrowException, KeyError, ValueError) as error:
        raise DataError(f"{folder} is damaged: delete it and import the data again") from error
    return bytes(marks), parts


def write_groups(folder: Path, groups: Groups) -> None:
    """Keep the groups with the store in ``folder``.

    Raises:
        WriteError: the disk refuses.
    """
    write_atomic_with(
        folder / SAME_PICTURE, lambda stream: np.save(stream, groups, allow_pickle=False)
    )


def read_groups(folder: Path, n: int) -> Groups:
    """The groups of the n items in ``folder``; each item is its own where none are kept.

    Raises:
        DataError: the file is damaged, or belongs to another import.
    """
    path, alone = folder / SAME_PICTURE, np.arange(n, dtype=np.int64)
    try:
        group_ids = np.lib.format.open_memmap(path, mode="r")
    except FileNotFoundError:
        return alone
    except (OSError, ValueError, EOFError, TypeError, SyntaxError, MemoryError) as error:
        raise DataError(f"{path} is damaged: import the data again") from error
    if group_ids.dtype != np.int64 or group_ids.shape != (n,):
        raise DataError(f"{path} belongs to another import: import the data again")
    groups = np.array(group_ids)
    if n and (groups.min() < 0 or (groups > alone).any() or (groups[groups] != groups).any()):
        raise DataError(f"{path} is damaged: import the data again")
    return groups
