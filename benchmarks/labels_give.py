"""What labels give back: what the page says of it against what is true, on items without a label.

    python benchmarks/labels_give.py [RUN …] [--runs FOLDER --data FOLDER]

For a run, the first items of an early plan are labelled (``rivae.labels.early.sample``), with
the true levels of the kitchen, else with those that a model made of the dishes. *Said* is the MCC
before and after of ``rivae.labels.axes_given``, from these items alone; *true* that of the same
axes on all searched items without a label. Then levels are drawn at random: how often a gain is
said. And how long it takes for 2,000 items. Writes labels-give.md.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "benchmarks")]

from label_session import levels_of, true_mcc  # noqa: E402

from rivae.base.files import write_atomic  # noqa: E402
from rivae.data.food_factors import FACTOR_NAMES  # noqa: E402
from rivae.exploring.axes.finder import AxisFinder  # noqa: E402
from rivae.labels.axes_given import axes_given  # noqa: E402
from rivae.labels.early.sample import make_early_plan  # noqa: E402
from rivae.labels.food_levels import MODEL_MADE  # noqa: E402
from rivae.labels.guideline import read_guideline  # noqa: E402
from rivae.runs import find_run  # noqa: E402

MINUTES = (20, 40, 80, 200)
N_DRAWS = 40
RANDOM_ITEMS = (30, 80, 200)
MANY = 2_000
GUIDELINE = read_guideline()


def labelled_runs(names: list[str]) -> Iterator[str]:
    """The rows of the first table."""
    for name in names:
        run = find_run(name)
        data = run.load_dataset()
        levels, finder = levels_of(run, data), AxisFinder.open(run, data=data)
        for minutes in MINUTES:
            items = make_early_plan([run], "p", data=data, minutes=minutes).items
            items = items[~np.isnan(levels[items]).all(axis=1)]
            given = axes_given(finder, GUIDELINE, items, levels[items], FACTOR_NAMES)
            true = true_mcc(finder, given, levels, items)
            for one, (view, before, after) in zip(given.gains, true, strict=True):
                said = "gain" if given.is_gain else "loss" if one.is_loss else "no gain"
                yield (
                    f"| {name} | {minutes} | {len(items)} | {view} | {one.mcc[0]:.2f} → "
                    f"{one.mcc[1]:.2f} | {before:.2f} → {after:.2f} | {said} | "
                    f"{'texts' if given.by_text else 'labels'} |"
                )


def false_gains(name: str) -> Iterator[str]:
    """The rows of the second table: levels that nothing knows of."""
    run = find_run(name)
    data = run.load_dataset()
    finder, rows = AxisFinder.open(run, data=data), data.splits["test"]
    for n_factors in (2, 8):
        for n in RANDOM_ITEMS:
            gains = 0
            for draw in range(N_DRAWS):
                rng = np.random.default_rng([draw, n, n_factors])
                items = np.sort(rng.choice(rows, n, replace=False))
                y = rng.integers(1, 6, (n, n_factors)).astype(float)
                names = FACTOR_NAMES[:n_factors]
                gains += axes_given(finder, GUIDELINE, items, y, names).is_gain
            yield f"| {name} | {n_factors} | {n} | {gains} of {N_DRAWS} |"


def seconds(name: str) -> float:
    """For ``MANY`` labelled items."""
    run = find_run(name)
    data = run.load_dataset()
    levels, finder = levels_of(run, data), AxisFinder.open(run, data=data)
    items = np.flatnonzero(~np.isnan(levels).all(axis=1))[:MANY]
    _ = finder.finder
    began = time.perf_counter()
    axes_given(finder, GUIDELINE, items, levels[items], FACTOR_NAMES)
    return time.perf_counter() - began


def main() -> None:
    """Measure, and write the tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("run", nargs="*", default=["demo-kitchen"])
    parser.add_argument("--runs", type=Path, help="folder of the runs; as the app has it")
    parser.add_argument("--data", type=Path, help="folder of the stores; as the app has it")
    parser.add_argument("--out", type=Path, default=ROOT / "benchmarks" / "results")
    options = parser.parse_args()
    for variable, folder in (("RIVAE_RUNS", options.runs), ("RIVAE_DATA", options.data)):
        if folder:
            os.environ[variable] = str(folder)
    lines = [
        "# What labels give back",
        "",
        "`python benchmarks/labels_give.py`",
        "",
        f"The true levels of the kitchen, {MODEL_MADE} of photographs. *Said* is MCC before and "
        "after by cross-validation on the labelled items, as on the page; *true* that of the same "
        "axes on all searched items without a label. The items of a plan are those that the "
        "model's axes retrieve most, so what is said of *before* is rather too high.",
        "",
        "| run | minutes | items | asks | said | true | verdict | from |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for line in labelled_runs(options.run):
        lines.append(line)
        print(line, flush=True)
    lines += [
        "",
        "Levels at random: how often a gain is said.",
        "",
        "| run | factors | items | a gain is said |",
        "|---|---|---|---|",
    ]
    for name in options.run:
        for line in false_gains(name):
            lines.append(line)
            print(line, flush=True)
    lines += ["", f"{MANY:,} labelled items, eight factors, without opening the run: "]
    lines[-1] += ", ".join(f"{seconds(name):.1f} s ({name})" for name in options.run) + "."
    options.out.mkdir(parents=True, exist_ok=True)
    write_atomic(options.out / "labels-give.md", ("\n".join(lines) + "\n").encode())


if __name__ == "__main__":
    main()
