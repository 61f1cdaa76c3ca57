"""The last lines of what a job's processes printed, fit to be shown."""

from __future__ import annotations

import os
import re
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


def _clean(line: str) -> str:
    line = _ESCAPES.sub("", line).rstrip("\r").rsplit("\r", 1)[-1]
    line = _CONTROL.sub("", line).expandtabs(4)
    return line if len(line) <= MAX_LINE else line[: MAX_LINE - 1] + "…"
