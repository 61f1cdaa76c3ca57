"""The text of one record: which of its cells become title, ingredients, steps, tags and address."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

from rivae.base.cluster import spread
from rivae.base.reading.tables import Record
from rivae.base.reading.typed_text import clean
from rivae.data.importing.ids import IdColumn
from rivae.data.importing.lines import one_line
from rivae.data.importing.mapping import Mapping
from rivae.data.importing.partition_words import part_named
from rivae.data.importing.report import ImportReport, UnusableError
from rivae.data.importing.texts import ListColumn, Remarks, TextColumn
from rivae.data.recipe import Recipe

R = TypeVar("R", bound=tuple[Any, ...])
B = TypeVar("B")
TOGETHER = 32  # records that one task of a cluster reads
PAPER_LINES = 20  # the paper's filter: 1-20 ingredients and 1-20 instructions
NO_PART = "partition is none of train, validation, test"


def spread_records(
    records: Iterable[R], work: Callable[[R], B], have_pictures: bool = True
) -> Iterator[tuple[R, Callable[[], B]]]:
    """``spread`` of records that begin with their number, from 0. Those without a picture to decode
    are read here, one by one.
    """

    def called(record: R) -> str:
        return f"record {record[0] + 1:,}"

    n_threads = None if have_pictures else 0
    return spread(records, work, n_threads, TOGETHER, called, is_sent=have_pictures)


class RecordReader:
    """Reads the texts of records, once it has looked at all of them.

    How the cells of a column are written can only be told from many of them: ``look`` at every
    record first, then ``tell`` the report what was found, then ``read``.
    """

    def __init__(self, mapping: Mapping) -> None:
        self._mapping = mapping
        roles = ("ingredients", "instructions", "tags")
        columns = {role: getattr(mapping, role) for role in roles}
        self._lists = {role: ListColumn(name, role) for role, name in columns.items() if name}
        self._title = TextColumn(mapping.title) if mapping.title else None
        self._ids = IdColumn(mapping.id)

    def look(self, record: Record, number: int) -> None:
        """Learn from the cells of one record, whose number counts from 0."""
        if self._ids.name:
            self._ids.look(record.get(self._ids.name), number)
        for column in self._lists.values():
            column.look(record.get(column.name))

    def tell(self, report: ImportReport) -> None:
        """Report the guesses about whole columns."""
        self._ids.tell(report)

    def read(self, record: Record, number: int) -> tuple[Recipe, str, Remarks]:
        """The recipe of a record, its part of the split, and remarks on what was guessed.

        Args:
            number: of the record in its table, from 0; its id where the table gives none (see
                ``IdColumn``).

        Raises:
            UnusableError: there is no text, or too much, or the partition is not known.
        """
        m, remarks = self._mapping, Remarks()

        def cells(role: str) -> tuple[str, ...]:
            column = self._lists.get(role)
            return column.read(record.get(column.name), remarks) if column else ()

        title, beyond = "", tuple[str, ...]()
        if self._title:
            title, beyond = self._title.read(record.get(self._title.name), remarks)
        recipe = Recipe(
            id=self._ids.read(record.get(m.id) if m.id else None, number, remarks),
            title=title,
            ingredients=cells("ingredients"),
            instructions=beyond + cells("instructions"),
            tags=cells("tags"),
            url=one_line(record.get(m.url), 2000).replace("&amp;", "&") if m.url else "",
        )
        if not (recipe.title or recipe.ingredients or recipe.instructions):
            raise UnusableError("text is empty")
        return recipe, self._partition(record), remarks

    def _partition(self, record: Record) -> str:
        if not self._mapping.partition:
            return ""
        cell = record.get(self._mapping.partition)
        if (part := part_named(cell)) is None:
            raise UnusableError(NO_PART, clean(cell) or "empty")
        return part


def check_paper_filter(recipe: Recipe) -> None:
    """Raise UnusableError unless there are 1-20 ingredients and 1-20 instructions."""
    for name, lines in (("ingredients", recipe.ingredients), ("instructions", recipe.instructions)):
        if not lines:
            raise UnusableError(f"no {name}")
        if len(lines) > PAPER_LINES:
            raise UnusableError(f"more than {PAPER_LINES} {name} (the paper's filter)")
