"""The import at work, as it says itself beside the data sets: an app that was started anew, or
another one on the same data, finds it there.

The process holds ``.import.lock`` as long as it lives and keeps ``.import.json`` up to date, which
stays behind with what came of it; it ends when it finds ``.import.stop``. No streamlit here.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from rivae.errors import DataError
from rivae.files import is_locked, locked, write_json
from rivae.reading.documents import read_form
from rivae.ui.work.tasks import Job

RECORD, LOCK, STOP = ".import.json", ".import.lock", ".import.stop"
MAX_RECORD = 4 << 20
LOOK_S = 0.5
ENDED = "this import ended early: import the same files under the same name to resume"
Keep = Callable[..., None]


class Record(BaseModel):
    """What an import says; ``started`` tells it from another one of its name."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    version: Literal[1] = 1
    key: Annotated[str, Field(max_length=5000)]
    title: Annotated[str, Field(max_length=200)]
    started: float
    stage: str = "starting"
    share: Annotated[float, Field(ge=0, le=1)] = 0.0
    error: str = ""
    stopped: bool = False
    result: dict[str, Any] | None = None


def read_record(root: Path) -> Record | None:
    """What the import at work in ``root`` says, or the last one; None where there is none."""
    with suppress(DataError):
        return read_form(Record, root / RECORD, MAX_RECORD, too_large="", foreign="", unreadable="")
    return None


def _end_group() -> None:
    os.killpg(os.getpgrp(), signal.SIGTERM)


@contextmanager
def recording(
    root: Path, key: str, title: str, stop: Callable[[], None] = _end_group
) -> Iterator[Keep]:
    """For the process, around its work; what it hands out takes what has changed.

    Args:
        stop: called, in a thread, when somebody asks the import to stop.

    Raises:
        BlockingIOError: another import is at work.
        OSError: the folder cannot be written.
    """
    root.mkdir(parents=True, exist_ok=True)
    with locked(root / LOCK):
        (root / STOP).unlink(missing_ok=True)
        now = Record(key=key, title=title, started=time.time())

        def keep(**changes: Any) -> None:
            nonlocal now
            now = now.model_copy(update=changes)
            with suppress(OSError):  # a full disk: the import itself says so
                write_json(root / RECORD, now.model_dump(mode="json"))

        keep()
        over = threading.Event()
        threading.Thread(target=_watch, args=(root / STOP, stop, over), daemon=True).start()
        try:
            yield keep
        except KeyboardInterrupt:
            keep(stopped=True)
            raise
        finally:
            over.set()


def _watch(path: Path, stop: Callable[[], None], over: threading.Event) -> None:
    while not over.wait(LOOK_S):
        if path.exists():
            path.unlink(missing_ok=True)
            stop()
            return


class FoundJob(Job):
    """An import that another app began, as its record says."""

    def __init__(self, root: Path, record: Record) -> None:
        super().__init__(record.key, record.title, None)
        self.root, self.started = root, record.started
        if self._look():
            threading.Thread(target=self.read, name="rivae-import", daemon=True).start()

    def read(self) -> None:
        """Follow it to its end; for a thread."""
        while self._look():
            time.sleep(LOOK_S)

    def cancel(self) -> None:
        """Ask it to stop."""
        self.cancelled = True
        with suppress(OSError):
            (self.root / STOP).touch()

    def _look(self) -> bool:
        """Take over what it says; whether it is still at work."""
        alive = is_locked(self.root / LOCK)  # before: what it says last is not missed
        record = read_record(self.root)
        mine = record is not None and record.started == self.started
        if record is not None and mine:
            self.stage, self.share, self.error = record.stage, record.share, record.error
            self.result = record.result
            self.cancelled = record.stopped or (self.cancelled and alive)
        if alive and mine:
            return True
        if not (self.result or self.error or self.cancelled):
            self.error = ENDED
        self.running = False
        return False
