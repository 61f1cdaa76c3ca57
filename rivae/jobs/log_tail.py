"""What a job's processes printed: its last lines, fit to be shown, and what is added to it."""

from __future__ import annotations

import codecs
import os
import re
from collections.abc import Iterator
from pathlib import Path

from rivae.reading.regular import open_regular

MAX_BYTES = 1 << 16
MAX_LINE = 500  # characters
# Escape sequences that colour or move (CSI, OSC and short ones), then other control characters.
_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_])")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def log_tail(path: Path, n: int = 200, max_bytes: int = MAX_BYTES) -> list[str]:
    """The last ``n`` lines of a text file, at most ``max_bytes`` of it are read.

    Colours are taken away, of a line that was overwritten (by a progress bar) the last state is
    kept, and long lines are cut. Empty where there is no file.
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
        lines.pop(0)  # cut off in front
    return [_clean(line) for line in lines[-n:]]


class Following:
    """A text file that another process writes, from its last ``max_bytes`` on; no more than that
    is ever held at once, however much was written meanwhile.
    """

    def __init__(self, path: Path, max_bytes: int = MAX_BYTES) -> None:
        self.path, self.max_bytes = path, max_bytes
        self._at = max(0, self._size() - max_bytes)
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def new(self) -> Iterator[str]:
        """What was added since the last call, in pieces; all of it where the file was begun anew.
        What is added while it is read is left for the next call.
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
            if not piece:  # cut meanwhile
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
