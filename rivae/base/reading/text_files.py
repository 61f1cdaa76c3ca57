"""Opens the text of a file: unpacked, in the encoding that its first bytes state, or as asked."""

from __future__ import annotations

import codecs
import gzip
import io
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

from rivae.base.errors import DataError, shown
from rivae.base.reading.encodings import checked_encoding
from rivae.base.reading.regular import open_regular

# A remark on a file, where in it, and what it is about: `ImportReport.note` is one.
Note = Callable[[str, str, str], object]

# Deflate reaches 1000; tables of texts stay below 20.
MAX_RATIO, RATIO_FROM = 100, 4 * 2**20  # unpacked bytes per packed one, after so many bytes
HEAD = 4096  # bytes
# The longer marks first: that of UTF-32 begins as that of UTF-16.
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
# As browsers do: the names of the left stand for these in practice, which have letters and
# quotation marks where the others have control characters.
_MEANT = {"iso8859-1": "cp1252", "iso8859-9": "cp1254"}
_BY_MARK = "the byte order mark of the table says {}, so it is read as that"
# What files begin with that are no text, whatever their name says.
_NO_TEXT = (
    (b"PK\x03\x04", "is a zip or a workbook, not a text: unpack it, or save its sheet as CSV"),
    (b"\xd0\xcf\x11\xe0", "is an old workbook, not a text: save its sheet as CSV"),
    (b"PAR1", "is a Parquet file: name it .parquet"),
    (b"ARROW1", "is an Arrow file: write it as Parquet"),
    (b"SQLite format 3", "is a database: export its table as CSV"),
    (b"<?xml", "is XML, not a table: write it as CSV"),
    (b"%PDF-", "is a PDF, not a table: get the table itself"),
    (b"\xfd7zXZ", "is packed with xz: unpack it first, or pack it with gzip"),
    (b"BZh9", "is packed with bzip2: unpack it first, or pack it with gzip"),
    (b"\x28\xb5\x2f\xfd", "is packed with zstd: unpack it first, or pack it with gzip"),
    (
        b"version https://git-lfs",
        "holds only a note of Git LFS where to find the file: get it with git lfs pull",
    ),
)
_PAGES = (b"<!doctype html", b"<html")


def open_bytes(path: Path) -> IO[bytes]:
    """The bytes of ``path``, unpacked where they are gzip's."""
    plain = open_regular(path)
    try:
        if plain.peek(2)[:2] == b"\x1f\x8b":  # type: ignore[attr-defined]
            return io.BufferedReader(_Unpacked(plain, path.name))
    except BaseException:
        plain.close()
        raise
    return plain


def is_packed(path: Path) -> bool:
    """Whether gzip packed the file, whatever it is called."""
    with open_regular(path) as stream:
        return stream.read(2) == b"\x1f\x8b"


def open_text(path: Path, encoding: str, note: Note | None = None) -> io.TextIOWrapper:
    """The text of ``path``, unpacked, with its line ends as they are.

    A byte order mark counts more than ``encoding``.

    Args:
        encoding: "latin-1" is read as cp1252, which has letters where that has none.
        note: called when the text is not read in the encoding that was asked for.

    Raises:
        DataError: there is no such encoding, or the first bytes are no such text.
        OSError: the file cannot be opened.
    """
    raw = open_bytes(path)
    try:
        head = head_of(raw)
        codec = codec_for(head, encoding, path.name)
        if note is not None and marked(head) and not _same_family(codec, encoding):
            note(_BY_MARK.format(codec.removesuffix("-sig").upper()), path.name, "")
        return io.TextIOWrapper(raw, encoding=codec, newline="")
    except BaseException:
        raw.close()
        raise


def head_of(raw: IO[bytes]) -> bytes:
    """The first ``HEAD`` bytes, which are then read again."""
    return bytes(raw.peek(HEAD)[:HEAD])  # type: ignore[attr-defined]


def marked(head: bytes) -> str:
    """The encoding that a byte order mark states; "" without one."""
    return next((codec for mark, codec in _MARKS if head.startswith(mark)), "")


def codec_for(head: bytes, encoding: str, name: str) -> str:
    """The codec that reads a text which begins with ``head``, if it is in ``encoding``.

    Raises:
        DataError: there is no such encoding, or the bytes are no such text.
    """
    stated_codec = checked_encoding(encoding)
    if codec := marked(head):
        return codec
    _refuse_what_is_no_text(head, name)
    wide = wide_encoding(head)
    if stated_codec.startswith(("utf-16", "utf-32")):
        if wide is None and head:
            raise DataError(
                f"{name} is not {encoding.upper()} text: its first bytes are those of a text with "
                "one byte a letter, so leave the encoding out"
            )
        if wide is not None and not wide.startswith(stated_codec):
            raise DataError(f"{name} is not {encoding.upper()} text: give --encoding {wide}")
        return wide or stated_codec
    if wide is not None and stated_codec == "utf-8":
        raise DataError(
            f"{name} holds zero bytes, as {wide.upper()} text does: give --encoding {wide}, or "
            "save it as UTF-8"
        )
    return _MEANT.get(stated_codec, stated_codec)


def wide_encoding(head: bytes) -> str | None:
    """The encoding of a text with two or four bytes a letter and no byte order mark, if it is one.

    Commas, spaces and digits are then letters with zero bytes; others may be anything.
    """
    n = len(head) // 4
    zeros = [head[place : 4 * n : 4].count(0) for place in range(4)]
    if not sum(zeros):
        return None
    for name, full, part in (("utf-32-le", 3, 2), ("utf-32-be", 0, 1)):
        if zeros[full] == n and zeros[part] >= 0.9 * n:
            return name
    even, odd = zeros[0] + zeros[2], zeros[1] + zeros[3]
    least = 2 * n * (0.2 if _is_utf_8(head) else 0.02)
    if max(even, odd) < least or min(even, odd) > 0.1 * max(even, odd):
        return None
    return "utf-16-le" if odd > even else "utf-16-be"


def _is_utf_8(head: bytes) -> bool:
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError:
        return False
    return True


def _same_family(codec: str, encoding: str) -> bool:
    return checked_encoding(encoding)[:6] == codec.removesuffix("-sig")[:6]


def _refuse_what_is_no_text(head: bytes, name: str) -> None:
    for begin, why in _NO_TEXT:
        if head.startswith(begin):
            raise DataError(f"{shown(name)} {why}")
    if head[:400].lstrip().lower().startswith(_PAGES):
        raise DataError(f"{shown(name)} is a web page, not a table: download the file itself")


class _Unpacked(io.RawIOBase):
    """The content of a gzip file, unless it is compressed more than any table of texts."""

    def __init__(self, plain: IO[bytes], name: str) -> None:
        self._plain, self._name, self._bytes = plain, name, 0
        self._stream = gzip.GzipFile(fileobj=plain, mode="rb")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._stream.read(len(buffer))
        buffer[: len(data)] = data
        self._bytes += len(data)
        if self._bytes > max(RATIO_FROM, MAX_RATIO * self._plain.tell()):
            raise DataError(
                f"{self._name} unpacks to more than {MAX_RATIO} times its size, as no table of "
                "texts does: unpack it first if it is sound"
            )
        return len(data)

    def close(self) -> None:
        self._plain.close()
        super().close()
