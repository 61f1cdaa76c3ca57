"""Data sets by name. A new data set is one new file and one line in ``_MODULES``."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from pydantic import ValidationError

from rivae.base.config import explain
from rivae.base.errors import ConfigError, DataError
from rivae.base.reading.documents import printable
from rivae.data.base import PairedDataset, Shape
from rivae.data.settings import DatasetSettings
from rivae.data.store.manifest import list_stores
from rivae.data.vocabulary import Vocabulary

IMPORTED = "pairs"  # the data set that reads imports

# name -> module under rivae.data.sets; the module offers a class `Settings`, a function
# `load(settings) -> PairedDataset`, a docstring whose first line describes the data set and, where
# its items need not be made for that, `shapes(settings)`. Where the items are read from files it
# offers `content(settings)`, a hash of these; where a program makes them `VERSION`, which changes
# with what the program makes of the same settings ("1" without). Where texts become numbers,
# `load` and `shapes` take the vocabulary of a run as a second argument, which `WITH_WORDS` says.
_MODULES = {
    "synth": "synth",
    "synth-modulated": "synth_modulated",
    "sprites": "sprites",
    "sprites-hard": "sprites_hard",
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
    """The registered name behind ``name``, and the settings that this name implies.

    An import goes by its own name: ``myfood`` is the data set ``pairs`` with ``store=myfood``.

    Raises:
        ConfigError: there is no data set or import of this name.
    """
    if name in _MODULES:
        return name, {}
    imports = import_names()
    if name in imports:
        return IMPORTED, {"store": name}
    known = ", ".join((*_MODULES, *imports))
    raise ConfigError(f"there is no data set '{printable(name[:80])}': choose one of {known}")


def _module(name: str) -> Any:
    name, _ = named_dataset(name)
    return importlib.import_module(f"rivae.data.sets.{_MODULES[name]}")


def describe_dataset(name: str) -> tuple[str, dict[str, Any]]:
    """One line about the data set, and its settings with their defaults."""
    name, place = named_dataset(name)
    line = (_module(name).__doc__ or "").strip().splitlines()[0]
    usual = {key: info.get_default() for key, info in settings_class(name).model_fields.items()}
    return line, {**usual, **place}


def settings_class(name: str) -> type[DatasetSettings]:
    """The class of the settings of data set ``name``; ConfigError for an unknown name."""
    found: type[DatasetSettings] = _module(name).Settings
    return found


def checked_settings(name: str, settings: Mapping[str, Any]) -> DatasetSettings:
    """The settings of data set ``name``, complete.

    Raises:
        ConfigError: for an unknown name or setting.
    """
    return _checked(name, settings)[1]


def load_dataset(name: str, **settings: Any) -> PairedDataset:
    """Build the data set ``name``, which may be an import's; of a run, see ``Run.load_dataset``.

    Raises:
        ConfigError: for an unknown name or setting.
        DataError: for a file that is missing, broken or foreign.
    """
    return open_dataset(name, settings)


def open_dataset(
    name: str, settings: Mapping[str, Any], kept: Vocabulary | None = None
) -> PairedDataset:
    """``load_dataset``, its texts read by the vocabulary of a run.

    Args:
        kept: which words count; by default they are counted in the texts, by the newest rules.

    Raises:
        ConfigError, DataError: as ``load_dataset``.
    """
    module, checked = _checked(name, settings)
    with _readable(name):
        dataset = module.load(checked, *_words(module, kept))
    assert isinstance(dataset, PairedDataset)
    dataset.content = _content(module, checked)
    return dataset


def dataset_content(name: str, settings: Mapping[str, Any]) -> str:
    """What the data set ``name`` holds now, as a hash, without making or opening its items.

    Raises:
        ConfigError, DataError: as ``load_dataset``.
    """
    return _content(*_checked(name, settings))


def _words(module: Any, kept: Vocabulary | None) -> tuple[Vocabulary | None, ...]:
    return (kept,) if getattr(module, "WITH_WORDS", False) else ()


def _content(module: Any, settings: DatasetSettings) -> str:
    if hasattr(module, "content"):
        return str(module.content(settings))
    return str(getattr(module, "VERSION", "1"))


def item_shapes(
    name: str, settings: Mapping[str, Any], kept: Vocabulary | None = None
) -> tuple[Shape, Shape]:
    """The shapes of the items of both views, if possible without making or reading any.

    Args:
        kept: as in ``open_dataset``.

    Raises:
        ConfigError, DataError: as ``load_dataset``.
    """
    module, checked = _checked(name, settings)
    with _readable(name):
        if hasattr(module, "shapes"):
            found: tuple[Shape, Shape] = module.shapes(checked, *_words(module, kept))
            return found
        data = module.load(checked, *_words(module, kept))
    return data.x1.shape, data.x2.shape


@contextmanager
def _readable(name: str) -> Iterator[None]:
    """DataError where the files of data set ``name`` cannot be read, whatever the reason."""
    try:
        yield
    except OSError as error:
        raise DataError(
            f"the files of data set {name[:80]} cannot be read ({error.strerror or error}): give "
            "them back, or choose other data"
        ) from error


def _checked(name: str, settings: Mapping[str, Any]) -> tuple[Any, DatasetSettings]:
    """The module of a data set and its settings; ConfigError names the first wrong one."""
    name, place = named_dataset(name)
    schema = settings_class(name)
    try:
        return _module(name), schema.model_validate({**place, **settings})
    except ValidationError as error:
        raise ConfigError(explain(error, name, schema)) from None
