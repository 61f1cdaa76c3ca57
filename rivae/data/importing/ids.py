"""The ids of records: those of the table, and a unique one for each record without."""

from __future__ import annotations

import re
from array import array

from rivae.base.reading.typed_text import clean
from rivae.data.importing.lines import MAX_TITLE, one_line
from rivae.data.importing.report import ImportReport

NO_ID = "no id: its number in the table serves as one"
_NONE = frozenset({"nan", "<na>", "null", "none", "#n/a"})  # how programs write an empty cell
_NUMBER = re.compile(r"(?:0|[1-9]\d{0,17})(\.0)?")
_ROW = "row "


class IdColumn:
    """Reads ids, once it has looked at the cells of all records.

    A record without an id is called by its number, from 0, as all are where no column is given; or
    "row 5" where another record has the id 5. So a record has the same id in every run.

    Args:
        name: of the column; None without.
    """

    def __init__(self, name: str | None) -> None:
        self.name = name
        self._without: list[int] = []  # numbers of records without an id
        self._whole, self._decimal = array("q"), array("q")  # ids such as 5, and such as 5.0
        self._rows: set[str] = set()  # ids that begin as those that are made here
        self._n = 0
        self._new_names: dict[int, str] | None = None

    def look(self, cell: object, number: int) -> None:
        """Learn from the cell of record ``number``."""
        text = _said(cell)
        if not text:
            self._without.append(number)
            return
        self._n += 1
        if match := _NUMBER.fullmatch(text):
            (self._decimal if match[1] else self._whole).append(int(text.removesuffix(".0")))
        elif text.startswith(_ROW):
            self._rows.add(text)

    @property
    def _all_decimal(self) -> bool:
        """Whether a gap in the column made 1.0 of 1, as pandas does."""
        return 0 < self._n == len(self._decimal)

    def tell(self, report: ImportReport) -> None:
        """Note how ids were read that are not as the table has them."""
        if self._all_decimal:
            first = self._decimal[0]
            report.note(f"column '{self.name}' holds whole numbers", f"{first}.0 is the id {first}")

    def read(self, cell: object, number: int, remarks: list[tuple[str, str]]) -> str:
        """The id of record ``number``.

        Raises:
            UnusableError: it is too long.
        """
        title = one_line("" if self.name is None else _said(cell), MAX_TITLE)
        if title:
            return title.removesuffix(".0") if self._all_decimal else title
        if self._new_names is None:
            self._new_names = self._names()
        name = self._new_names.get(number, str(number))
        if self.name is not None:
            remarks.append((NO_ID, ""))
        return name

    def _names(self) -> dict[int, str]:
        """Record -> its id, where its number is the id of another one."""
        ids = self._decimal if self._all_decimal else self._whole
        clashes = set(self._without).intersection(ids) if self._without else set()
        out = {}
        for number in clashes:
            out[number] = f"{_ROW}{number}"
            while out[number] in self._rows:
                out[number] = _ROW + out[number]
        return out


def _said(cell: object) -> str:
    """The text of an id; of an object with one value, as MongoDB exports them, that value."""
    if isinstance(cell, dict) and len(cell) == 1:
        (cell,) = cell.values()
    text = clean(cell)
    return "" if text.lower() in _NONE else text
