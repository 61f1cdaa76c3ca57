"""What the axes of real food mean: trained runs against model-made levels of their test dishes.

    python benchmarks/food_axes.py RUNS [--data FOLDER]

RUNS is a folder with runs, of any method, on a store with the ids of ``rivae.labels.food_levels``;
seeds of one configuration are one row. Before:

    rivae import recipes.jsonl.gz --images images_0.zip --images images_1.zip \\
        --images images_2.zip --images images_3.zip --name food --paper-filter
    rivae features food statistics efficientnet-lite0

and the runs of ``benchmarks/food_scores.py``. A run that has been measured is kept.

Writes ``benchmarks/results/food-axes.md`` and two ``.parquet`` files.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.decomposition import TruncatedSVD
from sklearn.linear_model import RidgeCV
from sklearn.model_selection import KFold, cross_val_predict

sys.path.insert(0, str(Path(__file__).parents[1]))  # runs from a clone, installed or not

from benchmarks.cells import (
    Row,
    asked_runs,
    kind_of,
    mean_and_spread,
    method_of,
    row_title,
    with_measured,
)
from rivae.base.config import Asks
from rivae.base.errors import DataError
from rivae.benchmark.tables import RIDGE_CCA
from rivae.data.food_factors import FOOD_FACTORS
from rivae.data.sets.pairs import Pairs
from rivae.data.words_view import WordsView
from rivae.labels.food_levels import MODEL_MADE, level_matrix, model_levels
from rivae.metrics.correlation import correlation_table
from rivae.metrics.matching import cross_correlation
from rivae.metrics.measures.dci_paper import paper_dci
from rivae.metrics.measures.mcc import mcc
from rivae.metrics.measures.retrieval import retrieval_metrics
from rivae.models.registry import METHODS
from rivae.retrieval.model import LatentModel
from rivae.retrieval.ranges import paper_grid
from rivae.retrieval.retriever import Retriever
from rivae.retrieval.traversal import traverse
from rivae.runs import Run
from rivae.runs.folders import list_runs

RESULTS = Path(__file__).parent / "results"
FILES = ("food-axes.parquet", "food-axes-limits.parquet")
Array = NDArray[np.float64]
N_LABELS, DRAWS, N_AXES, N_QUERIES = 100, 30, 10, 20
ASKING: dict[Asks, str] = {"first": "picture", "second": "recipe", "both": "both"}
N_COMPONENTS = 30
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
READING = f"""\
Test dishes, **{MODEL_MADE}** (no people's). Validation rows and tags of other recipes chose the
settings; the levels had been seen once when axes of words became the preset. MedR of 1,000, the
view that asks → the other. *MCC*: eight factors against all axes, matched on one half of the dishes
and scored on the other, mean of 5 halvings. *D, C, I* are the paper's: correlations of the levels
of the dishes that are retrieved while one axis moves from −10 to 10 (20 queries), alpha 10, over
the ten axes with the highest correlations; *D, z* and *C, z* take the correlations of the levels
with z of the dishes itself instead. *r from 100 labels*: mean |r| on the other dishes of a ridge
regression on z from 100 of them, mean of 30 draws. Where both ask, the dish that is searched is
part of the query, so there is no rank.
"""
LIMITS = {
    "r_labels": "r from 100 labels",
    "r_all": "r from all labels",
    "d_axes": "D of ten axes",
    "c_axes": "C of ten axes",
    "d_levels": "D of predicted levels",
    "c_levels": "C of predicted levels",
}
READING_LIMITS = """\
## What stands in the way

The same dishes and levels through other representations of them, all linear. *r from all labels*:
mean |r| of a ridge regression with the other four fifths of the dishes as labels. These predictions
are the best eight axes that labels can make of a representation: D and C of them, against D and C
of its own ten best axes. *One pass of levels*: the levels of the first pass as if they were a
representation of the second, so what is missing to 1 is what the passes disagree on; D and C of
*the levels themselves* fall short of 1 because the levels depend on each other.
"""


def unit_columns(z: Array) -> Array:
    """Columns of mean 0 and s.d. 1; 0 where one is constant, as inputs that a network passes on."""
    spread = z.std(axis=0)
    unit: Array = (z - z.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    return unit


def from_labels(z: Array, levels: Array) -> float:
    """Mean |r| on the dishes without a label of a ridge regression from ``N_LABELS`` dishes."""
    z = unit_columns(z)
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


def predicted(z: Array, levels: Array) -> Array:
    """Levels (n, 8) as a ridge regression on z has them from other four fifths of the dishes."""
    z = unit_columns(z)
    model = RidgeCV(np.logspace(-1, 5, 19), alpha_per_target=True)
    folds = KFold(5, shuffle=True, random_state=0)
    return np.asarray(cross_val_predict(model, z, levels, cv=folds))


def agreement(a: Array, b: Array) -> Array:
    """|r| of the columns of ``a`` and ``b``, over the rows without a NaN."""
    known = ~np.isnan(np.column_stack([a, b])).any(axis=1)
    return np.abs(cross_correlation(a[known], b[known]))


def limits(z: Array, levels: Array) -> dict[str, float]:
    """The columns of ``LIMITS`` for one representation (n, d)."""
    known = ~np.isnan(levels).any(axis=1)
    told = agreement(predicted(z[known], levels[known]), levels[known])
    own, made = paper_dci(best_axes(agreement(z, levels))), paper_dci(told)
    return {
        "r_labels": from_labels(z, levels),
        "r_all": float(np.mean(np.diag(told))),
        "d_axes": own["disentanglement"].score,
        "c_axes": own["completeness"].score,
        "d_levels": made["disentanglement"].score,
        "c_levels": made["completeness"].score,
    }


def of_levels(labels: pd.DataFrame, rows: NDArray[np.int64]) -> list[Row]:
    """What the levels allow: D and C of themselves, and how far one pass tells the other."""
    passes = sorted(labels["annotator"].unique())[:2]
    levels, first, second = (
        level_matrix(labels, rows, only) for only in ((), passes[:1], passes[1:])
    )
    whole, between = agreement(levels, levels), agreement(first, second)
    out = []
    for name, table in (("the levels themselves", whole), ("one pass of levels", between)):
        scores = paper_dci(table)
        out.append(
            {
                "of": name,
                "r_all": float(np.mean(np.diag(table))),
                "d_levels": scores["disentanglement"].score,
                "c_levels": scores["completeness"].score,
            }
        )
    return out


def of_texts(data: Pairs, labels: pd.DataFrame) -> list[Row]:
    """The weighted words alone: their components, which no picture has touched."""
    words, rows, levels = data.x2, data.splits["test"], level_matrix(labels, len(data))
    assert isinstance(words, WordsView)
    out = []
    for n in (N_COMPONENTS, 300):
        fit = TruncatedSVD(n, random_state=0).fit(words.sparse(data.splits["train"]))
        found = limits(fit.transform(words.sparse(rows)), levels[rows])
        out.append({"of": f"words, {n} components", **found})
    return out


def of_run(run: Run, data: Pairs, labels: pd.DataFrame) -> list[Row]:
    """z of both views and the embeddings that it is made of."""
    method, rows = run.load_method(data), data.splits["test"]
    model, levels = LatentModel(method), level_matrix(labels, len(data))
    asks = [a for a in ASKING if a == "first" or method.asks_both_ways]
    asked = {a: Retriever(method, data, rows, asks=a).encode(rows)[0] for a in asks}
    views = {f"z, {ASKING[a]} asks": z for a, z in asked.items()}
    v1, v2 = model.embed_queries(data.x1, rows), model.embed_targets(data.x2, rows)
    views |= {"v of pictures": v1, "v of recipes": v2, "v of both": np.hstack([v1, v2])}
    title = row_title(method_of(run), kind_of(run))
    return [{"of": f"{title}, {n}", **limits(z, levels[rows])} for n, z in views.items()]


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
    rank = np.nan
    if retriever.asks != "both":
        rank = retrieval_metrics(retriever, rows, search_size=1000)["median_rank"].score
    return {
        "median_rank": rank,
        "mcc": float(np.mean(halvings)),
        "d_direct": paper_dci(direct)["disentanglement"].score,
        "c_direct": paper_dci(direct)["completeness"].score,
        **dci,
        "r_labels": from_labels(z, own),
    }


def food_runs(folder: Path) -> Iterator[tuple[Run, Pairs, pd.DataFrame]]:
    """The finished runs with axes on dishes that have levels, with their data and levels."""
    for run in sorted(list_runs([folder]), key=lambda run: run.id):
        if run.status.state != "finished" or not METHODS[run.config.method.name].has_latent:
            continue
        try:
            data = run.load_dataset()
            if isinstance(data, Pairs):
                yield run, data, model_levels(data)
        except DataError as error:
            print(f"left out: {run.id}: {error}", flush=True)


def measure(run: Run, data: Pairs, labels: pd.DataFrame) -> list[Row]:
    """The rows of one run; a model that only pictures may ask has one."""
    method, levels, out = run.load_method(data), level_matrix(labels, len(data)), list[Row]()
    for asks, title in ASKING.items():
        if asks != "first" and not method.asks_both_ways:
            continue
        retriever = Retriever(method, data, data.splits["test"], asks=asks)
        out.append({"asks": title, **scores(retriever, levels)})
    return out


def table(rows: pd.DataFrame) -> str:
    """Mean ± s.d. over the runs of each kind."""
    lines = [f"| runs | asks | n | {' | '.join(COLUMNS.values())} |"]
    lines.append("|" + "---|" * (3 + len(COLUMNS)))
    for (method, kind, asks), here in rows.groupby(["method", "kind", "asks"], sort=False):
        cells = []
        for column in COLUMNS:
            digits = 1 if column == "median_rank" else 3
            cells.append(mean_and_spread(here[column], digits))
        name = row_title(method, kind)
        lines.append(f"| {name} | {asks} | {len(here)} | {' | '.join(cells)} |")
    return "\n".join(lines)


def limits_table(rows: pd.DataFrame) -> str:
    """Mean ± s.d. over the runs of each representation."""
    lines = [f"| of | n | {' | '.join(LIMITS.values())} |", "|" + "---|" * (2 + len(LIMITS))]
    for name, here in rows.groupby("of", sort=False):
        cells = [mean_and_spread(here[column]) for column in LIMITS]
        lines.append(f"| {name} | {len(here)} | {' | '.join(cells)} |")
    return "\n".join(lines)


def report(measured: pd.DataFrame, bounds: pd.DataFrame) -> str:
    """Both tables."""
    order = {method: i for i, method in enumerate((RIDGE_CCA, *METHODS))}
    rows = measured.sort_values("method", key=lambda names: names.map(order), kind="stable")
    return (
        "# What the axes of real food mean\n\n"
        f"`python benchmarks/food_axes.py`; mean ± s.d. over n seeds.\n\n{READING}\n"
        f"{table(rows)}\n\n{READING_LIMITS}\n{limits_table(bounds)}\n"
    )


def main() -> None:
    """Measure all runs that are not measured yet and write the tables."""
    folder = asked_runs(__doc__)
    measured, bounds = (RESULTS / name for name in FILES)
    if not bounds.exists():
        for _, data, labels in islice(food_runs(folder), 1):
            rows = [*of_levels(labels, data.splits["test"]), *of_texts(data, labels)]
            pd.DataFrame(rows).assign(run="", model="").to_parquet(bounds, index=False)
    tables = (
        with_measured(file, food_runs(folder), one)
        for file, one in ((measured, measure), (bounds, of_run))
    )
    (RESULTS / "food-axes.md").write_text(report(*tables), encoding="utf-8")


if __name__ == "__main__":
    main()
