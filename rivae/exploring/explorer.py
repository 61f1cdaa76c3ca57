"""One opened run, ready to be explored: its data, its model and the exact search over its items.

Pages and web routes use this class and nothing below it. It imports no web framework, so the same
calls work in a notebook: ``Explorer.open(find_run("my-run")).topk(z, 10)``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray
from PIL import Image

from rivae.base.arrays import checked_z, is_count
from rivae.base.config import Asks, Rows
from rivae.base.errors import ConfigError
from rivae.base.installed import cache_folder
from rivae.data.base import PairedDataset
from rivae.data.thumbnails import ThumbnailCache
from rivae.exploring.axes.placed import AxisPlaces, PlacedAxis
from rivae.exploring.catalogue import Catalogue
from rivae.exploring.words.axis_names import (
    axis_signs,
    given_names,
    known_names,
    labels,
    shown_names,
)
from rivae.models.base import Method
from rivae.retrieval.model import require_asks
from rivae.retrieval.prior import AggregatedPrior, aggregated_prior
from rivae.retrieval.retriever import Distance, Retriever
from rivae.runs import Run
from rivae.runs.axis_names import AxisName
from rivae.runs.selections import KeptSelection, find_selection, known_selections, rows_of
from rivae.training.alignment.certainty import Certainty, certainty_of

Vector = NDArray[np.float64]

MAX_K = 30
_AT_ONCE = 1 << 14  # items that are placed on an added axis


@dataclass(frozen=True)
class Hits:
    """The ``k`` best items for one z, best first.

    Attributes:
        ids: (k,) rows of the data set.
        squared_distances: (k,) |f(z) - v2|^2, >= 0.
        scores: (k,) the method's relevance score, decreasing.
    """

    ids: NDArray[np.int64]
    squared_distances: Vector
    scores: Vector


class Explorer(Catalogue):
    """A run joined with its data: encode a query, search with any z, show items.

    Read-only after construction and safe to share between threads.

    Attributes:
        method, retriever: the parts in addition to those of the ``Catalogue``.
        asks: which view of a data row is the query; the other one is searched.
        n_components: dimensions d of z.
        run: where it was opened from, None for a method that is in no run.
    """

    def __init__(
        self,
        method: Method,
        data: PairedDataset,
        rows: Rows = "test",
        n_effect_queries: int = 12,
        thumbnails: ThumbnailCache | None = None,
        run: Run | None = None,
        asks: Asks = "first",
        progress: Callable[[float], None] | None = None,
        most: int | None = None,
    ) -> None:
        super().__init__(data, rows, thumbnails, most)
        self.method, self.asks = method, asks
        # A model in training changes every few seconds, and a part is soon replaced by the whole:
        # their results are not kept.
        is_kept = run is not None and run.ready and not self.is_part
        cache_dir = cache_folder(run.path) if run is not None and is_kept else None
        self.retriever = Retriever(
            method, data, self.search_rows, cache_dir=cache_dir, asks=asks, progress=progress
        )
        self.n_components = int(self.retriever.n_components)
        self._n_effect_queries = n_effect_queries
        self.run = run

    @classmethod
    def open(
        cls,
        run: Run,
        rows: Rows = "test",
        thumbnails: ThumbnailCache | None = None,
        asks: Asks = "first",
        progress: Callable[[float], None] | None = None,
        most: int | None = None,
    ) -> Explorer:
        """Load model and data of ``run``; runs on one data set may share its ``thumbnails``, and
        with them the data. ``progress`` takes the share of items that are embedded; of more than
        ``most`` rows only so many are searched, evenly spread.

        Raises:
            RunError: the run is broken or has no trained model yet.
            DataError: its data cannot be read.
            ConfigError: the model cannot be asked with that view.
        """
        data = run.load_dataset() if thumbnails is None else thumbnails.data
        method = run.load_method(data, preview=True)
        return cls(
            method,
            data,
            rows,
            thumbnails=thumbnails,
            run=run,
            asks=asks,
            progress=progress,
            most=most,
        )

    def prepare(self) -> None:
        """Compute now what the first search would wait for: the data's density and the effects."""
        self.far(self.mean)
        _ = self.effects

    @property
    def axis_ids(self) -> list[str]:
        """z1, z2 ... of the d dimensions; v1 ... where the method has no latent."""
        return self.method.axis_names(self.n_components)

    @property
    def given_names(self) -> list[str]:
        """The name that an analyst gave each dimension, "" without one; plain text, as of now."""
        if self.run is None:
            return [""] * self.n_components
        return given_names(self.run, self.n_components)

    @property
    def shown_names(self) -> list[str]:
        """The name of each dimension, else what words suggest ("ice, fluid, vodka?"), else ""."""
        if self.run is None:
            return [""] * self.n_components
        return shown_names(self.run, self.n_components)

    @property
    def known_names(self) -> list[AxisName | None]:
        """What is known of each dimension: its name, given or proposed, poles and evidence."""
        if self.run is None:
            return [None] * self.n_components
        return known_names(self.run, self.n_components)

    @property
    def axis_names(self) -> list[str]:
        """How the d dimensions are called everywhere: "z3", "z3 · greenness" once named, "−z3 ·
        greenness" where that falls as z3 grows, or "z3 · spinach, peas?" where words suggest it.
        """
        return labels(self.axis_ids, self.shown_names, self.signs.tolist())

    @property
    def signs(self) -> NDArray[np.int64]:
        """(d,) 1, or -1 where the name of a dimension falls as z grows. Whatever is shown under
        ``axis_names`` is this times z; links, files of numbers and calls hold z itself.
        """
        if self.run is None:
            return np.ones(self.n_components, dtype=np.int64)
        return np.array(axis_signs(self.run, self.n_components), dtype=np.int64)

    @property
    def added_axes(self) -> list[PlacedAxis]:
        """The axes that were added to the run, as of now, with their places among the data."""
        return [] if self.run is None else self._places.of(self.run)

    @property
    def selections(self) -> tuple[KeptSelection, ...]:
        """The selections that are kept with the run, as of now."""
        return () if self.run is None else known_selections(self.run)

    def _selected(self, name: str) -> NDArray[np.int64]:
        return rows_of(find_selection(self.selections, name))

    @cached_property
    def _places(self) -> AxisPlaces:
        return AxisPlaces(self.retriever)

    # from query to pictures

    @property
    def query_side(self) -> int:
        """The side that shows a query, as in ``picture``."""
        return {"first": 1, "second": 2, "both": 0}[self.asks]

    @property
    def found_side(self) -> int:
        """The side that shows what is found."""
        return 1 if self.asks == "second" else 2

    @property
    def query_name(self) -> str:
        """What the query is, by the data set's names of its views."""
        first, second = self.data.view_names
        return {"first": first, "second": second, "both": f"{first} and {second}"}[self.asks]

    def encode(self, row: int) -> Vector:
        """Mean of P(z|v1) of data row ``row``, or of what else ``asks``, shape (d,)."""
        mu, _ = self.retriever.encode(np.array([self._checked(row)]))
        return np.asarray(mu[0], dtype=np.float64)

    def encode_upload(self, image: Image.Image) -> Vector:
        """Mean of P(z|v1) of a user's own picture, shape (d,).

        Raises:
            DataError: the data set accepts no uploads or cannot read this one.
        """
        mu, _ = self.retriever.encode_x1(self.data.from_upload(image))
        return np.asarray(mu[0], dtype=np.float64)

    def encode_text(self, text: str) -> Vector:
        """Mean of P(z|v2) of a user's own text, shape (d,), whatever ``asks``.

        Raises:
            ConfigError: the model cannot be asked with its second view.
            DataError: the data set accepts no texts, or knows none of the words.
        """
        require_asks(self.method, "second", self.data)
        mu, _ = self.retriever.model.encode_x2(self.data.from_text(text))
        return np.asarray(mu[0], dtype=np.float64)

    @property
    def accepts_text(self) -> bool:
        """Whether ``encode_text`` can be used."""
        return self.method.asks_both_ways and self.data.accepts_text

    def topk(self, z: Vector, k: int, among: Retriever | None = None) -> Hits:
        """The ``k`` (1 to 30, at most N) most relevant items for ``z`` of shape (d,).

        ``among`` is a ``subset`` of the retriever, to search only there.
        """
        if not (is_count(k) and k <= MAX_K):
            raise ConfigError(f"k must lie between 1 and {MAX_K}, got {k!r:.60}")
        retriever = among or self.retriever
        answer = retriever.search(self.checked_z(z)[None], min(k, len(retriever.ids)))
        return Hits(answer.ids[0], answer.squared_distances[0], answer.scores[0])

    def far(self, z: Vector) -> Distance:
        """How far ``z`` (d,) is from the training queries, and the limit for "far"."""
        return self.retriever.far(self.checked_z(z))

    @cached_property
    def prior(self) -> AggregatedPrior:
        """The aggregated conditional prior E_x1[P(z|v1)] over (at most 5,000) training rows."""
        return aggregated_prior(*self.retriever.reference_latents())

    @cached_property
    def mean(self) -> Vector:
        """(d,) mean of the prior."""
        return np.asarray(self.prior.mean, dtype=np.float64)

    @cached_property
    def std(self) -> Vector:
        """(d,) s.d. of the prior, never below 1e-6."""
        return np.maximum(np.asarray(self.prior.std, dtype=np.float64), 1e-6)

    @cached_property
    def positions(self) -> NDArray[np.float32]:
        """(N, d) z of every searched item, in the order of ``search_rows``."""
        return self.retriever.item_latents()

    def shown_positions(self, axis: int | str) -> NDArray[np.float32]:
        """(N,) where every searched item lies on an axis as it is shown, see ``signs``.

        ``axis`` is one of z, from 0, or the id of one that was added, else ConfigError.
        """
        if isinstance(axis, str):
            added = {place.axis.id: place.axis for place in self.added_axes}
            if axis not in added:
                raise ConfigError(f"this run has no added axis {axis}: choose another axis")
            parts = np.array_split(self.positions, len(self.positions) // _AT_ONCE + 1)
            return np.concatenate(
                [added[axis].at(part.astype(np.float64)) for part in parts]
            ).astype(np.float32)
        return np.asarray(self.signs[axis] * self.positions[:, axis], dtype=np.float32)

    @cached_property
    def own_ranks(self) -> Vector:
        """(N,) rank of every searched item's own pair when it asks, 1 is best; ties count half."""
        return self.retriever.true_ranks(self.search_rows)

    @cached_property
    def certainty(self) -> Certainty:
        """How sure each of the d axes is without labels; () unless the run had a contrastive start
        that kept its fits.
        """
        if self.run is None:
            return ()
        return certainty_of(self.run, self.retriever.model, self.data)

    @cached_property
    def effects(self) -> Vector:
        """(d,) share of steps of s.d./2 between mean - 2 s.d. and mean + 2 s.d. that change the
        best item, averaged over a few test queries whose other dimensions stay put; in [0, 1].
        """
        shape = (self.n_components,)
        effects = self.retriever.keep(f"effects-{self._n_effect_queries}", shape, self._effects)
        return effects.astype(np.float64)

    def _effects(self) -> NDArray[np.float32]:
        rows = self.search_rows
        pick = np.linspace(0, len(rows) - 1, min(self._n_effect_queries, len(rows))).astype(int)
        mu = np.asarray(self.retriever.encode(rows[pick])[0], dtype=np.float64)
        steps = np.linspace(-2, 2, 9)
        z = np.repeat(mu[None, :, None, :], self.n_components, axis=0).repeat(len(steps), axis=2)
        for j in range(self.n_components):
            z[j, :, :, j] = self.mean[j] + steps * self.std[j]
        best, _ = self.retriever.nearest(z.reshape(-1, self.n_components), 1)
        best = best.reshape(self.n_components, len(pick), len(steps))
        return np.asarray((np.diff(best, axis=2) != 0).mean(axis=(1, 2)), dtype=np.float32)

    def checked_z(self, z: ArrayLike) -> Vector:
        """``z`` as (d,) finite float64.

        Raises:
            ConfigError: it is of another shape, masked, not finite, or too large to search with.
        """
        if np.ndim(z) > 1:
            raise ConfigError(f"z must hold {self.n_components} numbers, got {np.size(z)}")
        return checked_z(z, self.n_components, ConfigError)[0]
