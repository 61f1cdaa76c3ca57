"""A run with its data, model and search, each opened on first use."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import Protocol
from weakref import WeakSet

import numpy as np
from numpy.typing import NDArray

from rivae.base.config import Asks, Rows, RunConfig
from rivae.data.base import PairedDataset
from rivae.data.thumbnails import ThumbnailCache
from rivae.exploring.explorer import Explorer, Vector
from rivae.runs import Run as RunFolder


class Watcher(Protocol):
    """A view of the run, which shows its axes."""

    def show_axes(self) -> None: ...


class OpenedRun:
    """What of a run is open: the base of ``rivae.Run``."""

    def __init__(self, folder: RunFolder, rows: Rows = "test", asks: Asks = "first") -> None:
        self._folder, self._rows, self._asks = folder, rows, asks
        self._watchers: WeakSet[Watcher] = WeakSet()

    def __repr__(self) -> str:
        return f"rivae.Run({self.id!r})"

    # what is known without the model

    @property
    def id(self) -> str:
        """The name of the run."""
        return self._folder.id

    @property
    def path(self) -> Path:
        """Its folder."""
        return self._folder.path

    @property
    def config(self) -> RunConfig:
        """The settings that it was trained with."""
        return self._folder.config

    @cached_property
    def data(self) -> PairedDataset:
        """The pairs: ``title(i)``, ``text(i)`` and ``picture(i, side)`` of a row, ``factors``."""
        return self._folder.load_dataset()

    # with the model

    @cached_property
    def explorer(self) -> Explorer:
        """The run as the app uses it, for functions of the library that draw or compare.

        Unlike this class it may change between versions.
        """
        pictures = ThumbnailCache(self.data)
        return Explorer.open(self._folder, self._rows, pictures, self._asks)

    @property
    def n_components(self) -> int:
        """How many axes z has."""
        return self.explorer.n_components

    @property
    def items(self) -> NDArray[np.int64]:
        """(N,) the rows of the data that are searched, in increasing order."""
        return self.explorer.search_rows

    @property
    def mean(self) -> Vector:
        """(d,) the mean z of the data: where to start without a query."""
        return self.explorer.mean
