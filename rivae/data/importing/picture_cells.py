"""What a cell of a table's picture column holds: the name of a file, or the picture itself.

Pictures stand in tables as bytes, as Hugging Face's struct of bytes and path, as a data URI, and as
base64; in a text table as what Python or JSON prints of these.
"""

from __future__ import annotations

import ast
import base64
import binascii
import re
from contextlib import suppress
from typing import Any, NamedTuple
from urllib.parse import unquote_to_bytes

from rivae.base.errors import DataError, shown
from rivae.base.reading.documents import parse_json
from rivae.base.reading.tar_rows import FilePart
from rivae.base.reading.typed_text import clean
from rivae.data.importing.picture_places import MAX_PICTURE_BYTES, TOO_LARGE
from rivae.data.importing.report import UnusableError
from rivae.data.importing.writings import written
from rivae.data.pictures import BEGINNINGS

MAX_NAME = 1000  # characters
UNNAMED = "no picture named"
UNSOUND = "picture in the table is not sound base64"
_NAMES = ("path", "file_name", "filename", "url", "src")  # of a struct's field with the name
_MIN_TEXT, _BEGUN = 64, 32  # characters of base64: no picture has fewer; enough to recognise one
_URI = re.compile(r"data:[^,]{0,200},", re.IGNORECASE)
_BYTES = r"b'(?:[^'\\]++|\\.)*+'|b\"(?:[^\"\\]++|\\.)*+\""
_TEXT = r"'(?:[^'\\]++|\\.)*+'|\"(?:[^\"\\]++|\\.)*+\""
_AS_PYTHON_PRINTS = re.compile(
    rf"{_BYTES}|\{{'bytes': (?:None|{_BYTES}), 'path': (?:None|{_TEXT})\}}"
)


class PictureCell(NamedTuple):
    """What a cell holds.

    Attributes:
        name: of a file; "" where there is none.
        data: the encoded picture itself, of any format; None where the cell only names one.
        others: how many further pictures stand in the cell.
    """

    name: str
    data: bytes | None = None
    others: int = 0


def picture_cell(cell: object) -> PictureCell:
    """What a cell of any type holds; a name is as it stands there.

    Raises:
        UnusableError: it holds neither a picture nor a name, or one that is too large or unsound.
    """
    if isinstance(cell, str):
        return _of_text(cell)
    if isinstance(cell, FilePart):
        return picture_cell(cell.read())
    if isinstance(cell, bytes | bytearray | memoryview):
        return _of_bytes(bytes(cell))
    if isinstance(cell, dict):
        name = next((cell[key] for key in _NAMES if isinstance(cell.get(key), str)), "")
        if cell.get("bytes") in (None, "", b"", []):
            return _of_text(name)
        return PictureCell(name, picture_cell(cell["bytes"]).data)
    if isinstance(cell, list | tuple) and cell:
        if isinstance(cell[0], int):
            return _of_bytes(_joined(cell))
        return picture_cell(cell[0])._replace(others=len(cell) - 1)
    if isinstance(cell, float) and cell.is_integer():
        cell = int(cell)  # 7 where a number is missing elsewhere in the column
    return _named("" if isinstance(cell, list | tuple) else clean(cell))


def holds_picture(cell: object) -> bool:
    """Whether the picture itself stands in a cell."""
    try:
        data = picture_cell(cell).data
    except UnusableError:
        return False
    return data is not None and _begins_a_picture(data)


def shown_cell(cell: object) -> str:
    """A cell for an example in a report: short, whatever it holds."""
    if isinstance(cell, dict):
        name = next((shown(cell[key]) for key in _NAMES if isinstance(cell.get(key), str)), "")
        inside = shown_cell(cell["bytes"]) if cell.get("bytes") else ""
        return ", ".join(filter(None, (name, inside))) or shown(cell)
    if isinstance(cell, FilePart):
        return f"{cell.size:,} bytes in {shown(cell.path.name, 60)}"
    if isinstance(cell, bytes | bytearray | memoryview):
        return f"{len(cell):,} bytes in the table"
    if isinstance(cell, str) and (len(cell) > MAX_NAME or holds_picture(cell)):
        return f"{len(cell):,} characters in the table"
    if isinstance(cell, list | tuple) and cell:
        return f"{len(cell):,} numbers" if isinstance(cell[0], int) else shown_cell(cell[0])
    return shown(clean(cell))


def _of_text(text: str) -> PictureCell:
    if match := _URI.match(text):
        return PictureCell("", _of_uri(match[0], text[match.end() :]))
    if text.startswith(("{", "b'", 'b"')) and (value := _printed(text)) is not None:
        return picture_cell(value)
    if text[:1] == "[" and (value := written(text)) is not None:
        first, *others = list(filter(None, map(clean, value.value))) or [""]
        return _named(first)._replace(others=len(others))
    if len(text) >= _MIN_TEXT and _begins_a_picture(_beginning(text)):
        try:
            return PictureCell("", _decoded(text))
        except UnusableError:
            if len(text) > MAX_NAME:  # no name is so long
                raise
    return _named(text)


def _named(text: str) -> PictureCell:
    if not text.strip() or "\0" in text:
        raise UnusableError(UNNAMED)
    if len(text) > MAX_NAME:
        raise UnusableError(f"picture name longer than {MAX_NAME:,} characters")
    return PictureCell(text)


def _of_bytes(data: bytes) -> PictureCell:
    """A picture; but what is text is read as one, which some programs write as bytes."""
    if len(data) > MAX_PICTURE_BYTES:
        raise UnusableError(TOO_LARGE)
    if b"\0" not in data[:MAX_NAME]:
        with suppress(UnicodeDecodeError):
            return _of_text(data.decode())
    return PictureCell("", data)


def _of_uri(head: str, content: str) -> bytes:
    if len(content) > 3 * MAX_PICTURE_BYTES:
        raise UnusableError(TOO_LARGE)
    if "base64" not in head.lower():
        return unquote_to_bytes(content)
    return _decoded(unquote_to_bytes(content).decode("ascii", "replace"))


def _printed(text: str) -> Any:
    """The bytes, or the struct, that Python or JSON has printed; None for another text."""
    if _AS_PYTHON_PRINTS.fullmatch(text):
        try:
            return ast.literal_eval(text)
        except (ValueError, SyntaxError):
            return None
    try:
        value = parse_json(text)
    except DataError:
        return None
    return value if isinstance(value, dict) else None


def _decoded(text: str) -> bytes:
    """The bytes of a base64 text, of either alphabet and with line breaks.

    Raises:
        UnusableError: it is not one, or too large.
    """
    text = "".join(text.split()).replace("-", "+").replace("_", "/").rstrip("=")
    if len(text) * 3 // 4 > MAX_PICTURE_BYTES:
        raise UnusableError(TOO_LARGE)
    try:
        return base64.b64decode(text + "=" * (-len(text) % 4), validate=True)
    except (binascii.Error, ValueError):  # ValueError: not ASCII
        raise UnusableError(UNSOUND) from None


def _beginning(text: str) -> bytes:
    """The first bytes of a base64 text; b"" for another."""
    try:
        return _decoded("".join(text[:_MIN_TEXT].split())[:_BEGUN])
    except UnusableError:
        return b""


def _joined(numbers: list[Any] | tuple[Any, ...]) -> bytes:
    try:
        return bytes(numbers)
    except (TypeError, ValueError):
        raise UnusableError(UNNAMED) from None


def _begins_a_picture(data: bytes) -> bool:
    return data.startswith(BEGINNINGS) or (data[:4] == b"RIFF" and data[8:12] == b"WEBP")
