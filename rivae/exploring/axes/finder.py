"""Finds the axis that somebody asks for, in the z of one model, and scores it on held-out items."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from pathlib import Path
from typing import Literal

import numpy as np

from rivae.base.arrays import Floats, Ints
from rivae.base.errors import ConfigError, DataError, RivaeError
from rivae.base.installed import cache_folder
from rivae.base.progress import Progress, silent
from rivae.base.reading.typed_text import clean
from rivae.data.base import PairedDataset
from rivae.exploring.axes.concepts import NearLevels, concept_groups, title_words
from rivae.exploring.axes.directions import Direction, DirectionFinder
from rivae.exploring.axes.levels import (
    LineLevels,
    column_levels,
    cross_fitted,
    example_levels,
    label_levels,
    spread,
)
from rivae.exploring.axes.scores import MIN_ROWS, axis_score, shared_axes
from rivae.exploring.axes.text_space import TextSpace, stem
from rivae.retrieval.model import LatentModel
from rivae.retrieval.storage import content_key, kept_latents, kept_path, weights_digest
from rivae.runs import Run
from rivae.runs.added_axes import AddedAxis, AxisScore, AxisSpec, SharedAxis
from rivae.runs.axis_names import MAX_NAME

MAX_FIT, MAX_HELD = 10_000, 2_000  # rows that axes are fitted to, and scored on
FEW = 3_000  # rows that are read in a second or two
Read = Callable[[Direction, Ints], dict[str, Floats]]


@dataclass(frozen=True)
class NamedDirection:
    """An axis that others are compared with: a named latent, or an added axis.

    Attributes:
        id, name: as they are shown.
        reads: (d,).
    """

    id: str
    name: str
    reads: Sequence[float]


class AxisFinder:
    """Finds axes in the z of one model; encodes its rows and reads their texts once.

    Args:
        model: of a method with a latent.
        data: what it was trained on.
        cache_dir: folder for z of the rows, keyed by content; None keeps no file.

    Raises:
        ConfigError: the method has no latent.
    """

    def __init__(
        self, model: LatentModel, data: PairedDataset, cache_dir: Path | None = None
    ) -> None:
        if not model.method.has_latent:
            raise ConfigError(f"{model.method.title} searches with V and has no z to add axes to")
        self.model, self.data = model, data
        splits = data.splits
        self.fit_rows = (splits["train"] if len(splits["train"]) else splits["test"])[:MAX_FIT]
        rows = next((splits[s] for s in ("validation", "test") if len(splits[s]) >= MIN_ROWS), None)
        self.held_rows = np.setdiff1d(np.empty(0, int) if rows is None else rows, self.fit_rows)[
            :MAX_HELD
        ]
        self.asks: tuple[Literal["first", "second"], ...] = (
            ("first", "second") if model.method.asks_both_ways else ("first",)
        )
        self._cache_dir = cache_dir
        self._weights = cache(lambda: weights_digest(model.method.state_dict().items()))

    @classmethod
    def open(
        cls, run: Run, model: LatentModel | None = None, data: PairedDataset | None = None
    ) -> AxisFinder:
        """Of a run's model, which is loaded where it is not given.

        Raises:
            ConfigError, DataError, RunError: the method has no latent, or the run cannot be opened.
        """
        data = run.load_dataset() if data is None else data
        model = LatentModel(run.load_method(data)) if model is None else model
        return cls(model, data, cache_folder(run.path) if run.ready else None)

    @cached_property
    def fit_z(self) -> list[Floats]:
        """z (n, d) of ``fit_rows`` as queries, of each view that can ask."""
        return self._kept(self.fit_rows)

    @cached_property
    def held_z(self) -> list[Floats]:
        """z (n, d) of ``held_rows``, as ``fit_z``."""
        return self._kept(self.held_rows)

    @cached_property
    def finder(self) -> DirectionFinder:
        """Finds directions; DataError where z is not finite, or there are too few rows."""
        reach = float(getattr(self.model.method.config, "axis_reach", 10.0))
        return DirectionFinder(self.fit_z, reach)

    @property
    def is_prepared(self) -> bool:
        """Whether the first axis takes a moment only: there are few rows, or what is slow is kept
        since ``prepare``.
        """
        if len(self.fit_rows) <= FEW:
            return True
        folder, parts = self._cache_dir, (self.fit_rows, self.held_rows)
        return (
            folder is not None
            and all(kept_path(folder, self._key(a, r)).is_file() for a in self.asks for r in parts)
            and (not self._has_texts or self.space.is_kept)
        )

    @property
    def _has_texts(self) -> bool:
        """Whether the items have texts with words."""
        try:
            return bool(self.space.view.vocabulary)
        except RivaeError:
            return False

    def prepare(self, progress: Progress | None = None) -> None:
        """Compute and keep what the first axis would wait for; ``progress`` takes a stage and the
        share done.
        """
        tell = progress or silent
        tell("reading items as queries", 0.0)
        _ = self.fit_z, self.held_z
        if self._has_texts:
            tell("reading the texts", 0.2)
            _ = self.fit_vectors
            tell("reading the texts", 0.9)

    def _key(self, asks: str, rows: Ints) -> str:
        view = "" if asks == "first" else asks
        return content_key(self._weights(), self.data.fingerprint + view, rows)

    def _kept(self, rows: Ints) -> list[Floats]:
        shape, latents = (len(rows), self.model.n_components), []
        for asks in self.asks:
            encode = partial(self.model.encode_asking, asks, self.data, rows)
            key = partial(self._key, asks, rows)
            latents.append(kept_latents(self._cache_dir, key, shape, encode)[0])
        return latents

    def encode(self, rows: Ints) -> list[Floats]:
        """z (n, d) of data rows as queries, of each view that can ask."""
        return [self.model.encode_asking(asks, self.data, rows)[0] for asks in self.asks]

    @cached_property
    def space(self) -> TextSpace:
        """The texts of the items; DataError where they have none."""
        return TextSpace(self.data)

    @cached_property
    def fit_vectors(self) -> list[Floats]:
        """The texts of ``fit_rows`` in each space."""
        return self.space.vectors(self.fit_rows)

    @cached_property
    def fit_features(self) -> Floats:
        """The texts of ``fit_rows`` as numbers for a regression, (n, D)."""
        return self.space.features(self.fit_rows)

    @cached_property
    def held_vectors(self) -> list[Floats]:
        """The texts of ``held_rows`` in each space."""
        return self.space.vectors(self.held_rows)

    @cached_property
    def fit_titles(self) -> list[frozenset[str]]:
        """The words of the titles of ``fit_rows``."""
        return title_words(self.space, self.fit_rows)

    @cached_property
    def _fit_stems(self) -> list[frozenset[str]]:
        return [frozenset(map(stem, words)) for words in self.fit_titles]

    def draft(
        self, spec: AxisSpec, name: str = "", others: Sequence[NamedDirection] = ()
    ) -> AddedAxis:
        """The axis that ``spec`` asks for, scored, not kept and without an id.

        Args:
            name: of the axis; by default that of its high end.
            others: the named axes that it is compared with.

        Raises:
            ConfigError, DataError: with one sentence, where it cannot be found: see
                ``rivae.exploring.axes.levels``.
        """
        if spec.kind in ("words", "guideline", "proposed"):
            axis = self._of_texts(spec)
        elif spec.kind in ("tag", "factor"):
            axis = self._of_column(spec)
        else:
            axis = self._of_items(spec)
        return self.completed(axis, name, others)

    def fit_weights(self, levels: Floats) -> Floats:
        """(d,) reading of the levels (n,) of ``fit_rows``, in the unit of levels."""
        return self.finder.weights(self.fit_z, levels)

    def drafted(self, spec: AxisSpec, weights: Floats, levels: Floats | None) -> AddedAxis:
        """An axis that reads ``weights`` (d,), scored by the ``levels`` of ``held_rows``."""
        direction = self.finder.direction(weights)
        scores: tuple[AxisScore, ...] = ()
        if levels is not None:
            scores = self._scored(self.held_z, direction, levels)
        return _axis(spec, direction, scores)

    def completed(self, axis: AddedAxis, name: str, others: Sequence[NamedDirection]) -> AddedAxis:
        """The axis with a name, and with what it shares with others."""
        return replace(axis, name=(name or axis.name)[:MAX_NAME], shares=self._shared(axis, others))

    def levels_of(self, spec: AxisSpec) -> tuple[Floats, Floats]:
        """The levels of the texts of ``fit_rows`` and ``held_rows`` by the lines of a spec."""
        levels: LineLevels | NearLevels
        if spec.kind == "proposed":
            levels = NearLevels(self.fit_vectors, concept_groups(self._fit_stems, spec))
        else:
            levels = LineLevels(self.space, self.fit_vectors, spec.high, spec.low)
        return levels.of(self.fit_vectors), levels.of(self.held_vectors)

    def _of_texts(self, spec: AxisSpec) -> AddedAxis:
        fit, held_levels = self.levels_of(spec)
        axis = self.drafted(spec, self.fit_weights(fit), held_levels)
        return replace(axis, remark=self._remark(spec))

    def _of_column(self, spec: AxisSpec) -> AddedAxis:
        values, name, poles = column_levels(self.data, spec.target)
        has_level = ~np.isnan(values[self.fit_rows])
        levels = values[self.fit_rows][has_level]
        if len(levels) <= len(self.finder.covariance) or np.ptp(levels) == 0:
            raise DataError(f"too few training items differ in {name}: ask for another axis")
        weights = self.finder.weights([z[has_level] for z in self.fit_z], levels)
        axis = self.drafted(spec, weights, values[self.held_rows])
        return replace(axis, name=name, poles=poles)

    def _of_items(self, spec: AxisSpec) -> AddedAxis:
        if spec.kind == "examples":
            rows, levels = example_levels(self.data, spec.items, spec.against, self.fit_rows)
        else:
            rows, levels = label_levels(self.data, dict(spec.levels))
        z = self.encode(rows)
        at = {int(row): i for i, row in enumerate(rows)}
        spread_by_text = self._spreading(spec) if spec.kind == "labels" else None

        def weights(fit: Ints, y: Floats) -> Floats:
            some = [one[[at[int(row)] for row in fit]] for one in z]
            if spread_by_text is None:
                return self.finder.weights(some, y)
            return self.finder.corrected(self.fit_weights(spread_by_text(fit, y)), some, y)

        scores = []
        for asks, own_z in zip(self.asks, z, strict=True):

            def reading(fit: Ints, y: Floats, others: Ints, own_z: Floats = own_z) -> Floats:
                direction = self.finder.direction(weights(fit, y))
                return own_z[[at[int(row)] for row in others]] @ direction.reads + direction.offset

            if len(rows) >= MIN_ROWS:
                scores.append(axis_score(cross_fitted(rows, levels, reading), levels, asks))
        axis = _axis(spec, self.finder.direction(weights(rows, levels)), tuple(scores))
        return replace(axis, name=f"{len(spec.items or spec.levels)} items")

    def _spreading(self, spec: AxisSpec) -> Callable[[Ints, Floats], Floats] | None:
        """From labels of some rows to levels of ``fit_rows``; None for items without texts."""
        try:
            others = self.fit_features
        except RivaeError:
            if spec.high:
                raise
            return None
        line_levels = None
        if spec.high:
            line_levels = LineLevels(self.space, self.fit_vectors, spec.high, spec.low)

        def levels(rows: Ints, y: Floats) -> Floats:
            prior = None
            if line_levels is not None:
                prior = line_levels.of(self.space.vectors(rows)), line_levels.of(self.fit_vectors)
            return spread(self.space.features(rows), y, others, prior)

        return levels

    def _scored(
        self, z: Sequence[Floats], direction: Direction, levels: Floats
    ) -> tuple[AxisScore, ...]:
        has_level = ~np.isnan(levels)
        if has_level.sum() < MIN_ROWS or np.ptp(levels[has_level]) == 0:
            return ()
        return tuple(
            axis_score(z_of_rows[has_level] @ direction.reads, levels[has_level], asks)
            for asks, z_of_rows in zip(self.asks, z, strict=True)
        )

    def _shared(self, axis: AddedAxis, others: Sequence[NamedDirection]) -> tuple[SharedAxis, ...]:
        others = [one for one in others if one.id != axis.id]
        if not others:
            return ()
        z = self.finder.z
        reads = np.array([one.reads for one in others]).T
        return shared_axes(
            axis.at(z), z @ reads, [one.id for one in others], [one.name for one in others]
        )

    def _remark(self, spec: AxisSpec) -> str:
        if spec.kind == "proposed":
            return ""
        return self.space.view.known.remark(*map(clean, (spec.low, spec.high)))


def _axis(spec: AxisSpec, direction: Direction, scores: tuple[AxisScore, ...]) -> AddedAxis:
    high, low = spec.high[:MAX_NAME], spec.low[:MAX_NAME]
    return AddedAxis(
        id="",
        name=high,
        poles=(low, high),
        reads=tuple(direction.reads.tolist()),
        offset=direction.offset,
        moves=tuple(direction.moves.tolist()),
        spec=spec,
        scores=scores,
    )
