"""Axes that are asked for on real food, against model-made levels of the test dishes.

    python benchmarks/added_axes.py RUN RUN ... [--data FOLDER]

RUN is the folder of a run on a store with the ids of ``rivae.labels.food_levels``. A model that has
been measured is kept, so run it again to go on. Typed lines and proposals see no level; labels are
the levels of one half of the test dishes, and the other half is scored (three splits). Writes
``benchmarks/results/added-axes.md`` and ``added-axes.parquet``.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pandas as pd
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).parents[1]))  # runs from a clone, installed or not

from benchmarks.food_axes import ASKING
from rivae.data.base import PairedDataset
from rivae.data.food_factors import FACTOR_NAMES, FOOD_LINES
from rivae.data.store.manifest import ROOT_VARIABLE
from rivae.exploring.axes import finder
from rivae.exploring.axes.finder import AxisFinder
from rivae.exploring.axes.proposing import family_proposals, propose_axes
from rivae.labels.food_levels import MODEL_MADE, level_matrix, model_levels
from rivae.labels.guideline import read_guideline
from rivae.labels.guideline_axes import draft_guideline_axes
from rivae.metrics.matching import cross_correlation
from rivae.metrics.measures.dci_paper import paper_dci
from rivae.metrics.measures.mcc import mcc
from rivae.runs import Run
from rivae.runs.added_axes import AxisSpec

RESULTS = Path(__file__).parent / "results"
TABLE = "added-axes"
Floats = NDArray[np.float64]
Rows = NDArray[np.int64]
Row = dict[str, Any]
HALVINGS, SPLITS, SIZES = 5, 3, (30, 100)
Lines = dict[str, tuple[str, str]]
# Three writers who saw the guideline of the factors, and no recipe, no level and no score.
WORDINGS: dict[str, Lines] = {
    "lines of the project": FOOD_LINES,
    "phrases": {
        "wateriness": (
            "crunchy crackers, dry biscuits and toasted bread",
            "thin clear broth, soup or a drink",
        ),
        "greenness": (
            "plain brown meat, potatoes, bread and cheese",
            "green salad with spinach, lettuce and fresh herbs",
        ),
        "stickiness": (
            "dry crumbly crackers, raw vegetables and clear broth",
            "sticky honey glaze, caramel, syrup and melted cheese",
        ),
        "baked": (
            "raw salad, cold drink or chilled in the fridge",
            "baked in a hot oven until crisp and brown",
        ),
        "longishness": (
            "spread on a flat baking tray or plate",
            "poured into a tall glass, bottle or jar",
        ),
        "grains": (
            "just meat, fish, eggs and vegetables",
            "a big bowl of rice, pasta, noodles or bread",
        ),
        "dessert": (
            "savory dinner with meat, garlic, onion and salt",
            "sweet dessert with sugar, chocolate, vanilla and cream",
        ),
        "fruit": (
            "meat, cheese, potatoes and onions for dinner",
            "full of fresh fruit, berries, apples and juice",
        ),
    },
    "one end where none comes to mind": {
        "wateriness": (
            "dry crackers, crisp cookies, bread",
            "clear broth soup, drink, juice, tea",
        ),
        "greenness": (
            "",
            "green leafy salad, spinach, herbs, broccoli",
        ),
        "stickiness": (
            "",
            "sticky honey syrup glaze, caramel, frosting",
        ),
        "baked": (
            "raw salad, chilled drink, smoothie",
            "bake in oven until golden brown crust",
        ),
        "longishness": (
            "baking sheet, flat plate, sheet pan",
            "tall glass drink, bottle, mason jar",
        ),
        "grains": (
            "",
            "rice, pasta, noodles, bread, oats, flour",
        ),
        "dessert": (
            "savory meat, garlic, onion, salt, pepper",
            "sweet dessert, cake, sugar, chocolate, vanilla",
        ),
        "fruit": (
            "",
            "fresh fruit, berries, apple, banana, orange juice",
        ),
    },
}
READING = f"""\
Test dishes, **{MODEL_MADE}** (no people's). *MCC*: the eight factors against the axes of the row,
matched on one half of the dishes and scored on the other, mean of {HALVINGS} halvings; of rows
with labels on the half of the dishes that gave none, {SPLITS} splits. *D, C of z*: the paper's D
and C of the correlations of the axes with the levels, alpha 10. *named right*: mean |r| of each
factor with the axis that was asked for by it, without any matching.

**No level chose anything**: the lines were written by three who saw the guideline and no data;
which family of proposals is taken, and that few labels correct the direction of their texts, rest
on the tags of other recipes and on the kitchen (axis-choices.md). An earlier state of this table
was seen before that; its lines are gone.
"""


def dish_levels(data: PairedDataset, rows: Rows) -> Floats:
    """The model-made levels of dishes, (n, 8)."""
    return level_matrix(model_levels(data), rows)


def scored(readings: Floats, levels: Floats, named: bool) -> Row:
    """Scores of readings (n, K) against levels (n, 8); ``named`` where axis k is factor k."""
    known = ~np.isnan(levels).any(axis=1)
    z, f = readings[known], levels[known]
    table = np.abs(cross_correlation(z, f))
    dci = paper_dci(table)
    halvings = [mcc(z, f, random_state=i).score for i in range(HALVINGS)]
    return {
        "mcc": float(np.mean(halvings)),
        "named": float(np.diag(table).mean()) if named else np.nan,
        "d": dci["disentanglement"].score,
        "c": dci["completeness"].score,
    }


class Measured:
    """One run: the readings of its test dishes, and their levels.

    Args:
        run: with a model.
        split: whose items are scored.
        levels_of: takes the data and their rows, (n,); returns levels (n, K), NaN where unknown.
    """

    def __init__(
        self,
        run: Run,
        split: str = "test",
        levels_of: Callable[[PairedDataset, Rows], Floats] = dish_levels,
    ) -> None:
        self.finder = AxisFinder.open(run)
        data = self.finder.data
        self.rows = np.sort(data.splits[split])
        self.levels = levels_of(data, self.rows)
        self.z = self.finder.encode(self.rows)
        self.ids = [data.item_ids()[i] for i in self.rows]

    def rows_of(
        self, what: str, reads: Sequence[Any] | Floats, named: bool, some: Any = None
    ) -> list[Row]:
        """Scores of axes that read ``reads`` (K, d), for each view that asks."""
        at = slice(None) if some is None else some
        weights = np.array(reads).T
        return [
            {
                "what": what,
                "asks": ASKING["second" if asks == "second" else "first"],
                **scored(z[at] @ weights, self.levels[at], named),
            }
            for asks, z in zip(self.finder.asks, self.z, strict=True)
        ]

    def all_rows(self) -> Iterator[Row]:
        """Every row of the table."""
        yield from self.rows_of("z as it is", np.eye(self.finder.model.n_components), False)
        for seed in range(SPLITS):
            turned = np.random.default_rng(seed).normal(size=(8, self.finder.model.n_components))
            white = turned @ self.finder.finder.white.to.T
            yield from self.rows_of("eight random directions", white, False)
        for name, lines in WORDINGS.items():
            axes = [self.finder.draft(AxisSpec("words", high, low)) for low, high in lines.values()]
            yield from self.rows_of(f"typed: {name}", [axis.reads for axis in axes], True)
        joint = draft_guideline_axes(self.finder, read_guideline())
        yield from self.rows_of("guideline, all at once", [axis.reads for axis in joint], True)
        for family, drafts in family_proposals(self.finder, 8).items():
            yield from self.rows_of(f"proposed: {family}", [d.reads for d in drafts], False)
        chosen = propose_axes(self.finder, 8)
        yield from self.rows_of("eight proposed", [axis.reads for axis in chosen], False)
        yield from self.label_rows()

    def label_rows(self) -> Iterator[Row]:
        """Labels of one half of the dishes, alone and with the lines of the project."""
        for split in range(SPLITS):
            order = np.random.default_rng(split).permutation(len(self.rows))
            pool, rest = order[: len(order) // 2], np.sort(order[len(order) // 2 :])
            for n in SIZES:
                for what, lines in (("labels", {}), ("labels and lines", FOOD_LINES)):
                    reads = [self._labelled(pool[:n], k, lines) for k in range(len(FACTOR_NAMES))]
                    yield from self.rows_of(f"{n} {what}", reads, True, rest)

    def _labelled(self, dishes: NDArray[np.int64], k: int, lines: Lines) -> tuple[float, ...]:
        levels = self.levels[dishes, k]
        pairs = tuple(
            (self.ids[i], float(level))
            for i, level in zip(dishes, levels, strict=True)
            if not np.isnan(level)
        )
        low, high = lines.get(FACTOR_NAMES[k], ("", ""))
        spec = AxisSpec("labels", high, low, levels=pairs)
        with mock.patch.object(finder, "MIN_ROWS", len(dishes) + 1):  # its own score is not read
            return self.finder.draft(spec).reads


def report(table: pd.DataFrame) -> str:
    """The table for a person."""
    lines = ["# Axes that are asked for, on real food", "", READING]
    for run, part in table.groupby("run", sort=False):
        lines += [f"## {run}", "", "| axes | asks | MCC | named right | D, z | C, z |"]
        lines.append("|---" * 6 + "|")
        for (what, asks), own in part.groupby(["what", "asks"], sort=False):
            cells = ["–" if np.isnan(own[c]).all() else f"{own[c].mean():.3f}" for c in SCORES]
            lines.append(f"| {what} | {asks} | {' | '.join(cells)} |")
        lines.append("")
    return "\n".join(lines)


SCORES = ("mcc", "named", "d", "c")


def main() -> None:
    """Measure all runs that are not measured yet and write the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("runs", type=Path, nargs="+", help="folders of runs")
    parser.add_argument("--data", type=Path, help="folder of the stores; as the app has it")
    chosen = parser.parse_args()
    if chosen.data:
        os.environ[ROOT_VARIABLE] = str(chosen.data)
    path = RESULTS / f"{TABLE}.parquet"
    table = pd.read_parquet(path) if path.exists() else pd.DataFrame(columns=["run", "model"])
    for folder in chosen.runs:
        run = Run(folder)
        if run.model_key in set(table["model"]):
            continue
        rows = [{"run": run.id, "model": run.model_key, **row} for row in Measured(run).all_rows()]
        before = table[table["run"] != run.id]
        table = pd.concat([part for part in (before, pd.DataFrame(rows)) if len(part)])
        table.to_parquet(path, index=False)
        print(run.id, flush=True)
    (RESULTS / f"{TABLE}.md").write_text(report(table), encoding="utf-8")


if __name__ == "__main__":
    main()
