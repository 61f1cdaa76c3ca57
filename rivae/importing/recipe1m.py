"""Recipe1M in its published layout, read as a stream: a million recipes are never in memory.

``layer1.json`` holds the texts, ``layer2.json`` the pictures of some recipes, ``det_ingrs.json``
the detected ingredients; pictures lie at ``[images/]PARTITION/a/b/c/d/abcd….jpg``. The two small
files go into a temporary SQLite table first, because their order is not that of ``layer1.json``.
The paper keeps recipes with at least one picture, 1-20 ingredients and 1-20 instructions.
"""

from __future__ import annotations

import csv
import json
import re
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import IO, Any

import ijson

from rivae.data.recipes import Recipe
from rivae.data.store import FactorColumn, StoreItem
from rivae.errors import DataError
from rivae.importing.factors import FactorReader, factor_values
from rivae.importing.images import PictureFiles
from rivae.importing.limits import MAX_FIELD, MAX_TITLE
from rivae.importing.pairs import PARTITIONS, check_paper_filter
from rivae.importing.picture import stored_picture
from rivae.importing.report import ImportReport, UnusableError
from rivae.importing.session import ImportSettings
from rivae.importing.tables import records
from rivae.importing.texts import lines, one_line

TEXTS, PICTURES, DETECTED = "layer1.json", "layer2.json", "det_ingrs.json"
TAGS = "RAW_recipes.csv"
FACTORS, FACTOR_NAMES = "factors.csv", "factors.json"
MAX_PICTURES_TRIED = 20  # of one recipe, until one can be read
_IMAGE_ID = re.compile(r"[0-9A-Za-z_-]{4,64}\.(jpg|jpeg|png|webp)", re.IGNORECASE)
_FOOD_COM = re.compile(r"food\.com/recipe/[^?#]*?(\d+)/?$")


def is_recipe1m(folder: Path) -> bool:
    """Whether ``folder`` looks like Recipe1M."""
    return (folder / TEXTS).is_file() and (folder / PICTURES).is_file()


