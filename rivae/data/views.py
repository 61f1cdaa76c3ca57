"""Both views of a data set for work that may be done in another process, which opens the data."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rivae.base.errors import DataError
from rivae.data.base import PLACES, PairedDataset, View
from rivae.data.registry import named_dataset, open_dataset
from rivae.data.store.manifest import find_store
from rivae.data.vocabulary import Vocabulary

_OF_FILES = PLACES - {"store", "features", "download"}  # settings that are paths


class Views(tuple[View, View]):
    """The views of a registered data set, as ``(data.x1, data.x2)``.

    Pickled, they are the name and the settings of the data, whose files whoever unpickles them has
    to see at the same paths.
    """

    data: PairedDataset

    def __new__(cls, data: PairedDataset) -> Views:
        """The views of ``data``."""
        views = super().__new__(cls, (data.x1, data.x2))
        views.data = data
        return views

    def __reduce__(self) -> tuple[Any, ...]:
        data = self.data
        return _again, (data.name, _placed(data.settings), data.vocabulary, data.fingerprint)


def places_of(name: str, settings: Mapping[str, Any]) -> list[Path]:
    """The folders and files that the data set ``name`` reads, as far as its settings name them.

    Raises:
        ConfigError, DataError: there is no such data set or import.
    """
    settings = _placed({**named_dataset(name)[1], **settings})
    keys = sorted({"store", *_OF_FILES})
    return [Path(str(settings[key])) for key in keys if _is_path(settings.get(key))]


def _again(
    name: str, settings: dict[str, Any], vocabulary: Vocabulary | None, fingerprint: str
) -> Views:
    data = open_dataset(name, settings, vocabulary)
    if data.fingerprint != fingerprint:
        raise DataError(f"the data set {name} is another one there: give both machines the same")
    return Views(data)


def _placed(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings, with whole paths: names and relative ones mean something else elsewhere."""
    out = dict(settings)
    if store := out.get("store"):
        out["store"] = str(find_store(str(store)))
    for key in _OF_FILES:
        if _is_path(out.get(key)):
            out[key] = str(Path(str(out[key])).absolute())
    return out


def _is_path(value: Any) -> bool:
    return isinstance(value, str | Path) and Path(value).exists()
