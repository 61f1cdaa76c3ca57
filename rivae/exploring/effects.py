"""What an axis of z changes: the one measure that pages, reports and ``rivae.Run.effects`` show.

The formula and its chance are in ``rivae.metrics.effects``; here the axis of a run is moved.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from rivae.base.errors import ConfigError, shown
from rivae.exploring.axes.adding import known_added
from rivae.exploring.axis_effects import KINDS, AxisEffects
from rivae.exploring.explorer import Explorer
from rivae.exploring.words.axis_names import SUGGESTED
from rivae.exploring.words.item_terms import ItemTerms
from rivae.metrics.effects import (
    Columns,
    reversed_chance,
    shuffled_chance,
    slope_weights,
)
from rivae.retrieval.base import Floats, Ints
from rivae.retrieval.retriever import Retriever
from rivae.runs.added_axes import AddedAxis


class Direction(Protocol):
    """An axis that is no latent: what moves z along it, and what reads an item's place on it."""

    @property
    def moves(self) -> ArrayLike: ...
    @property
    def reads(self) -> ArrayLike: ...


AxisLike = int | str | ArrayLike | Direction
UNNAMED = "of it"
N_QUERIES, N_STEPS, TOP = 200, 5, 10
MAX_ITEMS = 20_000  # searched; of more an even sample
ENDS = (0.1, 0.9)  # quantiles of the data between which the axis is moved
N_TURNED, QUERIES_TURNED = 8, 40  # random directions, and queries moved along each


