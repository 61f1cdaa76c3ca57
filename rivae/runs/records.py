"""What training records in a run folder as it goes on: how far it is, and a row per epoch."""

from __future__ import annotations

import contextlib
import json
import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from rivae.files import write_atomic

State = Literal["created", "running", "finished", "failed", "interrupted"]


def now() -> str:
    """The time as ISO 8601 in UTC, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


class Status(BaseModel):
    """How far a run is; ``batch`` names the runs that train with it as one model, ``stages`` the
    stages in order with their numbers of epochs."""

    model_config = ConfigDict(extra="ignore")

    state: State = "created"
    stage: str = ""
    epoch: int = Field(default=0, ge=0, le=10**9)
    total_epochs: int = Field(default=0, ge=0, le=10**9)
    message: str = ""
    batch: list[str] = []
    stages: list[tuple[str, int]] = []
    started: str | None = None
    updated: str = ""


class MetricsLog:
    """A file of one JSON row per epoch, which may be cut off by a kill at any byte."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def rows(self) -> list[dict[str, Any]]:
        """All whole rows, none where there is no file; a last one cut off by a kill is left out."""
        try:
            text = self.path.read_text("utf-8", errors="replace")
        except OSError:
            return []
        rows = []
        for line in text.splitlines():
            with contextlib.suppress(ValueError, RecursionError):
                row = json.loads(line)
                if isinstance(row, dict):
                    rows.append(row)
        return rows

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
        """Make the rows so far survive a power cut, before a checkpoint that presumes them."""
        with contextlib.suppress(FileNotFoundError), self.path.open("r+b") as stream:
            os.fsync(stream.fileno())

    def truncate(self, last_epoch: int) -> None:
        """Drop the rows after ``last_epoch``: they will be written again, to the same numbers."""
        rows = [row for row in self.rows() if row.get("epoch", 0) <= last_epoch]
        text = "".join(json.dumps(row) + "\n" for row in rows)
        write_atomic(self.path, text.encode())
