"""What the axes of real food change among the dishes found: every run, one table.

    python benchmarks/food_effects.py RUNS [--data FOLDER]

RUNS is a folder with the runs of ``benchmarks/food_scores.py``. The measure is that of
``rivae effects`` (``rivae.exploring.effects``), on the test dishes, for the eight factors alone. A
run that has been measured is kept. Writes ``benchmarks/results/food-effects.md`` and ``.parquet``.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pandas as pd

sys.path.insert(0, str(Path(__file__).parents[1]))  # runs from a clone, installed or not

from benchmarks.cells import Row, asked_runs, mean_and_spread, row_title, with_measured
from benchmarks.food_axes import ASKING, food_runs
from benchmarks.food_scores import VIEWS
from benchmarks.food_tables import ROWS
from rivae.data.base import PairedDataset
from rivae.data.food_factors import FACTOR_LABELS, FACTOR_NAMES
from rivae.exploring.effects import EffectMeasure, latent_effects
from rivae.labels.food_levels import MODEL_MADE, level_matrix
from rivae.metrics.effects import Columns
from rivae.metrics.matching import assignment
from rivae.retrieval.base import Floats
from rivae.retrieval.retriever import Retriever
from rivae.runs import Run

RESULTS = Path(__file__).parent / "results"
TABLE = RESULTS / "food-effects.parquet"
COLUMNS = {
    "axes": "axes that change a factor",
    "factors": "factors that an axis changes",
    "own": "its own factor",
    "other": "the other seven",
}
READING = f"""\
Test dishes and **{MODEL_MADE}**, no people's. Each axis is moved over the middle 80 % of the data
from 200 queries, and the ten dishes found at five places are averaged: the *change* is in standard
deviations of the factor, and *measurable* where it is above each of three levels of chance
([What an axis changes](../../docs/api.md#what-an-axis-changes)). *Axes that change a factor* and
*factors that an axis changes* count what is measurable, of all axes and of eight. Each factor is
then matched with an axis of its own, so that the changes are largest: *its own factor* is the mean
|change| of the eight on their axes, *the other seven* what the same axes change besides. By factor:
the change on its axis. The axes are matched by the scored levels, which raises the first of the
two. ± is the s.d. over n seeds.
"""


def measured(retriever: Retriever, levels: Floats) -> dict[str, float]:
    """The columns of the table for one view that asks, and the change of each factor on its axis.

    Args:
        levels: (n, 8) of the items searched, NaN where unknown.
    """
    columns = Columns.of("factor", FACTOR_NAMES, levels)
    effects = latent_effects(EffectMeasure(retriever, columns))
    change = np.array([each.change for each in effects])
    sure = np.array([each.is_measurable for each in effects])
    axes, factors = assignment(change)
    matched = np.abs(change[axes])
    own = matched[np.arange(len(axes)), factors]
    other = (matched.sum(axis=1) - own) / (len(own) - 1)
    names = [columns.names[k] for k in factors]
    return {
        "axes": float(sure.any(axis=1).sum()),
        "factors": float(sure.any(axis=0).sum()),
        "own": float(own.mean()),
        "other": float(other.mean()),
        **dict(zip(names, own.tolist(), strict=True)),
    }


def measure(run: Run, data: PairedDataset, labels: pd.DataFrame) -> list[Row]:
    """A row for every view that may ask."""
    method, test = run.load_method(data), np.sort(data.splits["test"])
    levels = level_matrix(labels, test)
    return [
        {"asks": ASKING[asks], **measured(Retriever(method, data, test, asks=asks), levels)}
        for asks in (VIEWS if method.asks_both_ways else VIEWS[:1])
    ]


def table(rows: pd.DataFrame) -> str:
    """Mean ± s.d. over the seeds of every method and its features."""
    titles = ["runs", "asks", "n", *COLUMNS.values(), *FACTOR_LABELS.values()]
    lines = [f"| {' | '.join(titles)} |", "|---" * len(titles) + "|"]
    rows = rows.assign(place=rows["method"].map({name: i for i, name in enumerate(ROWS)}))
    rows = rows.sort_values(["place", "kind"], kind="stable")
    for (_, method, kind, asks), own in rows.groupby(
        ["place", "method", "kind", "asks"], sort=False
    ):
        cells = [row_title(method, kind), asks, str(len(own))]
        cells += [
            mean_and_spread(own[name], 1 if name in ("axes", "factors") else 2) for name in COLUMNS
        ]
        cells += [f"{own[name].mean():.2f}" for name in FACTOR_LABELS]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def main() -> None:
    """Measure what is not measured yet and write the table of everything that was."""
    rows = with_measured(TABLE, food_runs(asked_runs(__doc__)), measure)
    text = (
        "# What the axes of real food change\n\n"
        f"`python benchmarks/food_effects.py RUNS`\n\n{READING}\n{table(rows)}\n"
    )
    RESULTS.joinpath("food-effects.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
