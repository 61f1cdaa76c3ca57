"""Train and evaluate the runs of one cell, reusing what is finished."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

from rivae.base.config import RunConfig
from rivae.base.errors import ConfigError, DataError, RivaeError, RunError
from rivae.benchmark.plan import FEW_QUERIES, OF_THE_PLACE, SIZES, Cell, completed, settings_json
from rivae.benchmark.rows import Row, make_row
from rivae.benchmark.scores import StepScores, keep_steps, kept_steps, measure_steps, scores
from rivae.evaluation.of_run import evaluate
from rivae.jobs.launch import resume, train
from rivae.models.registry import METHODS
from rivae.runs import Run, Status
from rivae.runs.data_record import recorded_data
from rivae.training import Position, Watcher

Say = Callable[[str], None]
TELL_S = 30.0  # between two lines about a training


def run_cell(cell: Cell, root: Path, say: Say, training: bool = True) -> Iterator[list[Row]]:
    """Train missing runs and evaluate new ones; yields the rows of one run at a time.

    Diverged runs give a row with state "failed" and the reason; runs that cannot be trained here
    (no data, other settings in the folder) give "not run". Without ``training`` only ended runs
    give rows.
    """
    runs = [(draw, seed) for draw in cell.draws for seed in cell.seeds]
    try:
        configs = cell.configs()
        _refuse_other_settings(configs, root)
        if training:
            _train_missing(configs, root, say)
    except RivaeError as error:
        say(f"skipped: {cell.title}: {error}")
        for draw, seed in runs:
            yield [not_run(cell, draw, seed, str(error))]
        return
    for (draw, seed), config in zip(runs, configs, strict=True):
        try:
            if not training and not _has_ended(root / config.name):
                continue
            yield _rows(cell, draw, Run(root / config.name), say)
        except RivaeError as error:
            say(f"skipped: {config.name}: {error}")
            yield [not_run(cell, draw, seed, str(error))]


def _exists(path: Path) -> bool:
    return (path / "config.json").exists()


def _has_ended(path: Path) -> bool:
    return _exists(path) and Run(path).status.state in ("finished", "failed")


def is_done(cell: Cell, root: Path) -> bool:
    """Whether every run of the cell has ended and is evaluated, or the cell cannot be run."""
    try:
        names = [config.name for config in cell.configs()]
        latent = METHODS[cell.method].has_latent
        return all(_is_measured(root / name, latent) for name in names)
    except RivaeError:
        return True


def _is_measured(path: Path, latent: bool) -> bool:
    if not _has_ended(path):
        return False
    run = Run(path)
    if run.status.state == "failed":
        return True
    return run.evaluation is not None and not (latent and _lacks_steps(run, kept_steps(run)))


def _lacks_steps(run: Run, steps: StepScores | None) -> bool:
    """Whether the scores after other steps are missing and can be measured: there are weights."""
    return steps is None and run.ready


def _refuse_other_settings(configs: list[RunConfig], root: Path) -> None:
    for config in configs:
        path = root / config.name
        if not _exists(path):
            continue
        old_settings, new_settings = (
            each.model_dump(exclude={"training": OF_THE_PLACE})
            for each in (completed(Run(path).config), config)
        )
        if old_settings != new_settings:
            raise RunError(f"run {config.name} has other settings: delete {path} to train it again")
        Run(path).require_same_data()


def _train_missing(configs: list[RunConfig], root: Path, say: Say) -> None:
    new = [c for c in configs if not _exists(root / c.name)]
    old = [Run(root / c.name) for c in configs if c not in new]
    unfinished_runs = [run for run in old if run.status.state in ("interrupted", "created")]
    if not unfinished_runs and not new:
        return
    start = time.monotonic()
    try:
        if unfinished_runs:
            say(f"resuming {unfinished_runs[0].id}" + _more(len(unfinished_runs)))
            resume(unfinished_runs, watch=_now_and_then(say, unfinished_runs[0].id))
        if new:
            say(f"training {new[0].name}" + _more(len(new)))
            train(new, root, watch=_now_and_then(say, new[0].name))
    except RunError as error:
        if not any(_exists(root / c.name) for c in configs):
            raise
        say(f"failed: {error}")  # the runs hold their own reasons
    say(f"trained in {time.monotonic() - start:.0f} s")


def _now_and_then(say: Say, name: str) -> Watcher:
    """Report the progress of a training every half minute."""
    last = time.monotonic()

    def watch(at: Position) -> None:
        nonlocal last
        if at.steps and time.monotonic() - last >= TELL_S:
            last = time.monotonic()
            say(
                f"{name}: {at.stage} epoch {at.epoch + 1} of {at.total_epochs}, step "
                f"{at.step + 1} of {at.steps}"
            )

    return watch


def _more(n: int) -> str:
    return f" and {n - 1} more as one batch" if n > 1 else ""


def _about(cell: Cell, draw: int, seed: int) -> dict[str, Any]:
    return {
        "dataset": cell.dataset,
        "method": cell.method,
        "preset": cell.preset,
        "settings": cell.settings_text,
        "size": cell.size,
        "draw": draw,
        "seed": seed,
    }


def not_run(cell: Cell, draw: int, seed: int, reason: str) -> Row:
    """The row of a run that could not be trained here."""
    return make_row(**_about(cell, draw, seed), state="not run", message=reason)


def _rows(cell: Cell, draw: int, run: Run, say: Say) -> list[Row]:
    config, status = run.config, run.status
    if status.state not in ("finished", "failed"):
        raise RunError(f"run {run.id} is {status.state}: {status.message or 'wait for it'}")
    record = recorded_data(run.path)
    about = {
        **_about(cell, draw, config.seed),
        "config": settings_json(completed(config)),
        "data": record.content if record else "",
        "state": status.state,
        "message": status.message,
        "device": config.training.device,
        "precision": status.precision or "float32",
        "seconds": _seconds(status),
        "batch": max(1, len(status.batch)),
    }
    if status.state == "failed":
        return [make_row(**about)]
    latent = METHODS[cell.method].has_latent
    result, steps = run.evaluation, kept_steps(run) if latent else None
    lacks_steps = latent and _lacks_steps(run, steps)
    if result is None or lacks_steps:
        say(f"evaluating {run.id}")
        data = run.load_dataset()
        method = run.load_method(data)
        # No table has the traversals of a method without a latent.
        n_queries = SIZES[cell.size].n_queries if latent else FEW_QUERIES
        try:
            if result is None:
                result = evaluate(
                    method, data, n_queries=n_queries, null_permutations=0, null_permutations_slow=0
                )
                run.write_evaluation(result)
            if lacks_steps:
                steps = measure_steps(run, method, data, n_queries)
                keep_steps(run, steps)
        except (ConfigError, DataError) as error:  # trained but not measurable: it diverged
            return [make_row(**{**about, "state": "failed", "message": str(error)})]
    configured = completed(config).method.settings.get("axes", "")
    return [make_row(**about, **score) for score in scores(result, latent, steps, configured)]


def _seconds(status: Status) -> float | None:
    """Wall time from start to end, that of its batch; None if unknown."""
    try:
        span = datetime.fromisoformat(status.updated) - datetime.fromisoformat(status.started or "")
    except (ValueError, TypeError):  # no times, or one of them without its zone
        return None
    return span.total_seconds()
