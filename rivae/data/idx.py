"""Reads idx files (the format of MNIST), plain or gzipped, without trusting their numbers."""

from __future__ import annotations

import gzip
import struct
import zlib
from pathlib import Path
from typing import IO

import numpy as np
from numpy.typing import NDArray

from rivae.errors import DataError
from rivae.reading.regular import open_regular

_UINT8 = 0x08
MAX_BYTES = 256 << 20  # MNIST's largest file unpacks to 47 MB


def read_idx(path: str | Path, n_dims: int) -> NDArray[np.uint8]:
    """The uint8 array of an idx file.

    Args:
        path: the file; it counts as gzipped when its first two bytes say so.
        n_dims: 1 for labels, 3 for images.

    Raises:
        DataError: naming the file, when it is missing, of another kind, cut short or too long.
    """
    path = Path(path)
    try:
        with open_regular(path) as plain:
            packed = plain.read(2) == b"\x1f\x8b"
            plain.seek(0)
            if packed:
                with gzip.GzipFile(fileobj=plain) as stream:
                    return _read(path, stream, n_dims)
            return _read(path, plain, n_dims)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise DataError(f"{path} is cut short or damaged: {error}") from error
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror or error}") from error


def _read(path: Path, stream: IO[bytes] | gzip.GzipFile, n_dims: int) -> NDArray[np.uint8]:
    start = stream.read(4)
    if len(start) < 4:
        raise DataError(f"{path} is cut short: it has no idx header")
    magic = struct.unpack(">I", start)[0]
    expected = _UINT8 << 8 | n_dims
    if magic != expected:
        raise DataError(f"{path} is no idx file of this kind: magic {magic}, expected {expected}")
    sizes = stream.read(4 * n_dims)
    if len(sizes) < 4 * n_dims:
        raise DataError(f"{path} is cut short: it has no idx header")
    shape = struct.unpack(f">{n_dims}I", sizes)
    # Python integers: the product of three hostile numbers must not wrap around.
    n_bytes = 1
    for size in shape:
        n_bytes *= size
    if n_bytes > MAX_BYTES:
        raise DataError(f"{path} states {n_bytes / 2**20:.0f} MiB of data, more than allowed here")
    # One byte more than stated, to see that nothing follows.
    data = stream.read(n_bytes + 1)
    if len(data) != n_bytes:
        found = "more" if len(data) > n_bytes else f"{len(data)}"
        raise DataError(f"{path} states {n_bytes} bytes of data but holds {found}")
    return np.frombuffer(data, np.uint8).reshape(shape)
