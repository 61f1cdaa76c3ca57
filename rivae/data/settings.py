"""The base of data set settings, with field types for seeds, shares and paths."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationInfo,
    field_validator,
)

from rivae.base.errors import ConfigError
from rivae.base.paths import home_path


class DatasetSettings(BaseModel):
    """Settings of a data set; every data set derives its own class ``Settings`` from this one.

    A field's bounds are checked, and its title and description are shown in the training form.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    @field_validator("*", mode="before")
    @classmethod
    def _is_a_number(cls, value: Any, field: ValidationInfo) -> Any:
        """Neither true nor "30" is one, though pydantic reads them so."""
        kind = cls.model_fields[str(field.field_name)].annotation
        if kind in (int, float) and isinstance(value, bool | str):
            raise ValueError("input should be a number")
        return value

    def kept(self) -> dict[str, Any]:
        """For ``PairedDataset.settings``: of JSON's types, paths as absolute ones."""
        return self.model_dump(mode="json")


Shares = tuple[float, float, float]


def _sum_to_one(shares: Shares) -> Shares:
    if min(shares) <= 0 or abs(sum(shares) - 1) > 1e-9:
        raise ValueError("give three positive numbers that sum to 1")
    return shares


def optional_path(name: str, value: object) -> Path | None:
    """``value`` as an absolute path, "~" expanded; None when it is None or empty.

    Raises:
        ConfigError: it is not a path; the sentence begins with ``name``.
    """
    if value is None or value == "":
        return None
    if not isinstance(value, str | Path) or "\0" in str(value):
        raise ConfigError(f"{name} must be a path, not {repr(value)[:100]}")
    path = home_path(value, name)
    try:
        return path.absolute()
    except OSError as error:
        raise ConfigError(f"{name} must be a full path: the current folder is gone") from error


def _path_text(value: object) -> str | None:
    try:
        path = optional_path("this", value)
    except ConfigError as error:
        raise ValueError(str(error)) from None
    return None if path is None else str(path)


def _none_if_empty(value: object) -> object:
    return None if value == "" else value


Seed = Annotated[int, Field(ge=0, le=2**32 - 1)]
SplitSeed = Annotated[Seed, Field(title="Split seed", description="draw of the split")]
Fractions = Annotated[
    Shares,
    AfterValidator(_sum_to_one),
    Field(title="Split", description="shares of train, validation and test"),
]
HostPath = Annotated[str | None, BeforeValidator(_path_text)]  # of a file or folder on this machine
OptionalText = Annotated[str | None, BeforeValidator(_none_if_empty)]
