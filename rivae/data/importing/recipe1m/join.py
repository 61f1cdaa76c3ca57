"""Looks up by a recipe's id what the smaller files hold about it.

They go into a temporary SQLite table first, because their order is not that of ``layer1.json``.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from rivae.base.errors import DataError
from rivae.base.progress import Progress
from rivae.base.reading.json_records import JsonList
from rivae.base.reading.tables import Broken, InputTable, Record
from rivae.base.reading.typed_text import clean
from rivae.base.scratch import scratch_folder
from rivae.data.importing.recipe1m.layout import (
    DETECTED,
    FACTORS,
    PICTURES,
    TEXTS,
    detected_names,
    entries,
    field,
)
from rivae.data.importing.report import UnusableError
from rivae.data.importing.texts import ListColumn
from rivae.data.recipe import Recipe

_FOOD_COM = re.compile(r"(?:^|[/.])food\.com/recipe/[^?#]*?(\d+)/?$")
_TABLES = ("pictures", "detected", "tags", "factors")
TELL_EVERY = 2_000  # records


class Join:
    """Answers for one recipe at a time while the texts are read; see ``joined``."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def picture_ids(self, recipe_id: str) -> list[str] | None:
        """File names of the recipe's pictures; None where it is not in ``layer2.json``."""
        return self._found("pictures", recipe_id)

    def detected(self, recipe_id: str) -> tuple[str, ...]:
        """The ingredients that were detected in the recipe."""
        return tuple(self._found("detected", recipe_id) or ())

    def factors(self, recipe_id: str) -> dict[str, Any] | None:
        """The recipe's line of ``factors.csv``."""
        return self._found("factors", recipe_id)

    def tags(self, recipe: Recipe) -> tuple[str, ...] | None:
        """The recipe's tags, by the number in its food.com address or by its own id."""
        match = _FOOD_COM.search(recipe.url)
        for key in ([match[1]] if match else []) + [recipe.id]:
            tags = self._found("tags", key)
            if tags is not None:
                return tuple(tags)
        return None

    def _found(self, table: str, key: str) -> Any:
        row = self._connection.execute(f"SELECT said FROM {table} WHERE id = ?", (key,)).fetchone()
        return None if row is None else json.loads(row[0])

    def fill(self, table: str, rows: Iterator[tuple[str, Any]]) -> None:
        """Store ``rows`` of (id, JSON value); of one id the last counts."""
        self._connection.executemany(
            f"INSERT OR REPLACE INTO {table} VALUES (?, ?)",
            ((key, json.dumps(value)) for key, value in rows),
        )


@contextmanager
def joined(folder: Path, tags: Path | None, with_factors: bool, tell: Progress) -> Iterator[Join]:
    """The tables over the files of ``folder``, as long as the context lasts.

    Raises:
        DataError: a file cannot be read, or has another form.
    """
    with (
        scratch_folder("rivae-join-") as scratch,
        closing(sqlite3.connect(scratch / "join.sqlite")) as connection,
    ):
        connection.execute("PRAGMA journal_mode=OFF")
        connection.execute("PRAGMA synchronous=OFF")
        for name in _TABLES:
            connection.execute(
                f"CREATE TABLE {name} (id TEXT PRIMARY KEY, said TEXT) WITHOUT ROWID"
            )
        join = Join(connection)
        sources = {"pictures": folder / PICTURES}
        if (folder / DETECTED).is_file():
            sources["detected"] = folder / DETECTED
        if tags is not None:
            sources["tags"] = tags
        if with_factors:
            sources["factors"] = folder / FACTORS
        try:
            for table, path in sources.items():
                join.fill(table, _counted(_READ[table](path), path.name, tell))
            connection.commit()
        except sqlite3.Error as error:
            raise DataError(
                f"the temporary folder {scratch} cannot be written ({error}): make room there, or "
                "name another with TMPDIR"
            ) from error
        yield join


def _counted(
    rows: Iterator[tuple[str, Any]], name: str, tell: Progress
) -> Iterator[tuple[str, Any]]:
    for number, row in enumerate(rows):
        if number % TELL_EVERY == 0:
            tell(f"reading {name}: {number:,} records", 0.0)
        yield row


def _picture_rows(path: Path) -> Iterator[tuple[str, list[str]]]:
    for record in JsonList(path):
        yield clean(field(record, "id")), [clean(field(i, "id")) for i in entries(record, "images")]


def _detected_rows(path: Path) -> Iterator[tuple[str, list[str]]]:
    for record in JsonList(path):
        yield clean(field(record, "id")), detected_names(record)


def _tag_rows(path: Path) -> Iterator[tuple[str, tuple[str, ...]]]:
    column = ListColumn("tags", "tags")
    for record in InputTable(path).rows():
        if isinstance(record, Broken):
            continue
        if "id" not in record or "tags" not in record:
            raise DataError(f"{path.name} needs the columns id and tags, as RAW_recipes.csv has")
        try:
            yield clean(record["id"]), column.read(record["tags"], [])
        except UnusableError:
            continue


def _factor_rows(path: Path) -> Iterator[tuple[str, Record]]:
    for record in InputTable(path).records():
        if "id" not in record:
            raise DataError(f"{FACTORS} needs a column 'id' with the ids of {TEXTS}")
        yield clean(record["id"]), record


_READ = {
    "pictures": _picture_rows,
    "detected": _detected_rows,
    "tags": _tag_rows,
    "factors": _factor_rows,
}
