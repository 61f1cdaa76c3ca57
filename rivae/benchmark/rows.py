"""Result rows: one per run and metric, kept in ``results.parquet``."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from rivae.base.errors import DataError
from rivae.base.files import make_folder, write_atomic
from rivae.benchmark.tables import columns

Row = dict[str, Any]

# Every column with its default, also for files of older versions.
COLUMNS: dict[str, Any] = {
    "dataset": "",
    "method": "",
    "preset": "",  # "" for a chance level
    "settings": "",  # changed settings as "key=value, key=value"
    "size": "full",  # "quick" and "tiny" runs are shortened
    "config": "",  # JSON of all settings but seed, draw, processor and number format
    "data": "",  # a hash of the data; "" if the run has no record
    "seed": 0,
    "draw": 0,  # of the data set itself
    "state": "finished",  # of the run: finished, failed or not run
    "message": "",  # why it failed or was not run
    "device": "cpu",  # that the run was trained on: cpu, cuda
    "precision": "float32",  # of its embedders: float32, bf16
    "seconds": None,  # wall time of the training, shared by the runs of a batch
    "batch": 1,  # runs trained together
    "metric": "",  # "" where there is no score
    "range": "",  # of the traversal: paper, prior; "" where none is needed
    "n": None,
    "score": None,
    "axes": "",  # the step on the axes that was measured; "" where the score depends on none
    "chosen": None,  # whether the rule chooses it; None where no other step was measured
    "validation": None,  # the MCC on validation rows after that step, which the rule goes by
}

_EARLIER_BASELINE = "linear-cca"  # whose settings had seen test pairs; ridge CCA replaces it
# The same for all rows of a line.
_MADE_OF = ("config", "data")
TEXTS = [name for name, default in COLUMNS.items() if isinstance(default, str)]


def make_row(**values: Any) -> Row:
    """A row with every column; those not named have their default."""
    unknown = set(values) - set(COLUMNS)
    assert not unknown, unknown
    return {**COLUMNS, **values}


def line_key(row: Row) -> tuple[str, str, str, str, str]:
    """The key of one line of a table: data set, method, preset, changed settings, size."""
    return row["dataset"], row["method"], row["preset"], row["settings"], row["size"]


def run_key(row: Row) -> tuple[Any, ...]:
    """The key of one run."""
    return *line_key(row), row["seed"], row["draw"]


def merge(rows: Sequence[Row], new: Iterable[Row]) -> list[Row]:
    """``rows`` with the runs of ``new`` added or replaced, without lines whose settings or data
    changed. A new row with state "not run" replaces no results.
    """
    new = list(new)
    old_runs = {run_key(r) for r in rows if r["state"] != "not run"}
    new = [r for r in new if r["state"] != "not run" or run_key(r) not in old_runs]
    new_runs = {run_key(r) for r in new}
    now = {line_key(r): r for r in new if r["state"] != "not run"}
    other_rows = [
        r
        for r in rows
        if run_key(r) not in new_runs
        and all(not r[what] or now.get(line_key(r), r)[what] in ("", r[what]) for what in _MADE_OF)
    ]
    return other_rows + new


def read_rows(out: Path, dataset: str | None = None) -> list[Row]:
    """The rows in ``out``, of one data set with its name; none without a file.

    Raises:
        DataError: for a file that is no table of results.
    """
    import pandas as pd

    path = out / "results.parquet"
    if not path.exists():
        return []
    try:
        # Each distinct text once in memory: 80,000 rows have some hundred settings.
        only = [("dataset", "==", dataset)] if dataset is not None else None
        table = pd.read_parquet(path, read_dictionary=TEXTS, filters=only)
    except (OSError, ValueError) as error:  # pyarrow's ArrowInvalid is a ValueError
        raise DataError(f"{path} is damaged ({type(error).__name__}): delete it") from None
    values = []
    for name, default in COLUMNS.items():
        column = table.get(name, pd.Series(default, table.index)).astype(object)
        values.append(column.where(column.notna(), default).tolist())
    rows = [dict(zip(COLUMNS, row, strict=True)) for row in zip(*values, strict=True)]
    rows = [row for row in rows if row["method"] != _EARLIER_BASELINE]
    if "axes" in table:
        return rows
    return [{**row, "axes": _configured_axes(row)} for row in rows]


def read_names(out: Path) -> tuple[set[str], set[str]]:
    """The names of the data sets and of the presets in ``out``, which has a file."""
    import pyarrow.parquet as pq

    table = pq.read_table(out / "results.parquet", columns=["dataset", "method", "preset"])
    rows = table.group_by(table.column_names).aggregate([]).to_pylist()
    rows = [row for row in rows if row["method"] != _EARLIER_BASELINE]
    return {row["dataset"] for row in rows}, {row["preset"] for row in rows}


def _configured_axes(row: Row) -> str:
    """The step of a row of an older version, from its settings."""
    if row["metric"] in ("", *columns("retrieval")):
        return ""
    try:
        return str(json.loads(row["config"])["method"]["axes"])
    except (ValueError, KeyError, TypeError):  # a chance level
        return ""


def write_rows(rows: Sequence[Row], out: Path) -> None:
    """Write ``out/results.parquet``, atomically."""
    import pandas as pd

    make_folder(out)
    table = pd.DataFrame(list(rows), columns=list(COLUMNS))
    for name in ("seconds", "n", "score", "validation"):
        table[name] = table[name].astype("float64")
    table["chosen"] = table["chosen"].astype("boolean")
    stream = io.BytesIO()
    table.to_parquet(stream, index=False)
    write_atomic(out / "results.parquet", stream.getvalue())
