"""What the tables of trained cells share: a cell is one run of one line, measured once and kept.

Runs stay in a folder of the machine; the rows of a table travel with the project. So another
machine adds its cells to the table as it stands.
"""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pandas as pd

from rivae.base.config import RunConfig
from rivae.benchmark.tables import RIDGE_CCA, features_title, title
from rivae.data.store.manifest import ROOT_VARIABLE
from rivae.figures.tables import with_spread
from rivae.jobs.launch import resume, train
from rivae.runs import Run
from rivae.runs.refinement import refinable

USUAL_AXES = 30
Row = dict[str, Any]


def numbers(text: str) -> list[int]:
    """0-2,5 as [0, 1, 2, 5]."""
    parts = [part.split("-") for part in text.split(",")]
    return [n for part in parts for n in range(int(part[0]), int(part[-1]) + 1)]


def trained(root: Path, config: RunConfig) -> Run:
    """The run of ``config``: trained, resumed, or as it was."""
    run = Run(root / config.name)
    if not run.path.exists():
        return train([config], root)[0]
    return run if run.ready else resume([run])[0]


def asked_runs(description: str) -> Path:
    """The folder of runs on the command line; the stores are those of its ``--data``."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("runs", type=Path, help="a folder with runs")
    parser.add_argument("--data", type=Path, help="folder of the stores; as the app has it")
    options = parser.parse_args()
    if options.data:
        os.environ[ROOT_VARIABLE] = str(options.data)
    runs: Path = options.runs
    return runs


def with_measured(
    table: Path, cells: Iterable[tuple[Run, *tuple[Any, ...]]], measure: Callable[..., list[Row]]
) -> pd.DataFrame:
    """The rows of a table of runs, after those of the ``cells`` that it lacks were added, one by
    one. The rows of a run that was trained again are replaced.

    Args:
        cells: the runs, each with what else ``measure`` takes.
    """
    rows = pd.read_parquet(table) if table.exists() else pd.DataFrame(columns=["run", "model"])
    for run, *others in cells:
        # Both: methods that keep the same start have the same weights.
        if (run.id, run.model_key) not in set(zip(rows["run"], rows["model"], strict=True)):
            new = pd.DataFrame([{**head_of(run), **row} for row in measure(run, *others)])
            kept = rows[rows["run"] != run.id]
            rows = pd.concat([part for part in (kept, new) if len(part)], ignore_index=True)
            rows.to_parquet(table, index=False)
            print(run.id, flush=True)
    return rows


def head_of(run: Run) -> Row:
    """What a row of a table says of its run."""
    return {
        "run": run.id,
        "model": run.model_key,
        "method": method_of(run),
        "kind": kind_of(run),
        "seed": run.config.seed,
    }


def method_of(run: Run) -> str:
    """The row of a run: its method, or ridge CCA where nothing was trained after it."""
    return RIDGE_CCA if refinable(run.config) else run.config.method.name


def kind_of(run: Run) -> str:
    """What tells this run from others of its method: its name without the seed; of a benchmark's
    run, whose name is a hash, the features that it reads and an unusual number of axes.
    """
    if not run.id.startswith("bench-"):
        return re.sub(r"-?s?\d+$", "", run.id)
    settings = run.config.method.settings
    features = run.config.dataset.settings.get("features")
    read = features_title(features) if features else "photographs"
    n = settings.get("n_components", USUAL_AXES)
    return read if n == USUAL_AXES else f"{read}, {n} axes"


def row_title(method: str, kind: str) -> str:
    """A method, and which runs of it."""
    return f"{title(method)} ({kind})"


def mean_and_spread(column: pd.Series, digits: int = 3) -> str:
    """Mean ± s.d. of a column; "–" where it is empty."""
    values = column.dropna().astype(float)
    return with_spread(values.mean(), values.std(), digits) if len(values) else "–"


def with_stored(measured: pd.DataFrame, table: Path, key: list[str]) -> pd.DataFrame:
    """The measured rows, and those of the stored table whose ``key`` is not among them."""
    if not table.exists():
        return measured
    stored = pd.read_parquet(table)
    if len(measured):
        stored = stored[~stored.set_index(key).index.isin(measured.set_index(key).index)]
    return pd.concat([measured, stored], ignore_index=True)
