"""The SQLite file of labels before it is opened: whole at first sight, made anew, or only read.

A new file appears in one step with its tables. So a file without content is never a young store,
but one that something has cut off, and no empty store takes its place.
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
_COPIES = 3  # attempts, in case somebody writes meanwhile


def wal_of(path: Path) -> Path:
    """Where SQLite keeps the last changes of a file until it copies them into it."""
    return path.with_name(path.name + "-wal")


def has_wal(path: Path) -> bool:
    """Whether the last changes of a file may stand beside it."""
    wal = wal_of(path)
    return wal.exists() and wal.stat().st_size > 0


def trouble_of(path: Path) -> str:
    """What is wrong with the file of a store, in one sentence; "" for a file that can be opened,
    and for one that is not there and has never been.

    Only its first bytes are read, and it stays as it is.

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
    """Make the file of a new store in one step, its owner's alone; nothing if it is there already.

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
    # Files that a crash of an older version has left may be readable by others.
    for part in (path, wal_of(path), path.with_name(path.name + "-shm")):
        if part.exists():
            private_file(part)


def _publish(new: Path, path: Path) -> None:
    """Give ``new`` its name; the file of another process that was first stays."""
    try:
        os.link(new, path)
    except FileExistsError:
        return
    except OSError:  # a file system without links
        with locked(path.with_name(f".{path.name}.lock"), 5.0):
            if not path.exists():
                new.rename(path)


def private_copy(path: Path) -> tempfile.TemporaryDirectory[str]:
    """A copy of the file and of its last changes in a folder of its own, under the same name.

    Raises:
        OSError: there is no room for it anywhere, or somebody keeps writing to it.
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
