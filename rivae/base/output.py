"""What a command prints, on any terminal and any disk.

A terminal may know few letters, a disk may be full, and a reader may stop reading: none of them is
an error of the program. Letters that cannot be shown are written with others. What the output is
lost to is said in one sentence; progress on stderr is lost in silence, for the work goes on.
"""

from __future__ import annotations

import codecs
import contextlib
import os
import sys
from collections.abc import Callable, Iterable
from typing import Any

from rivae.base.errors import RivaeError

_PLAIN_ERRORS = "rivae-plain"
_PLAIN = str.maketrans(
    {
        "×": "x",
        "±": "+/-",
        "–": "-",
        "—": "-",
        "−": "-",
        "‑": "-",
        "·": "-",
        "•": "*",
        "…": "...",
        "°": " deg",
        "²": "^2",
        "³": "^3",
        "→": "->",
        "←": "<-",
        "≥": ">=",
        "≤": "<=",
        "“": '"',
        "”": '"',
        "‘": "'",
        "’": "'",
        "\u00a0": " ",
        "\u2009": " ",
        "\u202f": " ",
    }
)
LOST = "the output cannot be written ({}): make room, or send it elsewhere"


class _LostOutputError(Exception):
    """Nothing more can be written to stdout, e.g. because the disk is full."""


class _ClosedOutputError(Exception):
    """The reader of stdout has read enough."""


def _plain(error: UnicodeError) -> tuple[str, int]:
    """An error handler of ``str.encode``: signs as others write them, letters by their number."""
    assert isinstance(error, UnicodeEncodeError)
    bad = error.object[error.start : error.end].translate(_PLAIN)
    return bad.encode("ascii", "backslashreplace").decode("ascii"), error.end


codecs.register_error(_PLAIN_ERRORS, _plain)


def fitting(text: str, encoding: str) -> str:
    """``text`` in letters that ``encoding`` has."""
    try:
        return text.encode(encoding, _PLAIN_ERRORS).decode(encoding)
    except (LookupError, UnicodeError):  # no such encoding, or one without ASCII
        return text


class _Output:
    """A text stream that writes what its encoding can, until it cannot be written any more.

    Args:
        quiet: what is lost is lost in silence.
    """

    def __init__(self, stream: Any, quiet: bool) -> None:
        self._stream, self._quiet, self._is_lost = stream, quiet, False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        encoding = getattr(self._stream, "encoding", None) or "utf-8"
        self._do(lambda: self._stream.write(fitting(text, encoding)))
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.write(line)

    def flush(self) -> None:
        self._do(self._stream.flush)

    def _do(self, act: Callable[[], object]) -> None:
        if self._is_lost:
            return
        try:
            act()
        except OSError as error:
            self._is_lost = True
            # What is still held would fail once more when Python ends.
            with contextlib.suppress(OSError, ValueError):
                handle = os.open(os.devnull, os.O_WRONLY)
                os.dup2(handle, self._stream.fileno())
                os.close(handle)
            if self._quiet:
                return
            if isinstance(error, BrokenPipeError):
                raise _ClosedOutputError from None
            raise _LostOutputError(error.strerror or type(error).__name__) from None


def with_output(run: Callable[[], int], program: str = "rivae") -> int:
    """What ``run()`` returns, its output written as far as it can be.

    Returns:
        Its exit code; 0 where the reader has read enough, and 1 after an error of the user's or
        where the output was lost, which a sentence on stderr says.
    """
    before = sys.stdout, sys.stderr
    out = None if sys.stdout is None else _Output(sys.stdout, quiet=False)
    errors = None if sys.stderr is None else _Output(sys.stderr, quiet=True)
    sys.stdout, sys.stderr = out, errors
    try:
        try:
            return run()
        finally:
            for stream in (out, errors):
                if stream is not None:
                    stream.flush()
    except RivaeError as error:
        return _failed(f"{program}: {error}")
    except _ClosedOutputError:
        return 0
    except _LostOutputError as error:
        return _failed(f"{program}: {LOST.format(error)}")
    finally:
        sys.stdout, sys.stderr = before


def _failed(sentence: str) -> int:
    if sys.stderr is not None:
        sys.stderr.write(f"{sentence}\n")
    return 1
