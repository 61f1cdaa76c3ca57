"""Which items are labelled first when time is short, and how likely each was to be chosen.

The items that most steps of 20 queries retrieve come first: 80 items cover two thirds of the steps
of the kitchen, 80 random ones a quarter. Every fourth item is drawn at random from all searched
items, for MCC and for annotators to agree on. Where several runs are compared, items that more of
them retrieve come first. The plan stores each item's probability of being in it.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from rivae.base.config import Asks
from rivae.base.errors import ConfigError
from rivae.base.progress import Progress
from rivae.data.base import PairedDataset
from rivae.labels.plan import LabelPlan, check_plan_name, label_order, plan_of, search
from rivae.labels.store import LabelStore
from rivae.retrieval.base import Floats, Ints
from rivae.retrieval.traversal import Traversal
from rivae.runs import Run

N_QUERIES = 20  # as in the paper
RANDOM_SHARE = 0.25
REPEATS = 1 / 15
SECONDS = 4.0  # an answer, until the annotator's own pace is known
MIN_ANSWERS = 10  # from which on it is
MAX_MINUTES = 10_000


@dataclass(frozen=True)
class Sample:
    """Items in the order in which they are labelled.

    Attributes:
        rows: (n,) data rows, each once.
        drawn: (n,) whether the item comes from the random share.
        chances: (n,) its probability of being among these n.
    """

    rows: Ints
    drawn: np.ndarray
    chances: Floats


def most_retrieved(traversals: Sequence[Traversal]) -> Ints:
    """The data rows that traversals retrieve first: those of most runs, then of most steps.

    Args:
        traversals: one per run.
    """
    n_runs: dict[int, int] = {}
    share: dict[int, float] = {}
    for traversal in traversals:
        rows, counts = np.unique(traversal.ids[..., 0], return_counts=True)
        for row, part in zip(rows.tolist(), (counts / counts.sum()).tolist(), strict=True):
            n_runs[row] = n_runs.get(row, 0) + 1
            share[row] = share.get(row, 0.0) + part
    order = sorted(share, key=lambda row: (-n_runs[row], -share[row], row))
    return np.array(order, dtype=np.int64)


def sample_items(
    retrieved: ArrayLike,
    population: ArrayLike,
    n_items: int | None = None,
    *,
    random_share: float = RANDOM_SHARE,
    random_state: int = 0,
) -> Sample:
    """The items to label, most retrieved ones and random ones in turn.

    Args:
        retrieved: data rows, the most retrieved first.
        population: (N,) all rows that are searched; ``retrieved`` are among them.
        n_items: how many; all retrieved ones and their random share by default.
        random_share: of the items, 0 to .9.
        random_state: seed.

    Raises:
        ConfigError: no item, a share out of range, or too few items to draw from.
    """
    best = np.asarray(retrieved, dtype=np.int64)
    rows = np.unique(np.asarray(population, dtype=np.int64))
    if not 0 <= random_share <= 0.9:
        raise ConfigError(f"a random share of {random_share:g} is not possible: give 0 to .9")
    if not len(best) or not np.isin(best, rows).all():
        raise ConfigError("no run retrieves an item that is searched: choose other runs")
    n = len(rows) if n_items is None else min(n_items, len(rows))
    if n < 1:
        raise ConfigError(f"a plan of {n_items} items labels nothing: give it more minutes")
    lottery = np.random.default_rng(random_state).permutation(rows)
    chosen: dict[int, bool] = {}  # by row, whether it was drawn
    n_drawn = n_best = 0  # taken from each of the two lists, known items included
    while len(chosen) < n:
        wants_random = n_drawn < len(rows) and n_drawn < random_share * (n_drawn + n_best + 1)
        if wants_random:
            chosen.setdefault(int(lottery[n_drawn]), True)
            n_drawn += 1
        elif n_best < len(best):
            chosen.setdefault(int(best[n_best]), False)
            n_best += 1
        elif n_items is None or n_drawn == len(rows):
            break
        else:
            chosen.setdefault(int(lottery[n_drawn]), True)
            n_drawn += 1
    order = np.array(list(chosen), dtype=np.int64)
    sure = np.isin(order, best[:n_best])
    chances = np.where(sure, 1.0, n_drawn / len(rows))
    return Sample(order, np.array(list(chosen.values())), chances)


def items_for(minutes: float, n_factors: int, seconds: float = SECONDS) -> int:
    """How many items can be labelled in some minutes, hidden repeats included; at least 1.

    Raises:
        ConfigError: a number is not positive.
    """
    if not (0 < minutes <= MAX_MINUTES and n_factors >= 1 and seconds > 0):
        raise ConfigError("give more than 0 minutes, a factor, and more than 0 seconds an answer")
    return max(1, int(minutes * 60 / (seconds * n_factors) / (1 + REPEATS)))


def pace(store: LabelStore, annotator: str, factors: Collection[str] = ()) -> float:
    """Median seconds of an annotator's answers; ``SECONDS`` until ten are known.

    Args:
        factors: only answers about these; all by default.

    Raises:
        LabelError: the store did not answer.
    """
    shown = [
        current.event.seconds_shown
        for current in store.current("label", annotator=annotator)
        if current.event.seconds_shown > 0 and (not factors or current.event.factor in factors)
    ]
    return float(np.median(shown)) if len(shown) >= MIN_ANSWERS else SECONDS


def make_early_plan(
    runs: Sequence[Run],
    name: str,
    *,
    data: PairedDataset | None = None,
    minutes: float | None = None,
    n_factors: int = 8,
    seconds: float = SECONDS,
    n_queries: int = N_QUERIES,
    asks: Asks = "first",
    guideline: str = "",
    random_state: int = 0,
    progress: Progress | None = None,
) -> LabelPlan:
    """A plan that gives numbers early: the most retrieved items first, one in four at random.

    Args:
        runs: evaluated runs on one data set.
        name: its id: small letters, digits, '.', '_' and '-'.
        data: the runs' data set, if it is already open.
        minutes: how long somebody labels; as long as it takes by default.
        n_factors: that are labelled.
        seconds: an answer, see ``pace``.
        n_queries, asks: queries per run, and their view that asks; see ``measured_traversal``.
        guideline: ``Guideline.version``.
        random_state: seed of the random share and of the repeats.
        progress: called with the current stage and the share of work done.

    Raises:
        ConfigError: no run, too many, one named twice, or a setting out of range.
        DataError: the runs have different data.
        RunError: a run has no model or no evaluation.
    """
    check_plan_name(name, random_state)
    n_items = None if minutes is None else items_for(minutes, n_factors, seconds)
    data, traversals = search(runs, data, n_queries=n_queries, asks=asks, progress=progress)
    sample = sample_items(
        most_retrieved(traversals), data.splits["test"], n_items, random_state=random_state
    )
    order, again = label_order([[[row] for row in sample.rows]], random_state, REPEATS)
    place = {int(row): i for i, row in enumerate(sample.rows)}
    of_position = [place[int(row)] for row in order]
    repeated = set(again.tolist())
    return plan_of(
        runs,
        traversals,
        data,
        id=name,
        n_queries=n_queries,
        asks=asks,
        guideline=guideline,
        random_state=random_state,
        order=order.tolist(),
        repeats=again.tolist(),
        drawn=[at for at, i in enumerate(of_position) if sample.drawn[i] and at not in repeated],
        chances=[float(sample.chances[i]) for i in of_position],
    )
