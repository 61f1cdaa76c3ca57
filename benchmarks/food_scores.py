"""Real food, scored as the paper scores Recipe1M: every trained food run in a folder.

    python benchmarks/food_scores.py RUNS [--data FOLDER]

RUNS is a folder with runs, of any method, on the store of ``rivae.labels.food_levels`` (see there,
and ``benchmarks/food_axes.py`` for how to make one). Test dishes and model-made levels only. A run
that has been measured is kept, so run it again to go on, or with another folder to add methods. A
run that is its start in closed form and no more is the row of ridge CCA. For all rows::

    F="--set dataset.store=food --set dataset.features=statistics+efficientnet-lite0"
    rivae benchmark --tables pairs --seeds 3 $F
    rivae benchmark --tables pairs --methods rivae --seeds 1 $F --set joint_epochs=0

Writes ``benchmarks/results/food-scores.md``, ``food-scores.parquet`` and
``food-label-counts.parquet``.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).parents[1]))  # runs from a clone, installed or not

from benchmarks.cells import Row, asked_runs, with_measured
from benchmarks.food_axes import ASKING, food_runs
from benchmarks.food_tables import PASSES, report
from benchmarks.label_alignment import Start
from rivae.base.config import Asks
from rivae.base.errors import RivaeError
from rivae.data.base import PairedDataset
from rivae.data.food_factors import FACTOR_NAMES, FOOD_FACTORS
from rivae.labels.align import MIN_LABELS, align_axes
from rivae.labels.food_levels import level_matrix, read_levels
from rivae.labels.scores import NAMES, label_scores
from rivae.labels.suggest import suggest_items
from rivae.metrics.measures.mcc import mcc
from rivae.metrics.measures.own_part import mcc_own
from rivae.metrics.measures.r2 import r2
from rivae.retrieval.ranges import paper_grid
from rivae.retrieval.retriever import Retriever
from rivae.retrieval.traversal import Traversal, traverse
from rivae.runs import Run
from rivae.training.alignment.certainty import certainty_of

RESULTS = Path(__file__).parent / "results"
FILES = ("food-scores.parquet", "food-label-counts.parquet")
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
VIEWS: tuple[Asks, ...] = ("first", "second")
N_QUERIES, N_BOOTSTRAP, SHUFFLES, HALVINGS = 100, 400, 20, 5
# How many labels buy the axes.
SIZES, HOW, ALL = (30, 100), ("random", "suggested"), "all"
SPLITS, FEW_QUERIES = 3, 20  # of the dishes into those to label and those to score on
# One step in five, and in ten, as ``food_tables.READING`` says.
STEPS, FEW_STEPS = paper_grid()[::5], paper_grid()[::10]
MEASURES = {
    "mcc": mcc,
    "own": mcc_own,
    "r2": lambda z, f, random_state: r2(z, f, FOOD_FACTORS, random_state=random_state),
}
NO_R2 = ("mcc", "own")
R2_SHUFFLES = 2  # the regressions take longest


def dci(traversal: Traversal, labels: pd.DataFrame, n_bootstrap: int = 0) -> Row:
    """D, C and I over all axes and over the ten best correlated, with intervals if asked for."""
    found, out = label_scores(traversal, labels, FACTOR_NAMES, n_bootstrap=n_bootstrap), {}
    for over, dims in (("all", found.every), ("ten", found.selected or found.every)):
        for name in NAMES:
            key = f"{name[0]}_{over}"
            out[key] = dims.results[name].score
            if n_bootstrap:
                out[f"{key}_low"], out[f"{key}_high"] = dims.intervals[name]
    return out


def of_z(z: Floats, levels: Floats, measures: Iterable[str] = MEASURES) -> Row:
    """MCC, its own part and linear R² of z of the dishes themselves, also of each factor."""
    known = ~np.isnan(levels).any(axis=1)
    z, f, out = z[known], levels[known], {}
    for key in measures:
        found = [MEASURES[key](z, f, random_state=i) for i in range(HALVINGS)]
        out[key] = float(np.mean([result.score for result in found]))
        each = [result.parts["per_factor"] for result in found]
        lists = [list(part.values()) if isinstance(part, dict) else part for part in each]
        means = np.mean(lists, axis=0).tolist()
        out |= {f"{key}_{name}": value for name, value in zip(FACTOR_NAMES, means, strict=True)}
    return out


def shuffled(labels: pd.DataFrame, rows: Ints, seed: int) -> pd.DataFrame:
    """The levels of whole dishes, given to other dishes among ``rows``."""
    moved = np.random.default_rng(seed).permutation(rows)
    own = labels[labels["item"].isin(rows)]
    return own.assign(item=moved[np.searchsorted(rows, own["item"])])


def scores(start: Start, labels: pd.DataFrame) -> Iterator[Row]:
    """One row of the run, one of the same z with its axes turned at random, and of shuffles."""
    rows = start.retriever.ids
    found = traverse(start.retriever, start.queries, STEPS)
    levels = level_matrix(labels, rows)
    yield {"of": "run", **dci(found, labels, N_BOOTSTRAP), **of_z(start.test, levels)}
    for seed in range(SHUFFLES):
        others = shuffled(labels, rows, seed)
        measures = MEASURES if seed < R2_SHUFFLES else NO_R2
        of_others = of_z(start.test, level_matrix(others, rows), measures)
        yield {"of": "shuffled", **dci(found, others), **of_others}
    turned = start.turned(start.name)
    found = traverse(turned.retriever, turned.queries, STEPS)
    yield {"of": "turned", **dci(found, labels), **of_z(turned.test, levels)}


def aligned(start: Start, z: Floats, levels: Floats) -> tuple[Start, int]:
    """The start with an axis for each factor that these labels can align, and their number."""
    known = [own[~np.isnan(own)] for own in levels.T]
    usable = [k for k, own in enumerate(known) if len(own) >= MIN_LABELS and np.ptp(own) > 0]
    names = [FACTOR_NAMES[k] for k in usable]
    try:
        change = align_axes(start.train, z, levels[:, usable], names).change
    except RivaeError:  # nothing to align, or two factors with the same few labels
        return start, 0
    return start.changed(start.name, change.matrix, change.offset), len(usable)


def label_counts(
    start: Start, pool: Ints, labels: pd.DataFrame, axes: tuple[int, ...]
) -> list[Row]:
    """Scores on the dishes that are searched after labels of so many dishes of the pool.

    Args:
        pool: data rows that may be labelled, in random order.
        axes: those that are not sure, for which items are suggested first.
    """
    held_out = level_matrix(labels, start.retriever.ids)

    def scored(own: Start) -> Row:
        found = traverse(own.retriever, own.queries, FEW_STEPS)
        return {**dci(found, labels), **of_z(own.test, held_out, NO_R2)}

    z, none = start.retriever.encode(pool)[0], np.empty((0, start.train.shape[1]))
    levels = level_matrix(labels, np.sort(pool))[np.argsort(np.argsort(pool))]
    best = suggest_items(start.train, z, none, max(SIZES), axes=axes)
    order = {"random": np.arange(len(pool)), "suggested": best}
    out = [{"how": "", "n": 0, "aligned": 0, **scored(start)}]
    chosen = [(how, order[how][:n]) for how in HOW for n in SIZES]
    for how, items in [*chosen, (ALL, np.arange(len(pool)))]:
        made, n_aligned = aligned(start, z[items], levels[items])
        out.append({"how": how, "n": len(items), "aligned": n_aligned, **scored(made)})
    return out


def settings_of(run: Run) -> str:
    """A digest of the complete configuration without name and seed: runs of one row share it."""
    shared = run.config.model_dump(mode="json", exclude={"name", "seed"})
    text = json.dumps(shared, sort_keys=True)
    return hashlib.blake2b(text.encode(), digest_size=4).hexdigest()


def asked_views(run: Run, data: PairedDataset) -> Iterator[tuple[Row, Retriever]]:
    """The head of the rows of each view that may ask, and a search of all test dishes by it."""
    method, test = run.load_method(data), np.sort(data.splits["test"])
    for asks in VIEWS if method.asks_both_ways else VIEWS[:1]:
        head = {"config": settings_of(run), "asks": ASKING[asks]}
        yield head, Retriever(method, data, test, asks=asks)


def measure_scores(run: Run, data: PairedDataset, labels: pd.DataFrame) -> list[Row]:
    """The rows of one run, of its axes turned, and of levels shuffled."""
    return [
        {**head, **row}
        for head, retriever in asked_views(run, data)
        for row in scores(Start.of(run.id, retriever, N_QUERIES), labels)
    ]


def measure_counts(run: Run, data: PairedDataset, labels: pd.DataFrame) -> list[Row]:
    """The rows of one run after so many labels."""
    rows: list[Row] = []
    for head, retriever in asked_views(run, data):
        certain = certainty_of(run, retriever.model, data)
        axes = tuple(axis.axis for axis in certain if axis.verdict != "sure")
        for split in range(SPLITS):
            order = np.random.default_rng(split).permutation(retriever.ids)
            pool, rest = np.split(order, [len(order) // 2])
            start = Start.of(run.id, retriever.subset(np.sort(rest)), FEW_QUERIES)
            found = label_counts(start, pool, labels, axes)
            rows += [{**head, "split": split, **row} for row in found]
    return rows


def between_passes() -> Row:
    """The first pass of the levels as if it were z, against the second: no z can be better."""
    tables = [
        own[list(FACTOR_NAMES)].to_numpy()
        for _, own in read_levels().sort_values("id").groupby("pass")
    ]
    known = ~np.isnan(tables[0]).any(axis=1)
    head = dict.fromkeys(("run", "model", "method"), PASSES)
    return {**head, "of": "run", **of_z(tables[0][known], tables[1][known])}


def main() -> None:
    """Measure all runs that are not measured yet and write the tables."""
    folder = asked_runs(__doc__)
    scored, counted = (
        with_measured(RESULTS / name, food_runs(folder), measure)
        for name, measure in zip(FILES, (measure_scores, measure_counts), strict=True)
    )
    text = report(pd.concat([scored, pd.DataFrame([between_passes()])]), counted)
    (RESULTS / "food-scores.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
