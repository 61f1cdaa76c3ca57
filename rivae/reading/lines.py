"""JSON lines: one record per line, read one after the other, whatever is on the other lines."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import IO, Any

from rivae.errors import DataError
from rivae.reading.documents import parse_json
from rivae.reading.regular import open_regular

MAX_LINE = 16 * 2**20
# Files end in an empty line or two; thousands of them are there to keep a reader busy.
MAX_EMPTY = 10_000


def json_lines(
    source: Path | IO[bytes] | IO[str],
    *,
    name: str = "",
    max_line: int = MAX_LINE,
    max_lines: int | None = None,
    max_empty: int = MAX_EMPTY,
    nan: bool = False,
    mend: bool = False,
    broken: Callable[[int, str], object] | None = None,
) -> Iterator[tuple[int, Any]]:
    """The value of every line that holds one, with its number, which counts from 1.

    Only one line is in memory.

    Args:
        source: a file, or a stream of it, unpacked or decoded by the caller.
        name: of the file in sentences; its own by default.
        max_line: bytes (characters of decoded text) of a line.
        max_lines: lines, also empty and broken ones; None for any number.
        max_empty: empty lines.
        nan, mend: as ``rivae.reading.documents.parse_json``.
        broken: called with the number of a line that is too long or no JSON, and what is wrong
            with it; reading continues. By default such a line ends it.

    Raises:
        DataError: there are more lines than allowed, or a broken one and no ``broken``.
        OSError: the file cannot be opened or read to its end (``open_regular``).
        UnicodeDecodeError: from a text stream.
    """
    called = name or (source.name if isinstance(source, Path) else "the file")
    with open_regular(source) if isinstance(source, Path) else nullcontext(source) as stream:
        empty = 0
        for number, line in enumerate(_lines(stream, max_line), start=1):
            if max_lines is not None and number > max_lines:
                raise DataError(f"{called} has more than {max_lines:,} lines")
            if line is None:
                problem = f"longer than {max_line:,} characters"
            elif not line.strip():
                empty += 1
                if empty > max_empty:
                    raise DataError(f"{called} has more than {max_empty:,} empty lines")
                continue
            else:
                try:
                    yield number, parse_json(line, nan=nan, mend=mend)
                    continue
                except DataError as error:
                    problem = f"no JSON: {error}"
            if broken is None:
                raise DataError(f"{called}, line {number} is {problem}")
            broken(number, problem)


def _lines(stream: IO[bytes] | IO[str], most: int) -> Iterator[str | bytes | None]:
    """The lines; None for one longer than ``most``, which is passed over without being kept."""
    while line := stream.readline(most + 1):
        end = line[-1:] in (b"\n", "\n")
        if len(line) - end <= most:
            yield line
            continue
        while not end and (rest := stream.readline(most + 1)):
            end = rest[-1:] in (b"\n", "\n")
        yield None
