"""What the tables of trained cells share: a cell is one run of one line, measured once and kept.

Runs stay in a folder of the machine; the rows of a table travel with the project. So another
machine adds its cells to the table as it stands.
"""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from rivae.base.config import RunConfig
from rivae.figures.tables import with_spread
from rivae.jobs.launch import resume, train
from rivae.runs import Run


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
