"""Events for tests, and the rule of current labels once more, written as plainly as can be."""

from __future__ import annotations

import uuid
from datetime import UTC, datetime, timedelta

import numpy as np

from rivae.labels.events import LabelEvent

START = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
FACTORS = ("wateriness", "greenness", "fruit")


def event(annotator="ann", item=1, level=3, *, n=0, factor="greenness", **rest) -> LabelEvent:
    """An event with a new id; ``n`` is its time in seconds."""
    return LabelEvent(
        id=rest.pop("id", None) or str(uuid.uuid4()),
        time=START + timedelta(seconds=n),
        annotator=annotator,
        item=item if isinstance(item, str) else f"kitchen:{item}",
        factor=factor,
        level=level,
        **rest,
    )


def undo(target: LabelEvent) -> LabelEvent:
    return target.undone_by(str(uuid.uuid4()), START)


def random_events(rng: np.random.Generator, n: int, also: tuple[str, ...] = ()) -> list[LabelEvent]:
    """``n`` events of three annotators on four items, a third of them undoing an earlier one.

    ``also`` are further actions, "unsure" and "inapplicable".
    """
    made: list[LabelEvent] = []
    while len(made) < n:
        who = f"annotator {rng.integers(3)}"
        mine = [e for e in made if e.annotator == who and e.action != "undo"]
        if mine and rng.random() < 0.35:
            made.append(undo(mine[int(rng.integers(len(mine)))]))
            continue
        action = str(rng.choice([*["label"] * 4, "flag", "unflag", "skip", "adjudicate", *also]))
        graded = action in ("label", "adjudicate") and rng.random() < 0.85
        graded = graded or action == "unsure"
        made.append(
            event(
                who,
                int(rng.integers(4)),
                int(rng.integers(1, 5 + (action != "unsure"))) if graded else None,
                n=int(rng.integers(-500, 500)),  # clocks go wrong
                factor=str(rng.choice(FACTORS)),
                action=action,
                repeat=bool(rng.random() < 0.2) and action != "adjudicate",
                seconds_shown=float(rng.random() * 9),
            )
        )
    return made


def reference(events: list[LabelEvent], kind: str) -> dict[tuple[str, str, str], LabelEvent]:
    """By walking back from the last event; keys are (annotator, item, factor)."""
    found: dict[tuple[str, str, str], LabelEvent] = {}
    undone: set[str] = set()
    settled: set[tuple[str, str, str]] = set()
    for e in reversed(events):
        if e.action == "undo":
            undone.add(e.undoes)
            continue
        fits = {
            "label": e.action in ("label", "unsure", "inapplicable") and not e.repeat,
            "repeat": e.action in ("label", "unsure", "inapplicable") and e.repeat,
            "flag": e.action in ("flag", "unflag"),
            "skip": e.action == "skip",
            "adjudication": e.action == "adjudicate",
        }[kind]
        key = ("" if kind == "adjudication" else e.annotator, e.item, e.factor)
        if not fits or e.id in undone or key in settled:
            continue
        settled.add(key)
        if e.action != "unflag":
            found[key] = e
    return found