class Recipe1MImport:
    """A folder in Recipe1M's layout as a ``Source``.

    Args:
        folder: holds ``layer1.json``, ``layer2.json``, perhaps ``det_ingrs.json`` and, for data
            with known factors such as the kitchen, ``factors.csv``.
        images: folder of the pictures; ``folder/images``, or ``folder``, by default.
        tags: a CSV with the columns id and tags (food.com's ``RAW_recipes.csv``, which is also
            looked for in ``folder``); joined by the number at the end of a food.com address, or by
            the recipe's own id.
    """

    def __init__(self, folder: Path, images: Path | None = None, tags: Path | None = None) -> None:
        if not is_recipe1m(folder):
            raise DataError(f"{folder} needs {TEXTS} and {PICTURES}, as Recipe1M is published")
        own = folder / TAGS
        self.folder, self.tags = folder, tags or (own if own.is_file() else None)
        inner = folder / "images"
        self.images = images or (inner if inner.is_dir() else folder)
        self._columns: tuple[FactorColumn, ...] = ()
        self.synthetic = False
        self._bytes, self._stream = max((folder / TEXTS).stat().st_size, 1), None

    def fingerprint(self) -> dict[str, Any]:
        """Names, sizes and times of the files, and the settings."""
        stat = (self.folder / TEXTS).stat()
        return {
            "kind": "a folder in the layout of Recipe1M",
            "bytes": stat.st_size,
            "changed": stat.st_mtime_ns,
            "tags": self.tags.name if self.tags else None,
        }

    def factor_columns(self, report: ImportReport) -> tuple[FactorColumn, ...]:
        """The columns of ``factors.csv``, where there is one."""
        path = self.folder / FACTORS
        if not path.is_file():
            return ()
        if (self.folder / FACTOR_NAMES).is_file():
            self._columns, self.synthetic = read_factor_names(self.folder / FACTOR_NAMES)
            return self._columns
        reader: FactorReader | None = None
        for record in records(path):
            if "id" not in record:
                raise DataError(f"{path.name} needs a column 'id' with the ids of {TEXTS}")
            reader = reader or FactorReader(name for name in record if name != "id")
            reader.look(record)
        self._columns = reader.columns() if reader else ()
        for name, why in (reader.refused if reader else {}).items():
            report.note(f"column '{name[:60]}' is not used as a factor", why)
        return self._columns

    def share_done(self) -> float:
        """By bytes of ``layer1.json``."""
        stream: IO[bytes] | None = self._stream
        return min(stream.tell() / self._bytes, 1.0) if stream and not stream.closed else 0.0

    def after(self, folder: Path) -> None:
        """Nothing."""

    def items(
        self, settings: ImportSettings, report: ImportReport, skip: int
    ) -> Iterator[StoreItem | None]:
        """See ``Source.items``."""
        with (
            tempfile.TemporaryDirectory(prefix="rivae-") as scratch,
            closing(sqlite3.connect(Path(scratch) / "join.sqlite")) as join,
            PictureFiles([self.images]) as files,
        ):
            self._fill(join)
            for number, record in enumerate(self._array(self.folder / TEXTS)):
                if number < skip:
                    yield None
                    continue
                which = f"recipe {number + 1}"
                try:
                    yield self._item(record, join, files, settings, report, which)
                except UnusableError as error:
                    report.leave_out(str(error), which, str(_get(record, "title"))[:80])
                    yield None

    def _item(
        self,
        record: object,
        join: sqlite3.Connection,
        files: PictureFiles,
        settings: ImportSettings,
        report: ImportReport,
        which: str,
    ) -> StoreItem:
        recipe = _recipe(record)
        partition = str(_get(record, "partition") or "").lower()
        if partition and partition not in PARTITIONS:
            raise UnusableError("partition is none of train, val, test")
        row = join.execute("SELECT pictures FROM pictures WHERE id = ?", (recipe.id,)).fetchone()
        if row is None:
            raise UnusableError("no picture listed")
        if settings.paper_filter:
            check_paper_filter(recipe)
        picture = self._picture(json.loads(row[0]), partition, files, settings.side, report, which)
        factors = {}
        if self._columns:
            found = join.execute("SELECT cells FROM factors WHERE id = ?", (recipe.id,)).fetchone()
            if found is None:
                raise UnusableError(f"no line in {FACTORS}")
            factors = self._values(json.loads(found[0]))
        return StoreItem(
            self._tagged(recipe, join),
            picture,
            PARTITIONS.get(partition, ""),
            factors,
            _names(join, recipe.id),
        )

    def _values(self, record: dict[str, Any]) -> dict[str, float]:
        """Codes 0, 1, 2 … of levels that ``factors.csv`` counts from 1, where they have names."""
        if not (self.folder / FACTOR_NAMES).is_file():
            return factor_values(self._columns, record)
        out = {}
        for column in self._columns:
            try:
                level = int(record[column.name])
            except (KeyError, TypeError, ValueError):
                level = 0
            if not 1 <= level <= len(column.levels):
                raise UnusableError(f"a level of {FACTORS} is none of {FACTOR_NAMES}")
            out[column.name] = float(level - 1)
        return out

    def _picture(
        self,
        ids: list[str],
        partition: str,
        files: PictureFiles,
        side: int,
        report: ImportReport,
        which: str,
    ) -> bytes:
        """The first picture of the recipe that can be read."""
        problem = UnusableError("no picture listed")
        for image_id in ids[:MAX_PICTURES_TRIED]:
            if not _IMAGE_ID.fullmatch(image_id):
                problem = UnusableError("picture id is no plain file name")
                continue
            leaf = "/".join((*image_id[:4], image_id))
            try:
                return stored_picture(_first_of(files, (f"{partition}/{leaf}", leaf)), side)
            except UnusableError as error:
                problem = error
                report.note("a picture was passed over", which, str(error))
        raise problem

    def _tagged(self, recipe: Recipe, join: sqlite3.Connection) -> Recipe:
        if self.tags is None:
            return recipe
        match = _FOOD_COM.search(recipe.url)
        for key in ([match[1]] if match else []) + [recipe.id]:
            row = join.execute("SELECT tags FROM tags WHERE id = ?", (key,)).fetchone()
            if row is not None:
                tags = tuple(json.loads(row[0]))
                return Recipe(recipe.id, recipe.title, recipe.ingredients, recipe.instructions,
                              tags, recipe.url)  # fmt: skip
        return recipe

    # the tables that are joined

    def _fill(self, join: sqlite3.Connection) -> None:
        join.execute("PRAGMA journal_mode=OFF")
        join.execute("PRAGMA synchronous=OFF")
        for name, column in (("pictures", "pictures"), ("detected", "names"), ("tags", "tags"),
                             ("factors", "cells")):  # fmt: skip
            join.execute(f"CREATE TABLE {name} (id TEXT PRIMARY KEY, {column} TEXT) WITHOUT ROWID")
        join.executemany(
            "INSERT OR REPLACE INTO pictures VALUES (?, ?)",
            (
                (str(_get(r, "id")), json.dumps([str(_get(i, "id")) for i in _list(r, "images")]))
                for r in self._array(self.folder / PICTURES)
            ),
        )
        if (self.folder / DETECTED).is_file():
            join.executemany(
                "INSERT OR REPLACE INTO detected VALUES (?, ?)",
                ((str(_get(r, "id")), json.dumps(_valid_names(r)))
                 for r in self._array(self.folder / DETECTED)),
            )  # fmt: skip
        if self.tags is not None:
            join.executemany("INSERT OR REPLACE INTO tags VALUES (?, ?)", _tag_rows(self.tags))
        if self._columns:
            join.executemany(
                "INSERT OR REPLACE INTO factors VALUES (?, ?)",
                ((str(r["id"]), json.dumps(r)) for r in records(self.folder / FACTORS)),
            )
        join.commit()

    def _array(self, path: Path) -> Iterator[Any]:
        try:
            with path.open("rb") as stream:
                if path.name == TEXTS:
                    self._stream = stream  # type: ignore[assignment]
                yield from ijson.items(stream, "item", use_float=True)
        except (ijson.JSONError, UnicodeDecodeError) as error:
            raise DataError(
                f"{path.name} is no sound JSON list: {str(error)[:120]}; get the file again"
            ) from error
        except OSError as error:
            raise DataError(f"{path.name} cannot be read: {error.strerror}") from error


