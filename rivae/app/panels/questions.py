"""The questions that a browser may ask, with bounds for every field; over routes and through
the session alike.

A question is checked here before it is used, so no number in it can cost memory or time. An error
is one sentence made of the field's description: "'k' must be a whole number from 1 to
30".
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeVar

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from rivae.app.panels.links import MAX_DIMS, MAX_ONLY, MAX_VALUE, RUN_ID
from rivae.base.config import Asks, Rows
from rivae.base.errors import ConfigError
from rivae.exploring.explorer import MAX_K, Vector
from rivae.exploring.maps import MAX_CORNERS
from rivae.exploring.steering import MAX_AXES, MAX_AXIS, MAX_LEVEL
from rivae.runs.added_axes import ADDED_ID, AddedId
from rivae.runs.selections import MAX_NAME, SELECTION_ID

MAX_HAVE = 400
MAX_ASKED = 6  # runs in one question, as many as Compare shows
MAX_PARTS = 32
MAX_CLOUDS = 4  # in one question: each takes some 150 ms
MAX_KEY = 200
MAX_TEXTS = 48  # two sheets of the Label page
MAX_ITEM, MAX_SEQ = 10**9, 2**53

Item = Annotated[int, Field(ge=0, le=MAX_ITEM)]
Number = Annotated[float, Field(ge=-MAX_VALUE, le=MAX_VALUE, allow_inf_nan=False)]
Share = Annotated[float, Field(ge=-1, le=2, allow_inf_nan=False)]
Asked = TypeVar("Asked", bound="Question")
RUN = Field(
    pattern=f"^{RUN_ID.pattern}$",
    max_length=120,
    description="the id of a run as shown by `rivae runs`",
)
SEQ = Field(ge=0, le=MAX_SEQ, description=f"a whole number from 0 to {MAX_SEQ}")
ASKS = "'first', 'second' or 'both'"
PLACED = Field(
    pattern=rf"^(axis-(\d{{1,4}}|{ADDED_ID.pattern})|layout-\d{{1,4}})$",
    description="axis-0 …, axis-a1 … or layout-0 …",
)
WITHIN = Field(default=None, description="an object with 'x', 'y' and 'corners'")
ONLY = Field(default="", max_length=MAX_ONLY, description=f"words, at most {MAX_ONLY} characters")
SIDE = Field(ge=0, le=2, description="a whole number from 0 to 2")
AT = Field(ge=0, le=MAX_ITEM, description="the position of an item: a whole number from 0")
Z_LIMIT = f"a list of numbers, one per axis, each from -{MAX_VALUE:g} to {MAX_VALUE:g}"


class Question(BaseModel):
    """A question whose every field is checked; ``1`` is a number but ``"1"`` and ``true`` are not.

    Other fields are ignored.
    """

    model_config = ConfigDict(strict=True, frozen=True, extra="ignore")


class Position(Question):
    """A point of z, of which only the run knows how many numbers it has; see ``of_length``."""

    z: list[Number] = Field(
        max_length=MAX_DIMS,
        description=Z_LIMIT,
    )


class Point(Position):
    """A point of one run's z."""

    run: str = RUN


class Within(Question):
    """A lasso on the map of two columns; corners in shares of each."""

    x: str = PLACED
    y: str = PLACED
    corners: list[Annotated[list[Share], Field(min_length=2, max_length=2)]] = Field(
        min_length=3,
        max_length=MAX_CORNERS,
        description=f"a list of 3 to {MAX_CORNERS} pairs of numbers from -1 to 2",
    )


class Search(Question):
    """The top-k of one point, or with ``runs`` of one point per run; each is a ``Point``."""

    rows: Rows = Field(default="test", description="'test' or 'all'")
    asks: Asks = Field(default="first", description=ASKS)
    k: int = Field(ge=1, le=MAX_K, description=f"a whole number from 1 to {MAX_K}")
    side: int = SIDE
    seq: int = SEQ
    have: list[Item] = Field(
        default=[],
        max_length=MAX_HAVE,
        description=f"a list of at most {MAX_HAVE} item numbers",
    )
    within: dict[str, Any] | None = WITHIN
    only: str = ONLY


class Found(Question):
    """Which of the searched items have all words of ``only``."""

    run: str = RUN
    rows: Rows = Field(default="test", description="'test' or 'all'")
    asks: Asks = Field(default="first", description=ASKS)
    only: str = ONLY


class OfAxis(Question):
    """What one axis changes."""

    run: str = RUN
    rows: Rows = Field(default="test", description="'test' or 'all'")
    asks: Asks = Field(default="first", description=ASKS)
    axis: str = Field(
        pattern=r"^[a-z]{1,8}[0-9]{1,6}$", description="the id of an axis, such as z1 or a1"
    )
    seq: int = SEQ


class TextSearch(Question):
    """The items that fit a text best."""

    run: str = RUN
    rows: Rows = Field(default="test", description="'test' or 'all'")
    asks: Asks = Field(default="first", description=ASKS)
    text: str = Field(max_length=200, description="a text of at most 200 characters")
    seq: int = SEQ


class Find(Question):
    """What fits a text: items and axes of the run in hand, if there is one, runs and views."""

    run: str = Field(
        default="", pattern=f"^({RUN_ID.pattern})?$", max_length=120, description="a run's id or ''"
    )
    asks: Asks = Field(default="first", description=ASKS)
    text: str = Field(max_length=200, description="a text of at most 200 characters")
    seq: int = SEQ


