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
from collections.abc import Iterator
from pathlib import Path

from rivae.base.files import take_lock

LOCK = ".rivae-in-use"


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
        try:
            lock_file = (folder / LOCK).open("xb")
        except FileNotFoundError:  # removed as a leftover of a version without locks
            continue
        with contextlib.suppress(BlockingIOError):
            if os.name == "posix":
                take_lock(lock_file)
            # Was it removed in the moment before it was locked? Then another one.
            if os.fstat(lock_file.fileno()).st_nlink:
                break
        lock_file.close()
    with lock_file:
        try:
            yield folder
        finally:
            _remove(folder)


def remove_abandoned(parent: Path, prefix: str) -> None:
    """Remove the folders of ``scratch_folder`` whose process was killed, as far as possible. (Where
    files cannot be locked, nobody knows which.)

    Only folders of this user, no links, and none without the file that ``scratch_folder`` makes:
    anything else of such a name belongs to someone else.
    """
    if os.name != "posix":
        return
    with contextlib.suppress(OSError):
        for path in parent.iterdir():
            if path.name.startswith(prefix):
                with contextlib.suppress(OSError):
                    _remove_if_free(path)


def _remove_if_free(folder: Path) -> None:
    status = folder.lstat()
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.geteuid():
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
