"""Looks at and opens untrusted files: only plain files, never a pipe or a device."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import IO

from rivae.base.errors import DataError, WorkStoppedError
from rivae.base.reading.places import is_remote, open_remote

# Of a disk or the network: the file itself may be sound.
_NAMES = (
    *("EIO", "ESTALE", "ENXIO", "ENODEV", "EREMOTEIO", "ETIMEDOUT", "ECONNRESET", "ENOTCONN"),
    *("ECONNABORTED", "EHOSTDOWN", "EHOSTUNREACH", "ENETDOWN", "ENETUNREACH", "ENETRESET"),
)
_FAILED = {getattr(errno, name) for name in _NAMES if hasattr(errno, name)}
_NOT_PLAIN = "it is not a plain file"
# Without these a pipe waits for a writer, and a terminal becomes that of this process.
_FLAGS = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0) | getattr(os, "O_BINARY", 0)


def is_file(path: Path) -> bool:
    """Whether a file can be seen at ``path``, which may be any text.

    False too where this cannot be known: the name is too long or holds a NUL, a folder on the
    way may not be entered, or its disk does not answer.
    """
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def open_regular(path: Path, *, follow: bool = True) -> IO[bytes]:
    """``path`` opened for reading, without waiting, if it is a plain file; also one of an object
    store.

    Args:
        follow: also follow a link, if it points to a plain file.

    Raises:
        OSError: it cannot be opened, or is a folder, a pipe, a socket or a device, behind a link
            too (``/dev/zero`` never ends, a pipe may never begin).
    """
    if is_remote(path):
        return open_remote(path)
    # Looked at before it is opened too: opening a device can do things.
    _require_plain(path.stat(follow_symlinks=follow), path)
    flags = os.O_RDONLY | _FLAGS | (0 if follow else getattr(os, "O_NOFOLLOW", 0))
    stream = os.fdopen(os.open(path, flags), "rb")
    try:
        _require_plain(os.fstat(stream.fileno()), path)
    except BaseException:
        stream.close()
        raise
    return stream


def read_at_most(path: Path, n_bytes: int, *, follow: bool = True) -> bytes | None:
    """The content of a plain file; None where it is larger than ``n_bytes``, read or not.

    Raises:
        OSError: as ``open_regular``.
    """
    with open_regular(path, follow=follow) as stream:
        if os.fstat(stream.fileno()).st_size > n_bytes:
            return None
        # It may have grown, and the kernel's files report a size of 0.
        content = stream.read(n_bytes + 1)
    return content if len(content) <= n_bytes else None


def not_read(words: str, error: BaseException) -> DataError:
    """What an error on the way through a file means: that its disk or network failed, with
    ``WorkStoppedError``, or that the file is damaged.
    """
    failed = isinstance(error, OSError) and error.errno in _FAILED
    return WorkStoppedError(f"{words}; the same command resumes") if failed else DataError(words)


def begins_with(path: Path, mark: bytes) -> bool:
    """Whether a plain file can be read and begins with these bytes."""
    try:
        with open_regular(path) as stream:
            return stream.read(len(mark)) == mark
    except OSError:
        return False


def _require_plain(status: os.stat_result, path: Path) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise OSError(errno.EINVAL, _NOT_PLAIN, str(path))
