"""Folders for a while, which a kill at any moment does not leave behind for ever.

Each holds a locked file as long as its process lives; the kernel frees the lock when that ends. So
a folder whose lock is free belongs to nobody, and ``remove_abandoned`` may remove it.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import IO, TypeVar

from rivae.base.files import take_lock

T = TypeVar("T")
LOCK = ".rivae-in-use"
TO_RESUME = ".begun-"  # how the folders of ``resumed_folder`` begin


@contextlib.contextmanager
def scratch_folder(prefix: str, parent: Path | None = None) -> Iterator[Path]:
    """A new folder that only this user may enter, removed at the end.

    Folders that killed processes left there under the same ``prefix`` are removed first.

    Args:
        parent: the folder for temporary files of the system by default.

    Raises:
        OSError: ``parent`` cannot be written.
    """
    parent = Path(tempfile.gettempdir()) if parent is None else parent
    remove_abandoned(parent, prefix)
    while True:
        folder = Path(tempfile.mkdtemp(prefix=prefix, dir=parent))
        with contextlib.suppress(FileNotFoundError, BlockingIOError):  # taken for a leftover
            lock_file = _lock(folder, "xb")
            break
    with lock_file:
        try:
            yield folder
        finally:
            _remove(folder)


@contextlib.contextmanager
def resumed_folder(
    parent: Path, name: str, otherwise: Callable[[], AbstractContextManager[T]]
) -> Iterator[Path | T]:
    """A folder for the work ``name``, for this process alone, with what an earlier one left in it
    that was stopped or killed; removed at the end, and where its files cannot be written.

    Args:
        parent: a folder; made where only that one is missing.
        otherwise: opens what is given instead where another process has the folder, nobody can know
            whether one has, or it cannot be made.
    """
    with contextlib.ExitStack() as stack:
        place: Path | T
        try:
            place = stack.enter_context(_taken(parent, f"{TO_RESUME}{name}"))
        except OSError:
            place = stack.enter_context(otherwise())
        yield place


@contextlib.contextmanager
def _taken(parent: Path, name: str) -> Iterator[Path]:
    """See ``resumed_folder``.

    Raises:
        OSError: it cannot be had.
    """
    if os.name != "posix":
        raise BlockingIOError(f"folders of {parent} cannot be locked here")
    parent.mkdir(exist_ok=True)
    folder = parent / name
    while True:
        folder.mkdir(mode=0o700, exist_ok=True)
        with contextlib.suppress(FileNotFoundError):  # taken for a leftover
            lock_file = _lock(folder, "ab")
            break
    with lock_file:
        try:
            yield folder
        except OSError:
            _remove(folder)
            raise
        _remove(folder)


def _lock(folder: Path, mode: str) -> IO[bytes]:
    """The locked file of a folder.

    Raises:
        FileNotFoundError: the folder was removed before it was locked.
        BlockingIOError: another process has it.
    """
    lock_file: IO[bytes] = (folder / LOCK).open(mode)
    try:
        if os.name == "posix":
            take_lock(lock_file)
        if not os.fstat(lock_file.fileno()).st_nlink:
            raise FileNotFoundError(lock_file.name)
    except OSError:
        lock_file.close()
        raise
    return lock_file


def remove_abandoned(parent: Path, prefix: str, age_s: float = 0.0) -> None:
    """Remove the folders of ``scratch_folder`` whose process was killed, as far as possible. (Where
    files cannot be locked, nobody knows which.)

    Only folders of this user, no links, and none without the file that ``scratch_folder`` makes:
    anything else of such a name belongs to someone else.

    Args:
        age_s: seconds since something was put into a folder or taken out; younger ones stay.
    """
    if os.name != "posix":
        return
    with contextlib.suppress(OSError):
        for path in parent.iterdir():
            if path.name.startswith(prefix):
                with contextlib.suppress(OSError):
                    _remove_if_free(path, age_s)


def _remove_if_free(folder: Path, age_s: float) -> None:
    status = folder.lstat()
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.geteuid():
        return
    if time.time() - status.st_mtime < age_s:
        return
    if stat.S_ISREG((folder / LOCK).lstat().st_mode):
        with (folder / LOCK).open("r+b") as lock_file:
            take_lock(lock_file, patience=0.0)  # and held while it is removed
            _remove(folder)


def _remove(folder: Path) -> None:
    """Remove a folder; its lock goes last, so that a kill meanwhile leaves no unknown folder."""
    with contextlib.suppress(OSError):
        for path in folder.iterdir():
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path, ignore_errors=True)
            elif path.name != LOCK:
                path.unlink(missing_ok=True)
        (folder / LOCK).unlink(missing_ok=True)
        folder.rmdir()
