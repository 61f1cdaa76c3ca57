"""The published files: their names, what a record holds, and known factors."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rivae.base.errors import DataError
from rivae.base.reading.documents import read_json
from rivae.base.reading.tables import MAX_FIELD, InputTable
from rivae.base.reading.typed_text import clean
from rivae.data.importing.factors import FactorReader
from rivae.data.importing.lines import MAX_TITLE, one_line
from rivae.data.importing.report import ImportReport, UnusableError
from rivae.data.importing.texts import ListColumn, Remarks, TextColumn
from rivae.data.recipe import Recipe
from rivae.data.store import FactorColumn

TEXTS, PICTURES, DETECTED = "layer1.json", "layer2.json", "det_ingrs.json"
TAGS = "RAW_recipes.csv"
FACTORS, FACTOR_NAMES = "factors.csv", "factors.json"
_TITLE = TextColumn("title")
_INGREDIENTS = ListColumn("ingredients", "ingredients")
_INSTRUCTIONS = ListColumn("instructions", "instructions")


def is_recipe1m(folder: Path) -> bool:
    """Whether ``folder`` looks like Recipe1M."""
    return (folder / TEXTS).is_file() and (folder / PICTURES).is_file()


def field(record: object, key: str) -> Any:
    """The value of ``key``; None in a record of another form."""
    return record.get(key) if isinstance(record, dict) else None


def entries(record: object, key: str) -> list[Any]:
    """The list under ``key``; an empty one for anything else."""
    value = field(record, key)
    return value if isinstance(value, list) else []


def recipe_of(record: object, remarks: Remarks) -> Recipe:
    """The texts of a record of ``layer1.json``; what was shortened is added to ``remarks``.

    Raises:
        UnusableError: it has no id or no text, or a text is too long.
    """
    title, beyond = _TITLE.read(field(record, "title"), remarks)
    recipe = Recipe(
        id=one_line(field(record, "id"), MAX_TITLE),
        title=title,
        ingredients=_INGREDIENTS.read(entries(record, "ingredients"), remarks),
        instructions=beyond + _INSTRUCTIONS.read(entries(record, "instructions"), remarks),
        url=one_line(field(record, "url"), 2000),
    )
    if not recipe.id:
        raise UnusableError("recipe without an id")
    if not (recipe.title or recipe.ingredients or recipe.instructions):
        raise UnusableError("text is empty")
    return recipe


def detected_names(record: object) -> list[str]:
    """The detected ingredients that are marked as valid; all when nothing is marked."""
    names, valid = entries(record, "ingredients"), entries(record, "valid")
    valid_names = [n for n, ok in zip(names, valid, strict=False) if ok] if valid else names
    try:
        return list(_INGREDIENTS.read(valid_names, []))
    except UnusableError:
        return []


class KnownFactors:
    """The factors of a folder: ``factors.csv``, with the names of their levels in ``factors.json``.

    Recipe1M itself has none; data made in its layout, such as the kitchen, has them.

    Attributes:
        columns: none before ``read``, nor where there is no ``factors.csv``.
        synthetic: ``factors.json`` says that the items are made.
    """

    def __init__(self, folder: Path) -> None:
        self.columns: tuple[FactorColumn, ...] = ()
        self.synthetic = False
        self._path, self._names = folder / FACTORS, folder / FACTOR_NAMES
        self._reader = FactorReader(())

    def read(self, report: ImportReport) -> tuple[FactorColumn, ...]:
        """The columns; one that cannot be a factor is noted in the report.

        Raises:
            DataError: a file has another form.
        """
        if not self._path.is_file():
            return ()
        if self._names.is_file():
            self.columns, self.synthetic = read_factor_names(self._names)
            return self.columns
        reader: FactorReader | None = None
        for record in InputTable(self._path).records():
            if "id" not in record:
                raise DataError(f"{FACTORS} needs a column 'id' with the ids of {TEXTS}")
            reader = reader or FactorReader(name for name in record if name != "id")
            reader.look(record)
        self._reader = reader or self._reader
        self.columns = self._reader.columns()
        self._reader.tell(report)
        return self.columns

    def values(self, record: Mapping[str, Any] | None) -> dict[str, float]:
        """The values in a line of ``factors.csv``; named levels, counted there from 1, become the
        codes 0, 1, 2 …

        Raises:
            UnusableError: there is no line, or no such level.
        """
        if not self.columns:
            return {}
        if record is None:
            raise UnusableError(f"no line in {FACTORS}")
        if not self._names.is_file():
            return self._reader.values(record)
        out = {}
        for column in self.columns:
            try:
                level = int(record[column.name])
            except (KeyError, TypeError, ValueError):
                level = 0
            if not 1 <= level <= len(column.levels):
                raise UnusableError(f"a level of {FACTORS} is none of {FACTOR_NAMES}")
            out[column.name] = float(level - 1)
        return out


def read_factor_names(path: Path) -> tuple[tuple[FactorColumn, ...], bool]:
    """The columns that ``factors.json`` names with their levels, and whether they are synthetic.

    Raises:
        DataError: when it has another form.
    """
    try:
        document = read_json(path, MAX_FIELD, mend=True)
        columns = tuple(
            FactorColumn(
                name=clean(f["name"]),
                kind="ordinal",
                levels=tuple(map(clean, f["levels"])),
                role=f.get("role", "shared"),
            )
            for f in document["factors"]
        )
        if not all(column.levels for column in columns):
            raise ValueError("a factor has no levels")
        if len({column.name for column in columns}) < len(columns):
            raise ValueError("two factors have the same name")
        return columns, bool(document.get("synthetic", False))
    except (DataError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise DataError(
            f"{path.name} does not name factors with their levels ({clean(error)[:120]}): correct "
            "or delete it"
        ) from error
