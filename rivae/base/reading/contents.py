"""The hash of a file's bytes, which is the identity of what it holds."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from pathlib import Path
from typing import Any

from rivae.base.reading.regular import open_regular

DIGEST_BYTES = 16
_BLOCK = 1 << 20
Written = tuple[int, int, int]


def content_hash(data: bytes = b"") -> Any:
    """The hash that names contents, of ``data`` so far; 32 hexadecimal digits."""
    return hashlib.blake2b(data, digest_size=DIGEST_BYTES)


def written(path: Path) -> Written:
    """What differs once a file was written again: its time, size and place on the disk.

    Raises:
        OSError: there is no such file.
    """
    stat = path.stat()
    return stat.st_mtime_ns, stat.st_size, stat.st_ino


def file_content(path: Path) -> str:
    """The hash of a file's bytes, computed again only after the file has changed.

    Raises:
        OSError: it cannot be read, or is no plain file.
    """
    return _file_content(path, written(path))


@lru_cache(maxsize=64)
def _file_content(path: Path, when: Written) -> str:
    digest = content_hash()
    with open_regular(path) as stream:
        while block := stream.read(_BLOCK):
            digest.update(block)
    return str(digest.hexdigest())
