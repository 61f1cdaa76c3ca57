"""Which encoding a file is in, and what a text of it then reads as, so that a person can judge."""

from __future__ import annotations

import codecs
import re
import zlib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from rivae.base.errors import DataError, shown
from rivae.base.reading.encodings import MAX_SAMPLE, checked_encoding, likely_encoding
from rivae.base.reading.text_files import codec_for, head_of, marked, open_bytes, wide_encoding

LOOK = 64 * 2**20  # bytes of a file that are looked at
EXAMPLE = 50  # letters
_BLOCK = 2**20
# What parts cells, or texts of JSON; none is a second byte of an East Asian character.
_PARTS = re.compile(rb'[\n\r",;\t]')
_SEQUENCE = re.compile(rb"[\xc2-\xf4][\x80-\xbf]+")
_NO_LATIN_1 = re.compile(rb"[\x80-\x9f]")


@dataclass(frozen=True, slots=True)
class Found:
    """An encoding that fits a file.

    Attributes:
        encoding: as ``rivae.base.reading.tables.InputTable`` takes it.
        example: a text of the file, with letters beyond ASCII if there is one.
    """

    encoding: str
    example: str


@dataclass(slots=True)
class _Survey:
    """Lines of a file that are no text in an encoding.

    Attributes:
        n_wrong, first: how many, and the number of the first.
        n_sound: characters of several bytes in the other lines.
        sample: parts with bytes beyond ASCII, of wrong lines where there are any.
    """

    n_wrong: int = 0
    first: int = 0
    n_sound: int = 0
    sample: bytes = b""

    @property
    def mostly_sound(self) -> bool:
        """A text in another encoding has next to no sound sequence of bytes."""
        return self.n_wrong == 0 or self.n_sound > self.n_wrong


def found_encoding(path: Path) -> Found | None:
    """The encoding of a text file, as its bytes tell; None where they tell nothing.

    Raises:
        DataError: it unpacks to far more than its size.
        OSError, EOFError, zlib.error: it cannot be read.
    """
    with open_bytes(path) as raw:
        head = head_of(raw)
        if wide := marked(head) or wide_encoding(head):
            wide = wide.removesuffix("-sig")
            return Found(wide, _example(_decoded(head, wide)))
        return _fitting(_survey(raw, "utf-8"))


def wrong_encoding(path: Path, encoding: str) -> DataError:
    """The sentence for a file that is no text in ``encoding``: where, and what fits instead."""
    encoding_name = checked_encoding(encoding).upper()
    start = f"{shown(path.name, 60)} is not {encoding_name} text"
    codec = None
    with suppress(OSError, EOFError, zlib.error, DataError), open_bytes(path) as raw:
        head = head_of(raw)
        if not marked(head) and not wide_encoding(head):
            survey = _survey(raw, encoding)
            if encoding_name == "UTF-8" and survey.n_wrong and survey.mostly_sound:
                return _mixed(path.name, survey)
            codec = _fitting(survey) if encoding_name == "UTF-8" else found_encoding(path)
            start += f" (line {survey.first:,})" if survey.n_wrong else ""
    if codec is None or checked_encoding(codec.encoding).upper() == encoding_name:
        return DataError(f"{start}: save it as UTF-8")
    fits = f"give --encoding {codec.encoding}, or save it as UTF-8"
    if not codec.example:
        return DataError(f"{start}: {fits}")
    return DataError(f"{start}; as {codec.encoding} it reads “{codec.example}”: {fits}")


def _fitting(survey: _Survey) -> Found | None:
    name = "utf-8" if survey.mostly_sound else likely_encoding(survey.sample)
    return None if name is None else Found(name, _example(_decoded(survey.sample, name)))


def _mixed(name: str, survey: _Survey) -> DataError:
    likely = likely_encoding(survey.sample) or "cp1252"
    wrong = f"line {survey.first:,}"
    if survey.n_wrong > 1:
        wrong = f"{survey.n_wrong:,} lines, the first of them {wrong}"
    return DataError(
        f"{shown(name, 60)} is UTF-8 text except for {wrong} (as {likely} it reads "
        f"“{_example(_decoded(survey.sample, likely))}”): correct that, and save it as UTF-8 again"
    )


