"""Which column of a table holds what."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from rivae.data.pictures import PICTURE_SUFFIXES
from rivae.errors import ConfigError
from rivae.reading.tables import Record

# Names that real tables give their columns, best first; compared in small letters.
_KNOWN = {
    "id": ("id", "recipe_id", "item_id", "uid", "key"),
    "picture": (
        "picture",
        "image",
        "image_path",
        "img",
        "file",
        "filename",
        "file_name",
        "image_name",
        "photo",
        "path",
    ),
    "title": ("title", "name", "caption", "headline"),
    "ingredients": ("ingredients", "ingredient_lines", "ingredient"),
    "instructions": (
        "instructions",
        "steps",
        "directions",
        "method",
        "text",
        "description",
        "body",
    ),
    "tags": ("tags", "categories", "keywords", "labels"),
    "url": ("url", "source_url", "link"),
    "partition": ("partition", "split"),
}


class Mapping(BaseModel):
    """Column names by role; None where the table has no such column."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    picture: str | None = Field(default=None, description="path or name of the picture file")
    id: str | None = Field(
        default=None, description="unique name of a record; its number by default"
    )
    title: str | None = None
    ingredients: str | None = Field(default=None, description="list, or lines in one cell")
    instructions: str | None = Field(default=None, description="list, lines, or running text")
    tags: str | None = None
    url: str | None = None
    partition: str | None = Field(default=None, description="train, validation or test")
    factors: tuple[str, ...] = Field(default=(), description="columns of known factors")

    @property
    def texts(self) -> tuple[str, ...]:
        """The columns that make the text side."""
        return tuple(c for c in (self.title, self.ingredients, self.instructions) if c)

    @property
    def looked_at(self) -> tuple[str, ...]:
        """The columns whose cells are looked at as a whole before any of them is read."""
        lists = (self.ingredients, self.instructions, self.tags)
        return tuple(dict.fromkeys((*self.factors, *(name for name in lists if name))))

    def check(self, columns: Iterable[str]) -> None:
        """Raise ConfigError when a column is missing, or no text is chosen."""
        known = list(columns)
        for role, value in self.model_dump().items():
            for name in value if isinstance(value, tuple) else (value,):
                if name is not None and name not in known:
                    raise ConfigError(
                        f"there is no column '{name[:60]}' for {role}: choose from "
                        f"{', '.join(known[:30])}"
                    )
        if not self.texts:
            raise ConfigError(
                "no text column is chosen: name one with --map title=COLUMN, "
                "--map ingredients=COLUMN or --map instructions=COLUMN"
            )


IDS = frozenset(_KNOWN["id"])  # names of columns that hold ids, in small letters
ROLES = tuple(name for name in Mapping.model_fields if name != "factors")


def guess_mapping(columns: Iterable[str], records: Sequence[Record] = ()) -> dict[str, str]:
    """Role -> column, from the columns' names; unrecognised roles are absent.

    Pictures are also recognised by the cells of some ``records``: those of one column alone are
    names of picture files.
    """
    by_small = {name.lower().strip().replace(" ", "_"): name for name in columns}
    found: dict[str, str] = {}
    for role, names in _KNOWN.items():
        for name in names:
            if name in by_small and by_small[name] not in found.values():
                found[role] = by_small[name]
                break
    if "picture" not in found:
        named = [name for name in by_small.values() if _names_pictures(name, records)]
        if len(named) == 1 and named[0] not in found.values():
            found["picture"] = named[0]
    return found


def _names_pictures(column: str, records: Sequence[Record]) -> bool:
    cells = [cell for record in records if (cell := record.get(column)) not in (None, "")]
    return bool(cells) and all(
        isinstance(cell, str) and cell.lower().endswith(PICTURE_SUFFIXES) and "://" not in cell
        for cell in cells
    )


def make_mapping(
    columns: Iterable[str],
    chosen: dict[str, Any],
    *,
    needs_picture: bool = True,
    records: Sequence[Record] = (),
) -> Mapping:
    """``guess_mapping``, with the user's choices first.

    Args:
        chosen: role -> column; "" or None for none, "factors" is a sequence of columns.
        needs_picture: False where embeddings replace the pictures.

    Raises:
        ConfigError: for an unknown role or column, or when the picture column is not found.
    """
    columns = list(columns)
    for role in chosen:
        if role not in Mapping.model_fields:
            raise ConfigError(
                f"'{role[:40]}' is not a role: choose from {', '.join(ROLES)}, factors"
            )
    settings: dict[str, Any] = {**guess_mapping(columns, records), **chosen}
    settings = {role: value for role, value in settings.items() if value not in ("", None)}
    if "picture" not in settings and needs_picture:
        raise ConfigError(
            f"which column names the picture file? Give --map picture=COLUMN "
            f"(columns: {', '.join(columns[:30])})"
        )
    mapping = Mapping(**settings)
    mapping.check(columns)
    return mapping
