"""A guideline: the factors to label, each with five ordered levels, in one JSON file.

The eight food factors of the paper come with the project (``FOOD_GUIDELINE``). A guideline's
version is a hash of its content, so changing a word makes a new version, and every label records
which version its annotator followed.
"""

from __future__ import annotations

import hashlib
import json
import re
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from rivae.base.errors import LabelError
from rivae.base.installed import APP_FILES
from rivae.base.reading.documents import first_problem
from rivae.runs.axis_names import MAX_NAME as MAX_POLE

if TYPE_CHECKING:
    from rivae.data.base import FactorSpec

N_LEVELS = 5
MAX_GUIDELINE_BYTES = 2**20
# Columns of the label tables (``formats.WIDE_COLUMNS``, ``LONG_COLUMNS``), next to the factors.
RESERVED_IDS = frozenset({"annotator", "item", "factor", "level"})
FOOD_GUIDELINE = APP_FILES / "assets" / "factors" / "food_labels.json"

FactorId = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_-]{0,39}$")]
Name = Annotated[str, Field(min_length=1, max_length=80)]
Text = Annotated[str, Field(min_length=1, max_length=1000)]
Example = Annotated[str, Field(min_length=1, max_length=240)]
Level = Annotated[int, Field(ge=1, le=N_LEVELS)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class LabelFactor(_Strict):
    """One question about an item.

    Attributes:
        id: the short name that labels refer to.
        name: the name on the page.
        definition: what to look at and what to ignore.
        levels: the five names of levels 1 to 5.
        examples: by level, an item key (``events.item_key``) or the relative path of a picture in
            the folder of the guideline file; levels without an example are left out.
        cannot_tell: when to answer "cannot tell" instead.
    """

    id: FactorId
    name: Name
    definition: Text
    levels: Annotated[tuple[Name, ...], Field(min_length=N_LEVELS, max_length=N_LEVELS)]
    examples: Annotated[dict[Level, Example], Field(max_length=N_LEVELS)] = {}
    cannot_tell: Text = "Neither the picture nor the text shows it."

    @field_validator("id")
    @classmethod
    def _not_reserved(cls, value: str) -> str:
        if value in RESERVED_IDS:
            raise ValueError(f"'{value}' is a column of the exported tables: choose another id")
        return value

    @field_validator("name", "definition", "cannot_tell")
    @classmethod
    def _one_line(cls, value: str) -> str:
        return _plain(value)

    @field_validator("levels")
    @classmethod
    def _distinct(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        names = tuple(_plain(name) for name in value)
        if len({name.casefold() for name in names}) < len(names):
            raise ValueError("two levels have the same name: rename one")
        return names

    @field_validator("examples")
    @classmethod
    def _beside_the_file(cls, value: dict[int, str]) -> dict[int, str]:
        for example in value.values():
            _plain(example)
            # A guideline is not trusted: it must not show other files of this machine.
            if re.match(r"[/\\~]|[A-Za-z]:[/\\]", example) or ".." in re.split(r"[/\\]", example):
                raise ValueError(
                    f"the example '{example[:60]}' leaves the guideline's folder: use an item key "
                    "or a relative path"
                )
        return value

    @property
    def poles(self) -> tuple[str, str]:
        """What lies at the low and at the high end of an axis of the factor."""
        return self.levels[0][:MAX_POLE], self.levels[-1][:MAX_POLE]

    @property
    def spec(self) -> FactorSpec:
        """As a column of ``PairedDataset.factors``: codes 0 to 4 stand for levels 1 to 5."""
        from rivae.data.base import FactorSpec  # imports PyTorch

        return FactorSpec(self.id, "ordinal", "shared", self.levels)


class Guideline(_Strict):
    """The factors that are labelled together, in the order of the keyboard and the sheets."""

    format: Literal[1] = 1
    title: Name
    factors: Annotated[tuple[LabelFactor, ...], Field(min_length=1, max_length=40)]

    @field_validator("title")
    @classmethod
    def _one_line(cls, value: str) -> str:
        return _plain(value)

    @field_validator("factors")
    @classmethod
    def _own_ids(cls, value: tuple[LabelFactor, ...]) -> tuple[LabelFactor, ...]:
        ids = [factor.id for factor in value]
        twice = next((name for name in ids if ids.count(name) > 1), None)
        if twice is not None:
            raise ValueError(f"two factors have the id '{twice}': rename one")
        return value

    @cached_property
    def version(self) -> str:
        """12 hex digits: a hash of all factors, without the title."""
        text = json.dumps(
            [factor.model_dump(mode="json") for factor in self.factors],
            sort_keys=True,
            ensure_ascii=False,
        )
        return hashlib.sha256(text.encode()).hexdigest()[:12]

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(factor.id for factor in self.factors)

    def factor(self, factor_id: str) -> LabelFactor:
        """The factor with this id; LabelError when there is none."""
        for factor in self.factors:
            if factor.id == factor_id:
                return factor
        raise LabelError(
            f"the guideline '{self.title}' has no factor '{factor_id[:40]}': choose from "
            f"{', '.join(self.ids)}"
        )

    def with_factor(self, factor: LabelFactor) -> Guideline:
        """A new version with ``factor`` added at the end, or replacing the one with its id.

        Raises:
            LabelError: there are too many factors already.
        """
        others = list(self.factors)
        if factor.id in self.ids:
            others[self.ids.index(factor.id)] = factor
        else:
            others.append(factor)
        return guideline(self.title, others)


def label_factor(**parts: object) -> LabelFactor:
    """A validated factor from form input; LabelError names the first invalid part."""
    try:
        return LabelFactor.model_validate(parts)
    except ValidationError as error:
        raise LabelError(f"this factor cannot be used ({_problem(error)})") from None


def guideline(title: str, factors: list[LabelFactor]) -> Guideline:
    """A validated guideline; LabelError names the first invalid part."""
    try:
        return Guideline(title=title, factors=tuple(factors))
    except ValidationError as error:
        raise LabelError(f"this guideline cannot be used ({_problem(error)})") from None


def parse_guideline(text: str | bytes, origin: str = "the file") -> Guideline:
    """A guideline from its JSON.

    Raises:
        LabelError: names ``origin`` and the first wrong part.
    """
    if len(text) > MAX_GUIDELINE_BYTES:
        raise LabelError(f"{origin} is too large to be a guideline: give one of at most 1 MB")
    try:
        guideline = _parsed(text)
    except ValidationError as error:
        raise LabelError(f"{origin} is not a guideline ({_problem(error)}): correct it") from None
    # A copy of the examples: dictionaries can be changed.
    factors = tuple(
        factor.model_copy(update={"examples": dict(factor.examples)})
        for factor in guideline.factors
    )
    return guideline.model_copy(update={"factors": factors})


@lru_cache(maxsize=32)  # every label event reads the guideline of its plan
def _parsed(text: str | bytes) -> Guideline:
    guideline = Guideline.model_validate_json(text)
    guideline.version  # noqa: B018, computed here, so that copies have it
    return guideline


def guideline_json(guideline: Guideline) -> str:
    """The guideline as JSON, for ``parse_guideline``."""
    return guideline.model_dump_json(indent=2)


def read_guideline(path: Path = FOOD_GUIDELINE) -> Guideline:
    """The guideline in ``path``; LabelError when it cannot be read or used."""
    try:
        with path.open("rb") as stream:
            text = stream.read(MAX_GUIDELINE_BYTES + 1)
    except OSError as error:
        raise LabelError(f"{path.name} cannot be read: {error.strerror}") from None
    return parse_guideline(text, path.name)


def _plain(text: str) -> str:
    if not text.isprintable() or text != text.strip():
        raise ValueError(
            f"'{text[:40]!a}' has a line break, an invisible character or a space at an end: "
            "remove it"
        )
    return text


def _problem(error: ValidationError) -> str:
    return first_problem(error).replace("Value error, ", "")
