"""What the rows of a table look like, to tell a row from a line of a text that goes over several.

A cell that begins with a quotation mark that nobody closed swallows the lines after it; a recipe in
one cell has lines that may hold commas. Both look alike to a CSV reader.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from typing import Any

LEARNED_FROM = 200  # rows
SURE_OF_NUMBERS, SURE_OF_WORDS = 5, 20  # rows, before a row that differs is none
_NUMBER = re.compile(r"\s*[-+]?\d[\d.,]*\s*")
_ENDING = re.compile(r".*\S\.\w{2,5}\s*", re.DOTALL)  # as names of files have


class Shape:
    """What every cell of a column had in common so far.

    Args:
        delimiter, options: as the table is read.
        n_columns: of the table.
    """

    def __init__(self, delimiter: str, n_columns: int, options: dict[str, Any]) -> None:
        self._delimiter, self._n, self._options = delimiter, n_columns, options
        self._n_rows = 0
        every = set(range(n_columns))
        self._numbers, self._files = set(every), set(every)
        self._words, self._filled, self._not_spaced = set(every), set(every), set(every)

    def learn(self, row: Sequence[str]) -> None:
        """Learn from a sound row."""
        if self._n_rows >= LEARNED_FROM:
            return
        self._n_rows += 1
        for place in range(self._n):
            cell = row[place] if place < len(row) else ""
            kinds = (
                (self._numbers, _NUMBER.fullmatch(cell)),
                (self._files, _ENDING.fullmatch(cell)),
                (self._words, len(cell.split()) < 2),
                (self._filled, cell),
                (self._not_spaced, not cell.startswith(" ")),
            )
            for places, holds in kinds:
                if not holds:
                    places.discard(place)

    def may_begin(self, cell: str) -> bool:
        """Whether a row may have this first cell."""
        if not cell or self._n_rows < SURE_OF_NUMBERS:
            return True
        if 0 in self._numbers:
            return _NUMBER.fullmatch(cell) is not None
        if 0 in self._files:
            return _ENDING.fullmatch(cell) is not None
        return self._n_rows < SURE_OF_WORDS or 0 not in self._words or len(cell.split()) < 2

    def continues(self, line: str, missing: int) -> bool:
        """Whether a line is the rest of a row before it, which lacks ``missing`` cells."""
        cells, _ = self._cells(line)
        return len(cells) == missing + 1 and not self.may_begin(cells[0])

    def swallowed(self, lines: Sequence[str], fits: bool) -> bool:
        """Whether the lines of one record are rows, the first of which left a quotation mark open.

        Args:
            fits: they also make one sound record, so all of them must look like rows.
        """
        if not fits:
            return self._is_row(lines[1]) or self._begins_row(lines[1])
        if self._n_rows < SURE_OF_NUMBERS or not self._numbers | self._files:
            return False
        cells, is_open = self._cells(lines[0])
        # Without the open quotation mark the first line is a row as well.
        n_literal = len(cells) + cells[-1].count(self._delimiter) if cells else 0
        return is_open and n_literal == self._n and all(map(self._is_row, lines[1:]))

    def _is_row(self, line: str) -> bool:
        cells, is_open = self._cells(line)
        while len(cells) > self._n and not cells[-1].strip():
            cells.pop()
        return not is_open and len(cells) == self._n > 1 and self._fits(cells)

    def _begins_row(self, line: str) -> bool:
        """Whether it looks like the first line of a row whose last cell goes on."""
        cells, is_open = self._cells(line)
        known = self._numbers | self._files if self._n_rows else set()
        begin = cells[:-1]
        seen = any(place < len(begin) for place in known)
        return is_open and seen and len(begin) < self._n and self._fits(begin)

    def _fits(self, cells: Sequence[str]) -> bool:
        for place, cell in enumerate(cells):
            if (place in self._numbers and not _NUMBER.fullmatch(cell)) or (
                place in self._files and not _ENDING.fullmatch(cell)
            ):
                return False
            if (place in self._filled and not cell) or (
                place in self._not_spaced and cell.startswith(" ")
            ):
                return False
            sure = self._n_rows >= SURE_OF_WORDS
            if sure and place in self._words and len(cell.split()) > 1:
                return False
        return True

    def _cells(self, line: str) -> tuple[list[str], bool]:
        """The cells of a line by itself, and whether its last quotation mark stays open."""
        try:
            cells = next(csv.reader([line], delimiter=self._delimiter, **self._options), [])
        except csv.Error:
            return [], False
        is_open = bool(cells) and cells[-1].endswith(("\n", "\r"))
        return cells, is_open
