"""A JSON file that holds one long list, of which an element at a time is in memory."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from rivae.errors import DataError
from rivae.reading.documents import parse_json
from rivae.reading.regular import open_regular

MAX_ELEMENT = 4 * 2**20  # characters
_BLOCK = 2**20
_SPACE = re.compile(r"[ \t\r\n]*")
# Finds where an element ends; numbers stay text, whatever their length.
_SCANNER = json.JSONDecoder(parse_int=str, parse_float=str, strict=False)


class JsonList:
    """The elements of a list, as ``parse_json`` reads them; text that is none becomes U+FFFD.

    Raises:
        DataError: while reading, when the file cannot be read, is no such list, or an element is
            too large or nested too deeply.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._stream: IO[bytes] | None = None
        self._decoder = codecs.getincrementaldecoder("utf-8-sig")("replace")
        self._text, self._at, self._ended = "", 0, False

    def __iter__(self) -> Iterator[Any]:
        try:
            with open_regular(self.path) as stream:
                self._stream = stream
                self._decoder.reset()
                self._text, self._at, self._ended = "", 0, False
                yield from self._elements()
        except OSError as error:
            raise DataError(f"{self.path.name} cannot be read: {error.strerror}") from error

    def bytes_read(self) -> int:
        """How far the reading that is under way has come."""
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
            # A number may go on in what was not read yet.
            if end < len(self._text):
                self._at = end
                try:
                    return parse_json(self._text[start:end], mend=True, nan=True)
                except DataError as error:
                    raise self._unsound(f"element {number:,}: {error}") from None
            if self._ended:
                raise self._unsound(f"element {number:,}: {problem}")
            if len(self._text) - start > MAX_ELEMENT:
                raise self._unsound(
                    f"element {number:,} is longer than {MAX_ELEMENT // 2**20} million characters, "
                    f"or damaged: {problem}"
                )
            self._read_on()

    def _next(self) -> str:
        """The next character that is no space, which ``_at`` then points to; "" at the end."""
        while True:
            self._at = _SPACE.match(self._text, self._at).end()  # type: ignore[union-attr]
            if self._at < len(self._text):
                return self._text[self._at]
            if self._ended:
                return ""
            self._read_on()

    def _read_on(self) -> None:
        assert self._stream is not None
        block = self._stream.read(_BLOCK)
        self._ended = not block
        self._text = self._text[self._at :] + self._decoder.decode(block, final=self._ended)
        self._at = 0

    def _unsound(self, why: str) -> DataError:
        return DataError(f"{self.path.name} is not a sound JSON list ({why[:160]}): get it again")
