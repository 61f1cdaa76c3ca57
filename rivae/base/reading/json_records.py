"""JSON files of many records, one in memory at a time: JSON lines, or one long list."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import IO, Any

from rivae.base.errors import DataError
from rivae.base.reading.documents import parse_json
from rivae.base.reading.regular import open_regular

MAX_LINE = 16 * 2**20
# Files end in an empty line or two; thousands are an attempt to keep a reader busy.
MAX_EMPTY = 10_000
MAX_ELEMENT = 4 * 2**20  # characters
_BLOCK = 2**20
_SPACE = re.compile(r"[ \t\r\n]*")
# Finds where an element ends; numbers stay text, whatever their length.
_SCANNER = json.JSONDecoder(parse_int=str, parse_float=str, strict=False)


def json_lines(
    source: Path | IO[bytes] | IO[str],
    *,
    name: str = "",
    max_line: int = MAX_LINE,
    max_lines: int | None = None,
    max_empty: int = MAX_EMPTY,
    nan: bool = False,
    mend: bool = False,
    on_broken: Callable[[int, str], object] | None = None,
) -> Iterator[tuple[int, Any]]:
    """The value of every line that holds one, with its number, which counts from 1.

    Only one line is in memory.

    Args:
        source: a file, or a stream of it, unpacked or decoded by the caller.
        name: of the file in sentences; its own by default.
        max_line: bytes (characters of decoded text) of a line.
        max_lines: lines, also empty and broken ones; None for any number.
        max_empty: empty lines.
        nan, mend: as ``rivae.base.reading.documents.parse_json``.
        on_broken: called with the number of a line that is too long or not JSON, and the
            problem; reading continues. By default such a line stops the reading.

    Raises:
        DataError: there are more lines than allowed, or a broken one and no ``on_broken``.
        OSError: the file cannot be opened or read to its end (``open_regular``).
        UnicodeDecodeError: from a text stream.
    """
    label = name or (source.name if isinstance(source, Path) else "the file")
    with open_regular(source) if isinstance(source, Path) else nullcontext(source) as stream:
        empty = 0
        for number, line in enumerate(_lines(stream, max_line), start=1):
            if max_lines is not None and number > max_lines:
                raise DataError(f"{label} has more than {max_lines:,} lines")
            if line is None:
                problem = f"longer than {max_line:,} characters"
            elif not line.strip():
                empty += 1
                if empty > max_empty:
                    raise DataError(f"{label} has more than {max_empty:,} empty lines")
                continue
            else:
                try:
                    yield number, parse_json(line, nan=nan, mend=mend)
                    continue
                except DataError as error:
                    problem = f"no JSON: {error}"
            if on_broken is None:
                raise DataError(f"{label}, line {number} is {problem}")
            on_broken(number, problem)


def _lines(stream: IO[bytes] | IO[str], most: int) -> Iterator[str | bytes | None]:
    """The lines; None for one longer than ``most``, which is skipped without being kept."""
    while line := stream.readline(most + 1):
        end = line[-1:] in (b"\n", "\n")
        if len(line) - end <= most:
            yield line
            continue
        while not end and (rest := stream.readline(most + 1)):
            end = rest[-1:] in (b"\n", "\n")
        yield None


class JsonList:
    """The elements of a file's one list, as ``parse_json`` reads them.

    Args:
        encoding: of the file; "utf-8" also takes a byte order mark.
        errors: what becomes of wrong text: "replace" makes it U+FFFD, "strict" stops the reading.

    Raises:
        DataError: while reading, when the file cannot be read, is no such list, or an element is
            too large or nested too deeply.
        UnicodeDecodeError: while reading, if ``errors`` says so.
    """

    def __init__(self, path: Path, encoding: str = "utf-8", errors: str = "replace") -> None:
        self.path = path
        self._stream: IO[bytes] | None = None
        if codecs.lookup(encoding).name == "utf-8":
            encoding = "utf-8-sig"
        self._decoder = codecs.getincrementaldecoder(encoding)(errors)
        self._text, self._at, self._at_end = "", 0, False

    def __iter__(self) -> Iterator[Any]:
        try:
            with open_regular(self.path) as stream:
                self._stream = stream
                self._decoder.reset()
                self._text, self._at, self._at_end = "", 0, False
                yield from self._elements()
        except OSError as error:
            raise DataError(f"{self.path.name} cannot be read: {error.strerror}") from error

    def bytes_read(self) -> int:
        """Bytes read so far."""
        return self._stream.tell() if self._stream and not self._stream.closed else 0

    def _elements(self) -> Iterator[Any]:
        if self._next() != "[":
            raise self._unsound("it does not begin with '['")
        self._at += 1
        if self._next() == "]":
            self._at += 1
        else:
            number = 1
            while True:
                yield self._element(number)
                mark = self._next()
                self._at += 1
                if mark == "]":
                    break
                if mark != ",":
                    raise self._unsound(f"no ',' after element {number:,}")
                self._next()
                number += 1
        if self._next():
            raise self._unsound("something follows the list")

    def _element(self, number: int) -> Any:
        while True:
            start = self._at
            try:
                _, end = _SCANNER.raw_decode(self._text, start)
                problem = "it ends early"
            except RecursionError:
                raise self._unsound(f"element {number:,} is nested too deeply") from None
            except ValueError as error:
                end, problem = len(self._text), str(error)
            # A number may continue in the part that was not read yet.
            if end < len(self._text):
                self._at = end
                try:
                    return parse_json(self._text[start:end], mend=True, nan=True)
                except DataError as error:
                    raise self._unsound(f"element {number:,}: {error}") from None
            if self._at_end:
                raise self._unsound(f"element {number:,}: {problem}")
            if len(self._text) - start > MAX_ELEMENT:
                raise self._unsound(
                    f"element {number:,} is longer than {MAX_ELEMENT // 2**20} million characters, "
                    f"or damaged: {problem}"
                )
            self._read_on()

    def _next(self) -> str:
        """The next character other than a space, at which ``_at`` then points; "" at the end."""
        while True:
            self._at = _SPACE.match(self._text, self._at).end()  # type: ignore[union-attr]
            if self._at < len(self._text):
                return self._text[self._at]
            if self._at_end:
                return ""
            self._read_on()

    def _read_on(self) -> None:
        assert self._stream is not None
        block = self._stream.read(_BLOCK)
        self._at_end = not block
        self._text = self._text[self._at :] + self._decoder.decode(block, final=self._at_end)
        self._at = 0

    def _unsound(self, why: str) -> DataError:
        return DataError(f"{self.path.name} is not a sound JSON list ({why[:160]}): get it again")
