"""Files that another process is writing: rows of JSON and lines of a log, read as they grow."""

from __future__ import annotations

import codecs
import os
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal

from rivae.base.errors import DataError
from rivae.base.reading.documents import parse_json
from rivae.base.reading.regular import open_regular

BLOCK = 1 << 20  # bytes read at once; longer lines are skipped
MAX_BYTES = 256 << 20
MAX_LINES = 1_000_000
_MARK = 256  # last bytes read, compared to see whether the file was replaced

Change = Literal["same", "grown", "replaced", "gone"]


class GrowingRows:
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
        self._stamp_before: tuple[int, ...] = ()

    def look(self) -> Change:
        """The change since the last call: "replaced" if the file was replaced or cut, so that
        ``rows`` begins at its first row again.
        """
        try:
            with open_regular(self.path) as stream:
                stat = os.fstat(stream.fileno())
                stamp = (stat.st_dev, stat.st_ino, stat.st_size, stat.st_mtime_ns)
                if stamp == self._stamp_before:
                    return "same"
                was_there = bool(self._stamp_before)
                same = (
                    was_there
                    and stamp[:2] == self._stamp_before[:2]
                    and self._is_here(stream, stat.st_size)
                )
        except OSError:
            was_there = bool(self._stamp_before)
            self._forget()
            return "gone" if was_there else "same"
        if not same:
            self._forget()
        self._stamp_before = stamp
        return "grown" if same or not was_there else "replaced"

    def _is_here(self, stream: Any, size: int) -> bool:
        """Whether the bytes read last are still in their place."""
        if size < self._at:
            return False
        stream.seek(self._at - len(self._mark))
        return bool(stream.read(len(self._mark)) == self._mark)

    def rows(self) -> Iterator[dict[str, Any]]:
        """The complete rows since the last call; a line still being written is left for the next.
        Ends at 256 MB, or a million lines.
        """
        with suppress(OSError), open_regular(self.path) as stream:
            stream.seek(self._at)
            while (
                self._at < MAX_BYTES and self._lines < MAX_LINES and (block := stream.read(BLOCK))
            ):
                end = block.rfind(b"\n") + 1
                if not end and len(block) < BLOCK:
                    return
                if not end:  # a line longer than a block: skipped
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
    """The complete rows in the last ``max_bytes`` of a file, oldest first; none without a file."""
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


LOG_BYTES = 1 << 16
MAX_LINE = 500  # characters
# Escape sequences that colour or move (CSI, OSC and short ones), then other control characters.
_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_])")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def log_tail(path: Path, n: int = 200, max_bytes: int = LOG_BYTES) -> list[str]:
    """The last ``n`` lines of a text file, at most ``max_bytes`` of it are read.

    Colours are removed, of a line that a progress bar overwrote the last state is kept, and long
    lines are cut. Empty where there is no file.
    """
    try:
        with open_regular(path) as stream:
            size = stream.seek(0, os.SEEK_END)
            stream.seek(max(0, size - max_bytes))
            text = stream.read(max_bytes).decode("utf-8", errors="replace")
    except OSError:
        return []
    lines = text.split("\n")
    if lines and not lines[-1]:
        lines.pop()
    if size > max_bytes and len(lines) > 1:
        lines.pop(0)  # its beginning was not read
    return [_clean(line) for line in lines[-n:]]


class GrowingText:
    """Follows a text file that another process writes, from its last ``max_bytes`` on; no more than
    that is in memory at once.
    """

    def __init__(self, path: Path, max_bytes: int = LOG_BYTES) -> None:
        self.path, self.max_bytes = path, max_bytes
        self._at = max(0, self._size() - max_bytes)
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def new(self) -> Iterator[str]:
        """The text added since the last call, in pieces; the file from its beginning if it was cut.
        Text that is added while reading is left for the next call.
        """
        size = self._size()
        if size < self._at:
            self._at = 0
            self._decoder.reset()
        while self._at < size:
            try:
                with open_regular(self.path) as stream:
                    stream.seek(self._at)
                    piece = stream.read(min(self.max_bytes, size - self._at))
            except OSError:
                return
            if not piece:  # it was cut just now
                return
            self._at += len(piece)
            yield self._decoder.decode(piece)  # a letter of several bytes may end in the next piece

    def _size(self) -> int:
        try:
            return self.path.stat().st_size
        except OSError:
            return 0


def _clean(line: str) -> str:
    line = _ESCAPES.sub("", line).rstrip("\r").rsplit("\r", 1)[-1]
    line = _CONTROL.sub("", line).expandtabs(4)
    return line if len(line) <= MAX_LINE else line[: MAX_LINE - 1] + "…"
