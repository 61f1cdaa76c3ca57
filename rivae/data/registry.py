"""Data sets by name. A new data set is one new file and one line in ``_MODULES``."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Mapping
from typing import Any

from rivae.data.base import PairedDataset
from rivae.data.store.manifest import list_stores
from rivae.errors import ConfigError

Shape = tuple[int, ...]
IMPORTED = "pairs"  # the data set that reads imports

# name -> module under rivae.data; the module offers `load(**settings) -> PairedDataset`,
# a docstring whose first line describes the data set and, where its items need not be made for
# that, `shapes(**settings)`.
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


def import_names() -> tuple[str, ...]:
    """The imports that can be named like a data set: those whose name no registered one has."""
    return tuple(path.name for path in list_stores() if path.name not in _MODULES)


def named_dataset(name: str) -> tuple[str, dict[str, Any]]:
    """The registered name behind ``name``, and the settings that it stands for.

    An import goes by its own name: ``myfood`` is the data set ``pairs`` with ``store=myfood``.

    Raises:
        ConfigError: there is no such data set or import.
    """
    if name in _MODULES:
        return name, {}
    imports = import_names()
    if name in imports:
        return IMPORTED, {"store": name}
    known = ", ".join((*_MODULES, *imports))
    raise ConfigError(f"there is no data set '{name[:80]}': choose one of {known}")


def _module(name: str) -> Any:
    name, _ = named_dataset(name)
    return importlib.import_module(f"rivae.data.{_MODULES[name]}")


def describe_dataset(name: str) -> tuple[str, dict[str, Any]]:
    """One line about the data set, and its settings with their defaults."""
    name, place = named_dataset(name)
    module = _module(name)
    line = (module.__doc__ or "").strip().splitlines()[0]
    parameters = inspect.signature(module.load).parameters
    usual = {
        p.name: None if p.default is inspect.Parameter.empty else p.default
        for p in parameters.values()
    }
    return line, {**usual, **place}


def dataset_loader(name: str) -> Callable[..., PairedDataset]:
    """The function that builds data set ``name``: its signature and docstring are its schema."""
    loader: Callable[..., PairedDataset] = _module(name).load
    return loader


def load_dataset(name: str, **settings: Any) -> PairedDataset:
    """Build the data set ``name``, which may be an import's.

    Raises:
        ConfigError: for an unknown name or setting.
        DataError: for a file that is missing, broken or foreign.
    """
    name, place = named_dataset(name)
    settings = {**place, **settings}
    module = _module(name)
    _known_only(name, module, settings)
    dataset = module.load(**settings)
    assert isinstance(dataset, PairedDataset)
    return dataset


def item_shapes(name: str, settings: Mapping[str, Any]) -> tuple[Shape, Shape]:
    """The shapes of the items of both views, where possible without making or reading any.

    Raises:
        ConfigError, DataError: as ``load_dataset``.
    """
    module = _module(name)
    _known_only(name, module, settings)
    if not hasattr(module, "shapes"):
        data = load_dataset(name, **settings)
        return data.x1.shape, data.x2.shape
    bound = inspect.signature(module.load).bind(**settings)
    bound.apply_defaults()
    found: tuple[Shape, Shape] = module.shapes(**bound.arguments)
    return found


def _known_only(name: str, module: Any, settings: Mapping[str, Any]) -> None:
    known = inspect.signature(module.load).parameters
    for key in settings:
        if key not in known:
            options = ", ".join(known) or "none"
            raise ConfigError(f"{name} has no setting '{key[:60]}': choose from {options}")
