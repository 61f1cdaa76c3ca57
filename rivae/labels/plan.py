"""A labelling plan: which items are shown, in which order, for which runs; a file of its own.

The union of the unique items that the runs' evaluations retrieved (1,000 items stand behind 20,000
points), taken from the runs in turn, so that the first labels serve each of them alike, and in
random order within a run, so that what is labelled so far is a fair sample. Some items come again
later, as hidden repeats.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from rivae.data.base import PairedDataset
from rivae.errors import ConfigError, DataError
from rivae.files import first_problem, write_json
from rivae.labels.needed import measured_traversal, needed_items
from rivae.retrieval.base import Ints
from rivae.runs import Run

MAX_RUNS = 20
MAX_ENTRIES = 200_000
MAX_BYTES = 4 * 2**20
REPEATS = 0.08  # share of hidden repeats
MIN_REPEATS, MAX_REPEATS = 0.05, 0.10
MIN_GAP = 48  # positions between an item and its repeat: two sheets

_ID = r"^[a-z0-9][a-z0-9._-]{0,79}$"


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False)


class PlanRun(_Strict):
    """A run that the plan serves; ``model`` is the hash of its model, ``n_items`` what it needs."""

    id: Annotated[str, Field(pattern=_ID)]
    model: Annotated[str, Field(pattern=r"^[0-9a-f]{16}$")]
    n_items: Annotated[int, Field(ge=1, le=MAX_ENTRIES)]


class LabelPlan(_Strict):
    """What is shown, in order.

    Attributes:
        id: the plan's name, which every label event carries.
        dataset, fingerprint: the data set that ``order`` counts in.
        runs: the runs that the labels serve.
        n_queries: queries of each run's evaluation that were used; None is all.
        guideline: version of the guideline that annotators follow; "" is not fixed.
        random_state: seed of the order.
        order: data rows by position; a row may stand there twice.
        repeats: the positions in ``order`` of hidden repeats, ascending.
    """

    version: Literal[1] = 1
    id: Annotated[str, Field(pattern=_ID)]
    created: Annotated[str, Field(max_length=40)]
    dataset: Annotated[str, Field(min_length=1, max_length=80)]
    fingerprint: Annotated[str, Field(pattern=r"^[0-9a-f]{16}$")]
    runs: Annotated[list[PlanRun], Field(min_length=1, max_length=MAX_RUNS)]
    n_queries: Annotated[int, Field(ge=1)] | None
    guideline: Annotated[str, Field(max_length=80)] = ""
    random_state: Annotated[int, Field(ge=0, lt=2**31)]
    order: Annotated[
        list[Annotated[int, Field(ge=0, lt=2**31)]], Field(min_length=1, max_length=MAX_ENTRIES)
    ]
    repeats: Annotated[list[Annotated[int, Field(ge=0)]], Field(max_length=MAX_ENTRIES)]

    @property
    def items(self) -> Ints:
        """The items to label, each once, sorted."""
        return np.unique(np.array(self.order, dtype=np.int64))

    def check(self, data: PairedDataset) -> None:
        """Raises DataError when the plan was made for other data."""
        if self.fingerprint != data.fingerprint or max(self.order) >= len(data):
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
    repeats: float = REPEATS,
    guideline: str = "",
    random_state: int = 0,
) -> LabelPlan:
    """The plan that serves the stored D/C/I of one or several evaluated runs on one data set.

    Args:
        name: its id: small letters, digits, '.', '_' and '-'.
        data: the runs' data set, if it is open already.
        n_queries: queries per run, see ``measured_traversal``.
        repeats: share of hidden repeats, .05 to .10.
        guideline: ``Guideline.version``.
        random_state: seed of the order.

    Raises:
        ConfigError: no run or too many, one named twice, a setting out of range.
        DataError: runs on different data.
        RunError: a run has no model or no evaluation.
    """
    if not 1 <= len(runs) <= MAX_RUNS:
        raise ConfigError(f"a plan serves 1 to {MAX_RUNS} runs, not {len(runs)}")
    if len({run.id for run in runs}) < len(runs):
        raise ConfigError("a run is named twice: name each run once")
    if not re.fullmatch(_ID, name) or not 0 <= random_state < 2**31:
        raise ConfigError(
            f"'{name[:80]}' cannot name a plan: use at most 80 of a-z, 0-9, '.', '_' and '-', "
            "beginning with a letter or digit, and a seed from 0 on"
        )
    data = data or runs[0].load_dataset()
    needed = []
    for run in runs:
        own = run.load_dataset() if run is not runs[0] else data
        if own.fingerprint != data.fingerprint:
            raise DataError(f"{run.id} and {runs[0].id} have different data: plan them apart")
        needed.append(needed_items(measured_traversal(run, data, n_queries=n_queries)))
    order, again = label_order(needed, random_state, repeats)
    return LabelPlan(
        id=name,
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        dataset=data.name,
        fingerprint=data.fingerprint,
        runs=[
            PlanRun(id=run.id, model=run.content_hash, n_items=len(items))
            for run, items in zip(runs, needed, strict=True)
        ],
        n_queries=n_queries,
        guideline=guideline,
        random_state=random_state,
        order=order.tolist(),
        repeats=again.tolist(),
    )


def label_order(
    needed: Sequence[ArrayLike], random_state: int, repeats: float = REPEATS
) -> tuple[Ints, Ints]:
    """The rows by position, and the positions that are hidden repeats.

    Args:
        needed: for each run the rows it needs, each once.
        random_state: seed.
        repeats: share of the items that come again; each at least ``MIN_GAP`` positions after its
            first sight, or half of the plan where that is shorter.

    Raises:
        ConfigError: a share out of .05 ... .10, or no items.
    """
    if not MIN_REPEATS <= repeats <= MAX_REPEATS:
        raise ConfigError(f"hidden repeats are 5 to 10 % of the items, not {100 * repeats:g} %")
    rng = np.random.default_rng(random_state)
    queues = [rng.permutation(np.unique(np.asarray(rows, dtype=np.int64))) for rows in needed]
    longest = max((len(queue) for queue in queues), default=0)
    if not longest:
        raise ConfigError("there is nothing to label: no run retrieves an item")
    turns = [queue[i] for i in range(longest) for queue in queues if i < len(queue)]
    items = list(dict.fromkeys(int(row) for row in turns))
    n = len(items)
    gap = min(MIN_GAP, n // 2)
    after = np.linspace(gap, n, round(repeats * n) + 1)[1:].round().astype(int)  # items before it
    order, again, start = list[int](), list[int](), 0
    seen_at = np.full(n, np.iinfo(np.int64).max)  # never repeated before it was seen, or twice
    for end in after:
        seen_at[start:end] = np.arange(len(order), len(order) + end - start)
        order += items[start:end]
        start = end
        chosen = int(rng.choice(np.flatnonzero(seen_at <= len(order) - gap)))
        seen_at[chosen] = np.iinfo(np.int64).max
        again.append(len(order))
        order.append(items[chosen])
    order += items[start:]
    return np.array(order, dtype=np.int64), np.array(again, dtype=np.int64)


def plan_json(plan: LabelPlan) -> dict[str, Any]:
    """The plan as JSON values."""
    return plan.model_dump(mode="json")


def write_plan(path: Path, plan: LabelPlan) -> None:
    """Write the plan in one step."""
    write_json(path, plan_json(plan))


def read_plan(source: Path | bytes) -> LabelPlan:
    """The plan in a file or its content; a file may come from a stranger.

    Raises:
        DataError: it cannot be read, is larger than ``MAX_BYTES``, or is not of this form.
    """
    try:
        if isinstance(source, bytes):
            content = source
        else:
            with source.open("rb") as stream:
                content = stream.read(MAX_BYTES + 1)
    except OSError:
        raise DataError("the labelling plan cannot be read: choose another file") from None
    if len(content) > MAX_BYTES:
        raise DataError(f"a labelling plan has at most {MAX_BYTES >> 20} MB: choose another file")
    try:
        plan = LabelPlan.model_validate_json(content)
    except ValidationError as error:
        raise DataError(
            f"this is no labelling plan ({first_problem(error)}): choose one that this app made"
        ) from None
    _check_repeats(plan)
    return plan


def _check_repeats(plan: LabelPlan) -> None:
    again = set(plan.repeats)
    seen: set[int] = set()
    for position, row in enumerate(plan.order):
        if (row in seen) != (position in again):
            raise DataError(
                f"this is no labelling plan (position {position} is wrongly marked as a repeat): "
                "choose one that this app made"
            )
        seen.add(row)
    if len(again) < len(plan.repeats) or (again and max(again) >= len(plan.order)):
        raise DataError("this is no labelling plan (its repeats do not fit its order): choose "
                        "one that this app made")  # fmt: skip