def only_in_cp1252(path: Path) -> tuple[str, str] | None:
    """Where a file holds what latin-1 has no letter for, but cp1252: the line, and the text.

    None without such a place.

    Raises:
        DataError, OSError, EOFError, zlib.error: it cannot be read.
    """
    with open_bytes(path) as raw:
        before = 0
        for block in _blocks(raw):
            if match := _NO_LATIN_1.search(block):
                line = before + _n_lines(block[: match.start()]) + 1
                near = _PARTS.split(block[: match.start()])[-1][-EXAMPLE // 2 :]
                text = near + _PARTS.split(block[match.start() :])[0]
                return f"line {line:,}", _example(_decoded(text, "cp1252"))
            before += _n_lines(block)
    return None


def fits_better(path: Path, encoding: str) -> tuple[str, str] | None:
    """Another encoding that fits a file better than the one that it is read in, and an example.

    None where the texts are the same, or nothing is known.

    Raises:
        DataError, OSError, EOFError, zlib.error: it cannot be read.
    """
    with open_bytes(path) as raw:
        head = head_of(raw)
        if marked(head) or wide_encoding(head):
            return None
        survey = _survey(raw, "utf-8")
    codec, text = _fitting(survey), _decoded(survey.sample, codec_for(b"", encoding, path.name))
    if codec is None or _decoded(survey.sample, codec.encoding) == text:
        return None
    return codec.encoding, f"“{codec.example}” where it now reads “{_example(text)}”"


def _survey(raw: IO[bytes], encoding: str) -> _Survey:
    survey, before = _Survey(), 0
    wrong: list[bytes] = []
    other: list[bytes] = []
    for block in _blocks(raw):
        if _is_text(block, encoding):
            if not block.isascii():
                survey.n_sound += len(_SEQUENCE.findall(block))
                _collect(other, block)
            before += _n_lines(block)
            continue
        lines = block.split(b"\n" if b"\n" in block else b"\r")
        for number, line in enumerate(lines, start=before + 1):
            if _is_text(line, encoding):
                survey.n_sound += len(_SEQUENCE.findall(line))
                continue
            survey.n_wrong += 1
            survey.first = survey.first or number
            _collect(wrong, line)
        before += len(lines) - 1
    survey.sample = b"\n".join(wrong or other)
    return survey


def _collect(parts: list[bytes], text: bytes) -> None:
    """Keep the parts with bytes beyond ASCII, up to the size of a sample."""
    room = MAX_SAMPLE - sum(map(len, parts))
    if room <= 0:
        return
    for part in _PARTS.split(text):
        if part and not part.isascii():
            parts.append(part[:room])
            room -= len(part)
            if room <= 0:
                return


def _blocks(raw: IO[bytes]) -> Iterator[bytes]:
    """Blocks that end at a line end, or else at an ASCII character; at most ``LOOK`` bytes."""
    rest, n_bytes = b"", 0
    while n_bytes < LOOK and (block := raw.read(_BLOCK)):
        n_bytes += len(block)
        block = rest + block
        cut = (block.rfind(b"\n") + 1) or (block.rfind(b"\r", 0, -1) + 1)
        cut = cut or len(block.rstrip(bytes(range(128, 256)))) or len(block)
        rest = block[cut:]
        yield block[:cut]
    if rest and n_bytes < LOOK:
        yield rest


def _n_lines(block: bytes) -> int:
    return block.count(b"\n") or block.count(b"\r")


def _is_text(content: bytes, encoding: str) -> bool:
    try:
        content.decode(encoding)
    except UnicodeError:
        return False
    return True


def _decoded(content: bytes, encoding: str) -> str:
    """As far as it is text."""
    decoder = codecs.getincrementaldecoder(encoding)("replace")
    return decoder.decode(content).lstrip("\ufeff")


def _example(text: str) -> str:
    """The first text with a letter beyond ASCII, or else the longest."""
    parts = [part.strip() for part in re.split(r'[\n\r",;\t]', text)]
    part = next((part for part in parts if not part.isascii()), max(parts, key=len))
    first = next((place for place, letter in enumerate(part) if letter > "\x7f"), 0)
    start = max(0, min(first - EXAMPLE // 2, len(part) - EXAMPLE))
    return shown(part[start : start + EXAMPLE], EXAMPLE)
