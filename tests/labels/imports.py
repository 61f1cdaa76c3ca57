"""Imports whose records are all numbered 1, 2, 3 …, each with a run and a plan, for tests."""

from __future__ import annotations

from pathlib import Path

from rivae.data.base import Recipe
from rivae.data.store import StoreItem, StoreWriter
from rivae.jobs.launch import make_config
from rivae.labels.guideline import read_guideline
from rivae.labels.plan import LabelPlan, PlanRun
from rivae.runs import Run

N = 30


def numbered_import(folder: Path, word: str) -> str:
    """An import of ``N`` texts with the ids "1" to "30"; returns its name, the folder's."""
    writer = StoreWriter(folder, {"kind": word}, ())
    for i in range(1, N + 1):
        kind = ("red", "green", "blue")[i % 3]
        text = (f"1 {word}", f"2 {kind} {word}")
        writer.add(StoreItem(Recipe(str(i), f"{word} {i}", text, (f"mix the {kind} {word}",))), i)
    writer.finish(
        {
            "name": folder.name,
            "title": word,
            "created": "2026-01-01T00:00:00+00:00",
            "picture_side": 0,
        },
        N,
    )
    return folder.name


def run_on(root: Path, store: str, name: str) -> Run:
    """A run without a model whose data set is an import of ``data_root()``."""
    return Run.create(
        make_config("pairs", "rivae", name=name, dataset_settings={"store": store}), root
    )


def plan_on(run: Run, name: str) -> LabelPlan:
    """A plan of every item of the run's data."""
    data = run.load_dataset()
    return LabelPlan(
        id=name,
        created="2026-03-01T12:00:00+00:00",
        dataset=data.name,
        fingerprint=data.items_key,
        runs=[PlanRun(id=run.id, model="0123456789abcdef", n_items=len(data))],
        n_queries=None,
        guideline=read_guideline().version,
        random_state=0,
        order=list(range(len(data))),
        repeats=[],
    )
