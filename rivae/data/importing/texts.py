"""Turns table cells into the text of a recipe, within bounds.

How a list is written differs from cell to cell (``writings``, ``objects``, ``html_text``); which
marks part items is decided for a column (``separators``). Whatever was guessed, shortened or not
understood becomes a remark.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from rivae.base.errors import shown
from rivae.base.reading.typed_text import clean
from rivae.data.importing import separators
from rivae.data.importing.lines import (
    MAX_LINES,
    MAX_TEXT,
    MAX_TITLE,
    are_sentences,
    beginning,
    bounded_lines,
    check_size,
    joined,
    plain_lines,
    plain_text,
    unwrapped,
)
from rivae.data.importing.objects import LANGUAGES, texts_in
from rivae.data.importing.writings import MISSING, bare_list, looks_written, written

Remarks = list[tuple[str, str]]  # what was guessed, and an example of it

ABRIDGED = "lists were abridged with '...' when they were written: the rest is lost"
LOOSE = "lists whose quotation marks are not closed as programs do"
NOT_UNDERSTOOD = "lists in an unknown or broken writing were kept as one text"
UNSURE = "{} may part items or stand inside of them: kept as one text"
SPLIT_AT = "texts were split at {}"
CAPTIONS = "of several texts, the first is the title and the others are lines of the text"
LONG_TITLES = f"longer than {MAX_TITLE} characters: the beginning is the title, all is in the text"

# As most are; nothing that is done to others would change them.
_PLAIN_LIST = re.compile(r"[\w.!?:%+*=@^~$/-]+(?:[ |][\w.!?:%+*=@^~$/-]+)*", re.ASCII)
_MAY_BE_CAPTIONS = re.compile(r"[^'\"]+['\"&]")  # a list has its quotation marks inside of brackets
_PLAIN_TEXT = re.compile(r"(?!\s*[\w.]*[\[({'\"])[^&<\n\r]+")


class _Column:
    """What columns of lists and of texts have in common.

    Args:
        name: of the column.
        role: "ingredients", "instructions", "tags" or "title".
    """

    def __init__(self, name: str, role: str) -> None:
        self.name, self.role = name, role

    def _note(
        self, names: Iterable[str], cell: object, texts: Iterable[str], remarks: Remarks
    ) -> None:
        """Add each of ``names`` to the remarks, with what the cell was and what became of it."""
        for remark in names:
            before = f"{shown(cell, 70)} → " if isinstance(cell, str) else ""
            remarks.append(
                (f"column '{shown(self.name, 40)}': {remark}", before + " | ".join(texts))
            )

    def _structure(self, cell: object, remarks: set[str]) -> Any:
        """A text as it is, a list of what a list or an object holds, or another value."""
        if isinstance(cell, bytes):
            cell = cell.decode("utf-8", "replace")
        if isinstance(cell, Mapping):
            parts = texts_in(cell, self.role, remarks)
            return parts[0] if LANGUAGES in remarks and len(parts) == 1 else parts
        if isinstance(cell, list | tuple | set | frozenset):
            parts = unwrapped(list(cell))
            if all(isinstance(part, str) and part[:1] != "{" for part in parts):
                return parts
            return texts_in(cell, self.role, remarks)
        return cell

    def _as_written(self, text: str, remarks: set[str]) -> list[Any] | str:
        """What a text holds that is a list in a known writing; other texts without their HTML."""
        for attempt in range(2):
            if literal := written(text):
                remarks |= {ABRIDGED} if literal.abridged else set()
                remarks |= {LOOSE} if literal.loose else set()
                return self._structure(literal.value, remarks)
            plain = plain_text(text, remarks) if attempt == 0 else text
            if plain == text:
                break
            text = plain.strip()
        return text


class ListColumn(_Column):
    """A column whose cells hold lists, in whatever way they are written.

    Args:
        name: of the column.
        role: "ingredients", "instructions" or "tags".
    """

    def __init__(self, name: str, role: str) -> None:
        super().__init__(name, role)
        # Steps are prose: no mark inside of a line parts them.
        is_prose = role == "instructions"
        self._marks = None if is_prose else separators.MarkUse(strict=role == "ingredients")

    def look(self, cell: object) -> None:
        """Learn from one cell how lists are written in this column."""
        if self._marks is None or cell is None or isinstance(cell, int | float):
            return
        if isinstance(cell, str | bytes) and len(cell) > MAX_TEXT:
            return
        text = joined(unwrapped(cell)) if isinstance(cell, list) else cell
        if isinstance(text, str) and not self._marks.is_open(text):
            return
        parts = self._parts(cell, set())
        if isinstance(parts, str):
            self._marks.look_at_text(parts)
        else:
            self._marks.look_at_items([part for part in parts if isinstance(part, str)])

    def read(self, cell: object, remarks: Remarks) -> tuple[str, ...]:
        """The lines of one cell; a guess is added to ``remarks`` with an example.

        Raises:
            UnusableError: the cell is longer than ``MAX_TEXT``.
        """
        check_size(cell)
        if isinstance(cell, str) and len(cell) <= MAX_LINES and _PLAIN_LIST.fullmatch(cell):
            lines = tuple(cell.split("|"))
            if MISSING.isdisjoint(lines):
                return lines
        elif isinstance(cell, list) and len(cell) > 1 and (plain := plain_lines(cell)) is not None:
            return plain
        cell_remarks: set[str] = set()
        parts = self._parts(cell, cell_remarks)
        if isinstance(parts, str):
            parts = self._at_marks(parts, cell_remarks)
        plain = plain_lines(parts)
        line_texts = bounded_lines(parts, cell_remarks) if plain is None else plain
        if cell_remarks:
            self._note(sorted(cell_remarks), cell, line_texts[:3], remarks)
        return line_texts

    def _parts(self, cell: object, remarks: set[str]) -> list[Any] | str:
        """The parts of a cell, or its text where only the marks of the column can tell."""
        if isinstance(cell, list) and self._is_list_in_list(cell):
            cell = cell[0]
        parts = self._structure(cell, remarks)
        if isinstance(parts, str):
            parts = self._as_written(parts, remarks)
        if isinstance(parts, list):
            return self._unpacked(parts, remarks)
        if not isinstance(parts, str):
            return [parts]
        if looks_written(parts):
            remarks.add(NOT_UNDERSTOOD)
            return [parts]
        text = parts.strip()
        if self._marks is not None and (inner := bare_list(text)) is not None:
            text = inner
        lines = separators.at_lines(text)
        if len(lines) > 1:
            return lines
        others, mark = separators.at_other_marks(text)
        if mark:
            remarks.add(SPLIT_AT.format(f"'{mark}'"))
            return others
        hashes = separators.at_hashes(text) if self.role == "tags" else None
        return hashes or text

    def _is_list_in_list(self, cell: list[Any]) -> bool:
        """Whether a list holds nothing but one text that is all of the list: ["salt\\nwater"]."""
        if len(cell) != 1 or not isinstance(cell[0], str):
            return False
        text = cell[0].strip()
        return self.role == "tags" or "\n" in text or written(text) is not None

    def _unpacked(self, parts: list[Any], remarks: set[str]) -> list[Any]:
        """Paragraphs and list entries of HTML in a list are its parts."""
        text = joined(parts)
        if (text and "<" not in text) or (len(parts) > 1 and self.role != "instructions"):
            return parts
        return [
            line
            for part in parts
            for line in (
                plain_text(part, remarks).strip().splitlines()
                if isinstance(part, str) and "<" in part and "\n" not in part
                else [part]
            )
        ]

    def _at_marks(self, text: str, remarks: set[str]) -> list[str]:
        if self._marks is None:
            return [text]
        parts, mark = separators.strongest(text)
        if not mark:
            return [text]
        name = "commas" if mark == "," else f"'{mark}'"
        if not self._marks.parts_items(mark):
            remarks.add(UNSURE.format(name))
            return [text]
        remarks.add(SPLIT_AT.format(name))
        return parts


class TextColumn(_Column):
    """A column of titles or captions: one text, or a list of them."""

    def __init__(self, name: str) -> None:
        super().__init__(name, "title")

    def read(self, cell: object, remarks: Remarks) -> tuple[str, tuple[str, ...]]:
        """The title of at most ``MAX_TITLE`` characters, and the lines of text beyond it.

        Raises:
            UnusableError: the cell is longer than ``MAX_TEXT``.
        """
        check_size(cell)
        if isinstance(cell, str) and len(cell) <= MAX_TITLE and _PLAIN_TEXT.fullmatch(cell):
            title = clean(cell)
            if title not in MISSING:
                return title, ()
        cell_remarks: set[str] = set()
        parts = self._structure(cell, cell_remarks)
        if isinstance(parts, str):
            parts = parts.strip()
            text = self._as_written(parts, cell_remarks) if _MAY_BE_CAPTIONS.match(parts) else parts
            text = plain_text(text, cell_remarks) if isinstance(text, str) else text
            parts = _captions(text) if isinstance(text, str) else text
        texts = list(
            bounded_lines(parts if isinstance(parts, list) else [parts], cell_remarks, MAX_TEXT)
        )
        title = texts[0] if texts else ""
        if len(title) > MAX_TITLE:
            cell_remarks.add(LONG_TITLES)
            title = beginning(title)
        else:
            texts = texts[1:]
            cell_remarks |= {CAPTIONS} if texts else set()
        beyond = bounded_lines(texts, cell_remarks)
        if cell_remarks:
            self._note(sorted(cell_remarks), cell, [title], remarks)
        return title, beyond


def _captions(text: str) -> list[str]:
    """Lines that are sentences each are texts of their own; others are one text, broken to fit."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if len(lines) > 1 and are_sentences(lines):
        return lines
    return [text]
