"""The points and the z of very many items, in parts: by threads, or by the workers of a cluster."""

from __future__ import annotations

import threading
from abc import abstractmethod
from collections.abc import Callable, Iterator
from typing import Any, Literal

import numpy as np

from rivae.base.arrays import Floats, Ints
from rivae.base.cluster import spread
from rivae.base.config import Asks
from rivae.base.cores import n_cores
from rivae.data.views import Views
from rivae.models.base import Method
from rivae.retrieval.base import Read
from rivae.retrieval.model import LatentModel, Space, make_space

Side = Literal[1, 2]
_NUMBERS = 1 << 20  # of the points of a part, eight megabytes
_FEWEST, _MOST = 1 << 9, 1 << 12  # items of it, a power of two
_MOST_THREADS = 4


def in_parts(n: int, read: Read, width: int, begin: int = 0) -> Iterator[tuple[Ints, Floats]]:
    """Positions and points (n_of_part, m) of the items ``begin`` to ``n`` in order, read a little
    ahead.

    Args:
        read: as ``KeptIndex.build`` has it; an ``ItemNumbers`` is read by a cluster where one is
            named.
        width: m.
    """
    size = max(_FEWEST, min(_MOST, 1 << (_NUMBERS // max(width, 1)).bit_length() - 1))
    parts = (np.arange(start, min(start + size, n)) for start in range(begin, n, size))
    if not isinstance(read, ItemNumbers):
        for part, result in spread(parts, read, min(n_cores(), _MOST_THREADS), is_sent=False):
            yield part, result()
        return
    read.tell(begin)
    inputs = ((part, read.rows[part]) for part in parts)
    work = read.of_rows.of_part
    for (part, _), result in spread(inputs, work, min(n_cores(), _MOST_THREADS), 1, _called):
        points = result()
        read.tell(len(part))
        yield part, points


def _called(part: tuple[Ints, Ints]) -> str:
    return f"items {part[0][0] + 1:,} to {part[0][-1] + 1:,}"


class RowNumbers:
    """Numbers of a model about data rows. Pickled, it is the weights and what opens the data."""

    @abstractmethod
    def __call__(self, rows: Ints) -> Floats:
        """Those of rows (n,), (n, m)."""

    def of_part(self, part: tuple[Ints, Ints]) -> Floats:
        """Those of a part of the positions and their rows."""
        return self(part[1])


class RowLatents(RowNumbers):
    """z of data rows, see ``LatentModel.latents``."""

    def __init__(self, model: LatentModel, views: Views, asks: Asks) -> None:
        self._model, self._views, self._asks = model, views, asks

    def __reduce__(self) -> tuple[Any, ...]:
        return _latents_again, (self._model.method, self._views, self._asks)

    def __call__(self, rows: Ints) -> Floats:
        return self._model.latents(self._views.data, rows, self._asks)


class RowPoints(RowNumbers):
    """Points of data rows: what a model embeds of the view that is searched, in its ``Space``."""

    def __init__(self, model: LatentModel, space: Space, views: Views, side: Side) -> None:
        self._model, self._space, self._views, self._side = model, space, views, side

    def __reduce__(self) -> tuple[Any, ...]:
        return _points_again, (self._model.method, self._views, self._side)

    def __call__(self, rows: Ints) -> Floats:
        embed = (self._model.embed_queries, self._model.embed_targets)[self._side - 1]
        return self._space.items(embed(self._views[self._side - 1], rows))


def _latents_again(method: Method, views: Views, asks: Asks) -> RowLatents:
    return RowLatents(LatentModel(method), views, asks)


def _points_again(method: Method, views: Views, side: Side) -> RowPoints:
    model = LatentModel(method)
    return RowPoints(model, make_space(model.weight, model.bias), views, side)


class ItemNumbers:
    """A ``Read`` of the items in some data rows.

    Args:
        of_rows: gives the points, or the z, of rows.
        rows: (n,) the row of each position.
        progress: called with the share of items that are done, from threads as well.
    """

    def __init__(
        self, of_rows: RowNumbers, rows: Ints, progress: Callable[[float], None] | None = None
    ) -> None:
        self.of_rows, self.rows = of_rows, rows
        self._progress, self._n_done, self._lock = progress, 0, threading.Lock()

    def __call__(self, positions: Ints) -> Floats:
        numbers = self.of_rows(self.rows[positions])
        self.tell(len(positions))
        return numbers

    def tell(self, n_more: int) -> None:
        """Count so many more items as done."""
        with self._lock:
            self._n_done = min(self._n_done + n_more, len(self.rows))  # a sample is read twice
            if self._progress is not None:
                self._progress(self._n_done / len(self.rows))
