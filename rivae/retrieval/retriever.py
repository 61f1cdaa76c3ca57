"""A trained method, a data set and the rows searched: answers every question of the explorer."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from torch import Tensor

from rivae.base.arrays import Floats, Ints, Singles
from rivae.base.config import Asks
from rivae.base.errors import ConfigError, DataError
from rivae.data.base import PairedDataset
from rivae.data.views import Views
from rivae.models.base import Method
from rivae.retrieval import storage
from rivae.retrieval.base import Index, KeptIndex, Retrieved, ranks_of_targets
from rivae.retrieval.fallback import pushed_or
from rivae.retrieval.model import LatentModel, make_space, require_asks
from rivae.retrieval.prior import (
    AggregatedPrior,
    DensityDistance,
    DensityReference,
    aggregated_prior,
)
from rivae.retrieval.reading import ItemNumbers, RowLatents, RowPoints
from rivae.retrieval.registry import choose_index

# Training rows that represent the data: their s.d. is exact to one per cent, and decoding and
# embedding a thousand pictures costs the first visitor a second.
REFERENCE_ROWS = 5_000
_HELD_OUT_ROWS = 2_000
_RANK_BLOCK = 256  # queries ranked at once
FAR = 2.0  # times the limit from which on pictures say little


@dataclass(frozen=True)
class Distance:
    """How far one z is from the data, in units of the aggregated prior's s.d.

    ``limit`` is the 99 % quantile of the same distance among held-out queries.
    """

    value: float
    limit: float

    @property
    def where(self) -> Literal["inside", "edge", "far"]:
        """Among the data, at their edge (beyond ``limit``), or far from them (beyond ``FAR`` times
        ``limit``), outside what the model has seen.
        """
        if self.value <= self.limit:
            return "inside"
        return "edge" if self.value <= FAR * self.limit else "far"


class Retriever:
    """Exact retrieval of the items ``item_ids`` by z.

    Of an item's two views one, or both, ask, and one is searched: by default v1 asks and v2 is
    searched. Where v2 asks, v1 is searched, as v2 would find itself.

    Searches only read, so threads may share one retriever; the density reference has a lock.

    z is expected as ``rivae.base.arrays.checked_z`` returns it, and k as a whole number of at least
    1: who takes them from a user (``rivae.Run``, ``Explorer``, the web routes) has checked them.

    Args:
        method: a trained method, float32.
        data: the data set it was trained on.
        item_ids: (N,) data rows to search, each once; their order decides ties.
        cache_dir: folder for embeddings and latents, keyed by content; None keeps no file.
        kind: of the index; by default the one of ``choose_index``.
        asks: which view of a data row is the query; others than "first" where the method can.
        model, index: parts of another retriever of ``method`` to share, see ``subset``.
        progress: called with the share of items embedded, where they are not kept yet.

    Raises:
        DataError: if a row is beyond the data set or named twice, or an embedding is not finite.
        ConfigError: if this view cannot ask, or a shared part is of another method.
    """

    def __init__(
        self,
        method: Method,
        data: PairedDataset,
        item_ids: ArrayLike,
        *,
        cache_dir: Path | None = None,
        kind: type[KeptIndex] | None = None,
        asks: Asks = "first",
        model: LatentModel | None = None,
        index: Index | None = None,
        progress: Callable[[float], None] | None = None,
    ) -> None:
        require_asks(method, asks, data)
        if (model.method is not method) if model else (index is not None):
            raise ConfigError("an index and a model belong to one method: share both, or neither")
        self.method, self.data, self.asks = method, data, asks
        self.ids = self._rows(item_ids)
        if not len(self.ids):
            raise DataError("there are no items to search: choose a split that is not empty")
        # Usually they ascend; a table of all rows would take 80 MB of ten million, for each subset.
        self._order = None if (self.ids[1:] > self.ids[:-1]).all() else np.argsort(self.ids)
        self._ascending = self.ids if self._order is None else self.ids[self._order]
        if (self._ascending[1:] == self._ascending[:-1]).any():
            raise DataError("a data row is named twice among the items to search")
        self._kind = kind
        self.model = model if model is not None else LatentModel(method)
        self.n_components = self.model.n_components
        self.space = make_space(self.model.weight, self.model.bias)
        self._cache_dir = cache_dir
        self._weights = cache(lambda: storage.weights_digest(method.state_dict().items()))
        self.index = self._open(progress) if index is None else index
        self._lock = threading.RLock()
        self._reference: tuple[Floats, Floats] | None = None
        self._density: DensityReference | None = None

    def _open(self, progress: Callable[[float], None] | None) -> Index:
        def here() -> Index:
            n = len(self.ids)
            kind = self._kind or choose_index(n, self.space.n_features)
            side: Literal[1, 2] = 1 if self.asks == "second" else 2
            points = RowPoints(self.model, self.space, Views(self.data), side)
            read = ItemNumbers(points, self.ids, progress)
            return storage.kept_index(self._cache_dir, self.index_key, kind, n, read)

        return pushed_or(here, self.index_key)

    def index_key(self) -> str:
        """32 hex digits that name the points searched, of this model and these items."""
        return self._content_key(self.ids, "v1" if self.asks == "second" else "")

    def _content_key(self, rows: Ints, what: str = "") -> str:
        """``what`` tells embeddings or latents of the other view from those that are usual."""
        return storage.content_key(self._weights(), self.data.fingerprint + what, rows)

    def _rows(self, rows: ArrayLike) -> Ints:
        rows = np.atleast_1d(np.asarray(rows))
        if rows.ndim != 1 or not np.issubdtype(rows.dtype, np.integer):
            raise DataError(f"rows must be a list of integers, got {rows.dtype} {rows.shape}")
        if len(rows) and not (rows.min() >= 0 and rows.max() < len(self.data)):
            raise DataError(f"a row lies outside 0 ... {len(self.data) - 1}")
        return rows.astype(np.int64)

    def subset(self, item_ids: ArrayLike) -> Retriever:
        """A retriever of some of these items; shares the model and the embeddings.

        Raises:
            DataError: if a row is not among the items of this retriever.
        """
        rows = self._rows(item_ids)
        index = self.index.subset(self.positions(rows))
        return Retriever(
            self.method,
            self.data,
            rows,
            kind=self._kind,
            asks=self.asks,
            model=self.model,
            index=index,
        )

    def asking(self, asks: Asks) -> Retriever:
        """A retriever of the same items that another view asks for; shares the model, and the
        embeddings where the same view is searched.

        Raises:
            ConfigError: if this view cannot ask.
        """
        same = (asks == "second") == (self.asks == "second")
        return Retriever(
            self.method,
            self.data,
            self.ids,
            cache_dir=self._cache_dir,
            kind=self._kind,
            asks=asks,
            model=self.model,
            index=self.index if same else None,
        )

    def positions(self, rows: ArrayLike) -> Ints:
        """Where data rows stand in ``ids``.

        Raises:
            DataError: if a row is not among the items searched.
        """
        wanted = self._rows(rows)
        places = np.minimum(np.searchsorted(self._ascending, wanted), len(self.ids) - 1)
        if (self._ascending[places] != wanted).any():
            raise DataError("a row is not among the items searched: add it to item_ids")
        return places if self._order is None else self._order[places]

    def encode(self, rows: ArrayLike) -> tuple[Floats, Floats]:
        """Mean and log variance of z of queries, data rows of any split, each (n, d).

        Those of P(z|v1), or of the other view or both where they ask.
        """
        return self.model.encode_asking(self.asks, self.data, self._rows(rows))

    def encode_x1(self, x1: Tensor) -> tuple[Floats, Floats]:
        """Mean and log variance of P(z|v1) of a query batch (n, *x1.shape), each (n, d)."""
        return self.model.encode_x1(x1)

    def latents(self, rows: ArrayLike, encoded: tuple[Floats, Floats] | None = None) -> Floats:
        """The z of data rows that factor metrics use, (n, d), see ``LatentModel.latents``."""
        return self.model.latents(self.data, self._rows(rows), self.asks, encoded)

    def decode(self, z: Floats) -> Floats:
        """f(z) = E[v2|z] of z (n, d), shape (n, D)."""
        return self.model.decode(z)

    # search

    def nearest(self, z: Floats, k: int) -> tuple[Ints, Floats]:
        """Data rows and squared distances of the k best items of z (n, d), each (n, k)."""
        positions, sq_distances = self.index.search(self.space.queries(self.model.hidden(z)), k)
        return self.ids[positions], sq_distances

    def search(self, z: Floats, k: int) -> Retrieved:
        """The k best items for each z (n, d); fewer when there are fewer items."""
        ids, sq_distances = self.nearest(z, k)
        return Retrieved(ids, sq_distances, self.model.score(z, sq_distances))

    def all_squared_distances(self, z: Floats) -> Floats:
        """|f(z) - v2|^2 of every item in the order of ``ids``, (n, N)."""
        return self.index.all_squared_distances(self.space.queries(self.model.hidden(z)))

    def true_ranks(
        self,
        query_rows: ArrayLike,
        *,
        encoded: tuple[Floats, Floats] | None = None,
        n_samples: int = 0,
        random_state: int = 0,
    ) -> Floats:
        """1-based ranks of the true items of data rows among all items; ties count half.

        Args:
            query_rows: (n,) rows among ``ids``.
            encoded: what ``encode`` makes of these rows, where that is known.
            n_samples: 0 asks with the mean mu(v1); otherwise the score is averaged over this
                many z ~ P(z|v1), as in the expectation E[log P(v2|z)].
            random_state: seed of the samples.
        """
        rows = self._rows(query_rows)
        targets = self.positions(rows)
        mu, log_var = encoded or self.encode(rows)
        rng = np.random.default_rng(random_state)
        pieces = [np.empty(0)]
        for start in range(0, len(rows), _RANK_BLOCK):
            block = slice(start, start + _RANK_BLOCK)
            if n_samples == 0:
                badness = self.all_squared_distances(mu[block])
            else:
                badness = np.zeros((len(mu[block]), len(self.ids)))
                for _ in range(n_samples):
                    noise = rng.standard_normal(mu[block].shape)
                    z = mu[block] + np.exp(log_var[block] / 2) * noise
                    badness -= self.model.score(z, self.all_squared_distances(z)) / n_samples
            pieces.append(ranks_of_targets(badness, targets[block]))
        return np.concatenate(pieces)

    # where the data lie

    def prior(self, rows: ArrayLike) -> AggregatedPrior:
        """The aggregated conditional prior E_x1[P(z|v1)] over data rows."""
        return aggregated_prior(*self.encode(rows))

    def reference_latents(self) -> tuple[Floats, Floats]:
        """Mean and log variance of P(z|v1), each (n, d), of at most 5,000 training rows.

        Drawn with a fixed seed and encoded on first use; of the searched items if there
        are no training rows.
        """
        with self._lock:
            if self._reference is None:
                train = self.data.splits["train"]
                rows = train if len(train) else self.ids
                if len(rows) > REFERENCE_ROWS:
                    sample = np.random.default_rng(0).choice(len(rows), REFERENCE_ROWS, False)
                    rows = rows[np.sort(sample)]
                self._reference = self._kept(rows)
            return self._reference

    def far(self, z: Floats) -> Distance:
        """How far one z (d,) is from the training data, and the limit for "far"."""
        density = self.density_distance(z[None])
        return Distance(float(density.distance[0]), density.threshold)

    def density_distance(self, z: Floats) -> DensityDistance:
        """How far z (n, d) is from the training data, see ``DensityDistance``.

        The rows of ``reference_latents`` and at most 2,000 held-out rows (validation, else test),
        drawn with a fixed seed.
        """
        with self._lock:
            if self._density is None:
                self._density = self._density_reference()
        near = self._density
        _, sq_distances = near.index.search(z / near.std, 1)
        return DensityDistance(np.sqrt(sq_distances[:, 0]), near.threshold)

    def _density_reference(self) -> DensityReference:
        splits, rng = self.data.splits, np.random.default_rng(0)
        held_out = splits["validation"] if len(splits["validation"]) else splits["test"]
        train = splits["train"] if len(splits["train"]) else self.ids
        held_out = np.sort(held_out[~np.isin(held_out, train)])
        mu, log_var = self.reference_latents()
        held_out_mu = None
        if len(held_out):
            held_out_mu, _ = self._kept(rng.permutation(held_out)[:_HELD_OUT_ROWS])
        return DensityReference(mu, held_out_mu, aggregated_prior(mu, log_var).std)

    def item_latents(self, progress: Callable[[float], None] | None = None) -> Singles:
        """(N, d) the ``latents`` of all items, in the order of ``ids``; kept with them.

        Args:
            progress: called with the share of items that are done, where they are not kept yet.
        """
        latents = RowLatents(self.model, Views(self.data), self.asks)
        read = ItemNumbers(latents, self.ids, progress)
        shape = (len(self.ids), self.n_components)
        return storage.kept_rows(self._cache_dir, "positions", self._items_key, shape, read)

    def keep(self, name: str, shape: tuple[int, ...], make: Callable[[], Singles]) -> Singles:
        """What ``make`` computes of this model and these items, of ``shape``; kept with them."""
        return storage.kept_array(self._cache_dir, name, self._items_key, shape, make)

    def _items_key(self) -> str:
        return self._content_key(self.ids, "" if self.asks == "first" else self.asks)

    def _kept(self, rows: Ints) -> tuple[Floats, Floats]:
        """``encode`` of rows that are needed at every start."""
        view = "" if self.asks == "first" else self.asks
        key, shape = partial(self._content_key, rows, view), (len(rows), self.n_components)
        return storage.kept_latents(self._cache_dir, key, shape, partial(self.encode, rows))
