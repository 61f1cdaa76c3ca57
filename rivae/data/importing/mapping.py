"""Which column of a table holds what."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from rivae.base.errors import ConfigError
from rivae.base.reading.tables import Record
from rivae.data.importing.partition_words import part_named
from rivae.data.importing.picture_cells import holds_picture, picture_cell
from rivae.data.importing.report import UnusableError
from rivae.data.pictures import PICTURE_SUFFIXES

# Names that real tables give their columns, best first; compared by ``squeezed``.
_KNOWN = {
    "id": ("id", "recipe_id", "item_id", "uid", "key"),
    "picture": (
        *("picture", "image", "image_path", "img", "file", "filename", "image_name", "photo"),
        *("path", "file_path", "image_file", "image_filename", "img_path", "img_name", "img_file"),
        *("picture_path", "picture_name", "picture_file", "photo_path", "photo_name", "photo_file"),
    ),
    "title": (
        *("title", "name", "recipe_name", "recipe_title", "dish_name", "dish", "dish_title"),
        *("product_name", "product_title", "product_display_name", "item_name", "item_title"),
        *("display_name", "caption", "headline", "captions", "sentences", "sentence", "raw"),
        *("comment", "caption_0", "caption_1", "caption_text", "image_caption", "alt_text"),
        *("alt", "txt"),
    ),
    "ingredients": (
        *("ingredients", "ingredient_lines", "ingredient", "recipe_ingredient"),
        *("recipe_ingredients", "ingredient_list", "ingredients_list", "recipe_ingredient_parts"),
        *("ingredients_raw", "raw_ingredients", "cleaned_ingredients"),
    ),
    "instructions": (
        *("instructions", "steps", "directions", "method", "text", "description", "body"),
        *("recipe_instructions", "instruction", "recipe_steps", "recipe_directions"),
        *("cooking_instructions", "cooking_steps", "cooking_directions", "preparation"),
        *("procedure", "long_description", "product_description", "content"),
        *("captions", "sentences", "caption", "image_caption", "long_caption", "comment"),
    ),
    "tags": (
        *("tags", "categories", "keywords", "labels", "recipe_category", "category", "tag"),
        *("recipe_cuisine", "cuisines", "cuisine"),
    ),
    "url": ("url", "source_url", "link", "recipe_url", "page_url", "web_url", "recipe_link"),
    "partition": ("partition", "split", "data_split", "dataset_split", "subset", "set", "usage"),
}
# Taken where nothing better is found.
_PICTURE_IDS = ("image_id", "photo_id", "picture_id", "img_id")
_LABELS = ("label", "class_name", "class", "category", "cls")
LOOKED_AT = 200  # records whose cells are looked at for a guess
_SUFFIX = re.compile(r"\.[a-z0-9]{2,5}$", re.IGNORECASE)
_FILE_NAME = re.compile(
    r"[a-z]{0,12}[-_]?\d[\d_-]{2,}(?:wa\d+)?|\d+|[0-9a-f]{16,}|[0-9a-f-]{36}", re.IGNORECASE
)


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
        lists = (self.id, self.ingredients, self.instructions, self.tags)
        return tuple(dict.fromkeys((*self.factors, *(name for name in lists if name))))

    def check(self, columns: Iterable[str]) -> None:
        """Raise ConfigError when a column is missing, or no text is chosen."""
        column_names = list(columns)
        for role, value in self.model_dump().items():
            for name in value if isinstance(value, tuple) else (value,):
                if name is not None and name not in column_names:
                    raise ConfigError(
                        f"there is no column '{name[:60]}' for {role}: choose from "
                        f"{', '.join(column_names[:30])}"
                    )
        if not self.texts:
            raise ConfigError(
                "no text column is chosen: name one with --map title=COLUMN, "
                "--map ingredients=COLUMN or --map instructions=COLUMN"
            )


IDS = frozenset(_KNOWN["id"])  # names of columns that hold ids, in small letters
ROLES = tuple(name for name in Mapping.model_fields if name != "factors")


def guess_mapping(
    columns: Iterable[str],
    records: Sequence[Record] = (),
    roles: dict[str, str] | None = None,
) -> dict[str, str]:
    """Role -> column, from the columns' names; unrecognised roles are absent.

    Names are compared without regard to case, spaces, dashes and underscores. Pictures are also
    recognised by the cells of some ``records``: those of one column alone are pictures, or names of
    picture files. A title that is the name of a file in nearly all of them gives way to another
    text, and values that repeat are no ids.

    Args:
        roles: roles that are settled; their columns have no other one.
    """
    columns = list(columns)
    by_name: dict[str, str] = {}
    for column in columns:
        by_name.setdefault(squeezed(column), column)
    by_name |= {name: name for role in _KNOWN.values() for name in role if name in columns}
    guess = dict(roles or {})

    def free(names: Iterable[str]) -> list[str]:
        matches = [column for name in names if (column := _called(name, by_name))]
        free_columns = (column for column in matches if column not in guess.values())
        # Empty columns last.
        return sorted(free_columns, key=lambda column: not cells_of(column, records))

    for role, names in _KNOWN.items():
        fitting = [] if role in guess else free(names)
        if role == "id":
            fitting = [column for column in fitting if not repeats(column, records)]
        elif role == "picture":
            fitting.sort(key=lambda column: _are_addresses(column, records))
        elif role == "partition":
            fitting = [column for column in fitting if _names_parts(column, records)]
        elif role == "title":
            fitting.sort(key=lambda column: are_file_names(column, records))
        if fitting:
            guess[role] = fitting[0]
    if "picture" not in guess:
        picture_columns = [name for name in columns if _names_pictures(name, records)]
        if len(picture_columns) == 1 and picture_columns[0] not in guess.values():
            guess["picture"] = picture_columns[0]
        elif others := free(_PICTURE_IDS):
            guess["picture"] = others[0]
    if not {"title", "ingredients", "instructions"} & guess.keys():
        tags = guess.pop("tags", None)  # a category may be the only text
        words = [column for column in free(_LABELS) if not are_file_names(column, records)]
        if words:
            guess["title"] = words[0]
        if tags and tags not in words[:1]:
            guess["tags"] = tags
    return guess


def guess_from_all(
    columns: Iterable[str], first: Iterable[str], records: Sequence[Record]
) -> dict[str, str]:
    """``guess_mapping`` where some columns appear late.

    A late column takes no role from one of the ``first``; and it makes no split, of which the
    records before it would be no part.
    """
    begun = guess_mapping(first, records)
    guess = guess_mapping(columns, records, begun)
    return {role: c for role, c in guess.items() if role != "partition" or role in begun}


def _called(name: str, by_name: dict[str, str]) -> str | None:
    """The column of this name, spelled exactly so or in another way."""
    return by_name.get(name) or by_name.get(squeezed(name))


def squeezed(name: str) -> str:
    """recipeIngredient, Recipe Ingredient and recipe_ingredient are one name."""
    return "".join(c for c in unicodedata.normalize("NFC", name).casefold() if c.isalnum())


def cells_of(column: str, records: Sequence[Record]) -> list[Any]:
    """The cells of a column that hold something."""
    return [cell for record in records if (cell := record.get(column)) not in (None, "")]


def _are_addresses(column: str, records: Sequence[Record]) -> bool:
    """Whether the cells name pictures on the web, which an import does not fetch."""
    cells = cells_of(column, records)
    return bool(cells) and all(
        isinstance(cell, str) and cell.startswith(("http://", "https://")) for cell in cells
    )


def repeats(column: str, records: Sequence[Record]) -> bool:
    """Whether fewer than half of the cells are different: five captions of one picture."""
    cells = cells_of(column, records)
    return 2 * len({str(cell) for cell in cells}) < len(cells)


def are_file_names(column: str, records: Sequence[Record]) -> bool:
    """Whether nine of ten cells are names that a camera or a program gives: IMG_1234, 00012.jpg."""
    cells = cells_of(column, records)
    files = [cell for cell in cells if isinstance(cell, str | int) and _is_file_name(str(cell))]
    return bool(cells) and len(files) >= 0.9 * len(cells)


def _is_file_name(cell: str) -> bool:
    cell = cell.strip()
    stem = _SUFFIX.sub("", cell)
    return cell.lower().endswith(PICTURE_SUFFIXES) or _FILE_NAME.fullmatch(stem) is not None


def _names_parts(column: str, records: Sequence[Record]) -> bool:
    """Whether a column names parts of a split; of one with another name, all cells have to."""
    parts = [part_named(record.get(column)) for record in records]
    if squeezed(column) in ("partition", "split"):
        return any(parts) or not cells_of(column, records)
    return bool(parts) and None not in parts


def _names_pictures(column: str, records: Sequence[Record]) -> bool:
    cells = cells_of(column, records)
    return bool(cells) and all(holds_picture(cell) or _is_named(cell) for cell in cells)


def _is_named(cell: object) -> bool:
    try:
        name = picture_cell(cell).name
    except UnusableError:
        return False
    return name.lower().endswith(PICTURE_SUFFIXES) and "://" not in name


def make_mapping(
    columns: Iterable[str],
    choices: dict[str, Any],
    *,
    needs_picture: bool = True,
    records: Sequence[Record] = (),
) -> Mapping:
    """``guess_mapping``, with the user's choices first.

    Args:
        choices: role -> column; "" or None for none, "factors" is a sequence of columns.
        needs_picture: False where embeddings replace the pictures.

    Raises:
        ConfigError: for an unknown role or column, or when the picture column is not found.
    """
    columns = list(columns)
    settings = _settings(columns, choices, records)
    if "picture" not in settings and needs_picture:
        raise ConfigError(
            f"which column names the picture file? Give --map picture=COLUMN "
            f"(columns: {', '.join(columns[:30])})"
        )
    mapping = Mapping(**settings)
    mapping.check(columns)
    return mapping


def _settings(
    columns: Sequence[str], choices: dict[str, Any], records: Sequence[Record]
) -> dict[str, Any]:
    """Role -> column, and the factors: as chosen, else guessed from columns that are not."""
    for role in choices:
        if role not in Mapping.model_fields:
            raise ConfigError(
                f"'{role[:40]}' is not a role: choose from {', '.join(ROLES)}, factors"
            )
    roles = {role: str(choices[role]) for role in ROLES if choices.get(role)}
    no_factors = [column for column in columns if column not in choices.get("factors", ())]
    settings = {**guess_mapping(no_factors, records, roles), **choices}
    return {role: value for role, value in settings.items() if value not in ("", None)}


@dataclass(frozen=True)
class Choices:
    """What a user chose, until all columns of a table are known.

    Attributes:
        roles: role -> column, as ``make_mapping`` takes them; other roles are guessed.
        needs_picture: False where embeddings replace the pictures.
    """

    roles: dict[str, Any]
    needs_picture: bool = True

    def mapping(self, columns: Iterable[str], records: Sequence[Record]) -> Mapping:
        """See ``make_mapping``."""
        return make_mapping(columns, self.roles, needs_picture=self.needs_picture, records=records)

    def begun(self, columns: Iterable[str], records: Sequence[Record]) -> Mapping:
        """As far as the roles can be told when only some columns are known.

        Raises:
            ConfigError: for an unknown role.
        """
        columns = list(columns)
        settings = _settings(columns, self.roles, records)
        factors = tuple(name for name in settings.pop("factors", ()) if name in columns)
        roles = {role: name for role, name in settings.items() if name in columns}
        return Mapping(**roles, factors=factors)

    def completed(
        self, begun: Mapping, columns: Iterable[str], records: Sequence[Record]
    ) -> Mapping:
        """``begun`` with the roles that it leaves open, now that all ``columns`` are known.

        As in ``guess_from_all``.
        """
        given_roles = {role: name for role, name in begun.model_dump().items() if name}
        roles = {"partition": begun.partition, **given_roles, **self.roles}
        return make_mapping(columns, roles, needs_picture=self.needs_picture, records=records)
