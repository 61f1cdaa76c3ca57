"""What the rows of a table look like, to tell a row from a line of a text that goes over several.

A cell that begins with a quotation mark that nobody closed swallows the lines after it; a recipe in
one cell has lines that may hold commas. Both look alike to a CSV reader.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Sequence
from typing import Any

LEARNED_FROM, LOOKED_AT = 200, 100  # rows, and their first cells
SURE_FROM = 5  # rows, after which one that differs does not count as a row
SURE_OF_WORDS = 20
NEARLY_ALL = 0.9  # of the rows
_NUMBER = re.compile(r"\s*[-+]?\d[\d.,]*\s*")
_ENDING = re.compile(r".*\S\.\w{2,5}\s*", re.DOTALL)  # as names of files have
_CODE = re.compile(r"\S*\d\S*")
_KINDS: dict[str, Callable[[str], object]] = {
    "number": _NUMBER.fullmatch,
    "file": _ENDING.fullmatch,
    "code": _CODE.fullmatch,
    "word": lambda cell: len(cell.split()) < 2,
    "filled": bool,
    "not spaced": lambda cell: not cell.startswith(" "),
}


class Shape:
    """What the cells of a column have in common, as far as nearly all rows tell.

    Args:
        delimiter, options: as the table is read.
        n_columns: of the table.
        lines: some of its beginning; those that are a row by themselves are learned from.
    """

    def __init__(
        self, delimiter: str, n_columns: int, options: dict[str, Any], lines: Sequence[str]
    ) -> None:
        self._delimiter, self._n, self._options = delimiter, n_columns, options
        self._kinds_seen: dict[str, set[int]] = {kind: set() for kind in _KINDS}
        self._forget_counts()
        for line in lines:
            cells, is_open = self._cells(line)
            if len(cells) == n_columns and not is_open:
                self.learn(cells)
        self._forget_counts()  # what is known holds until enough rows were read

    def _forget_counts(self) -> None:
        self._n_rows = 0
        self._counts = {kind: [0] * min(self._n, LOOKED_AT) for kind in _KINDS}

    def learn(self, row: Sequence[str]) -> None:
        """Learn from a sound row."""
        if self._n_rows >= LEARNED_FROM:
            return
        self._n_rows += 1
        for kind, holds in _KINDS.items():
            counts, least = self._counts[kind], NEARLY_ALL * self._n_rows
            for place, cell in enumerate(row[:LOOKED_AT]):
                counts[place] += bool(holds(cell))
            sure = SURE_OF_WORDS if kind == "word" else SURE_FROM
            if self._n_rows >= sure:
                self._kinds_seen[kind] = {place for place, n in enumerate(counts) if n >= least}

    def is_headless(self, names: Sequence[str]) -> bool:
        """Whether what should be the names of columns is a row: it has the name of a file too."""
        return any(_ENDING.fullmatch(names[place]) for place in self._kinds_seen["file"])

    def may_begin(self, cell: str) -> bool:
        """Whether a row may have this first cell, as far as numbers and names of files tell."""
        kinds = [kind for kind in ("number", "file") if 0 in self._kinds_seen[kind]]
        return not cell or all(_KINDS[kind](cell) for kind in kinds)

    def continues(self, line: str, missing: int) -> bool:
        """Whether a line is the rest of a row before it, which lacks ``missing`` cells."""
        cells, _ = self._cells(line)
        return len(cells) == missing + 1 and not self.fits(cells[:1])

    def swallowed(self, lines: Sequence[str], is_broken: bool) -> int:
        """How many of the last lines of one record are rows, after a quotation mark left open.

        Args:
            is_broken: the lines make no record; otherwise all of them must look like rows.
        """
        if not is_broken:
            rows = self.opens(lines[0]) and all(map(self._is_row, lines[1:]))
            return len(lines) - 1 if rows else 0
        for place, line in enumerate(lines[1:], start=1):
            if (place == 1 or self._telling) and (self._is_row(line) or self._begins_row(line)):
                return len(lines) - place
        return 0

    def opens(self, line: str) -> bool:
        """Whether a line would be a row if it did not open a quotation mark."""
        cells, is_open = self._cells(line)
        n_literal = len(cells) + cells[-1].count(self._delimiter) if cells else 0
        return is_open and n_literal == self._n and bool(self._telling)

    def _is_row(self, line: str) -> bool:
        cells, is_open = self._cells(line)
        while len(cells) > self._n and not cells[-1].strip():
            cells.pop()
        return not is_open and len(cells) == self._n > 1 and self.fits(cells)

    def _begins_row(self, line: str) -> bool:
        """Whether it looks like the first line of a row whose last cell continues."""
        cells, is_open = self._cells(line)
        begin = cells[:-1]
        begins = any(place < len(begin) for place in self._telling)
        return is_open and begins and len(begin) < self._n and self.fits(begin)

    @property
    def _telling(self) -> set[int]:
        """Columns whose cells no line of a text is likely to have."""
        return self._kinds_seen["number"] | self._kinds_seen["file"] | self._kinds_seen["code"]

    def fits(self, cells: Sequence[str]) -> bool:
        """Whether the first cells of a row look like those of the rows before it."""
        return all(
            _KINDS[kind](cell)
            for kind, places in self._kinds_seen.items()
            for place, cell in enumerate(cells)
            if place in places
        )

    def _cells(self, line: str) -> tuple[list[str], bool]:
        """The cells of a line by itself, and whether its last quotation mark stays open."""
        try:
            cells = next(csv.reader([line], delimiter=self._delimiter, **self._options), [])
        except csv.Error:
            return [], False
        is_open = bool(cells) and cells[-1].endswith(("\n", "\r"))
        return cells, is_open
