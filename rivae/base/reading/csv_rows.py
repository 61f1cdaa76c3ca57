"""CSV and its kin, record by record, as spreadsheets, R, pandas and people write them."""

from __future__ import annotations

import csv
import re
from collections import deque
from collections.abc import Iterator
from itertools import islice
from typing import IO

from rivae.base.errors import DataError, shown
from rivae.base.reading.csv_layout import LOOK_LETTERS, LOOK_LINES, Layout, layout_of
from rivae.base.reading.csv_shape import Shape
from rivae.base.reading.row import MAX_EMPTY, MAX_FIELD, Broken, Record, check_header
from rivae.base.reading.text_files import Note

MAX_RECORD = 16 * 2**20  # characters of a line, or of a record over several
MAX_SPAN = 100  # lines of a faulty record, before a lost quotation mark is the likely fault
MAX_REST = 20  # lines after a faulty one that may belong to it
MAX_AGAIN = 64 * 2**20  # characters that may be read a second time
SHORT = "line has fewer cells than there are columns: the last ones are taken as empty"
HEADLESS = "the first line of the table looks like a row, not like the names of its columns"
UNNAMED = "column without a name, which is called by its number"
LOOSE = "line opens a quotation mark that nothing closes"
REST = "line after one with misplaced quotation marks is no row either"
OTHER_NUMBER = "line has another number of cells than there are columns"
# Excel's way to keep a spreadsheet from making a number of a text.
_AS_TEXT = re.compile('="(.*)"', re.DOTALL)


class _Lines:
    """Lines of a text for the CSV reader, counted and of bounded length."""

    def __init__(self, stream: IO[str], name: str) -> None:
        self._stream, self._name = stream, name
        self._ahead: deque[str] = deque()
        self.record_lines: list[str] = []  # of the record that is being read
        self.number = 0  # of the line that was read last
        self._n_characters = 0  # characters of the record

    def __iter__(self) -> _Lines:
        return self

    def __next__(self) -> str:
        line = self._ahead.popleft() if self._ahead else self._stream.readline(MAX_RECORD)
        if not line:
            raise StopIteration
        self.number += 1
        self.record_lines.append(line)
        self._n_characters += len(line)
        if self._n_characters >= MAX_RECORD:
            raise DataError(
                f"{self._name}, line {self.number}: a record of more than {MAX_RECORD // 2**20} "
                "million characters: is it a table, with its quotation marks closed?"
            )
        return line

    def begin(self) -> int:
        """The number of the next line, where a record begins."""
        self.record_lines.clear()
        self._n_characters = 0
        return self.number + 1

    def give_back(self, n: int) -> int:
        """Read the last ``n`` lines again; returns how many characters these are."""
        again = self.record_lines[len(self.record_lines) - n :]
        self._ahead.extendleft(reversed(again))
        self.number -= n
        return sum(map(len, again))

    def peek(self, n: int, letters: int) -> list[str]:
        """The next ``n`` lines, fewer beyond so many characters; they are then read again."""
        while len(self._ahead) < n and sum(map(len, self._ahead)) < letters:
            line = self._stream.readline(MAX_RECORD)
            if not line:
                break
            self._ahead.append(line if self.number or self._ahead else line.lstrip("\ufeff"))
        return list(islice(self._ahead, n))


def csv_rows(
    name: str, stream: IO[str], usual: str, note: Note | None = None, lenient: bool = True
) -> Iterator[Record | Broken]:
    """The records of a table of cells; a column without a name that holds something is
    "column N".

    Args:
        name: of the file.
        usual: the delimiter that such a file usually has.
        note: called with each guess and an example.
        lenient: a line with fewer cells than columns is no broken one.

    Raises:
        DataError: in one sentence, when it is no such table.
    """
    return iter(_Reader(name, stream, usual, note, lenient))


