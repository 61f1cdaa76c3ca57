"""Train and evaluate the runs of a plan, one after the other, reusing what is finished."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from rivae.benchmark.chance import chance_rows
from rivae.benchmark.plan import Cell, cell_key
from rivae.benchmark.report import read_rows, write_report
from rivae.config import RunConfig
from rivae.errors import RivaeError, RunError
from rivae.evaluation import evaluate
from rivae.launch import resume, train
from rivae.methods.presets import trains_as_batch
from rivae.runs import Run, Status

Say = Callable[[str], None]


def run_cell(cell: Cell, root: Path, say: Say) -> list[dict[str, Any]]:
    """Train what is missing, evaluate what is not evaluated; one result row per run and metric.

    A run that diverged becomes rows with state "failed" and its reason.
    """
    configs = cell.configs()
    batches = [configs] if trains_as_batch(configs[0].method.settings) else [[c] for c in configs]
    for batch in batches:
        _train_missing(batch, root, say)
    rows: list[dict[str, Any]] = []
    for config in configs:
        rows += _rows(cell, Run(root / config.name), say)
    return rows


def _train_missing(batch: list[RunConfig], root: Path, say: Say) -> None:
    new = [c for c in batch if not (root / c.name / "config.json").exists()]
    old = [Run(root / c.name) for c in batch if c not in new]
    for run in old:
        if run.config not in batch:
            raise RunError(f"run {run.id} has other settings: delete {run.path} to train it again")
    halted = [run for run in old if run.status.state in ("interrupted", "created")]
    started = time.monotonic()
    try:
        if halted:
            say(f"resuming {' '.join(run.id for run in halted)}")
            resume(halted)
        if new:
            say(f"training {len(new)} x {new[0].name}")
            train(new, root)
    except RunError as error:
        say(f"failed: {error}")
    say(f"trained in {time.monotonic() - started:.0f} s")


def _rows(cell: Cell, run: Run, say: Say) -> list[dict[str, Any]]:
    config, status = run.config, run.status
    base = {
        "dataset": cell.dataset,
        "method": cell.method,
        "preset": cell.preset,
        "settings": ", ".join(f"{k}={v}" for k, v in cell.settings),
        "seed": config.seed,
        "draw": int(run.id.rsplit("-d", 1)[1].split("-")[0]),
        "state": status.state,
        "message": status.message,
        "seconds": _seconds(status),
    }
    if status.state != "finished":
        return [{**base, "metric": "recall_at_1", "range": "", "score": math.nan}]
    result = run.evaluation
    if result is None:
        say(f"evaluating {run.id}")
        data = run.load_dataset()
        result = evaluate(
            run.load_method(data), data, null_permutations=0, null_permutations_slow=0
        )
        run.write_evaluation(result)
    rows = []
    for group, where in (
        ("retrieval", ""),
        ("factors", "paper"),
        ("factors_other", "prior"),
        ("digits", "paper"),
        ("digits_other", "prior"),
    ):
        for name, value in (result.get(group) or {}).items():
            if isinstance(value, dict) and "score" in value:
                score = value["score"]
                rows.append(
                    {**base, "metric": name, "range": where, "n": value.get("n"),
                     "score": math.nan if score is None else float(score)}
                )  # fmt: skip
    return rows


def _seconds(status: Status) -> float | None:
    """Wall time of the training; runs of one batch share theirs."""
    if status.started is None:
        return None
    span = datetime.fromisoformat(status.updated) - datetime.fromisoformat(status.started)
    return span.total_seconds()


def benchmark(cells: Sequence[Cell], root: Path, out: Path, say: Say) -> list[dict[str, Any]]:
    """Run the cells; the table in ``out`` grows as rows finish, so it can be stopped any time.

    Raises:
        RivaeError: for a cell that cannot be configured on this machine.
    """
    rows = read_rows(out)
    for cell in cells:
        say(f"{cell.dataset} / {cell.method} / {cell.preset}")
        try:
            new = run_cell(cell, root, say)
            if cell.dataset == "synth":
                new += chance_rows("synth", cell.draws, n_rotations=10)
        except RivaeError as error:
            say(f"left out: {error}")
            continue
        # Rows of other cells stay, so that a table can be made in several sittings.
        made = {cell_key(row) for row in new}
        rows = [row for row in rows if cell_key(row) not in made] + new
        write_report(rows, out)
    return rows
