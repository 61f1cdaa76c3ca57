"""JSON documents: bounded in bytes, in depth and in the size of numbers before they are used."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic_core import from_json

from rivae.base.errors import DataError
from rivae.base.reading.regular import read_at_most

if TYPE_CHECKING:
    from pydantic import BaseModel, ValidationError

    Form = TypeVar("Form", bound=BaseModel)

MAX_BYTES = 8 * 2**20
# For people who do not know Python's types.
_PLAINLY = dict.fromkeys(("model_type", "dict_type"), "Input should hold values by name")
# Larger numbers do not fit a float and are no real quantity.
MAX_NUMBER = 10**300
_DIGITS = bytes.maketrans(b"123456789", b"000000000")
_EXPONENT = re.compile(rb"[eE]\+?0*[1-9][0-9]{2}")
_HALF = re.compile(rb"\\u[dD][89a-fA-F]")
_ESCAPE = re.compile(
    rb"\\(u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"  # both halves of a character
    rb"|u[dD][89a-fA-F][0-9a-fA-F]{2}|.)",
    re.DOTALL,
)


def parse_json(text: str | bytes, *, nan: bool = False, mend: bool = False) -> Any:
    """The value of a JSON text, nested at most some 200 deep, with numbers below ``MAX_NUMBER``.

    Args:
        nan: also takes ``NaN``, ``Infinity`` and ``-Infinity``, and what is too large for a float.
        mend: half of a character (``"\\ud800"``) and bytes that are not UTF-8 become U+FFFD; by
            default they are refused.

    Raises:
        DataError: what is wrong, as a part of a sentence: "expected value at line 1 column 1".
    """
    content = _bytes(text, mend).removeprefix(b"\xef\xbb\xbf")
    if mend and _HALF.search(content):
        content = _ESCAPE.sub(_mended, content)
    try:
        value = from_json(content, allow_inf_nan=nan, cache_strings="keys")
    except ValueError as error:
        raise DataError(str(error)) from None
    # Few texts may hold a number that is too large; only those are walked.
    if b"0" * 200 in content.translate(_DIGITS) or _EXPONENT.search(content):
        _check_numbers(value, nan)
    return value


def read_json(
    source: Path | bytes,
    max_bytes: int = MAX_BYTES,
    *,
    name: str = "",
    nan: bool = False,
    mend: bool = False,
    too_large: str = "",
    foreign: str = "",
    unreadable: str = "",
) -> Any:
    """``parse_json`` of a file, or of its content.

    Args:
        name: of the file in sentences; its own by default.
        too_large, foreign, unreadable: sentences to use in place of the default ones;
            ``foreign`` and ``unreadable`` may contain ``{problem}``.

    Raises:
        DataError: it cannot be read, is larger than ``max_bytes``, or ``parse_json`` refuses it.
    """
    label = name or (source.name if isinstance(source, Path) else "the file")
    content = _content(
        source,
        max_bytes,
        unreadable=unreadable or f"{label} cannot be read ({{problem}})",
        too_large=too_large or f"{label} is larger than {max_bytes:,} bytes",
    )
    try:
        return parse_json(content, nan=nan, mend=mend)
    except DataError as error:
        sentence = foreign or f"{label} is not valid JSON ({{problem}})"
        raise DataError(sentence.replace("{problem}", str(error))) from None


def read_form(
    form: type[Form],
    source: Path | bytes,
    most: int,
    *,
    too_large: str,
    foreign: str,
    unreadable: str = "this file cannot be read: choose another one",
) -> Form:
    """A JSON file, or its content, of at most ``most`` bytes, validated as ``form``.

    Raises:
        DataError: with one of the three sentences; ``{problem}`` in ``foreign`` becomes the
            first problem.
    """
    from pydantic import ValidationError

    content = _content(source, most, unreadable=unreadable, too_large=too_large)
    try:
        parse_json(content)
        return form.model_validate_json(content.removeprefix(b"\xef\xbb\xbf"))
    except ValidationError as error:
        problem = first_problem(error)
    except DataError as error:
        problem = f"the file: Invalid JSON: {error}"
    raise DataError(foreign.replace("{problem}", problem))


def read_own_form(form: type[Form], source: Path, most: int, damaged: str = "") -> Form:
    """``read_form`` of a file that this program wrote, with one sentence for whatever is wrong.

    Raises:
        DataError: with the sentence.
    """
    return read_form(form, source, most, too_large=damaged, foreign=damaged, unreadable=damaged)


def first_problem(error: ValidationError) -> str:
    """Where a validated file first goes wrong, and how: "steps / 0 / run: …"."""
    first = error.errors(include_url=False, include_input=False)[0]
    place = " / ".join(str(part)[:40] for part in first["loc"])[:80] or "the file"
    problem = _PLAINLY.get(first["type"], first["msg"])
    return printable(f"{place}: {problem}")


def printable(text: str) -> str:
    """``text`` from a file, at most 300 characters, safe to use in a sentence."""
    return "".join(letter if letter.isprintable() else "\ufffd" for letter in text[:300])


def _content(source: Path | bytes, max_bytes: int, *, unreadable: str, too_large: str) -> bytes:
    if isinstance(source, bytes):
        content: bytes | None = source if len(source) <= max_bytes else None
    else:
        try:
            content = read_at_most(source, max_bytes)
        except (OSError, ValueError) as error:  # ValueError: a NUL in the path
            why = getattr(error, "strerror", None) or "a wrong path"
            raise DataError(unreadable.replace("{problem}", why)) from None
    if content is None:
        raise DataError(too_large)
    return content


def _bytes(text: str | bytes, mend: bool) -> bytes:
    if not mend:
        try:
            return text.encode() if isinstance(text, str) else text
        except UnicodeEncodeError:
            raise DataError("half of a character, which is not valid text") from None
    if isinstance(text, bytes):
        text = text.decode("utf-8", "replace")
    # "surrogatepass" and back: halves become one mark each.
    return text.encode("utf-8", "surrogatepass").decode("utf-8", "replace").encode()


def _mended(match: re.Match[bytes]) -> bytes:
    half = len(match[1]) == 5 and match[1][:2] in (b"ud", b"uD")
    return b"\\ufffd" if half else match[0]


def _check_numbers(value: Any, infinite: bool) -> None:
    """DataError for a number above ``MAX_NUMBER``; an infinite one is one where not allowed."""
    todo = [value]
    while todo:
        one = todo.pop()
        if isinstance(one, dict):
            todo += one.values()
        elif isinstance(one, list):
            todo += one
        elif (isinstance(one, int) and abs(one) > MAX_NUMBER) or (
            isinstance(one, float) and not infinite and math.isinf(one)
        ):
            raise DataError("a number of more than 300 digits")