class _Reader:
    def __init__(
        self, name: str, stream: IO[str], usual: str, note: Note | None, lenient: bool
    ) -> None:
        csv.field_size_limit(MAX_FIELD)
        self._name, self._note, self._lenient = name, note, lenient
        self._lines = _Lines(stream, name)
        layout = self._layout(usual)
        self._delimiter, options = layout.delimiter, layout.options
        self._reader = csv.reader(self._lines, delimiter=layout.delimiter, strict=True, **options)
        for _ in range(layout.skip):
            next(self._lines)
        self._columns = self._header(layout)
        self._named_columns = [place for place, column in enumerate(self._columns) if column]
        # Cells of a row; columns without a name at its end need none.
        self._n_required = self._named_columns[-1] + 1
        self._plain = len(self._named_columns) == len(self._columns)
        self._noted_columns: set[int] = set()  # columns without a name that hold something
        head = self._lines.peek(LOOK_LINES, LOOK_LETTERS)
        self._shape = Shape(layout.delimiter, len(self._columns), options, head)
        if note is not None and self._shape.is_headless(self._columns):
            note(HEADLESS, name, shown(", ".join(self._columns)))
        self._again = 0  # characters that were read a second time
        self._is_torn = False  # whether the next line is the rest of one
        self._doubtful = 0  # lines that may be the rest of a row with misplaced marks

    def _layout(self, usual: str) -> Layout:
        head = self._lines.peek(LOOK_LINES, LOOK_LETTERS)
        return layout_of(head, self._name, usual, self._note)

    def _header(self, layout: Layout) -> list[str]:
        first = self._lines.begin()
        try:
            header = [cell.strip().lstrip("\ufeff").strip() for cell in next(self._reader, [])]
        except csv.Error as error:
            raise DataError(f"{self._name}, line {first}: {error}") from error
        check_header(self._name, header)
        return ["", *header] if layout.row_names else header

    def __iter__(self) -> Iterator[Record | Broken]:
        n_blank = n_empty = n_rows = 0
        while True:
            first = self._lines.begin()
            problem = ""
            try:
                row = next(self._reader, None)
            except csv.Error as error:
                row, problem = [], str(error)
            if row is None:
                return  # rows of empty cells at the end, as Excel writes them, do not count
            if not row and not problem:
                n_blank += 1
                if n_blank > max(MAX_EMPTY, 2 * n_rows):
                    raise DataError(f"{self._name} has more than {MAX_EMPTY:,} empty lines")
                continue
            if row and not row[0].strip() and not "".join(row).strip():
                n_empty += 1
                continue
            for _ in range(n_empty):
                yield dict.fromkeys((self._columns[place] for place in self._named_columns), "")
            n_empty, n_rows = 0, n_rows + 1
            yield self._record(first, row, problem)

    def _record(self, first: int, row: list[str], problem: str) -> Record | Broken:
        record_lines = self._lines.record_lines
        while len(row) > len(self._columns) and not row[-1].strip():
            row.pop()
        fits = not problem and self._n_required <= len(row) <= len(self._columns)
        if len(record_lines) > 1 and self._again < MAX_AGAIN:
            is_broken = bool(problem) or len(row) > len(self._columns)
            n_rows = self._shape.swallowed(record_lines, is_broken)
        else:
            n_rows = 0
        if n_rows:
            self._again += self._lines.give_back(n_rows)
            return Broken(first, LOOSE, f"the {n_rows:,} lines after it are read as rows again")
        if problem and len(record_lines) == 1 and self._shape.opens(record_lines[0]):
            return Broken(first, LOOSE, "it is the last line")
        if problem:
            self._doubtful = MAX_REST
            return _broken(self._name, first, self._lines.number, problem)
        if self._doubtful:
            quotes_match = sum(line.count('"') for line in record_lines) % 2 == 0
            self._doubtful = self._doubtful - 1 if quotes_match else 0
            if not (quotes_match and fits and self._shape.fits(row)):
                return Broken(first, REST, "it may be the rest of the broken line before it")
            self._doubtful = 0
        if not fits and not self._may_be_short(row):
            counts = f"{len(row)} cells under {self._n_required} column names"
            how = f"put quotes around cells with '{self._delimiter}'"
            return _broken(self._name, first, self._lines.number, f"{counts}; {how}")
        if fits:
            self._is_torn = False
            self._shape.learn(row)
        elif self._note is not None:
            self._note(SHORT, f"line {first}", f"{len(row)} cells of {self._n_required}")
        if any('="' in line for line in record_lines):
            row = [_AS_TEXT.sub(r"\1", c) if _AS_TEXT.fullmatch(c) else c for c in row]
        if self._plain and len(row) == len(self._columns):
            return dict(zip(self._columns, row, strict=True))
        row += [""] * (len(self._columns) - len(row))
        record = {self._columns[place]: row[place] for place in self._named_columns}
        if not self._plain:
            self._add_unnamed(record, row, first)
        return record

    def _may_be_short(self, row: list[str]) -> bool:
        """Whether only the last cells of a line are missing, and it is no half of another."""
        if not self._lenient or len(row) > len(self._columns):
            return False
        # One cell of several is a comment, a sum, or half of a line that a line end broke.
        if len(row) == 1 and (self._n_required > 2 or row[0].startswith("#")):
            return False
        was_torn, following = self._is_torn, self._lines.peek(1, 1)
        missing = self._n_required - len(row)
        self._is_torn = bool(following) and self._shape.continues(following[0], missing)
        return self._shape.may_begin(row[0]) and not (was_torn or self._is_torn)

    def _add_unnamed(self, record: Record, row: list[str], first: int) -> None:
        for place in [place for place, cell in enumerate(row) if cell]:
            if self._columns[place] or not row[place].strip():
                continue
            made_up = f"column {place + 1}"
            while made_up in self._columns:
                made_up += "_"
            record[made_up] = row[place]
            if place not in self._noted_columns and self._note is not None:
                self._note(UNNAMED, made_up, f"line {first}: {shown(row[place].strip(), 40)}")
            self._noted_columns.add(place)


def _broken(name: str, first: int, last: int, problem: str) -> Broken:
    if "unexpected end" in problem or last - first > MAX_SPAN:
        raise DataError(
            f"{name}, line {first}: a quotation mark here is never closed, or only many lines "
            "later: close it, or double it inside a cell"
        )
    if "cells under" in problem:
        return Broken(first, OTHER_NUMBER, problem)
    if "field larger" in problem:
        return Broken(first, f"cell longer than {MAX_FIELD // 2**20} million characters", problem)
    return Broken(first, "line has misplaced quotation marks", problem)
