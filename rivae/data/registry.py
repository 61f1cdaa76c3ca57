"""Data sets by name. A new data set is one new file and one line in ``_MODULES``."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable
from typing import Any

from rivae.data.base import PairedDataset
from rivae.errors import ConfigError

# name -> module under rivae.data; the module offers `load(**settings) -> PairedDataset`
# and a docstring whose first line describes the data set.
_MODULES = {
    "synth": "synth",
    "synth-modulated": "synth_modulated",
    "sprites": "sprites",
    "split-digits": "digits",
    "split-mnist": "mnist",
    "kitchen": "kitchen",
    "pairs": "pairs",
}


def dataset_names() -> tuple[str, ...]:
    """The registered names, in the order of the paper."""
    return tuple(_MODULES)


def _module(name: str) -> Any:
    if name not in _MODULES:
        raise ConfigError(f"there is no data set '{name}': choose one of {', '.join(_MODULES)}")
    return importlib.import_module(f"rivae.data.{_MODULES[name]}")


def describe_dataset(name: str) -> tuple[str, dict[str, Any]]:
    """One line about the data set, and its settings with their defaults."""
    module = _module(name)
    line = (module.__doc__ or "").strip().splitlines()[0]
    parameters = inspect.signature(module.load).parameters
    return line, {
        p.name: None if p.default is inspect.Parameter.empty else p.default
        for p in parameters.values()
    }


def dataset_loader(name: str) -> Callable[..., PairedDataset]:
    """The function that builds data set ``name``: its signature and docstring are its schema."""
    loader: Callable[..., PairedDataset] = _module(name).load
    return loader


def load_dataset(name: str, **settings: Any) -> PairedDataset:
    """Build the data set ``name``.

    Raises:
        ConfigError: for an unknown name or setting.
        DataError: for a file that is missing, broken or foreign.
    """
    module = _module(name)
    known = inspect.signature(module.load).parameters
    for key in settings:
        if key not in known:
            options = ", ".join(known) or "none"
            raise ConfigError(f"{name} has no setting '{key}': choose from {options}")
    dataset = module.load(**settings)
    assert isinstance(dataset, PairedDataset)
    return dataset