class EffectMeasure:
    """Measures what axes of one model change; all from one seed.

    Args:
        retriever: over the items that are searched, an even sample of 20,000 where there are more.
            Queries are test rows among them; validation rows, or any, where there are none.
        columns: of these items, in the order of ``ids``; by default every factor, and the tags and
            words of at least half a per cent of the items.
        n_queries: at most so many.

    Raises:
        DataError: the texts of the data cannot be read.
    """

    def __init__(
        self,
        retriever: Retriever,
        columns: Columns | None = None,
        *,
        n_queries: int = N_QUERIES,
        random_state: int = 0,
    ) -> None:
        if len(retriever.ids) > MAX_ITEMS:
            even = np.linspace(0, len(retriever.ids) - 1, MAX_ITEMS).astype(np.int64)
            retriever = retriever.subset(retriever.ids[even])
        self.retriever, self.random_state = retriever, random_state
        self.columns = (
            ItemTerms(retriever.data).columns(retriever.ids) if columns is None else columns
        )
        self.queries = _held_out(retriever, n_queries, random_state)
        self._z = retriever.encode(self.queries)[0]
        self._reference = retriever.reference_latents()[0]
        values, vectors = np.linalg.eigh(np.atleast_2d(np.cov(self._reference.T)))
        is_used = values > 1e-9 * max(float(values[-1]), 1e-300)
        # White coordinates of z, without what is constant: z = white @ spread.T, and back.
        self._spread = vectors[:, is_used] * np.sqrt(values[is_used])
        self._white = vectors[:, is_used] / np.sqrt(values[is_used])

    def of(
        self, moves: ArrayLike, reads: ArrayLike | None = None, name: str = UNNAMED
    ) -> AxisEffects:
        """What one direction of z changes.

        Args:
            moves: (d,) what is added to z to move up.
            reads: (d,) z @ reads is where an item lies on the axis; ``moves`` itself when None, in
                units in which moving by 1 is 1. A latent moves and reads by a unit vector.
            name: of the axis, plain text.

        Raises:
            ConfigError: a direction has another width or is not finite, or moving along it does
                not change where it reads.
        """
        moves, reads = self._checked(moves, reads)
        place = self._reference @ reads
        low, high = (float(end) for end in np.quantile(place, ENDS))
        step = moves / (reads @ moves)
        length = float(np.linalg.norm(self._white.T @ step) * (high - low))
        hits = self._found(self._z, step, reads, low, high)
        weights = slope_weights(hits, len(self.retriever.ids))
        columns, d, n = self.columns, self.retriever.n_components, len(self.queries)
        slopes = (weights @ columns.values).toarray() / columns.std
        total = np.asarray(weights.sum(axis=0)).ravel() / n
        seed = self.random_state
        chances = (
            shuffled_chance(total, columns, d, seed),
            reversed_chance(slopes, d, seed + 1),
            self._turned(length),
        )
        shares = np.bincount(hits.ravel(), minlength=len(total)) / hits.size
        known_share = np.maximum(1 - columns.unknown.T @ shares, 1e-9)
        return AxisEffects(
            axis=name,
            kinds=columns.kinds,
            names=columns.names,
            change=slopes.mean(axis=0) / known_share,
            chance=np.max(chances, axis=0) / known_share,
            low=low,
            high=high,
            length=length,
            new=float(np.mean([len(set(ids[-1]) - set(ids[0])) for ids in hits.tolist()])),
            k=hits.shape[2],
            n_queries=n,
            missing=tuple(KINDS[kind] for kind in KINDS if kind not in columns.kinds),
        )

    def _checked(self, moves: ArrayLike, reads: ArrayLike | None) -> tuple[Floats, Floats]:
        d = self.retriever.n_components
        up = np.asarray(moves, dtype=np.float64)
        along = up / max(float(up @ up), 1e-300) if reads is None and up.shape == (d,) else reads
        place = np.asarray(along, dtype=np.float64)
        for vector in (up, place):
            if vector.shape != (d,) or not np.isfinite(vector).all():
                raise ConfigError(f"a direction of z needs {d} finite numbers: give one per latent")
        if abs(up @ place) <= 1e-9 * np.linalg.norm(up) * np.linalg.norm(place):
            raise ConfigError(
                "moving along this direction does not change where it reads: give other vectors"
            )
        return up, place

    def _found(self, z: Floats, step: Floats, reads: Floats, low: float, high: float) -> Ints:
        """(Q, T, k) positions of the items retrieved from ``z`` (Q, d) at each step."""
        places = np.linspace(low, high, N_STEPS)
        points = z[:, None] + (places - (z @ reads)[:, None])[..., None] * step
        k = min(TOP, len(self.retriever.ids))
        ids, _ = self.retriever.nearest(points.reshape(-1, z.shape[1]), k)
        return self.retriever.positions(ids.ravel()).reshape(len(z), N_STEPS, k)

    def _turned(self, length: float) -> Floats:
        """(C,) the mean size of the change along random directions that go as far."""
        rng, columns = np.random.default_rng(self.random_state + 2), self.columns
        z = self._z[:: max(1, len(self._z) // QUERIES_TURNED)][:QUERIES_TURNED]
        sizes = np.zeros(len(columns.names))
        for _ in range(N_TURNED):
            turn = rng.normal(size=self._spread.shape[1])
            turn /= np.linalg.norm(turn)
            step, reads = self._spread @ turn, self._white @ turn
            middle = float(np.median(self._reference @ reads))
            hits = self._found(z, step, reads, middle - length / 2, middle + length / 2)
            weights = slope_weights(hits, len(self.retriever.ids))
            total = np.asarray(weights.sum(axis=0)).ravel() / len(z)
            sizes += np.abs(columns.values.T @ total) / columns.std
        return sizes / N_TURNED


def _held_out(retriever: Retriever, n_queries: int, random_state: int) -> Ints:
    """At most ``n_queries`` held-out rows among the items searched, sorted."""
    splits = retriever.data.splits
    for split in ("test", "validation"):
        is_in_split = np.zeros(len(retriever.data), dtype=bool)
        is_in_split[splits[split]] = True
        rows = np.sort(retriever.ids[is_in_split[retriever.ids]])
        if len(rows):
            break
    else:
        rows = retriever.ids
    return np.sort(np.random.default_rng(random_state).permutation(rows)[:n_queries])


def latent_effects(
    measure: EffectMeasure, progress: Callable[[float], None] | None = None
) -> list[AxisEffects]:
    """What each of the d latents changes as z grows; ``progress`` takes the share done."""
    retriever, effects = measure.retriever, []
    names = retriever.method.axis_names(retriever.n_components)
    for j, (unit, name) in enumerate(zip(np.eye(len(names)), names, strict=True)):
        effects.append(measure.of(unit, unit, name))
        if progress is not None:
            progress((j + 1) / len(names))
    return effects


def shown_effects(measure: EffectMeasure, explorer: Explorer, axis: AxisLike) -> AxisEffects:
    """What an axis changes, a latent in the direction in which it is shown.

    Args:
        measure: over the items of ``explorer``.
        axis: a latent by number from 0, by id ("z3") or by name; an added axis by id or name; a
            direction of z (d,); or an object with directions ``moves`` and ``reads`` as of
            ``EffectMeasure.of``, and perhaps a ``name``.

    Raises:
        ConfigError: there is no such axis, or a direction cannot be used.
    """
    if isinstance(axis, str) and (added_axis := _added(explorer, axis)) is not None:
        axis = added_axis
    if isinstance(axis, int | str) and not isinstance(axis, bool):
        j = _latent(explorer, axis)
        unit = float(explorer.signs[j]) * np.eye(explorer.n_components)[j]
        name = explorer.shown_names[j].removesuffix(SUGGESTED) or explorer.axis_ids[j]
        return measure.of(unit, unit, name)
    if hasattr(axis, "moves") and hasattr(axis, "reads"):
        return measure.of(axis.moves, axis.reads, str(getattr(axis, "name", "") or UNNAMED))
    try:
        return measure.of(np.asarray(axis, dtype=np.float64))
    except (TypeError, ValueError):
        raise ConfigError(
            "an axis is a number from 0, an id like z1, a name, or a direction of z"
        ) from None


def _added(explorer: Explorer, key: str) -> AddedAxis | None:
    """The added axis of this id, or else the one with this name."""
    if explorer.run is None:
        return None
    axes = known_added(explorer.run, explorer.n_components)
    by_name = [axis for axis in axes if axis.name.casefold() == key.strip().casefold()]
    by_id = [axis for axis in axes if axis.id == key.strip()]
    return next(iter(by_id or (by_name if len(by_name) == 1 else [])), None)


def _latent(explorer: Explorer, axis: int | str) -> int:
    """The number of a latent that is named by its number, id or name."""
    ids = explorer.axis_ids
    if not isinstance(axis, str):
        if not 0 <= axis < len(ids):
            raise ConfigError(f"there is no axis {axis}: they run from 0 to {len(ids) - 1}")
        return int(axis)
    key = axis.strip().casefold()
    for names in (ids, explorer.shown_names, explorer.axis_names):
        hits = [j for j, name in enumerate(names) if name.removesuffix(SUGGESTED).casefold() == key]
        if len(hits) == 1:
            return hits[0]
    raise ConfigError(
        f"no axis is called '{shown(axis)}': name one of {ids[0]} to {ids[-1]}, or the name of one"
    )
