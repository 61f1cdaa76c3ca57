"""Removes files of killed processes when the app starts and some minutes later.

Temporary folders that are not locked by their process (``rivae.base.scratch``) are removed at once.
Unfinished files and folders of runs carry the pid of their process, which may run on another
machine that shares the disk: they must also be older than ``OLD_S``. Links, files of other users
and files with other names stay.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import stat
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from rivae.base.config import RUN_NAME
from rivae.base.installed import user_cache
from rivae.base.scratch import LOCK, TO_RESUME, remove_abandoned
from rivae.data.store import data_root
from rivae.jobs.archive_import import remove_abandoned as remove_imports
from rivae.retrieval.storage import BUILDING
from rivae.runs import runs_root

TEMPORARY = "rivae-"
OLD_S = 120.0
DEPTH = 3  # of folders below the runs, the imports and the caches
# In the folder for temporary files, of versions whose folders had no lock.
_FORMER = re.compile(r"rivae-(probe|workers|fit)-[a-z0-9_]{8}")
DAY_S = 86_400.0
WEEK_S = 7 * DAY_S
_FILE = re.compile(r"\..+\.(\d+)(-\d+)?\.tmp")
_RUN = re.compile(rf"\.{RUN_NAME[1:-1]}\.(\d+)\.tmp")


def sweep(*more: Path) -> None:
    """Remove leftovers from the temporary folder, runs, imports, caches and ``more`` folders."""
    temporary = Path(tempfile.gettempdir())
    remove_abandoned(temporary, TEMPORARY)
    with contextlib.suppress(OSError):
        for path in temporary.iterdir():
            if _FORMER.fullmatch(path.name) and _is_former(path, DAY_S):
                shutil.rmtree(path, ignore_errors=True)
    runs, data = runs_root(), data_root()
    with contextlib.suppress(OSError):
        remove_imports(runs)
    for root in (runs, data, *_caches()):
        for folder in _folders(root.resolve(), DEPTH):
            remove_abandoned(folder, BUILDING)
            remove_abandoned(folder, TO_RESUME, WEEK_S)
            _remove_unfinished(folder)
    for folder in more:
        _remove_unfinished(folder)


def _caches() -> Iterator[Path]:
    with contextlib.suppress(RuntimeError):  # this user has no home
        yield user_cache()


def _folders(root: Path, depth: int) -> Iterator[Path]:
    """This user's folders from ``root`` down to some depth; links are not followed."""
    with contextlib.suppress(OSError):
        if _is_own(root.lstat(), stat.S_ISDIR):
            yield root
            for path in sorted(root.iterdir()) if depth else ():
                yield from _folders(path, depth - 1)


def _is_own(status: os.stat_result, is_kind: Callable[[int], bool]) -> bool:
    is_mine = not hasattr(os, "geteuid") or status.st_uid == os.geteuid()
    return is_mine and is_kind(status.st_mode)


def _remove_unfinished(folder: Path) -> None:
    """Remove unfinished files and folders of runs."""
    with contextlib.suppress(OSError):
        for path in folder.iterdir():
            with contextlib.suppress(OSError):
                if path.name.startswith(BUILDING) and _is_former(path):
                    shutil.rmtree(path)
                match = _FILE.fullmatch(path.name)
                if match is None or not _is_abandoned(path, int(match[1][:9])):
                    continue
                if _is_own(path.lstat(), stat.S_ISREG):
                    path.unlink()
                elif _RUN.fullmatch(path.name) and _is_own(path.lstat(), stat.S_ISDIR):
                    shutil.rmtree(path, ignore_errors=True)


def _is_former(folder: Path, age: float = 0.0) -> bool:
    """Whether a temporary folder of a version without locks is older than ``age`` seconds."""
    with contextlib.suppress(OSError):
        status = folder.lstat()
        old = time.time() - status.st_mtime >= age
        return old and _is_own(status, stat.S_ISDIR) and not os.path.lexists(folder / LOCK)
    return False


def _is_abandoned(path: Path, pid: int) -> bool:
    """Whether it is old, and its process does not run on this machine."""
    if time.time() - path.lstat().st_mtime < OLD_S:
        return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    except OSError:  # another user's, so not ours: the number is used again
        return True
    return False
