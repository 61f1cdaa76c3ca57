"""Turns table cells into the text of a recipe, within bounds."""

from __future__ import annotations

import ast
import re
from typing import Any

from rivae.errors import DataError
from rivae.importing.report import ImportReport, UnusableError
from rivae.reading.documents import parse_json
from rivae.reading.typed_text import clean

# Far beyond real recipes, and too little to do harm.
MAX_TITLE = 500  # characters
MAX_LINE = 5_000  # characters of one ingredient or step
MAX_LINES = 500  # ingredients, steps or tags of one record
MAX_TEXT = 200_000  # characters of a record together

_PLAIN = re.compile(r"[!-Z^-{}~]+(?:[ |][!-Z^-{}~]+)*")
_LIST = re.compile(r"^\s*\[.*\]\s*$", re.DOTALL)


def one_line(value: object, longest: int) -> str:
    """``clean`` text of at most ``longest`` characters.

    Raises:
        UnusableError: when it is longer.
    """
    if isinstance(value, str | bytes) and len(value) > MAX_TEXT:
        raise UnusableError(_too_long())
    text = clean(value)
    if len(text) > longest:
        raise UnusableError(f"title or name longer than {longest} characters")
    return text


class ListColumn:
    """A column whose cells hold lists, in whatever way they are written.

    Args:
        name: of the column.
        role: "ingredients", "instructions" or "tags".
    """

    def __init__(self, name: str, role: str) -> None:
        self.name, self.role = name, role

    def look(self, cell: object) -> None:
        """Learn from one cell how lists are written in this column."""

    def tell(self, report: ImportReport) -> None:
        """Note how the column as a whole was read, once all its cells were looked at."""

    def read(self, cell: object, remarks: list[tuple[str, str]]) -> tuple[str, ...]:
        """The lines of one cell; a guess is added to ``remarks`` with an example.

        Raises:
            UnusableError: as ``lines``.
        """
        return lines(cell)


def lines(value: object) -> tuple[str, ...]:
    """A list, a list written as text (JSON or Python), or the lines of a text; empty ones dropped.

    Raises:
        UnusableError: when there are too many, or they are too long.
    """
    if isinstance(value, str | bytes):
        if len(value) > MAX_TEXT:
            raise UnusableError(_too_long())
        if isinstance(value, str) and len(value) <= MAX_LINES and _PLAIN.fullmatch(value):
            return tuple(value.split("|"))  # as most are; nothing below would change them
        parts = _parsed(value if isinstance(value, str) else value.decode("utf-8", "replace"))
    elif isinstance(value, list | tuple):
        parts = list(value)
    else:
        parts = [value]
    if len(parts) > MAX_LINES:
        raise UnusableError(f"more than {MAX_LINES} lines in one column")
    if sum([len(part) for part in parts if isinstance(part, (str, bytes))]) > MAX_TEXT:
        raise UnusableError(_too_long())
    found = tuple(filter(None, map(clean, map(_text_of, parts))))
    if max(map(len, found), default=0) > MAX_LINE:
        raise UnusableError(f"a line longer than {MAX_LINE:,} characters")
    return found


def _text_of(part: Any) -> Any:
    # Recipe1M and schema.org wrap every line: {"text": "1 cup water"}.
    return part.get("text", part.get("name", "")) if isinstance(part, dict) else part


def _parsed(text: str) -> list[Any]:
    if "[" in text and _LIST.match(text):
        for read in (parse_json, ast.literal_eval):
            try:
                value = read(text)
            except (DataError, ValueError, SyntaxError, RecursionError, MemoryError):
                continue
            if isinstance(value, list):
                return value
    if "\n" in text:
        return text.splitlines()
    return text.split("|")


def _too_long() -> str:
    return f"text longer than {MAX_TEXT:,} characters"
