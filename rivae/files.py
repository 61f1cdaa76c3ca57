"""Files that survive a kill at any moment, and a lock that the kernel frees with its process."""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

if os.name == "posix":
    import fcntl


def write_atomic(path: Path, data: bytes) -> None:
    """Replace ``path`` by ``data``: after a crash it holds either the old bytes or the new ones."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with temporary.open("wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        temporary.replace(path)
    except BaseException:
        # Half a file must not stay and fill the disk that was perhaps full already.
        temporary.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


def remove_temporaries(folder: Path) -> None:
    """Delete what a killed ``write_atomic`` left in ``folder``; nobody may be writing there."""
    for path in folder.glob(".*.tmp"):
        if path.is_file():
            path.unlink(missing_ok=True)


@contextlib.contextmanager
def locked(path: Path, patience: float = 0.5) -> Iterator[None]:
    """Hold an exclusive lock on the file ``path`` (made if missing).

    Raises:
        BlockingIOError: when another process, or another handle of this one, holds it for longer
            than ``patience`` seconds (``is_locked`` looks for an instant only).
    """
    if os.name != "posix":
        yield
        return
    with path.open("a") as stream:
        deadline = time.monotonic() + patience
        while True:
            try:
                fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.02)
        yield


def is_locked(path: Path) -> bool:
    """Whether a living process holds ``locked(path)``; where that cannot be known, True."""
    if os.name != "posix":
        return True
    try:
        with path.open("r") as stream:
            fcntl.flock(stream, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except OSError:
        return True
    return False


def sync_folder(folder: Path) -> None:
    """Make a rename durable; on systems that cannot open folders this is left to the system."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def write_json(path: Path, value: Any) -> None:
    """Atomic, human-readable JSON; NaN and infinities are written as null."""
    text = json.dumps(_plain(value), indent=2, ensure_ascii=False, allow_nan=False)
    write_atomic(path, (text + "\n").encode())


def _plain(value: Any) -> Any:
    if isinstance(value, float):
        return value if value == value and abs(value) != float("inf") else None
    if isinstance(value, dict):
        return {str(k): _plain(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(v) for v in value]
    if hasattr(value, "tolist"):  # numpy scalars and arrays
        return _plain(value.tolist())
    return value
