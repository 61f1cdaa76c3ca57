"""A file of JSON rows that another process is writing: only what is new is read."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal

from rivae.errors import DataError
from rivae.reading.documents import parse_json
from rivae.reading.regular import open_regular

BLOCK = 1 << 20  # bytes read at once; a longer line is none of ours
MAX_BYTES = 256 << 20
MAX_LINES = 1_000_000
_MARK = 256  # bytes before the place reached, which tell whether the file is still the same

Change = Literal["same", "grown", "anew", "gone"]


class GrowingFile:
    """Follows one file; not for several threads at once.

    Attributes:
        damaged: lines so far that were no JSON object.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._forget()

    def _forget(self) -> None:
        self.damaged = 0
        self._at = self._lines = 0
        self._skipping = False
        self._mark = b""
        self._seen: tuple[int, ...] = ()

    def look(self) -> Change:
        """What has happened since the last look: "anew" where the file was replaced or cut, so that
        ``rows`` begins at its first row again.
        """
        try:
            with open_regular(self.path) as stream:
                stat = os.fstat(stream.fileno())
                seen = (stat.st_dev, stat.st_ino, stat.st_size, stat.st_mtime_ns)
                if seen == self._seen:
                    return "same"
                known = bool(self._seen)
                same = known and seen[:2] == self._seen[:2] and self._is_here(stream, stat.st_size)
        except OSError:
            known = bool(self._seen)
            self._forget()
            return "gone" if known else "same"
        if not same:
            self._forget()
        self._seen = seen
        return "grown" if same or not known else "anew"

    def _is_here(self, stream: Any, size: int) -> bool:
        """Whether what was read last still stands where it was."""
        if size < self._at:
            return False
        stream.seek(self._at - len(self._mark))
        return bool(stream.read(len(self._mark)) == self._mark)

    def rows(self) -> Iterator[dict[str, Any]]:
        """The whole rows that were not handed out yet; a line still being written is left for
        later. Ends at 256 MB, or a million lines.
        """
        with suppress(OSError), open_regular(self.path) as stream:
            stream.seek(self._at)
            while (
                self._at < MAX_BYTES and self._lines < MAX_LINES and (block := stream.read(BLOCK))
            ):
                end = block.rfind(b"\n") + 1
                if not end and len(block) < BLOCK:
                    return
                if not end:  # a line longer than a block: passed over
                    end, self._skipping = len(block), True
                    self._reached(block, end)
                    continue
                lines = block[:end].split(b"\n")[:-1]
                if self._skipping:
                    self._skipping, lines = False, lines[1:]
                    self.damaged += 1
                self._reached(block, end)
                self._lines += len(lines)
                stream.seek(self._at)
                for line in filter(bytes.strip, lines):
                    row = _row(line)
                    if row is not None:
                        yield row
                    else:
                        self.damaged += 1

    def _reached(self, block: bytes, end: int) -> None:
        self._at += end
        self._mark = block[max(0, end - _MARK) : end]


def tail_rows(path: Path, max_bytes: int = 1 << 16) -> list[dict[str, Any]]:
    """The whole rows among the last ``max_bytes`` of a file, oldest first; none without a file."""
    try:
        with open_regular(path) as stream:
            size = stream.seek(0, os.SEEK_END)
            stream.seek(max(0, size - max_bytes))
            lines = stream.read(max_bytes).split(b"\n")
    except OSError:
        return []
    rows = (_row(line) for line in lines[size > max_bytes : -1])
    return [row for row in rows if row is not None]


def _row(line: bytes) -> dict[str, Any] | None:
    try:
        row = parse_json(line, nan=True)
    except DataError:
        return None
    return row if isinstance(row, dict) else None
