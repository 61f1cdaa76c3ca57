"""How long the meter of labelling takes after a sheet, for a plan of 2,000 items.

    python benchmarks/label_meter.py [--items 2000] [--out FOLDER]

The kitchen's run has 900 test items, so all of its items are searched here. Sheets of 24 answers to
one question are labelled in the order of the plan; each is timed from the new labels to the new
reading. One in ten repeats is a level off, so that scores are corrected for slips, which is the
dearest case. Writes label-meter.md.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).parents[1]))  # runs from a clone, installed or not

from rivae.base.files import write_atomic
from rivae.data.base import PairedDataset
from rivae.data.food_factors import FACTOR_NAMES
from rivae.labels.early.ground import Ground
from rivae.labels.early.meter import Meter
from rivae.labels.early.sample import N_QUERIES, REPEATS, most_retrieved, sample_items
from rivae.labels.plan import LabelPlan, PlanRun
from rivae.retrieval.ranges import paper_grid
from rivae.retrieval.retriever import Retriever
from rivae.retrieval.traversal import traverse
from rivae.runs import find_run

ROOT = Path(__file__).resolve().parents[1]
SHEET = 24
AT = (48, 96, 240, 480, 960, 1920)  # labelled items


def main() -> None:
    """Time sheets along the plan and write the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--items", type=int, default=2000)
    parser.add_argument("--out", type=Path, default=ROOT / "benchmarks" / "results")
    options = parser.parse_args()
    run = find_run("demo-kitchen")
    data = run.load_dataset()
    retriever = Retriever(run.load_method(data), data, np.arange(min(options.items, len(data))))
    queries, _ = retriever.encode(retriever.ids[:N_QUERIES])
    found = traverse(retriever, queries, paper_grid())
    rows = sample_items(most_retrieved([found]), retriever.ids, len(retriever.ids)).rows
    plan = LabelPlan(
        id="meter",
        created="2026-01-01",
        dataset=data.name,
        fingerprint=data.items_key,
        runs=[PlanRun(id=run.id, model=run.content_hash, n_items=len(rows))],
        n_queries=N_QUERIES,
        random_state=0,
        order=rows.tolist(),
        repeats=[],
    )
    start = time.perf_counter()
    ground = Ground.of(retriever, found)
    opening = time.perf_counter() - start
    lines = [
        "# The meter of labelling",
        "",
        f"`python benchmarks/label_meter.py --items {options.items}`: a plan of {len(rows):,} "
        f"items, eight factors, one annotator, a thread. Opened in {opening:.1f} s, once per "
        f"run. A sheet is {SHEET} answers to one question; median (largest) of 8. Corrected for "
        "slips, the dearest case.",
        "",
        "| items labelled | steps labelled | a sheet, CPU s | wall s | all factors, CPU s |",
        "|---|---|---|---|---|",
    ]
    for n in [n for n in AT if n < len(rows)]:
        meter = Meter(plan, {run.id: ground}, FACTOR_NAMES)
        labels = answers(data, rows[:n])
        again = labels[:: round(1 / REPEATS)].reset_index(drop=True)
        again.loc[::10, "level"] += np.where(again.loc[::10, "level"] > 1, -1, 1)
        begun = time.process_time()
        assert meter.read(labels, again).slips.some
        first = time.process_time() - begun
        cpu, wall = [], []
        for factor in FACTOR_NAMES:
            sheet = answers(data, rows[n : n + SHEET])
            labels = pd.concat([labels, sheet[sheet["factor"] == factor]], ignore_index=True)
            begun, began = time.process_time(), time.perf_counter()
            reading = meter.read(labels, again)
            cpu.append(time.process_time() - begun)
            wall.append(time.perf_counter() - began)
        cells = [f"{np.median(x):.2f} ({max(x):.2f})" for x in (cpu, wall)]
        lines.append(f"| {n:,} | {reading.steps:.2f} | {' | '.join(cells)} | {first:.2f} |")
        print(lines[-1], flush=True)
    options.out.mkdir(parents=True, exist_ok=True)
    write_atomic(options.out / "label-meter.md", ("\n".join(lines) + "\n").encode())


def answers(data: PairedDataset, rows: NDArray[np.int64]) -> pd.DataFrame:
    """The true levels of some rows as one annotator's labels."""
    assert data.factors is not None
    levels = data.factors[rows] + 1.0
    return pd.DataFrame(
        {
            "annotator": "ann",
            "item": np.repeat(rows, len(FACTOR_NAMES)),
            "factor": list(FACTOR_NAMES) * len(rows),
            "level": levels.ravel(),
        }
    )


if __name__ == "__main__":
    main()
