"""A labelling plan: which items are shown, in which order, for which runs; saved as one file.

Its items are the unique items that the evaluations of the runs retrieved (1,000 items for 20,000
points), a few random queries at a time, those of all runs in random order. So the first labels
serve every run, and some queries are completely labelled at any time, which scores from a part of
the labels need (``rivae.labels.scores``). Some items are repeated later, as hidden repeats.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from pydantic import BaseModel, ConfigDict, Field, SerializerFunctionWrapHandler, model_serializer

from rivae.base.config import RUN_NAME, Asks
from rivae.base.errors import ConfigError, DataError
from rivae.base.progress import Progress, silent
from rivae.base.reading.documents import read_form
from rivae.data.base import PairedDataset
from rivae.labels.coverage import measured_traversal, needed_items
from rivae.retrieval.base import Ints
from rivae.retrieval.traversal import Traversal
from rivae.runs import Run

MAX_RUNS = 20
MAX_ENTRIES = 200_000
MAX_BYTES = 4 * 2**20
REPEATS = 0.08  # share of hidden repeats
MIN_REPEATS, MAX_REPEATS = 0.05, 0.10
BLOCK = 5  # queries labelled together
MIN_GAP = 48  # positions between an item and its repeat: two sheets


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False)


class PlanRun(_Strict):
    """A run that the plan serves, the hash of its model and the number of items it needs."""

    id: Annotated[str, Field(pattern=RUN_NAME)]
    model: Annotated[str, Field(pattern=r"^[0-9a-f]{16}$")]
    n_items: Annotated[int, Field(ge=1, le=MAX_ENTRIES)]


class LabelPlan(_Strict):
    """The items to show, in order.

    Attributes:
        id: the plan's name, which every label event names.
        dataset, fingerprint: the data set of the rows in ``order``, and its ``items_key``; see
            ``PairedDataset.is_named`` for plans of older versions.
        runs: the runs that the labels serve.
        purpose: "scores" for D/C/I of the runs, "axes" for items chosen to align the axes of one.
        n_queries: queries of each run's evaluation that were used; None is all.
        asks: the view of these queries.
        guideline: version of the guideline that annotators follow; "" for any.
        random_state: seed of the order.
        order: data rows by position; a row may occur twice.
        repeats: positions of hidden repeats in ``order``, ascending.
        drawn: positions of items that come from the random share, ascending; see ``early.sample``.
        chances: by position, the item's probability of being in the plan, in (0, 1]; empty where
            it is unknown, as in plans of older versions.
    """

    version: Literal[1] = 1
    id: Annotated[str, Field(pattern=RUN_NAME)]
    created: Annotated[str, Field(max_length=40)]
    dataset: Annotated[str, Field(min_length=1, max_length=80)]
    fingerprint: Annotated[str, Field(pattern=r"^[0-9a-f]{16}$")]
    runs: Annotated[list[PlanRun], Field(min_length=1, max_length=MAX_RUNS)]
    purpose: Literal["scores", "axes"] = "scores"
    n_queries: Annotated[int, Field(ge=1)] | None
    asks: Asks = "first"
    guideline: Annotated[str, Field(max_length=80)] = ""
    random_state: Annotated[int, Field(ge=0, lt=2**31)]
    order: Annotated[
        list[Annotated[int, Field(ge=0, lt=2**31)]], Field(min_length=1, max_length=MAX_ENTRIES)
    ]
    repeats: Annotated[list[Annotated[int, Field(ge=0)]], Field(max_length=MAX_ENTRIES)]
    drawn: Annotated[
        list[Annotated[int, Field(ge=0, lt=MAX_ENTRIES)]], Field(max_length=MAX_ENTRIES)
    ] = []
    chances: Annotated[
        list[Annotated[float, Field(gt=0, le=1)]], Field(max_length=MAX_ENTRIES)
    ] = []

    @model_serializer(mode="wrap")
    def _document(self, usual: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Without fields of newer versions that have their default."""
        document: dict[str, Any] = usual(self)
        usual_values: dict[str, Any] = {"asks": "first", "drawn": [], "chances": []}
        return {
            name: value
            for name, value in document.items()
            if name not in usual_values or value != usual_values[name]
        }

    @property
    def items(self) -> Ints:
        """The items to label, each once, sorted."""
        return np.unique(np.array(self.order, dtype=np.int64))

    def check(self, data: PairedDataset) -> None:
        """Raises DataError if the plan was made for other data."""
        if not data.is_named(self.fingerprint) or max(self.order) >= len(data):
            raise DataError(
                f"plan {self.id} was made for other data than this {data.name}: open the data set "
                "with the same settings, or make a new plan"
            )


