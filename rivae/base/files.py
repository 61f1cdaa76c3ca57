"""Files that survive a kill or a full disk at any moment, and a lock that the kernel frees with its
process.

Whatever a user would miss is written by ``write_atomic`` and its kin, and by nothing else.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import math
import os
import re
import stat
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import IO, Any

from rivae.base.errors import RivaeError, shortened, shown

if os.name == "posix":
    import fcntl


# The name of the temporary file that ``write_atomic_with`` writes first.
_TEMPORARY = re.compile(r"\..+\.\d+(-\d+)?\.tmp")


class WriteError(RivaeError, OSError):
    """A file that cannot be written; the old one is whole, and nothing of the new one is there."""

    def __init__(self, number: int | None, why: str, path: str) -> None:
        OSError.__init__(self, number, why, path)

    def __str__(self) -> str:
        return shortened(f"{shown(self.filename, 160)} cannot be written: {why_not(self)}")


def why_not(error: OSError) -> str:
    """Why a file cannot be written, and what to do, after a colon: "no space left: make …"."""
    reason = error.strerror or type(error).__name__
    return ADVICE.get(error.errno or 0, f"{reason}: choose another place")


_FULL = "no space left: make room, then try again"
ADVICE = {
    errno.ENOSPC: _FULL,
    getattr(errno, "EDQUOT", errno.ENOSPC): _FULL,
    errno.EFBIG: "it is larger than a file may be there: choose another place",
    errno.EACCES: "you have no right to write there: choose another place",
    errno.EPERM: "you have no right to write there: choose another place",
    errno.EROFS: "that disk can only be read: choose another place",
    errno.ENOENT: "there is no such folder: make it, or choose another place",
}


def write_atomic(path: Path, data: bytes, *, private: bool = False) -> None:
    """Replace ``path`` by ``data``: after a crash it holds either the old bytes or the new ones.

    ``private``: nobody but the owner may read the file.

    Raises:
        WriteError: with the reason, a full disk say; the old file is untouched.
    """
    write_atomic_with(path, lambda stream: stream.write(data), private=private)


def write_atomic_with(
    path: Path, write: Callable[[IO[bytes]], object], *, private: bool = False
) -> None:
    """``write_atomic`` for content too large to hold twice: ``write`` puts it into the stream."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_BINARY", 0)
    temporary = _temporary(path)
    try:
        # What takes its place would take away a device that others use.
        if path.exists() and not path.is_file():
            raise OSError(errno.EINVAL, "it is not a plain file")
        with os.fdopen(os.open(temporary, flags, 0o600 if private else 0o666), "wb") as stream:
            write(stream)
            stream.flush()
            os.fsync(stream.fileno())
        temporary.replace(path)
    except BaseException as error:
        # Half a file must not remain and fill a disk that may be full already.
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
        if isinstance(error, OSError) and not isinstance(error, RivaeError):
            why = error.strerror or str(error)
            raise WriteError(error.errno, why, str(path)) from error
        raise
    sync_folder(path.parent)


def _temporary(path: Path) -> Path:
    """Where the new content is written first, in the same folder."""
    # With what is added, a name may be longer than a file's name can be.
    name, name_bytes = path.name, os.fsencode(path.name)
    if len(name_bytes) > 200:
        name = hashlib.blake2b(name_bytes, digest_size=8).hexdigest()
    # Threads of one process may write the same file, so both numbers are in the name.
    return path.with_name(f".{name}.{os.getpid()}-{threading.get_ident()}.tmp")


def make_folder(path: Path) -> None:
    """Make a folder, and those above it, for what is written next; it may be there.

    Raises:
        WriteError: with the reason.
    """
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise WriteError(error.errno, error.strerror or str(error), str(path)) from error


def require_room(folder: Path, n_bytes: int) -> None:
    """Write so many bytes into ``folder`` and remove them again, before work that ends in a file.

    Raises:
        OSError: there is no right or no room for it.
    """
    path = folder / f".room.{os.getpid()}-{threading.get_ident()}.tmp"
    try:
        with path.open("wb") as stream:
            stream.write(bytes(n_bytes))
            stream.flush()
            os.fsync(stream.fileno())
    finally:
        path.unlink(missing_ok=True)


def write_cache(path: Path, write: Callable[[IO[bytes]], object]) -> None:
    """``write_atomic_with`` for a cache, which can be computed again; makes its folder too.

    A folder that cannot be written only costs time, so no error is raised.
    """
    with contextlib.suppress(OSError):
        path.parent.mkdir(exist_ok=True)
        write_atomic_with(path, write)


def remove_oldest(paths: Iterable[Path], most: int) -> None:
    """Delete all but the ``most`` files that were written last; errors are left aside."""
    by_time = []
    for path in paths:
        with contextlib.suppress(OSError):
            by_time.append((path.stat().st_mtime_ns, path))
    for _, path in sorted(by_time, reverse=True)[most:]:
        with contextlib.suppress(OSError):
            path.unlink()


def remove_temporaries(folder: Path) -> None:
    """Delete what a killed ``write_atomic`` left; no other process may write in ``folder`` then."""
    for path in folder.glob(".*.tmp"):
        if _TEMPORARY.fullmatch(path.name) and path.is_file():
            path.unlink(missing_ok=True)