def read_factor_names(path: Path) -> tuple[tuple[FactorColumn, ...], bool]:
    """The columns that ``factors.json`` names with their levels, and whether the items are made.

    Raises:
        DataError: when it is not of that form.
    """
    try:
        if path.stat().st_size > MAX_FIELD:
            raise ValueError("it is too large")
        stored = json.loads(path.read_bytes())
        columns = tuple(
            FactorColumn(
                name=f["name"], kind="ordinal", levels=tuple(f["levels"]),
                role=f.get("role", "shared"),
            )
            for f in stored["factors"]
        )  # fmt: skip
        if not all(column.levels for column in columns):
            raise ValueError("a factor has no levels")
        return columns, bool(stored.get("synthetic", False))
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise DataError(
            f"{path.name} does not name factors with their levels ({str(error)[:120]}): correct "
            "or delete it"
        ) from error


def _get(record: object, key: str) -> Any:
    return record.get(key) if isinstance(record, dict) else None


def _list(record: object, key: str) -> list[Any]:
    value = _get(record, key)
    return value if isinstance(value, list) else []


def _recipe(record: object) -> Recipe:
    recipe = Recipe(
        id=one_line(_get(record, "id"), MAX_TITLE),
        title=one_line(_get(record, "title"), MAX_TITLE),
        ingredients=lines(_list(record, "ingredients")),
        instructions=lines(_list(record, "instructions")),
        url=one_line(_get(record, "url"), 2000),
    )
    if not recipe.id:
        raise UnusableError("recipe without an id")
    if not (recipe.title or recipe.ingredients or recipe.instructions):
        raise UnusableError("text is empty")
    return recipe


def _valid_names(record: object) -> list[str]:
    """The detected ingredients that are marked as valid; all when nothing is marked."""
    names, valid = _list(record, "ingredients"), _list(record, "valid")
    kept = [n for n, ok in zip(names, valid, strict=False) if ok] if valid else names
    try:
        return list(lines(kept))
    except UnusableError:
        return []


def _names(join: sqlite3.Connection, recipe_id: str) -> tuple[str, ...]:
    row = join.execute("SELECT names FROM detected WHERE id = ?", (recipe_id,)).fetchone()
    return tuple(json.loads(row[0])) if row else ()


def _first_of(files: PictureFiles, names: tuple[str, ...]) -> bytes:
    for name in names[:-1]:
        try:
            return files.read(name)
        except UnusableError:
            continue
    return files.read(names[-1])


def _tag_rows(path: Path) -> Iterator[tuple[str, str]]:
    csv.field_size_limit(MAX_FIELD)
    for record in records(path):
        if "id" not in record or "tags" not in record:
            raise DataError(f"{path.name} needs the columns id and tags, as RAW_recipes.csv has")
        try:
            yield str(record["id"]).strip(), json.dumps(lines(record["tags"]))
        except UnusableError:
            continue
