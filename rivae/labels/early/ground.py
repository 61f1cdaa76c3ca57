"""What labels of a run are spread over: its paths, its z, and what its items are like."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from rivae.labels.early.describing import describe
from rivae.labels.early.paths import PathSums
from rivae.labels.early.spreading import LevelSpreader
from rivae.labels.scores import PAPER_SELECTED
from rivae.retrieval.base import Floats, Ints
from rivae.retrieval.retriever import Retriever
from rivae.retrieval.traversal import Traversal

MAX_POPULATION = 2_000  # items that stand for all in MCC


class Ground:
    """What does not change while a run is labelled: its paths, its z, and what its items are like.

    Args:
        paths: of the plan's queries.
        blocks: of ``describe``.
        z: (N, d) of the items.
        population: (N,) whether an item counts for MCC; all by default.
        n_selected: axes that are scored, those of the largest |corr|; all where there are fewer.
    """

    def __init__(
        self,
        paths: PathSums,
        blocks: Sequence[Floats],
        z: Floats,
        population: ArrayLike | None = None,
        n_selected: int = PAPER_SELECTED,
    ) -> None:
        self.paths, self.spreader, self.n_selected = paths, LevelSpreader(blocks), n_selected
        self.step_share = paths.step_share
        chosen = np.ones(len(z), dtype=np.bool_) if population is None else np.asarray(population)
        self.population: Ints = np.flatnonzero(chosen)
        self.z = z[self.population]

    @property
    def items(self) -> Ints:
        """(N,) data rows, sorted."""
        return self.paths.items

    @classmethod
    def of(
        cls,
        retriever: Retriever,
        traversal: Traversal,
        also: ArrayLike = (),
        n_selected: int = PAPER_SELECTED,
    ) -> Ground:
        """Made from the items of a traversal, at most ``MAX_POPULATION`` others, and ``also``."""
        population = retriever.ids
        if len(population) > MAX_POPULATION:
            rng = np.random.default_rng(0)
            population = np.sort(rng.choice(population, MAX_POPULATION, replace=False))
        every = [np.unique(traversal.ids[..., 0]), population, np.asarray(also, dtype=np.int64)]
        items = np.unique(np.concatenate(every)).astype(np.int64)
        return cls(
            PathSums.of(traversal, items),
            describe(retriever, items),
            retriever.encode(items)[0],
            np.isin(items, population),
            n_selected,
        )
