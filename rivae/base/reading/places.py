"""Files that lie in an object store (``s3://``, ``gs://``, ``hf://`` …), read where they are.

A place there is a ``UPath`` of universal-pathlib, which is used as a ``Path`` is: it has a name, is
listed and opened, and travels to the workers of a cluster. What it is read by, e.g. s3fs, and with
whose keys, is fsspec's matter. Whatever fails on the way stops the work, which resumes.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, cast

from rivae.base.errors import ConfigError, DataError, WorkStoppedError, shown
from rivae.base.installed import how_to_install

EXTRA = "remote"
_MARK = "://"
_BUFFER = 1 << 20
# They list no folders, and a folder that is asked for is downloaded as a whole.
_WITHOUT_FOLDERS = ("http", "https", "ftp", "data")
# What a store calls the hash of a file's content.
_HASHES = ("ETag", "etag", "md5Hash", "content_md5", "sha256", "blob_id")


def is_address(text: str) -> bool:
    """Whether what a person wrote names no path of this machine: ``s3://bucket/pairs``."""
    return _MARK in text


def place(text: str) -> Path:
    """The file or folder that a person names: a path of this machine, or one in an object store.

    Raises:
        ConfigError: a package is missing, or files there cannot be read in place.
        DataError: there is nothing.
        WorkStoppedError: the store does not answer.
    """
    if not is_address(text):
        return Path(text)
    protocol = text.partition(_MARK)[0].lower()
    if protocol in _WITHOUT_FOLDERS:
        raise ConfigError(f"files behind {protocol}:// are not read in place: download them first")
    try:
        from upath import UPath
    except ImportError:
        raise ConfigError(f"an object store needs fsspec: {how_to_install(EXTRA)}") from None
    try:
        path: Any = UPath(text)
        fs = path.fs
        with reached(text):
            fs.info(path.path)
    except (ImportError, ValueError) as error:  # no such protocol, or the package that reads it
        raise ConfigError(f"{shown(text)} cannot be read: {error}") from error
    return cast("Path", path)


def is_remote(path: Path) -> bool:
    """Whether a place lies in an object store."""
    return not isinstance(path, Path)


@contextmanager
def reached(what: object) -> Iterator[None]:
    """Each store has exceptions of its own: what they mean for the work.

    Raises:
        DataError: there is no such file.
        WorkStoppedError: anything else.
    """
    try:
        yield
    except FileNotFoundError:
        raise DataError(f"there is no {shown(what)}: check the path") from None
    except Exception as error:
        why = str(error) or type(error).__name__
        raise WorkStoppedError(
            f"{shown(what)} cannot be read now ({why}): the same command resumes"
        ) from error


def open_remote(path: Path) -> IO[bytes]:
    """A file of an object store, for reading."""
    with reached(path):
        return io.BufferedReader(_Remote(cast("Any", path).open("rb"), str(path)), _BUFFER)


def remote_hash(path: Path) -> str:
    """What the store itself says of the content of a file; "" where it says nothing."""
    there = cast("Any", path)
    with reached(path):
        facts = there.fs.info(there.path)
    mark = next((facts[name] for name in _HASHES if facts.get(name)), "")
    return f"{mark} of {facts.get('size')}" if mark else ""


class _Remote(io.RawIOBase):
    """fsspec's stream as one of Python's, whose reader can look ahead."""

    def __init__(self, stream: Any, name: str) -> None:
        self._stream, self._name = stream, name

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        return int(self._stream.seek(offset, whence))

    def tell(self) -> int:
        return int(self._stream.tell())

    def readinto(self, buffer: Any) -> int:
        with reached(self._name):
            data = self._stream.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        self._stream.close()
        super().close()
