"""Where the names of a run's axes are kept: found, read once per version, changed by one at a time.

They lie in the run's folder or, where nothing may be added to it (the demo runs), in ``names/`` of
the folder of runs, under id and hash of the model.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from rivae.errors import RunError
from rivae.files import change_json
from rivae.reading.regular import open_regular
from rivae.runs import Run, is_read_only, runs_root
from rivae.words.names_file import MAX_BYTES

AXIS_NAMES = "axis_names.json"

# Files as read, with what told their version: a page asks for names many times in one run.
_known: dict[Path, tuple[tuple[int, int, int], bytes]] = {}
_lock = threading.Lock()
_MAX_KNOWN = 64


def names_path(run: Run) -> Path:
    """Where names are written.

    Raises:
        RunError: nothing may be added to the run's folder, and it has no model.
    """
    if not is_read_only(run):
        return run.path / AXIS_NAMES
    return runs_root() / "names" / f"{run.id}-{run.model_key}.json"


def kept_names(run: Run) -> Path | None:
    """The file that holds the names now: written here, or come with the folder; or None."""
    paths = (names_path(run), run.path / AXIS_NAMES)
    return next((path for path in paths if path.is_file()), None)


def change_kept(run: Run, change: Callable[[Path | None], Mapping[str, Any]]) -> None:
    """Replace the names by what ``change`` makes of the file so far, one session at a time.

    Raises:
        RunError: when the file cannot be written or stays locked.
    """
    try:
        change_json(names_path(run), lambda: change(kept_names(run)))
    except OSError as error:
        why = "somebody else is" if isinstance(error, BlockingIOError) else error.strerror
        raise RunError(f"run {run.id}: axis names cannot be written: {why}") from None


def content_of(path: Path) -> bytes:
    """The file's first ``MAX_BYTES + 1`` bytes, read again only after it has changed."""
    stat = path.stat()
    stamp = (stat.st_mtime_ns, stat.st_size, stat.st_ino)
    known = _known.get(path)
    if known is None or known[0] != stamp:
        with open_regular(path) as stream:
            known = stamp, stream.read(MAX_BYTES + 1)
        with _lock:
            while len(_known) >= _MAX_KNOWN:
                _known.pop(next(iter(_known)))
            _known[path] = known
    return known[1]
