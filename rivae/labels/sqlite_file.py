"""The SQLite file of labels before it is opened: checked, created, or copied for reading.

A new file appears in one step with its tables. So an empty file is a truncated store, never a new
one, and is not replaced by an empty store.
"""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path

from rivae.base.errors import LabelError, LabelStoreError
from rivae.base.files import locked, private_file, private_folder, sync_folder
from rivae.labels.backups import backups_of

REPAIR = "`rivae labels repair` saves what can be saved"
HEAD = b"SQLite format 3\x00"
_COPIES = 3  # attempts, in case of a concurrent write


def wal_of(path: Path) -> Path:
    """The write-ahead log of SQLite beside the file."""
    return path.with_name(path.name + "-wal")


def has_wal(path: Path) -> bool:
    """Whether the file has a write-ahead log with content."""
    wal = wal_of(path)
    return wal.exists() and wal.stat().st_size > 0


def trouble_of(path: Path) -> str:
    """Why the file of a store cannot be opened, in one sentence; "" if it can, or is new.

    Only its first bytes are read.

    Raises:
        OSError: it cannot be read.
    """
    if path.is_file():
        size = path.stat().st_size
        with path.open("rb") as stream:
            head = stream.read(4096)
        if not head:
            return f"{path.name} is empty, so something has cut it off: {REPAIR}"
        if not any(head):
            return f"{path.name} ({size:,} bytes) begins with zeros, so it is damaged: {REPAIR}"
        if not head.startswith(HEAD):
            return (
                f"{path.name} is not a database of labels, or its beginning is lost: choose "
                f"another file, or {REPAIR}"
            )
        return ""
    if path.is_dir():
        return f"{path.name} cannot be opened, as it is a folder: name a file in it"
    if path.exists() or path.is_symlink():
        return ""  # a device, or a link to nothing: opening says why
    if backups := backups_of(path):
        return (
            f"{path.name} is gone, but its backup of {backups[-1].day} is there: {REPAIR}; to "
            f"begin without those labels, move the folder {backups[-1].path.parent.name} away"
        )
    if has_wal(path):
        return f"{path.name} is gone, but {wal_of(path).name} is there: bring the file back"
    return ""


def require_whole(path: Path) -> None:
    """LabelError with ``trouble_of`` the file."""
    try:
        trouble = trouble_of(path)
    except OSError as error:
        raise LabelError(f"{path.name} cannot be opened: {error.strerror}") from None
    if trouble:
        raise LabelStoreError(trouble)


def is_only_readable(path: Path) -> bool:
    """Whether the file exists, but it or its folder cannot be written (a DVD, a snapshot)."""
    return path.is_file() and not (os.access(path, os.W_OK) and os.access(path.parent, os.W_OK))


def make_file(path: Path, fill: Callable[[Path], None]) -> None:
    """Create the file of a new store in one step, private to its owner, unless it exists.

    Args:
        fill: makes the tables in an empty file.

    Raises:
        OSError: it cannot be written.
    """
    private_folder(path.parent)
    if not os.path.lexists(path):
        new = path.with_name(f".{path.name}.{os.getpid()}-{threading.get_ident()}.tmp")
        new.unlink(missing_ok=True)
        try:
            private_file(new)
            fill(new)
            _publish(new, path)
        finally:
            for leftover in (new, wal_of(new), new.with_name(new.name + "-shm")):
                leftover.unlink(missing_ok=True)
        sync_folder(path.parent)
    # Files of older versions may be readable by others.
    for part in (path, wal_of(path), path.with_name(path.name + "-shm")):
        if part.exists():
            private_file(part)


def _publish(new: Path, path: Path) -> None:
    """Rename ``new``, unless another process has created the file first."""
    try:
        os.link(new, path)
    except FileExistsError:
        return
    except OSError:  # a file system without links
        with locked(path.with_name(f".{path.name}.lock"), 5.0):
            if not path.exists():
                new.rename(path)


def private_copy(path: Path) -> tempfile.TemporaryDirectory[str]:
    """A copy of the file and its write-ahead log, under the same name in a temporary folder.

    Raises:
        OSError: the disk is full, or another process keeps writing to it.
    """
    parts = [part for part in (path, wal_of(path)) if part.exists()]
    places = (None, "/dev/shm")  # the second is memory, for full disks
    for n, place in enumerate(places):
        folder = tempfile.TemporaryDirectory("", "rivae-labels-", place, ignore_cleanup_errors=True)
        try:
            for _ in range(_COPIES):
                before = [(p.stat().st_mtime_ns, p.stat().st_size) for p in parts]
                for part in parts:
                    shutil.copyfile(part, Path(folder.name) / part.name)
                if before == [(p.stat().st_mtime_ns, p.stat().st_size) for p in parts]:
                    return folder
        except OSError:
            folder.cleanup()
            if n + 1 == len(places) or not Path(places[n + 1] or "").is_dir():
                raise
            continue
        folder.cleanup()
        break
    raise OSError(errno.EBUSY, os.strerror(errno.EBUSY))
