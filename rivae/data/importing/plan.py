"""An import as the user requested it, on the command line or the Data page."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import islice
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, PlainSerializer, WrapValidator

from rivae.base.config import free_name
from rivae.base.errors import ConfigError, DataError
from rivae.base.reading.places import is_remote, place
from rivae.base.reading.tables import Broken, InputTable, Record
from rivae.data import dataset_names
from rivae.data.importing.mapping import LOOKED_AT, Choices, guess_mapping
from rivae.data.importing.pairs import PairsImport
from rivae.data.importing.picture_cells import holds_picture
from rivae.data.importing.recipe1m import Recipe1MImport, is_recipe1m
from rivae.data.importing.session import ImportSettings, Source
from rivae.data.store import data_root


def _place(value: object, handler: Any) -> Any:
    if isinstance(value, str):
        return place(value)
    return value if hasattr(value, "fs") else handler(value)


# A path, here or in an object store; in JSON its text.
_Place = Annotated[
    Path, WrapValidator(_place), PlainSerializer(str, return_type=str, when_used="json")
]


class Plan(BaseModel):
    """Everything an import needs, as JSON between two processes.

    Attributes:
        table: a table, a folder whose tars or Parquet files are one, each here or in an object
            store, or a folder in Recipe1M's layout.
        images: folders and zips; for Recipe1M at most one folder, none where the pictures stand
            in the table.
        roles: role -> column as the user chose; missing ones are guessed from the names.
        factors: columns of known factors.
        tags: food.com's table of tags, for Recipe1M.
        embeddings: matrices of both sides, a row per record of the table; no pictures are then
            needed.
        leave_out_damaged: of a folder, the rest of a file that cannot be read to its end.
        root: where data sets are kept; ``RIVAE_DATA`` or ``data`` of the working folder by default.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    table: _Place
    images: tuple[Path, ...] = ()
    name: str
    title: str = ""
    roles: dict[str, str] = {}
    factors: tuple[str, ...] = ()
    tags: Path | None = None
    encoding: str = "utf-8"
    side: int = 256
    paper_filter: bool = False
    embeddings: tuple[Path, Path] | None = None
    leave_out_damaged: bool = False
    dry_run: bool = False
    root: Path | None = None

    def settings(self) -> ImportSettings:
        """How the pairs are stored; the paper's filter always holds for Recipe1M.

        Raises:
            DataError: a data set of the app has this name; trainings would confuse the two.
        """
        if self.name in dataset_names():
            raise DataError(
                f"'{self.name}' is a data set of the app: choose another name, for example "
                f"{self.name}-2"
            )
        return ImportSettings(
            name=self.name,
            title=self.title,
            side=self.side,
            paper_filter=self.paper_filter or is_recipe1m(self.table),
            root=self.root,
        )

    def source(self) -> Source:
        """The source to read.

        Raises:
            ConfigError, DataError: with one sentence, before anything is read to its end.
        """
        if is_recipe1m(self.table):
            return self._recipe1m()
        table = InputTable(self.table, self.encoding, self.leave_out_damaged)
        first = list(islice(table.rows(), LOOKED_AT))
        head = [row for row in first if not isinstance(row, Broken)]
        roles: dict[str, Any] = dict(self.roles)
        if self.factors:
            roles["factors"] = self.factors
        if not self.images:
            roles["picture"] = column_with_pictures(head, roles.get("picture")) or None
        has_pictures = bool(self.images or roles["picture"])
        if not has_pictures and not self.embeddings:
            raise ConfigError("the pictures are missing: give --images FOLDER_OR_ZIP")
        choices = Choices(roles, has_pictures)
        try:
            mapping = choices.mapping(columns_of(head), head)
        except ConfigError:
            # JSON lines may have more columns later: a wrong choice is refused when all were read.
            if len(first) < LOOKED_AT or not table.has_late_columns:
                raise
            mapping = choices.begun(columns_of(head), head)
        return PairsImport(table, self.images, mapping, self.embeddings, choices)

    def _recipe1m(self) -> Recipe1MImport:
        if is_remote(self.table):
            raise ConfigError("Recipe1M's files are read from a folder here: download them first")
        if len(self.images) > 1:
            raise ConfigError("Recipe1M's pictures are in one folder: give --images once")
        return Recipe1MImport(self.table, self.images[0] if self.images else None, self.tags)


def column_with_pictures(head: Sequence[Record], choice: str | None = None) -> str:
    """The column of these first records in which the pictures themselves stand; "" without.

    Args:
        choice: the user's; by default the one that is guessed, or the only one.
    """
    columns = columns_of(head)
    fitting = [c for c in columns if any(holds_picture(record.get(c)) for record in head)]
    if choice is None:
        alone = fitting[0] if len(fitting) == 1 else ""
        guess = guess_mapping(columns, head).get("picture")
        return guess if guess in fitting else alone
    return choice if choice in fitting else ""


def columns_of(head: Iterable[Record]) -> list[str]:
    """The columns of the first records, in the order they appear."""
    return list(dict.fromkeys(name for record in head for name in record))


def free_import_name(table: Path) -> str:
    """A name for what is imported from ``table`` that no data set has."""
    words = re.sub(r"[^a-z0-9._-]+", "-", table.name.split(".")[0].lower()).strip("-._")
    names = dataset_names()
    return free_name(
        words[:36] or "pairs-1", lambda name: name in names or (data_root() / name).exists()
    )
