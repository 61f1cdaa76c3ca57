"""The records of a training in its run folder: its status, and a row per epoch."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from rivae.base.errors import DataError, RunError
from rivae.base.files import write_atomic
from rivae.base.reading.json_records import json_lines

State = Literal["created", "running", "finished", "failed", "interrupted"]

# More than any run writes: every stage has at most 100,000 epochs.
MAX_STATUS = 2**20
MAX_ROWS, MAX_ROW = 1_000_000, 64 * 1024
_MAX_TEXT = 2000

_Epochs = Annotated[int, Field(ge=0, le=10**9)]
_Text = Annotated[str, AfterValidator(lambda text: text[:_MAX_TEXT])]


def now() -> str:
    """The time as ISO 8601 in UTC, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


class Status(BaseModel):
    """The progress of a run; ``batch`` are the runs trained with it as one model, ``stages`` the
    stages with their numbers of epochs, ``precision`` and ``threads`` those of its processor."""

    model_config = ConfigDict(extra="ignore")

    state: State = "created"
    stage: _Text = ""
    epoch: _Epochs = 0
    total_epochs: _Epochs = 0
    message: _Text = ""
    batch: list[str] = []
    stages: list[tuple[_Text, _Epochs]] = []
    precision: _Text = ""
    threads: _Epochs = 0
    started: _Text | None = None
    updated: _Text = ""


class MetricsLog:
    """A file of one JSON row per epoch, which may be cut off by a kill at any byte."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def rows(self) -> list[dict[str, Any]]:
        """All complete rows, none without a file; a last row cut off by a kill is skipped.

        Raises:
            RunError: it has far more lines than a log of training.
        """
        return list(self.each())

    def each(self) -> Iterator[dict[str, Any]]:
        """``rows`` one by one, counted as they are read."""
        lines = json_lines(
            self.path,
            max_line=MAX_ROW,
            max_lines=MAX_ROWS,
            nan=True,
            mend=True,
            on_broken=lambda number, problem: None,
        )
        try:
            for _, row in lines:
                if isinstance(row, dict):
                    yield row
        except DataError as error:
            raise RunError(f"{error}, so it is not a log of a run: restore or delete it") from None
        except OSError:
            return

    def append(self, row: dict[str, Any]) -> None:
        """Add one row; a torn last line from an earlier kill is closed first."""
        line = json.dumps(row, allow_nan=True) + "\n"
        with self.path.open("a+b") as stream:
            if stream.tell() > 0:
                stream.seek(-1, os.SEEK_END)
                if stream.read(1) != b"\n":
                    line = "\n" + line
            stream.write(line.encode())

    def sync(self) -> None:
        """Make the rows so far survive a power cut, before the checkpoint that follows them."""
        with contextlib.suppress(FileNotFoundError), self.path.open("r+b") as stream:
            os.fsync(stream.fileno())

    def truncate(self, last_epoch: int) -> None:
        """Drop the rows after ``last_epoch``: they will be written again, to the same numbers."""
        epochs = ((row, row.get("epoch", 0)) for row in self.each())
        rows = [row for row, at in epochs if isinstance(at, int | float) and at <= last_epoch]
        text = "".join(json.dumps(row) + "\n" for row in rows)
        write_atomic(self.path, text.encode())