class Chosen(Found):
    """What tells the items inside a lasso that have all words from the others."""

    seq: int = SEQ
    within: dict[str, Any] | None = WITHIN


class Selecting(Question):
    """What becomes of the selections of a run."""

    do: Literal["keep", "rename", "remove", "restore"] = Field(
        description="'keep', 'rename', 'remove' or 'restore'"
    )
    id: str = Field(
        default="", pattern=f"^({SELECTION_ID.pattern})?$", description="the id of a selection"
    )
    name: str = Field(
        default="", max_length=MAX_NAME, description=f"a line of at most {MAX_NAME} characters"
    )


class SearchOfRuns(Search):
    """A search in several runs of one data set."""

    runs: list[dict[str, Any]] = Field(
        min_length=1,
        max_length=MAX_ASKED,
        description=f"a list of 1 to {MAX_ASKED} objects with 'run' and 'z'",
    )


class Steering(Question):
    """Rows of several axes; each is a ``SteeringPart``."""

    seq: int = SEQ
    cloud: bool = Field(default=False, description="true or false")
    card: bool = Field(default=False, description="true or false")
    parts: list[dict[str, Any]] = Field(
        min_length=1,
        max_length=MAX_PARTS,
        description=f"a list of 1 to {MAX_PARTS} objects, or of 1 to {MAX_CLOUDS} with 'cloud'",
    )


class Key(Question):
    """The browser's name for a part; it comes back with the answer."""

    key: str = Field(max_length=MAX_KEY, description=f"a text of at most {MAX_KEY} characters")


class SteeringPlace(Question):
    """Levels of one to five axes (from 0, or ids of added ones), at a query."""

    query: Item | Literal["mean"] = Field(description="a row of the data set, or 'mean'")
    axes: list[Annotated[int, Field(ge=0, le=MAX_AXIS)] | AddedId] = Field(
        min_length=1,
        max_length=MAX_AXES,
        description=f"a list of 1 to {MAX_AXES} axes, counted from 0 or ids of added ones",
    )
    levels: list[
        Literal["off", "query", "on"] | Annotated[float, Field(ge=-MAX_LEVEL, le=MAX_LEVEL)]
    ] = Field(
        min_length=1,
        max_length=MAX_AXES,
        description="a list with off, query, on or a number of s.d. from "
        f"-{MAX_LEVEL:g} to {MAX_LEVEL:g} for each axis",
    )
    n_sigma: float = Field(
        gt=0, le=MAX_LEVEL, description=f"a number above 0 and up to {MAX_LEVEL:g}"
    )


class SteeringPart(SteeringPlace):
    """One row of a run; ``since``, a ``SteeringPlace``, asks for the way from there."""

    run: str = RUN
    asks: Asks = Field(default="first", description=ASKS)
    since: dict[str, Any] | None = Field(
        default=None, description="an object with 'query', 'axes', 'levels' and 'n_sigma'"
    )


class Picture(Question):
    """One item's full picture; all three stand in the address."""

    run: str = RUN
    side: int = SIDE
    item: int = Field(ge=0, le=MAX_ITEM, description="the number of an item")


class Column(Question):
    """A column of the map; all stand in the address."""

    run: str = RUN
    rows: Rows = Field(description="'test' or 'all'")
    asks: Asks = Field(description=ASKS)
    column: str = Field(max_length=40, description="items, axis-0 or factor-0")


class Strip(Question):
    """A few items of a run's data set."""

    run: str = RUN


class OfPlan(Question):
    """A question about a labelling plan."""

    plan: str = Field(
        pattern=f"^{RUN_ID.pattern}$",
        max_length=120,
        description="the name of a plan: small letters, digits, dots, dashes and underscores",
    )


class PlanPicture(OfPlan):
    """The picture at a position."""

    at: int = AT


class PlanTexts(PlanPicture):
    """The texts of some positions."""

    n: int = Field(ge=1, le=MAX_TEXTS, description=f"a whole number from 1 to {MAX_TEXTS}")


def read(kind: type[Asked], question: Mapping[str, Any]) -> Asked:
    """The question, checked.

    Raises:
        ConfigError: a field is missing, of the wrong kind or out of range; in one sentence.
    """
    try:
        return kind.model_validate(dict(question))
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        name = str(first["loc"][0])
        description = kind.model_fields[name].description
        raise ConfigError(f"'{name}' must be {description}") from None


def read_z(value: Any, n_components: int) -> Vector:
    """``value`` as a point of z, checked here once and for all: (d,) float64.

    JavaScript sends 1.0 as 1, so integers are welcome.

    Raises:
        ConfigError: it is no list of ``n_components`` numbers within bounds; in one sentence.
    """
    return of_length(read(Position, {"z": value}), n_components)


def of_length(point: Position, n_components: int) -> Vector:
    """The z of a point that was read, for a run of ``n_components``; as :func:`read_z`."""
    if len(point.z) != n_components:
        raise ConfigError(f"'z' must hold {n_components} numbers, got {len(point.z)}")
    return np.array(point.z, dtype=np.float64)


def from_address(kind: type[Asked], params: Mapping[str, str]) -> Asked:
    """A question from an address, where every number is text.

    Raises:
        ConfigError: as :func:`read`.
    """
    whole = {name for name, field in kind.model_fields.items() if field.annotation is int}
    # Ten digits are more than any number of ours has, and few enough to be read at once.
    return read(
        kind,
        {
            name: int(text)
            if name in whole and text.isascii() and text.isdigit() and len(text) <= 10
            else text
            for name, text in params.items()
        },
    )