def make_plan(
    runs: Sequence[Run],
    name: str,
    *,
    data: PairedDataset | None = None,
    n_queries: int | None = None,
    asks: Asks = "first",
    repeats: float = REPEATS,
    guideline: str = "",
    random_state: int = 0,
    progress: Progress | None = None,
) -> LabelPlan:
    """A plan for the evaluations (D/C/I) of one or several runs on one data set.

    Args:
        name: its id: small letters, digits, '.', '_' and '-'.
        data: the runs' data set, if it is already open.
        n_queries, asks: queries per run, and their view that asks; see ``measured_traversal``.
        repeats: share of hidden repeats, .05 to .10.
        guideline: ``Guideline.version``.
        random_state: seed of the order.
        progress: called with the current stage and the share of work done.

    Raises:
        ConfigError: no run, too many, one named twice, a setting out of range, or a view that
            cannot ask.
        DataError: the runs have different data.
        RunError: a run has no model or no evaluation.
    """
    check_plan_name(name, random_state)
    check_repeats(repeats)
    data, traversals = search(runs, data, n_queries=n_queries, asks=asks, progress=progress)
    blocks = [_blocks(traversal, random_state) for traversal in traversals]
    order, again = label_order(blocks, random_state, repeats)
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
    )


def search(
    runs: Sequence[Run],
    data: PairedDataset | None = None,
    *,
    n_queries: int | None = None,
    asks: Asks = "first",
    progress: Progress | None = None,
) -> tuple[PairedDataset, list[Traversal]]:
    """The data of the runs of a plan, and what each of them finds.

    Args:
        data: if it is already open.
        n_queries, asks: see ``measured_traversal``.
        progress: called with the current stage and the share of work done.

    Raises:
        ConfigError, DataError, RunError: as ``make_plan``.
    """
    if not 1 <= len(runs) <= MAX_RUNS:
        raise ConfigError(f"a plan serves 1 to {MAX_RUNS} runs, not {len(runs)}")
    if len({run.id for run in runs}) < len(runs):
        raise ConfigError("a run is named twice: name each run once")
    tell = progress or silent
    tell("opening the data", 0.0)
    data = data or runs[0].load_dataset()
    traversals = []
    for i, run in enumerate(runs):
        stage = f"searching with {run.id}"

        def searched(share: float, stage: str = stage, n_done: int = i) -> None:
            tell(stage, (n_done + share) / len(runs))

        searched(0.0)
        run_data = run.load_dataset() if run is not runs[0] else data
        if run_data.items_key != data.items_key:
            raise DataError(f"{run.id} and {runs[0].id} have different data: make a plan for each")
        traversals.append(
            measured_traversal(run, run_data, n_queries=n_queries, asks=asks, progress=searched)
        )
    return data, traversals


def plan_of(
    runs: Sequence[Run],
    traversals: Sequence[Traversal],
    data: PairedDataset,
    **chosen: Any,
) -> LabelPlan:
    """A new plan for what runs find; ``chosen`` are its other fields."""
    return LabelPlan(
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        dataset=data.name,
        fingerprint=data.items_key,
        runs=[
            PlanRun(id=run.id, model=run.content_hash, n_items=len(needed_items(traversal)))
            for run, traversal in zip(runs, traversals, strict=True)
        ],
        **chosen,
    )


def check_plan_name(name: str, random_state: int = 0) -> None:
    """Raises ConfigError if a plan cannot have this name or seed."""
    if not re.fullmatch(RUN_NAME, name):
        raise ConfigError(
            f"'{name[:80]}' cannot name a plan: use at most 80 of a-z, 0-9, '.', '_' and '-', "
            "starting with a letter or digit"
        )
    if not 0 <= random_state < 2**31:
        raise ConfigError(f"{random_state} is not a seed: use a whole number from 0 on")


