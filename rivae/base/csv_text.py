"""The one writer of CSV: read back exactly, and opened by a spreadsheet as what it is.

A cell of text that a spreadsheet would take for a formula has a quote in front, which label files
lose again when they are read. Numbers stay numbers, also those that stand in a text (-1.5), unless
the texts are names, which a spreadsheet that saves the file must not change.
``assets/components/csv.js`` does the same in the browser.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

# What a spreadsheet takes for a formula (OWASP's list, with the wide signs of Asian keyboards,
# and spaces that some programs leave out), or for a formula that was escaped before: so a reader
# can take away exactly the quote that was added.
_FORMULA = re.compile(r"'*(?:\s*[=+\-@＝＋－＠]|[\t\r\n])")
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")


def escaped(text: str, name: bool = False) -> str:
    """``text`` with a quote in front where a spreadsheet would take it for a formula.

    ``name``: also where it would take it for a number with a sign.
    """
    number = not name and _NUMBER.fullmatch(text)
    return f"'{text}" if _FORMULA.match(text) and not number else text


def unescaped(cell: str) -> str:
    """The text from which ``escaped`` made ``cell``."""
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell) else cell


def csv_line(cells: Iterable[Any], names: bool = False) -> str:
    """One line, ended by a line feed; None and NaN are empty cells.

    ``names``: the texts are names, see ``escaped``.
    """
    out = io.StringIO()
    # Its usual end of a line, CR LF, makes this writer put cells with either into quotes.
    csv.writer(out).writerow([_cell(value, names) for value in cells])
    return out.getvalue().removesuffix("\r\n") + "\n"


def to_csv(rows: Sequence[Mapping[str, Any]]) -> str:
    """Rows as CSV with a header; columns in order of appearance, missing and NaN cells empty."""
    columns = list(dict.fromkeys(key for row in rows for key in row))
    lines = [csv_line(columns), *(csv_line(row.get(name) for name in columns) for row in rows)]
    return "".join(lines)


def _cell(value: Any, name: bool) -> Any:
    if isinstance(value, str):
        return escaped(value, name)
    return "" if value is None or value != value else value
