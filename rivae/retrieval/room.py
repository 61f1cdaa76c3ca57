"""The room that an index is built in: memory, or files in which a stopped build resumes."""

from __future__ import annotations

import hashlib
import json
import math
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from rivae.base.files import reserve, write_json
from rivae.base.installed import VERSION

NOTE_S = 5.0  # between two notes of how many items are done: so much work a stop may cost
HEAD = "begun.json"
_HEADER = 128  # bytes of a .npy file before its numbers


class Memory:
    """Arrays in memory: see ``Allocate``."""

    def __call__(
        self, name: str, shape: tuple[int, ...], dtype: DTypeLike = np.float32
    ) -> NDArray[Any]:
        """See ``Allocate``."""
        return np.empty(shape, dtype)

    def n_done(self, *made_from: NDArray[Any]) -> int:
        """Nothing is there from before."""
        return 0

    def note(self, n_done: int) -> None:
        """Nothing is kept."""


class Files:
    """Arrays in files of a folder: see ``Allocate``.

    A note is written after the numbers that it speaks of are on the disk.

    Args:
        folder: of this build alone.
        key: names the points and the kind of index.
    """

    def __init__(self, folder: Path, key: str) -> None:
        self._folder, self._key = folder, key
        self._arrays: dict[str, np.memmap[Any, Any]] = {}
        self._is_new = False
        self._from = ""
        self._noted_at = time.monotonic()

    def __call__(
        self, name: str, shape: tuple[int, ...], dtype: DTypeLike = np.float32
    ) -> NDArray[Any]:
        """See ``Allocate``.

        Raises:
            OSError: there is no room on the disk.
        """
        path = self._folder / f"{name}.npy"
        if (array := _opened(path, shape, np.dtype(dtype))) is None:
            self._is_new = True
            path.unlink(missing_ok=True)
            reserve(path, np.dtype(dtype).itemsize * math.prod(shape) + _HEADER)
            array = np.lib.format.open_memmap(path, mode="w+", dtype=np.dtype(dtype), shape=shape)
        self._arrays[name] = array
        return array

    def n_done(self, *made_from: NDArray[Any]) -> int:
        """See ``Allocate``."""
        digest = hashlib.blake2b(f"{VERSION} {self._key}".encode(), digest_size=16)
        for array in made_from:
            digest.update(np.ascontiguousarray(array).tobytes())
        self._from = digest.hexdigest()
        with suppress(OSError, ValueError, KeyError, TypeError):
            head = json.loads((self._folder / HEAD).read_text(encoding="utf-8"))
            if head["from"] == self._from and not self._is_new:
                return int(head["n_done"])
        return 0

    def note(self, n_done: int) -> None:
        """See ``Allocate``."""
        if time.monotonic() - self._noted_at < NOTE_S:
            return
        for array in self._arrays.values():
            array.flush()
        write_json(self._folder / HEAD, {"from": self._from, "n_done": n_done})
        self._noted_at = time.monotonic()

    def put(self, name: str, array: NDArray[Any], target: Path) -> None:
        """Move an array that is whole to the file ``target``; one made elsewhere is written."""
        path = self._folder / f"{name}.npy"
        if isinstance(array, np.memmap) and path.exists():
            array.flush()
        else:
            np.save(path, array, allow_pickle=False)
        path.replace(target)


def _opened(path: Path, shape: tuple[int, ...], dtype: np.dtype[Any]) -> np.memmap[Any, Any] | None:
    """The array that an earlier build began in a file; None where there is none of this shape."""
    with suppress(OSError, ValueError, EOFError):
        seen = np.load(path, allow_pickle=False, mmap_mode="r")  # "r+" makes a short file longer
        if isinstance(seen, np.memmap) and (seen.shape, seen.dtype) == (shape, dtype):
            opened: np.memmap[Any, Any] = np.load(path, allow_pickle=False, mmap_mode="r+")
            return opened
    return None
