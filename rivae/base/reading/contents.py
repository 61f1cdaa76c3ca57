"""The hash of a file's bytes, which is the identity of what it holds."""

from __future__ import annotations

import hashlib
import json
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any

from rivae.base.errors import DataError
from rivae.base.files import write_cache
from rivae.base.reading.documents import read_json
from rivae.base.reading.places import is_remote, remote_hash
from rivae.base.reading.regular import open_regular

DIGEST_BYTES = 16
LARGE = 64 * 2**20  # bytes that take a tenth of a second to read and hash
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
    """The hash of a file's bytes, computed again only after the file has changed; of a file in an
    object store that of what the store says of them.

    Raises:
        OSError: it cannot be read, or is no plain file.
    """
    if not is_remote(path):
        return _file_content(path, written(path))
    mark = remote_hash(path)
    return str(content_hash(mark.encode()).hexdigest()) if mark else _hashed(path)


def kept_content(path: Path, cache: Path) -> str:
    """``file_content``, that of a large file kept in the folder ``cache`` for later processes.

    Raises:
        OSError: it cannot be read, or is no plain file.
    """
    when = written(path)
    if when[1] < LARGE:
        return file_content(path)
    note = cache / f"content-{path.parent.name}-{path.stem}.json"
    with suppress(DataError, OSError):
        match read_json(note):
            case {"written": [*time_size_place], "content": str(content)}:
                if time_size_place == [*when]:
                    return content
    content = file_content(path)
    if written(path) == when:
        about = json.dumps({"written": when, "content": content}).encode()
        write_cache(note, lambda stream: stream.write(about))
    return content


@lru_cache(maxsize=64)
def _file_content(path: Path, when: Written) -> str:
    return _hashed(path)


def _hashed(path: Path) -> str:
    digest = content_hash()
    with open_regular(path) as stream:
        while block := stream.read(_BLOCK):
            digest.update(block)
    return str(digest.hexdigest())
