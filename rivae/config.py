"""The validated settings of a run; ``config.json`` of a run folder holds exactly this."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from rivae.errors import ConfigError

SCHEMA_VERSION = 1


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class DatasetConfig(_Strict):
    """A registered data set and the settings it is built with."""

    name: str
    settings: dict[str, Any] = {}


class MethodChoice(_Strict):
    """A registered method; ``settings`` are complete, ``preset`` only says where they came from."""

    name: str = "rivae"
    preset: str = "default"
    settings: dict[str, Any] = {}


class TrainingConfig(_Strict):
    """How the trainer runs, whatever the method."""

    device: str = Field(default="cpu", pattern=r"^(cpu|cuda(:\d+)?)$")
    precision: Literal["float32", "bf16"] = Field(
        default="float32", description="of the embedders; every loss is float32"
    )
    clip_norm: float | None = Field(default=1.0, gt=0, description="gradient norm bound, per model")
    validate_every: int = Field(default=5, ge=1, description="epochs between validations")
    patience: int | None = Field(
        default=None, ge=1, description="stop after so many validations without a better score"
    )
    select: Literal["last", "best"] = Field(default="last", description="weights that are kept")
    checkpoint_seconds: float = Field(
        default=1.0, ge=0, description="at most so much work is repeated after a kill"
    )


class RunConfig(_Strict):
    """Everything a run needs to be repeated to the same numbers."""

    schema_version: int = SCHEMA_VERSION
    name: str = Field(pattern=r"^[a-z0-9][a-z0-9._-]{0,79}$")
    dataset: DatasetConfig
    method: MethodChoice = MethodChoice()
    training: TrainingConfig = TrainingConfig()
    seed: int = Field(default=0, ge=0, lt=2**31)


def parse_config(text: str | bytes, origin: str) -> RunConfig:
    """Read a configuration written by this or an older version.

    Raises:
        ConfigError: one sentence naming ``origin`` and the first wrong setting.
    """
    try:
        raw = json.loads(text)
        version = raw.get("schema_version") if isinstance(raw, dict) else None
        if isinstance(version, int) and version > SCHEMA_VERSION:
            raise ConfigError(f"{origin} was written by a newer version: update rivae to open it")
        return RunConfig.model_validate(raw)
    except ValueError as error:
        if isinstance(error, ValidationError):
            first = error.errors()[0]
            where = ".".join(str(part) for part in first["loc"])
            raise ConfigError(f"{origin}: setting '{where}': {first['msg'].lower()}") from None
        raise ConfigError(f"{origin} is not valid JSON: restore it or delete the run") from None


def read_config(path: Path) -> RunConfig:
    """``parse_config`` of a file."""
    try:
        return parse_config(path.read_bytes(), str(path.name))
    except OSError:
        raise ConfigError(f"{path.name} is missing in {path.parent.name}: it is no run") from None
