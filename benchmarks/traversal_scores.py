"""Why the paper's D, C and I of a traversal hardly move while axes get better.

    python benchmarks/traversal_scores.py [RUN ...] [--food] [--data FOLDER] [--out FOLDER]

One model is measured with axes of four qualities: turned at random, as the run has them, aligned
with labels, and "the factors themselves": a traversal that finds the item whose factors are nearest
to those of the query with one of them moved, which no model can beat. Then one thing at a time is
changed: the range of z, the steps, how many items are averaged at each step, the items searched
(such that factors depend on each other), and whether the sign is kept until the mean over queries.
RUN is a demo run of the kitchen by default, or with ``--food`` the folder of a run on the store of
``rivae.labels.food_levels``, with model-made levels for factors. Writes traversal-scores.md and
traversal-scores.parquet, with ``--food`` traversal-scores-food.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).parents[1]))  # runs from a clone, installed or not

from benchmarks.cells import kind_of, method_of, row_title
from benchmarks.label_alignment import Start
from rivae.data.base import PairedDataset
from rivae.data.food_factors import FACTOR_NAMES
from rivae.data.store.manifest import ROOT_VARIABLE
from rivae.labels.align import align_axes
from rivae.labels.food_levels import MODEL_MADE, level_matrix, model_levels
from rivae.metrics.correlation import path_correlations
from rivae.metrics.matching import assignment, cross_correlation
from rivae.metrics.measures.dci_paper import paper_dci
from rivae.retrieval.indexes.brute_force import NumpyIndex
from rivae.retrieval.retriever import Retriever
from rivae.retrieval.traversal import traverse
from rivae.runs import find_run

RESULTS = Path(__file__).parent / "results"
Floats = NDArray[np.float64]
Row = dict[str, Any]
RUNS = ("demo-kitchen", "demo-kitchen-cos-sim-lvm")
N_STEPS, TOP, N_QUERIES = 201, 50, 30
FACTORS = "the factors themselves"
# Quantiles of z, or numbers of s.d., between which an axis runs. The paper's -10 ... 10 are the
# central 99 % where axes are scaled as here.
RANGES: dict[str, tuple[float, float] | float] = {
    "central 99 %": (0.005, 0.995),
    "middle 80 %": (0.1, 0.9),
    "mean ± 3 s.d.": 3.0,
    "mean ± 10 s.d.": 10.0,
}
PAIRS = ((0, 4), (2, 7))  # factors that go together in some of the items


@dataclass(frozen=True)
class Variant:
    """One way to score a traversal.

    Attributes:
        what: what differs from the paper's way.
        range: of ``RANGES``.
        every: so many of the 201 steps are one.
        k: items averaged at each step.
        signed: |mean over queries of r| instead of the mean of |r|.
        items: of ``items_of``.
    """

    what: str
    range: str = "central 99 %"
    every: int = 1
    k: int = 1
    signed: bool = False
    items: str = "all"


VARIANTS = (
    Variant("as in the paper"),
    Variant("range: middle 80 %", range="middle 80 %"),
    Variant("range: mean ± 3 s.d.", range="mean ± 3 s.d."),
    Variant("range: mean ± 10 s.d.", range="mean ± 10 s.d."),
    Variant("steps: 51", every=4),
    Variant("steps: 11", every=20),
    Variant("neighbourhood: mean of 10 items", k=10),
    Variant("neighbourhood: mean of 50 items", k=50),
    Variant("factors: items in which pairs of them go together", items="dependent"),
    Variant("as many items, at random", items="random"),
    Variant("sign kept until the mean over queries", signed=True),
    Variant("10 items, sign kept", k=10, signed=True),
    Variant("middle 80 %, 10 items, sign kept", range="middle 80 %", k=10, signed=True),
)


@dataclass(frozen=True)
class Axes:
    """One set of axes: what ``traverse`` takes for a retriever, z of many items, z of queries."""

    name: str
    retriever: Any
    z: Floats
    queries: Floats
    mcc: float


def axes_of(start: Start, name: str, factors: Floats) -> Axes:
    """The axes of a start, with the MCC of its searched items."""
    table = cross_correlation(start.test, factors[start.retriever.ids])
    matched = np.abs(table[assignment(table)])
    return Axes(name, start.retriever, start.train, start.queries, float(matched.mean()))


def ideal_axes(
    factors: Floats, rows: NDArray[np.int64], queries: NDArray[np.int64], z: Floats | None = None
) -> Axes:
    """The factors as axes: an item is found where its standardised factors ``z`` are nearest."""
    if z is None:
        z = (factors - factors[rows].mean(axis=0)) / factors[rows].std(axis=0)
    index = NumpyIndex(z[rows])

    def nearest(points: Floats, k: int) -> tuple[NDArray[np.int64], Floats]:
        found, squared = index.search(points, k)
        return rows[found], squared

    d = z.shape[1]
    space = SimpleNamespace(n_features=d)
    searched = SimpleNamespace(ids=rows, n_components=d, space=space, nearest=nearest)
    searched.subset = lambda some: ideal_axes(factors, some, queries, z).retriever
    return Axes(FACTORS, searched, z[rows], z[queries], 1.0)


def values_of(z: Floats, choice: str) -> Floats:
    """(d, T) values of each axis over a range."""
    ends = RANGES[choice]
    if isinstance(ends, tuple):
        low, high = np.quantile(z, ends, axis=0)
    else:
        low, high = (z.mean(axis=0) + sign * ends * z.std(axis=0) for sign in (-1, 1))
    return np.linspace(low, high, N_STEPS, axis=1)


def items_of(
    factors: Floats, rows: NDArray[np.int64], rng: np.random.Generator
) -> dict[str, NDArray[np.int64]]:
    """The rows searched: all, those in which factors of ``PAIRS`` differ by at most one level, and
    as many at random.
    """
    near = [np.abs(np.subtract(*factors[rows][:, list(pair)].T)) <= 1 for pair in PAIRS]
    dependent = rows[np.all(near, axis=0)]
    drawn = np.sort(rng.permutation(rows)[: len(dependent)])
    return {"all": rows, "dependent": dependent, "random": drawn}


def scores(axes: Axes, factors: Floats, rng: np.random.Generator) -> Iterator[Row]:
    """D, C and I of every variant, and of factors that are given to other items."""
    rows = axes.retriever.ids
    items = items_of(factors, rows, np.random.default_rng(0))
    moved = factors.copy()
    moved[rows] = factors[rng.permutation(rows)]
    found = {
        (choice, which): traverse(
            axes.retriever.subset(items[which]),
            axes.queries,
            values_of(axes.z, choice),
            k=min(TOP, len(items[which])),
        )
        for choice, which in {(variant.range, variant.items) for variant in VARIANTS}
    }
    for variant in VARIANTS:
        path = found[variant.range, variant.items]
        ids, values = (
            path.ids[:, :, :: variant.every, : variant.k],
            path.values[:, :: variant.every],
        )
        for of, table in ((axes.name, factors), (f"{axes.name}, levels shuffled", moved)):
            along = table[ids].mean(axis=3)
            r = np.nan_to_num(path_correlations(values, along), nan=0.0)
            cells = np.abs(r.mean(axis=0)) if variant.signed else np.abs(r).mean(axis=0)
            dci = {name[0].upper(): result.score for name, result in paper_dci(cells).items()}
            unrelated = float(np.median(cells))
            yield {"axes": of, "variant": variant.what, "mcc": axes.mcc, "median": unrelated, **dci}


def qualities(start: Start, factors: Floats, labelled: NDArray[np.int64]) -> list[Axes]:
    """The four sets of axes; aligned ones with the levels of ``labelled`` rows, all of them."""
    z = start.retriever.encode(labelled)[0]
    change = align_axes(start.train, z, factors[labelled] + 1, FACTOR_NAMES).change
    rows = start.retriever.ids
    queries = np.sort(np.random.default_rng(0).permutation(rows)[: len(start.queries)])
    return [
        axes_of(start.turned("turned"), "turned at random", factors),
        axes_of(start, "as the run has them", factors),
        axes_of(start.changed("", change.matrix, change.offset), "aligned with labels", factors),
        ideal_axes(factors, rows, queries),
    ]


def opened(name: str, food: bool) -> tuple[Start, Floats, NDArray[np.int64]]:
    """A run with the factors of its items, (N, 8) from 0, and the rows that may be labelled."""
    run = find_run(name)
    data: PairedDataset = run.load_dataset()
    title = f"{row_title(method_of(run), kind_of(run))}, seed {run.config.seed}"
    rows = np.sort(data.splits["test"])
    if not food:
        assert data.factors is not None
        start = Start.of(title, Retriever(run.load_method(data), data, rows), N_QUERIES)
        return start, data.factors, data.splits["train"]
    levels = level_matrix(model_levels(data), len(data)) - 1
    rows = rows[~np.isnan(levels[rows]).any(axis=1)]
    order = np.random.default_rng(0).permutation(rows)
    half = np.sort(order[len(order) // 2 :])
    start = Start.of(title, Retriever(run.load_method(data), data, half), N_QUERIES // 2)
    return start, np.nan_to_num(levels), np.sort(order[: len(order) // 2])


def measure(name: str, food: bool) -> list[Row]:
    """All rows of one run."""
    start, factors, labelled = opened(name, food)
    rng, out = np.random.default_rng(0), []
    for axes in qualities(start, factors, labelled):
        out += [{"run": start.name, **row} for row in scores(axes, factors, rng)]
        print(start.name, axes.name, f"MCC {axes.mcc:.3f}", flush=True)
    return out


def table_of(rows: pd.DataFrame) -> str:
    """D / C / I of each variant by quality of the axes, and the level of chance."""
    names = [name for name in rows["axes"].unique() if not name.endswith("shuffled")]
    aligned = next(name for name in names if name.startswith("aligned"))
    columns = [*names, f"{aligned}, levels shuffled"]
    mcc = [f"{name} (MCC {rows.loc[rows['axes'] == name, 'mcc'].iloc[0]:.2f})" for name in names]
    lines = [f"| D / C / I | {' | '.join(mcc)} | chance | median cell |", "|---" * 7 + "|"]
    for variant, here in rows.groupby("variant", sort=False):
        by_axes = here.set_index("axes")
        cells = ["/".join(f"{by_axes.loc[name, s]:.2f}" for s in "DCI") for name in columns]
        lines.append(f"| {variant} | {' | '.join(cells)} | {by_axes.loc[aligned, 'median']:.2f} |")
    return "\n".join(lines)


def report(rows: pd.DataFrame, food: bool) -> str:
    """The tables for a person."""
    said = f"Factors: {MODEL_MADE} of test dishes. " if food else ""
    parts = [
        "# What moves the paper's D, C and I of a traversal",
        f"`python benchmarks/traversal_scores.py{' --food RUN' * food}`. {said}Each row changes "
        "one thing of the paper's way: central 99 % of z (its −10 … 10 where axes are scaled so), "
        "201 steps, the best item, mean over queries of |r|, alpha 10. *Chance*: the aligned axes, "
        "and factors of other items. *Median cell*: of the correlation table of the aligned axes, "
        "most of whose cells "
        "have nothing to say. *The factors themselves*: the item whose factors are nearest is "
        "found, so that nothing but the protocol is missing.",
    ]
    for run, here in rows.groupby("run", sort=False):
        parts += [f"## {run}", table_of(here)]
    return "\n\n".join(parts) + "\n"


def main() -> None:
    """Measure the runs and write the tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("runs", nargs="*", default=list(RUNS))
    parser.add_argument("--food", action="store_true", help="the runs are on dishes with levels")
    parser.add_argument("--data", type=Path, help="folder of the stores; as the app has it")
    parser.add_argument("--out", type=Path, default=RESULTS)
    chosen = parser.parse_args()
    if chosen.data:
        os.environ[ROOT_VARIABLE] = str(chosen.data)
    rows = pd.DataFrame([row for name in chosen.runs for row in measure(name, chosen.food)])
    name = "traversal-scores-food" if chosen.food else "traversal-scores"
    chosen.out.mkdir(parents=True, exist_ok=True)
    rows.to_parquet(chosen.out / f"{name}.parquet", index=False)
    (chosen.out / f"{name}.md").write_text(report(rows, chosen.food), encoding="utf-8")
    print(report(rows, chosen.food))


if __name__ == "__main__":
    main()
