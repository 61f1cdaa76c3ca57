"""The settings of a run: written down whole, and read as they were meant."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rivae.base.config import RunConfig, read_config
from rivae.base.errors import ConfigError
from rivae.models.old_defaults import with_old_defaults
from rivae.models.registry import method_config
from rivae.runs.data_record import data_named_now


def completed(config: RunConfig) -> RunConfig:
    """With the defaults of its method; as it is where it has no such method or wrong settings."""
    choice = config.method
    try:
        complete = method_config(choice.name, choice.settings)
    except ConfigError:  # said when it is trained
        return config
    return _with_settings(config, complete.model_dump(mode="json"))


def stored_config(folder: Path, trained: bool) -> RunConfig:
    """The configuration of the run in ``folder``, as it is meant now.

    Args:
        trained: it has a model, of data that its record names or that were there before records.

    Raises:
        RivaeError: it is missing or damaged.
    """
    config = as_meant(read_config(folder / "config.json"))
    return data_named_now(folder, config) if trained else config


def as_meant(config: RunConfig) -> RunConfig:
    """A stored configuration, with the defaults of its time for settings that it lacks."""
    return _with_settings(config, with_old_defaults(config.method.name, config.method.settings))


def _with_settings(config: RunConfig, settings: Mapping[str, Any]) -> RunConfig:
    method = config.method.model_copy(update={"settings": dict(settings)})
    return config.model_copy(update={"method": method})
