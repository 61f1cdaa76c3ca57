"""How a CSV table is written: what parts its cells, and in which line its columns are named."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any

from rivae.base.reading.text_files import Note

LOOK_LINES, LOOK_LETTERS = 60, 2**18  # of the beginning of a table
MAX_TITLES = 10  # lines above the column names
MAX_NAME = 60  # letters of a cell that counts as a column's name below a title
DELIMITERS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "|"}
# Excel's own way to say it, in the first line.
_SAID = re.compile(r'\s*"?sep=(\\t|[^\w\s"]|\t)"?[,;\t|]*\s*', re.IGNORECASE)
_NUMBER = re.compile(r"[-+]?[\d.,\s%]+")
PARTED_BY = "cells are parted by {}"
TITLES_SKIPPED = "line above the column names is not read"


@dataclass(frozen=True, slots=True)
class Layout:
    """Where and how cells are written.

    Attributes:
        delimiter: what parts cells.
        skip: lines before the column names.
        row_names: every row has one cell more than there are names, its number, first.
        options: for ``csv.reader``.
    """

    delimiter: str
    skip: int = 0
    row_names: bool = False
    options: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Head:
    """The rows of the beginning that are not empty, and in which line each begins, from 0."""

    rows: list[list[str]]
    lines: list[int]


def layout_of(lines: Sequence[str], name: str, usual: str, note: Note | None = None) -> Layout:
    """The layout of a table that begins with ``lines``.

    Args:
        name: of the file, for remarks.
        usual: the delimiter that such a file usually has.
        note: called with what is not usual.
    """
    first = next((i for i, line in enumerate(lines) if line.strip()), 0)
    match = _SAID.fullmatch(lines[first]) if lines else None
    if match:
        delimiter, rest = "\t" if match[1] == "\\t" else match[1], lines[first + 1 :]
        layout = layout_of(rest, name, delimiter, note)
        return replace(layout, skip=first + 1 + layout.skip)
    order = [usual, *(d for d in DELIMITERS if d != usual)]
    heads = {d: _head(lines, d) for d in order}
    starts = {d: _start(head.rows) for d, head in heads.items()}
    best = max(order, key=lambda d: _score(heads[d].rows[starts[d] :], d == usual))
    head, start = heads[best], starts[best]
    skip = head.lines[start] if head.rows else 0
    if note is not None:
        if best != usual:
            note(
                PARTED_BY.format(DELIMITERS.get(best, best)), name, best.join(head.rows[start])[:80]
            )
        for line, row in zip(head.lines[:start], head.rows, strict=False):
            note(TITLES_SKIPPED, f"line {line + 1}", best.join(row).strip(best))
    return Layout(best, skip, _has_row_names(head.rows[start:]), _options(lines[skip:], best))


def _options(lines: Sequence[str], delimiter: str) -> dict[str, Any]:
    """How quotation marks are used, where it is not the usual way."""
    options: dict[str, Any] = {}
    # A space in front of a quotation mark makes that a letter of the cell.
    first = islice(csv.reader(lines, delimiter=delimiter), 2)
    with suppress(csv.Error):
        if any(re.match(' +"', cell) for row in first for cell in row):
            options["skipinitialspace"] = True
    names = lines[0].strip().split(delimiter) if lines else []
    if len(names) > 1 and all(re.fullmatch("'[^']*'", cell.strip()) for cell in names):
        options["quotechar"] = "'"
    # MySQL and Spark write \\" for a quotation mark in a cell, others two of them.
    with_escapes = {**options, "escapechar": "\\"}
    if any('\\"' in line for line in lines) and (
        _n_sound(lines, delimiter, with_escapes) > _n_sound(lines, delimiter, options)
    ):
        return with_escapes
    return options


def _n_sound(lines: Sequence[str], delimiter: str, options: dict[str, Any]) -> int:
    """How many lines are read before the first with misplaced quotation marks."""
    reader = csv.reader(lines, delimiter=delimiter, strict=True, **options)
    read = 0
    with suppress(csv.Error):
        for _ in reader:
            read = reader.line_num
    return read


def _head(lines: Sequence[str], delimiter: str) -> _Head:
    reader = csv.reader(lines, delimiter=delimiter, **_options(lines, delimiter))
    head, before = _Head([], []), 0
    try:
        for row in reader:
            if "".join(row).strip():
                head.rows.append(row)
                head.lines.append(before)
            before = reader.line_num
    except csv.Error:
        pass  # reported when the line is read
    return head


def _start(rows: list[list[str]]) -> int:
    """The row of column names, below a title or comments."""
    if len(rows) < 3:
        return 0
    width, n_wide = Counter(len(row) for row in rows[1:]).most_common(1)[0]
    if width < 2 or n_wide < 0.8 * (len(rows) - 1):
        return 0  # a text of one column, with commas in it
    for start, row in enumerate(rows[: MAX_TITLES + 1]):
        name_cells = [cell for cell in row if cell.strip()]
        if start and len(row) == width and _are_names(row):
            return start
        comment = row[0].startswith("#") and len(row) != width
        if len(name_cells) > 1 and not comment:
            break
    return 0


def _are_names(row: list[str]) -> bool:
    cells = list(row)
    while cells and not cells[-1].strip():
        cells.pop()
    return (
        len(cells) > 1
        and len(set(cells)) == len(cells)
        and all(0 < len(cell) <= MAX_NAME and not cell.startswith(" ") for cell in cells)
        and not any(_NUMBER.fullmatch(cell) for cell in cells)
    )


def _score(rows: list[list[str]], usual: bool) -> tuple[float, ...]:
    """How well a delimiter explains the first rows: most rows have as many cells as names."""
    if not rows or len(rows[0]) < 2:
        return (0, 0, 0, usual)
    names, rest = rows[0], rows[1:]
    agree = sum(len(row) == len(names) for row in rest) / max(1, len(rest))
    tidy = not any(name.startswith(" ") for name in names)
    return (1 + round(agree, 1), tidy, len(names), usual)


def _has_row_names(rows: list[list[str]]) -> bool:
    """R writes the numbers of rows in a first column, which it gives no name."""
    names, rest = rows[0] if rows else [], rows[1:-1]  # the last may be cut short
    return len(rest) >= 3 and all(
        len(row) == len(names) + 1 and row[0].strip() == str(number)
        for number, row in enumerate(rest, start=1)
    )
