"""A labelling plan over the digits run of ``conftest.py``, and labels for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from rivae.labels.events import LabelEvent, new_id
from rivae.labels.guideline import Guideline, read_guideline
from rivae.labels.kept_plans import keep_plan
from rivae.labels.plan import LabelPlan, PlanRun, label_order
from rivae.labels.store import LabelStore
from rivae.labels.table import keys_by_row

START = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


@dataclass(frozen=True)
class PlanForTests:
    """A kept plan: its store (a second one on the app's file), items and their keys by row."""

    store: LabelStore
    plan: LabelPlan
    guideline: Guideline
    keys: Mapping[int, str]

    @property
    def rows(self) -> list[int]:
        """The items, sorted."""
        return [int(row) for row in self.plan.items]

    def event(self, annotator: str, row: int, level: int | None, **parts: object) -> LabelEvent:
        """A label of a row; ``factor`` is the guideline's first unless given."""
        given = {
            "factor": self.guideline.ids[0],
            "seconds_shown": 2.0,
            "plan": self.plan.id,
            "guideline": self.guideline.version,
            **parts,
        }
        return LabelEvent(
            new_id(),
            START + timedelta(seconds=row),
            annotator,
            self.keys[row],
            level=level,
            **given,
        )  # type: ignore[arg-type]

    def label(
        self, annotator: str, levels: Sequence[int | None], factor: str | None = None
    ) -> list[LabelEvent]:
        """Store the levels of the first rows and return their events."""
        events = [
            self.event(annotator, row, level, factor=factor or self.guideline.ids[0])
            for row, level in zip(self.rows, levels, strict=False)
        ]
        self.store.append(events)
        return events


def make_label_plan(
    folder: Path, url: str | Path, *, name: str = "first", run_id: str = "digits", n: int = 40
) -> PlanForTests:
    """Keep a plan over the first ``n`` test items of a run that need not be evaluated."""
    from rivae.runs import Run

    run, food = Run(folder / run_id), read_guideline()
    data = run.load_dataset()
    rows = data.splits["test"][:n]
    order, again = label_order([[rows]], 0)
    plan = LabelPlan(
        id=name,
        created="2026-03-01T12:00:00+00:00",
        dataset=data.name,
        fingerprint=data.items_key,
        runs=[PlanRun(id=run.id, model=run.content_hash, n_items=len(rows))],
        n_queries=None,
        guideline=food.version,
        random_state=0,
        order=order.tolist(),
        repeats=again.tolist(),
    )
    store = LabelStore(url)
    keep_plan(store, plan, food)
    return PlanForTests(store, plan, food, keys_by_row(data, order))
