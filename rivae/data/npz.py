"""Reads arrays from an untrusted .npz: no pickles, sizes checked before anything is unpacked."""

from __future__ import annotations

import lzma
import math
import struct
import tokenize
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from rivae.base.errors import DataError

_BLOCK_BYTES = 8 << 20
# Errors of zipfile and its decompressors for damaged, encrypted or exotic members.
UNPACKING_ERRORS = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    struct.error,
    EOFError,
    OSError,
    ValueError,
    RuntimeError,
    NotImplementedError,
)


class NpzFile:
    """Named arrays of one .npz file.

    Every array is announced by a header (type and shape). The header, the size that the zip
    directory states and the caller's limit must agree before data is read, and data is read in
    blocks, so a file can neither run code nor fill the memory.

    Raises:
        DataError: with one sentence naming the file, from every method.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        if not self.path.is_file():
            raise DataError(f"{self.path} does not exist or is not a file: check the path")
        try:
            with zipfile.ZipFile(self.path) as archive:
                self._infos = {i.filename.removesuffix(".npy"): i for i in archive.infolist()}
        except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
            raise DataError(f"{self.path} is not an .npz file (zip of arrays): {error}") from error

    def __contains__(self, key: str) -> bool:
        return key in self._infos

    def shape(self, key: str, *, kinds: str, item_shape: tuple[int, ...]) -> tuple[int, ...]:
        """Shape of array ``key`` after the checks of ``array``; reads its header only."""
        with self._open(key, kinds, item_shape) as (_, shape, _dtype, _by_column):
            return shape

    def array(
        self, key: str, *, kinds: str, item_shape: tuple[int, ...], max_bytes: int
    ) -> NDArray[Any]:
        """The array ``key`` of shape (N, *item_shape).

        Args:
            kinds: allowed numpy type kinds, e.g. "iu" for integers, "f" for floats.
            item_shape: the shape that every row must have.
            max_bytes: refuse a larger array.
        """
        return self.rows(key, None, kinds=kinds, item_shape=item_shape, max_bytes=max_bytes)

    def rows(
        self,
        key: str,
        mask: NDArray[np.bool_] | None,
        *,
        kinds: str,
        item_shape: tuple[int, ...],
        max_bytes: int,
    ) -> NDArray[Any]:
        """The rows of ``key`` where ``mask`` (N,) is true, in order; ``max_bytes`` bounds them.

        Streams over the array, so a few rows of a 3 GB array cost little memory; only an array
        stored column by column (Fortran order) must fit into ``max_bytes`` altogether.
        """
        with self._open(key, kinds, item_shape) as (stream, shape, dtype, by_column):
            if mask is not None and len(mask) != shape[0]:
                raise DataError(f"{self.path}: '{key}' has {shape[0]} rows, not {len(mask)}")
            row_bytes = dtype.itemsize * math.prod(item_shape)
            n_kept = shape[0] if mask is None or by_column else int(mask.sum())
            if n_kept * row_bytes > max_bytes:
                size = f"{n_kept * row_bytes / 2**20:.0f} MiB"
                raise DataError(f"{self.path}: '{key}' needs {size}, more than allowed here")
            if by_column:  # then every row is spread over the array
                block = stream.read(n_kept * row_bytes)
                if len(block) != n_kept * row_bytes:
                    raise DataError(f"{self.path}: '{key}' ends early, the file is damaged")
                whole = np.frombuffer(block, dtype).reshape(shape, order="F")
                return np.ascontiguousarray(whole if mask is None else whole[mask])
            out = np.empty((n_kept, *item_shape), dtype)
            step, n_done = max(1, _BLOCK_BYTES // max(row_bytes, 1)), 0
            for start in range(0, shape[0], step):
                n = min(step, shape[0] - start)
                block = stream.read(n * row_bytes)
                if len(block) != n * row_bytes:
                    raise DataError(f"{self.path}: '{key}' ends early, the file is damaged")
                rows = np.frombuffer(block, dtype).reshape(n, *item_shape)
                if mask is not None:
                    rows = rows[mask[start : start + n]]
                out[n_done : n_done + len(rows)] = rows
                n_done += len(rows)
            return out

    @contextmanager
    def _open(
        self, key: str, kinds: str, item_shape: tuple[int, ...]
    ) -> Iterator[tuple[IO[bytes], tuple[int, ...], np.dtype[Any], bool]]:
        if key not in self._infos:
            raise DataError(f"{self.path} holds no array '{key}'")
        info = self._infos[key]
        try:
            with zipfile.ZipFile(self.path) as archive, archive.open(info) as stream:
                shape, dtype, by_column = self._header(key, stream)
                if dtype.hasobject or dtype.kind not in kinds:
                    raise DataError(f"{self.path}: '{key}' has the unexpected type {dtype}")
                if len(shape) < 1 or shape[0] < 0 or shape[1:] != item_shape:
                    expected_shape = ("N", *item_shape)
                    raise DataError(f"{self.path}: '{key}' has shape {shape}, not {expected_shape}")
                n_bytes = dtype.itemsize * math.prod(shape)
                if n_bytes > info.file_size:
                    raise DataError(f"{self.path}: '{key}' ends early, the file is damaged")
                yield stream, shape, dtype, by_column
        except UNPACKING_ERRORS as error:
            raise DataError(f"{self.path}: '{key}' cannot be unpacked: {error}") from error

    def _header(self, key: str, stream: IO[bytes]) -> tuple[tuple[int, ...], np.dtype[Any], bool]:
        try:
            version = npy.read_magic(stream)
            read = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
            shape, fortran_order, dtype = read(stream)
        except (ValueError, TypeError, EOFError, SyntaxError, tokenize.TokenError) as error:
            raise DataError(
                f"{self.path}: '{key}' is not an array, its header is damaged"
            ) from error
        return shape, dtype, fortran_order and len(shape) > 1
