"""What a cluster is asked for, from a small TOML file."""

from __future__ import annotations

import tomllib
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from rivae.config import explain
from rivae.errors import ConfigError


class ClusterSettings(BaseModel):
    """What to ask Slurm for; one node per run, with a card per process where it trains on cards."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    at_once: int = Field(default=4, ge=1, le=1_000, description="runs handed over at a time")
    timeout_min: int = Field(default=24 * 60, ge=1, description="after which a run is queued again")
    cpus_per_process: int = Field(default=4, ge=1, le=1_024)
    mem_gb: int | None = Field(default=None, ge=1)
    partition: str | None = None
    account: str | None = None
    qos: str | None = None
    constraint: str | None = None
    setup: list[str] = Field(default=[], description="shell commands before, e.g. module load")


def read_settings(path: Path) -> ClusterSettings:
    """The settings in a TOML file, the defaults where there is none.

    Raises:
        ConfigError: it is no TOML, or has a wrong setting.
    """
    if not path.exists():
        return ClusterSettings()
    try:
        return ClusterSettings.model_validate(tomllib.loads(path.read_text("utf-8")))
    except (OSError, ValueError) as error:
        if isinstance(error, ValidationError):
            raise ConfigError(explain(error, path.name, ClusterSettings)) from None
        raise ConfigError(f"{path.name} cannot be read as TOML ({error}): correct it") from None