def check_repeats(repeats: float) -> None:
    """Raises ConfigError if this cannot be the share of hidden repeats."""
    if not MIN_REPEATS <= repeats <= MAX_REPEATS:
        raise ConfigError(f"hidden repeats are 5 to 10 % of the items, not {100 * repeats:g} %")


def _blocks(traversal: Traversal, random_state: int) -> list[Ints]:
    """The rows of every five queries; runs with the same queries get the same blocks of them."""
    queries = np.random.default_rng(random_state).permutation(len(traversal.z_ref))
    return [
        needed_items(replace(traversal, ids=traversal.ids[queries[start : start + BLOCK]]))
        for start in range(0, len(queries), BLOCK)
    ]


def label_order(
    needed: Sequence[Sequence[ArrayLike]], random_state: int, repeats: float = REPEATS
) -> tuple[Ints, Ints]:
    """The rows by position, and the positions of the hidden repeats.

    Args:
        needed: the blocks of rows of each run; the first blocks of all runs come first.
        random_state: seed.
        repeats: share of the items to repeat, at least ``MIN_GAP`` positions after they were first
            shown (or half of the plan, if that is shorter).

    Raises:
        ConfigError: the share is outside .05 to .10, or there are no items.
    """
    check_repeats(repeats)
    rng = np.random.default_rng(random_state)
    turns: list[int] = []
    for i in range(max((len(blocks) for blocks in needed), default=0)):
        parts = [np.asarray(blocks[i], dtype=np.int64) for blocks in needed if i < len(blocks)]
        turns += rng.permutation(np.unique(np.hstack(parts))).tolist()
    items = list(dict.fromkeys(turns))
    if not items:
        raise ConfigError("no run retrieves an item: choose other runs")
    n = len(items)
    gap = min(MIN_GAP, n // 2)
    after = np.linspace(gap, n, round(repeats * n) + 1)[1:].round().astype(int)  # items before it
    order, again, start = list[int](), list[int](), 0
    seen_at = np.full(
        n, np.iinfo(np.int64).max
    )  # no repeat before the item was shown, and only one
    for end in after:
        seen_at[start:end] = np.arange(len(order), len(order) + end - start)
        order += items[start:end]
        start = end
        pick = int(rng.choice(np.flatnonzero(seen_at <= len(order) - gap)))
        seen_at[pick] = np.iinfo(np.int64).max
        again.append(len(order))
        order.append(items[pick])
    order += items[start:]
    return np.array(order, dtype=np.int64), np.array(again, dtype=np.int64)


def read_plan(source: Path | bytes) -> LabelPlan:
    """The plan in a file or its content; a file may come from a stranger.

    Raises:
        DataError: it cannot be read, is larger than ``MAX_BYTES``, or is not a plan.
    """
    plan = read_form(
        LabelPlan,
        source,
        MAX_BYTES,
        unreadable="the labelling plan cannot be read: choose another file",
        too_large=f"a labelling plan has at most {MAX_BYTES >> 20} MB: choose another file",
        foreign="this is not a labelling plan ({problem}): choose one that this app made",
    )
    _check_repeats(plan)
    _check_chances(plan)
    return plan


def _check_repeats(plan: LabelPlan) -> None:
    again = set(plan.repeats)
    earlier: set[int] = set()
    for position, row in enumerate(plan.order):
        if (row in earlier) != (position in again):
            raise DataError(
                f"this is not a labelling plan (position {position} is wrongly marked as a "
                "repeat): choose one that this app made"
            )
        earlier.add(row)
    if len(again) < len(plan.repeats) or (again and max(again) >= len(plan.order)):
        raise DataError(
            "this is not a labelling plan (its repeats do not fit its order): choose "
            "one that this app made"
        )


def _check_chances(plan: LabelPlan) -> None:
    n = len(plan.order)
    if len(plan.chances) not in (0, n) or any(position >= n for position in plan.drawn):
        raise DataError(
            "this is not a labelling plan (its probabilities do not fit its order): choose one "
            "that this app made"
        )
