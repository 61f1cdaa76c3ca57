"""What the axes of real food mean: trained runs against factor levels of their test dishes.

    python benchmarks/food_axes.py LEVELS RUN RUN ... [--data FOLDER]

LEVELS is a CSV file with the columns id, pass and the eight factors (levels 1 to 5, 0 for "cannot
tell"), RUN the folder of a run on a store with these ids that can be asked both ways. Runs whose
names differ only in their last number are seeds of one row. Before:

    rivae import recipes.jsonl.gz --images images_*.zip --name food --paper-filter
    rivae features food statistics --as statistics
    rivae train food --seeds 0-2 --name rivae --set dataset.features=statistics
    rivae train food --seeds 0-2 --name nce --method info-nce-ica --set method.axes=words \\
        --set method.n_components=30 --set dataset.features=statistics

Writes ``benchmarks/results/food-axes.md`` and ``.parquet``.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.linear_model import RidgeCV

sys.path.insert(0, str(Path(__file__).parents[1]))  # runs from a clone, installed or not

from benchmarks.hard_conditions import mean_and_spread
from rivae.data.food_factors import FOOD_FACTORS
from rivae.data.pairs import Pairs
from rivae.data.store.manifest import ROOT_VARIABLE
from rivae.methods.base import Asks
from rivae.metrics.correlation import correlation_table
from rivae.metrics.dci_paper import paper_dci
from rivae.metrics.matching import cross_correlation
from rivae.metrics.mcc import mcc
from rivae.metrics.retrieval import retrieval_metrics
from rivae.ranges import paper_grid
from rivae.retrieval.retriever import Retriever
from rivae.runs import Run
from rivae.traversal import traverse

RESULTS = Path(__file__).parent / "results"
Array = NDArray[np.float64]
N_LABELS, DRAWS, N_AXES, N_QUERIES = 100, 30, 10, 20
ASKING: dict[Asks, str] = {"first": "picture", "second": "recipe"}
COLUMNS = {
    "median_rank": "MedR",
    "mcc": "MCC",
    "d_direct": "D, z",
    "c_direct": "C, z",
    "disentanglement": "D",
    "completeness": "C",
    "informativeness": "I",
    "r_labels": "r from 100 labels",
}
READING = """\
Test dishes. The levels are **made by a model, not by people**, and chose nothing. MedR of 1,000,
the view that asks → the other. *MCC*: eight factors against all axes, matched on one half of the
dishes and scored on the other, mean of 5 halvings. *D, C, I* are the paper's: correlations of the
levels of the dishes that are retrieved while one axis moves from −10 to 10 (20 queries), alpha 10,
over the ten axes with the highest correlations; *D, z* and *C, z* take the correlations of the
levels with z of the dishes itself instead. *r from 100 labels*: mean |r| on the other dishes of a
ridge regression on z from 100 of them, mean of 30 draws.
"""


def levels_of(path: Path, data: Pairs) -> Array:
    """Mean levels (N, 8) of all rows of the data, NaN where there is none."""
    table = pd.read_csv(path).replace(0, np.nan)
    means = table.groupby("id")[list(table.columns[2:])].mean()
    return means.reindex(data.item_ids()).to_numpy(np.float64)


def from_labels(z: Array, levels: Array) -> float:
    """Mean |r| on the dishes without a label of a ridge regression from ``N_LABELS`` dishes."""
    z = (z - z.mean(axis=0)) / z.std(axis=0)
    found = []
    for draw in range(DRAWS):
        order = np.random.default_rng(draw).permutation(len(z))
        known, rest = order[:N_LABELS], order[N_LABELS:]
        for y in levels.T:
            some, others = known[~np.isnan(y[known])], rest[~np.isnan(y[rest])]
            guess = RidgeCV(np.logspace(-1, 4, 16)).fit(z[some], y[some]).predict(z[others])
            flat = np.ptp(guess) == 0
            found.append(0.0 if flat else abs(np.corrcoef(guess, y[others])[0, 1]))
    return float(np.mean(found))


def best_axes(table: Array) -> Array:
    """The rows of the axes with the highest correlations."""
    return table[np.argsort(-table.max(axis=1), kind="stable")[:N_AXES]]


def scores(retriever: Retriever, levels: Array) -> dict[str, float]:
    """All columns for one view that asks."""
    rows = retriever.ids
    z, own = retriever.encode(rows)[0], levels[rows]
    known = ~np.isnan(own).any(axis=1)
    direct = best_axes(np.abs(cross_correlation(z[known], own[known])))
    queries = z[np.random.default_rng(0).choice(len(z), N_QUERIES, replace=False)]
    filled = np.where(np.isnan(levels), np.nanmean(own, axis=0), levels)
    moved = correlation_table(traverse(retriever, queries, paper_grid()), filled, FOOD_FACTORS)
    dci = {name: result.score for name, result in paper_dci(best_axes(moved.absolute)).items()}
    halvings = [mcc(z[known], own[known], random_state=i).score for i in range(5)]
    return {
        "median_rank": retrieval_metrics(retriever, rows, search_size=1000)["median_rank"].score,
        "mcc": float(np.mean(halvings)),
        "d_direct": paper_dci(direct)["disentanglement"].score,
        "c_direct": paper_dci(direct)["completeness"].score,
        **dci,
        "r_labels": from_labels(z, own),
    }


def measure(run: Run, levels_file: Path) -> list[dict[str, Any]]:
    """The rows of one run."""
    data, method = run.load_dataset(), run.load_method()
    assert isinstance(data, Pairs)
    levels = levels_of(levels_file, data)
    name, seed = re.fullmatch(r"(.*?)-?s?(\d+)", run.id).groups()  # type: ignore[union-attr]
    out = []
    for asks, title in ASKING.items():
        retriever = Retriever(method, data, data.splits["test"], asks=asks)
        found = scores(retriever, levels)
        out.append({"run": name, "method": method.title, "seed": seed, "asks": title, **found})
    return out


def table(rows: pd.DataFrame) -> str:
    """Mean ± s.d. over the runs of each kind."""
    lines = [f"| runs | asks | n | {' | '.join(COLUMNS.values())} |"]
    lines.append("|" + "---|" * (3 + len(COLUMNS)))
    for (name, title, asks), here in rows.groupby(["run", "method", "asks"], sort=False):
        cells = []
        for column in COLUMNS:
            digits = 1 if column == "median_rank" else 3
            cells.append(mean_and_spread(here[column], digits))
        lines.append(f"| {title} ({name}) | {asks} | {len(here)} | {' | '.join(cells)} |")
    return "\n".join(lines)


def main() -> None:
    """Measure all runs and write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("levels", type=Path)
    parser.add_argument("runs", type=Path, nargs="+")
    parser.add_argument("--data", type=Path, help="folder of the stores; as the app has it")
    chosen = parser.parse_args()
    if chosen.data:
        os.environ[ROOT_VARIABLE] = str(chosen.data)
    measured = []
    for path in chosen.runs:
        measured += measure(Run(path), chosen.levels)
        print(measured[-1], flush=True)
    rows = pd.DataFrame(measured)
    rows.to_parquet(RESULTS / "food-axes.parquet", index=False)
    text = (
        "# What the axes of real food mean\n\n"
        f"`python benchmarks/food_axes.py`; mean ± s.d. over n seeds.\n\n{READING}\n{table(rows)}\n"
    )
    (RESULTS / "food-axes.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
