"""How long things have lain around, counted in dates on which the app ran.

A clock may jump by years, and back: that is one more date, and not years.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from rivae.base.errors import DataError
from rivae.base.files import write_json
from rivae.base.reading.documents import read_own_form

MAX_BYTES = 4 * 2**20
MAX_DATES = 1_000  # that are told apart; older ones would count again
FILE = ".dates.json"


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid")

    version: Literal[1] = 1
    count: Annotated[int, Field(ge=0)] = 0
    dates: list[date] = []
    since: dict[str, int] = {}  # the count when something was first noted
    first: dict[str, date] = {}  # and the date


class DatesSeen:
    """The dates that were seen, in a file of a folder, and what lay there on each.

    A file that cannot be read is replaced: all ages then begin today.
    """

    def __init__(self, folder: Path, file: str = FILE) -> None:
        self.path = folder / file

    def ages(self, names: Iterable[str]) -> dict[str, int]:
        """How many other dates were seen since each was first noted; 0 for what was not."""
        file = self._read()
        return {name: file.count - file.since.get(name, file.count) for name in names}

    def first_seen(self, name: str) -> date | None:
        """The date on which something was first noted; None if it was not."""
        return self._read().first.get(name)

    def note(
        self, names: Iterable[str], now: datetime | None = None, *, anew: Iterable[str] = ()
    ) -> dict[str, int]:
        """Note the date and everything that lies there; the ages.

        Args:
            names: of everything; others are forgotten.
            now: the time, for tests.
            anew: of those whose age begins today.

        Raises:
            OSError: the file cannot be written.
        """
        today = (now or datetime.now(UTC)).astimezone(UTC).date()
        before = self._read()
        count = before.count + (today not in before.dates)
        dates = before.dates if today in before.dates else [*before.dates, today][-MAX_DATES:]
        fresh = set(anew)
        since = {
            name: count if name in fresh else min(before.since.get(name, count), count)
            for name in names
        }
        first = {name: today if name in fresh else before.first.get(name, today) for name in since}
        file = _File(count=count, dates=dates, since=since, first=first)
        if file != before:
            write_json(self.path, file.model_dump(mode="json"), private=True)
        return {name: count - begun for name, begun in since.items()}

    def _read(self) -> _File:
        with suppress(OSError, DataError):
            return read_own_form(_File, self.path, MAX_BYTES)
        return _File()
