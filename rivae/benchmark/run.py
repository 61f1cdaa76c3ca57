"""Train and evaluate the runs of a plan, one after the other, reusing what is finished."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rivae.config import RunConfig
from rivae.errors import RivaeError, RunError
from rivae.evaluation import evaluate
from rivae.launch import make_config, resume, train
from rivae.methods.presets import trains_as_batch
from rivae.runs import Run

Say = Callable[[str], None]


@dataclass(frozen=True)
class Cell:
    """One row of a table: a data set, a method and a preset, over several seeds.

    ``draws`` are draws of the data set itself (Synth's G and factors); a data set that is fixed
    has one.
    """

    dataset: str
    method: str
    preset: str
    seeds: tuple[int, ...]
    draws: tuple[int, ...] = (0,)
    settings: tuple[tuple[str, Any], ...] = ()

    @property
    def label(self) -> str:
        """Name of the run folders."""
        extra = "".join(f"-{key}-{value}" for key, value in self.settings).lower()
        name = f"bench-{self.dataset}-{self.method}-{self.preset}{extra}"
        return "".join(c if c.isalnum() or c in "._-" else "-" for c in name)

    def configs(self) -> list[RunConfig]:
        """One configuration per seed and draw."""
        out = []
        for draw in self.draws:
            data: dict[str, Any] = {}
            if self.dataset == "synth":
                data = {"g_seed": draw, "factor_seed": draw, "split_seed": draw}
            for seed in self.seeds:
                out.append(
                    make_config(
                        self.dataset,
                        self.method,
                        self.preset,
                        name=f"{self.label}-d{draw}-s{seed}",
                        seed=seed,
                        dataset_settings=data,
                        method_settings=dict(self.settings),
                    )
                )
        return out


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


def benchmark(cells: Sequence[Cell], root: Path, out: Path, say: Say) -> list[dict[str, Any]]:
    """Run the cells; the table in ``out`` grows as rows finish, so it can be stopped any time.

    Raises:
        RivaeError: for a cell that cannot be configured on this machine.
    """
    from rivae.benchmark.report import write_report

    rows: list[dict[str, Any]] = []
    for cell in cells:
        say(f"{cell.dataset} / {cell.method} / {cell.preset}")
        try:
            rows += run_cell(cell, root, say)
        except RivaeError as error:
            say(f"left out: {error}")
            continue
        write_report(rows, out)
    return rows