def private_folder(path: Path) -> None:
    """Make a folder that only its owner may open; an existing one stays as it is."""
    path.mkdir(mode=0o700, parents=True, exist_ok=True)


def private_file(path: Path) -> None:
    """Make sure that a file exists which other users of this machine cannot read.

    A new one is empty and its owner's alone. One of ours that is there loses the rights of others,
    and those of its group unless the group may write: then it is shared on purpose.
    """
    try:
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        return
    except FileExistsError:
        pass
    # Without opening it: closing a file drops the locks that this process holds on it.
    with contextlib.suppress(OSError):
        status = path.stat()
        private_mode = stat.S_IMODE(status.st_mode) & (
            0o770 if status.st_mode & stat.S_IWGRP else 0o700
        )
        is_ours = (
            os.name == "posix" and status.st_uid == os.geteuid() and stat.S_ISREG(status.st_mode)
        )
        if is_ours and private_mode != stat.S_IMODE(status.st_mode):
            path.chmod(private_mode)


def open_plain(path: Path, mode: str, *, private: bool = False) -> IO[Any]:
    """``path.open(mode)`` without waiting; an OSError for anything but a plain file.

    A pipe would wait for its other end, and a device may read or write without end.

    Args:
        private: a file made by this belongs to its owner alone.
    """

    def opener(name: str, flags: int) -> int:
        flags |= getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)
        handle = os.open(name, flags, 0o600 if private else 0o666)
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            os.close(handle)
            raise OSError(errno.EINVAL, "it is not a plain file", name)
        return handle

    return open(path, mode, opener=opener)


@contextlib.contextmanager
def locked(path: Path, patience: float = 0.5, *, private: bool = False) -> Iterator[None]:
    """Hold an exclusive lock on the file ``path`` (made if missing).

    Raises:
        BlockingIOError: when another process, or another handle of this one, holds it for longer
            than ``patience`` seconds (``is_locked`` looks for an instant only).
    """
    if os.name != "posix":
        yield
        return
    with open_plain(path, "a", private=private) as stream:
        take_lock(stream, patience)
        yield


def take_lock(stream: IO[Any], patience: float = 0.5) -> None:
    """Lock an open file until it, and every copy of it in other processes, is closed.

    Raises:
        BlockingIOError: as ``locked``.
    """
    deadline = time.monotonic() + patience
    while True:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.02)


def is_locked(path: Path) -> bool:
    """Whether a living process holds ``locked(path)``; where that cannot be known, True."""
    if os.name != "posix":
        return True
    try:
        with open_plain(path, "r") as stream:
            fcntl.flock(stream, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except OSError as error:
        return error.errno != errno.EINVAL  # not a plain file, which cannot be locked
    return False


def reserve(path: Path, n_bytes: int) -> None:
    """Make the file ``n_bytes`` long and reserve that space on the disk.

    Otherwise a full disk kills a process that writes into a memory map of the file.

    Raises:
        OSError: there is no room.
    """
    with path.open("ab") as stream:
        if os.fstat(stream.fileno()).st_size != n_bytes:
            os.truncate(path, n_bytes)
        if hasattr(os, "posix_fallocate") and n_bytes:
            os.posix_fallocate(stream.fileno(), 0, n_bytes)


def sync_folder(folder: Path) -> None:
    """Make a rename durable; on systems that cannot open folders this is left to the system."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def write_json(path: Path, value: Any, *, private: bool = False) -> None:
    """Atomic, human-readable JSON; NaN and infinities are written as null."""
    text = json.dumps(json_ready(value), indent=2, ensure_ascii=False, allow_nan=False)
    write_atomic(path, (text + "\n").encode(), private=private)


def change_json(
    path: Path, change: Callable[[], Any], patience: float = 5.0, *, private: bool = False
) -> None:
    """Replace the JSON in ``path`` by what ``change()`` returns, one process or thread at a time.

    ``change`` reads the current content itself, so that no concurrent change is lost.

    Raises:
        BlockingIOError: when another process or thread writes for longer than ``patience`` seconds.
        OSError: when the file cannot be written.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with locked(path.with_name(f".{path.name}.lock"), patience, private=private):
        write_json(path, change(), private=private)


def json_ready(value: Any) -> Any:
    """Plain lists, dictionaries, strings and finite numbers; NaN and infinities become None."""
    if isinstance(value, Mapping):
        return {str(key): json_ready(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [json_ready(item) for item in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if hasattr(value, "tolist"):  # numpy scalars and arrays, without importing numpy here
        return json_ready(value.tolist())
    return value


def is_folder(path: Path) -> bool:
    """Whether there is a folder, not a link to one."""
    try:
        return stat.S_ISDIR(path.lstat().st_mode)
    except (OSError, ValueError):
        return False


def is_file(path: Path) -> bool:
    """Whether there is a plain file, not a link to one."""
    try:
        return stat.S_ISREG(path.lstat().st_mode)
    except (OSError, ValueError):
        return False


def folder_bytes(folder: Path) -> int:
    """The bytes of all files in a folder, or of one file; links are not followed."""
    total = 0
    if is_file(folder):
        return folder.lstat().st_size
    for place, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(OSError):  # gone a moment ago
                total += os.lstat(Path(place) / name).st_size
    return total
