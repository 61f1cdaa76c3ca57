"""Data sets by name: each is one object in a file of ``rivae/data/sets``, or of another package."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from pydantic import ValidationError

from rivae.base.config import explain
from rivae.base.errors import ConfigError, DataError
from rivae.base.reading.documents import printable
from rivae.data.base import PairedDataset, Shape
from rivae.data.dataset import Dataset
from rivae.data.names import DATASETS, IMPORTED
from rivae.data.settings import DatasetSettings
from rivae.data.store.manifest import list_stores
from rivae.data.vocabulary import Vocabulary


def import_names() -> tuple[str, ...]:
    """The imports that can be named like a data set: those whose name no registered one has."""
    return tuple(path.name for path in list_stores() if path.name not in DATASETS)


def named_dataset(name: str) -> tuple[str, dict[str, Any]]:
    """The registered name behind ``name``, and the settings that this name implies.

    An import goes by its own name: ``myfood`` is the data set ``pairs`` with ``store=myfood``.

    Raises:
        ConfigError: there is no data set or import of this name.
    """
    if name in DATASETS:
        return name, {}
    imports = import_names()
    if name in imports:
        return IMPORTED, {"store": name}
    names = ", ".join((*DATASETS, *imports))
    raise ConfigError(f"there is no data set '{printable(name[:80])}': choose one of {names}")


def find_dataset(name: str) -> Dataset:
    """The data set behind ``name``, which may be an import's; ConfigError for an unknown name."""
    return DATASETS[named_dataset(name)[0]]


def describe_dataset(name: str) -> tuple[str, dict[str, Any]]:
    """One line about the data set, and its settings with their defaults."""
    name, place = named_dataset(name)
    dataset = DATASETS[name]
    usual = {key: info.get_default() for key, info in dataset.settings.model_fields.items()}
    return dataset.line, {**usual, **place}


def settings_class(name: str) -> type[DatasetSettings]:
    """The class of the settings of data set ``name``; ConfigError for an unknown name."""
    return find_dataset(name).settings


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
    name: str, settings: Mapping[str, Any], vocabulary: Vocabulary | None = None
) -> PairedDataset:
    """``load_dataset``, its texts read by the vocabulary of a run.

    Args:
        vocabulary: the words that count; by default counted in the texts, by the newest rules.

    Raises:
        ConfigError, DataError: as ``load_dataset``.
    """
    dataset, settings_read = _checked(name, settings)
    with _readable(name):
        data = dataset.load(settings_read, *_words(dataset, vocabulary))
    data.content = _content(dataset, settings_read)
    return data


def dataset_content(name: str, settings: Mapping[str, Any]) -> str:
    """What the data set ``name`` holds now, as a hash, without making or opening its items.

    Raises:
        ConfigError, DataError: as ``load_dataset``.
    """
    return _content(*_checked(name, settings))


def _words(dataset: Dataset, vocabulary: Vocabulary | None) -> tuple[Vocabulary | None, ...]:
    return (vocabulary,) if dataset.words else ()


def _content(dataset: Dataset, settings: DatasetSettings) -> str:
    return dataset.content(settings) if dataset.content else dataset.version


def item_shapes(
    name: str, settings: Mapping[str, Any], vocabulary: Vocabulary | None = None
) -> tuple[Shape, Shape]:
    """The shapes of the items of both views, if possible without making or reading any.

    Args:
        vocabulary: as in ``open_dataset``.

    Raises:
        ConfigError, DataError: as ``load_dataset``.
    """
    dataset, settings_read = _checked(name, settings)
    with _readable(name):
        if dataset.shapes:
            return dataset.shapes(settings_read, *_words(dataset, vocabulary))
        data = dataset.load(settings_read, *_words(dataset, vocabulary))
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


def _checked(name: str, settings: Mapping[str, Any]) -> tuple[Dataset, DatasetSettings]:
    """A data set and its settings; ConfigError names the first wrong one."""
    name, place = named_dataset(name)
    dataset = DATASETS[name]
    try:
        return dataset, dataset.settings.model_validate({**place, **settings})
    except ValidationError as error:
        raise ConfigError(explain(error, name, dataset.settings)) from None
