"""Makes table cells into the text of a recipe, within bounds."""

from __future__ import annotations

import ast
import json
import re
import unicodedata
from typing import Any

from rivae.importing import limits
from rivae.importing.report import UnusableError

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\ufeff]")
_LIST = re.compile(r"^\s*\[.*\]\s*$", re.DOTALL)


def clean(value: object) -> str:
    """One line of plain text: composed characters, no control characters, single spaces."""
    if value is None or (isinstance(value, float) and value != value):
        return ""
    text = unicodedata.normalize("NFC", str(value))
    return " ".join(_CONTROL.sub(" ", text).split())


def one_line(value: object, longest: int) -> str:
    """``clean`` text of at most ``longest`` characters.

    Raises:
        UnusableError: when it is longer.
    """
    if isinstance(value, str) and len(value) > limits.MAX_TEXT:
        raise UnusableError(_too_long())
    text = clean(value)
    if len(text) > longest:
        raise UnusableError(f"title or name longer than {longest} characters")
    return text


def lines(value: object) -> tuple[str, ...]:
    """A list, a list written as text (JSON or Python), or the lines of a text; empty ones dropped.

    Raises:
        UnusableError: when there are too many, or they are too long.
    """
    if isinstance(value, str):
        if len(value) > limits.MAX_TEXT:
            raise UnusableError(_too_long())
        parts = _parsed(value)
    elif isinstance(value, list | tuple):
        parts = list(value)
    else:
        parts = [value]
    if len(parts) > limits.MAX_LINES:
        raise UnusableError(f"more than {limits.MAX_LINES} lines in one column")
    if sum(len(part) for part in parts if isinstance(part, str)) > limits.MAX_TEXT:
        raise UnusableError(_too_long())
    found = tuple(filter(None, (clean(_text_of(part)) for part in parts)))
    if any(len(line) > limits.MAX_LINE for line in found):
        raise UnusableError(f"a line longer than {limits.MAX_LINE:,} characters")
    return found


def _text_of(part: Any) -> Any:
    # Recipe1M and schema.org wrap every line: {"text": "1 cup water"}.
    return part.get("text", part.get("name", "")) if isinstance(part, dict) else part


def _parsed(text: str) -> list[Any]:
    if _LIST.match(text):
        for read in (json.loads, ast.literal_eval):
            try:
                value = read(text)
            except (ValueError, SyntaxError, RecursionError, MemoryError):
                continue
            if isinstance(value, list):
                return value
    if "\n" in text:
        return text.splitlines()
    return text.split("|")


def _too_long() -> str:
    return f"text longer than {limits.MAX_TEXT:,} characters"
