"""Train and evaluate the runs of one cell, reusing what is finished."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

from rivae.benchmark.plan import FEW_QUERIES, SIZES, Cell, completed, settings_json
from rivae.benchmark.rows import Row, make_row
from rivae.benchmark.tables import by_samples, digit_range
from rivae.config import RunConfig
from rivae.errors import ConfigError, DataError, RivaeError, RunError
from rivae.evaluation import evaluate
from rivae.launch import resume, train
from rivae.methods import method_class
from rivae.metrics.dci_paper import alpha_scores
from rivae.metrics.digits import COVERAGE, OVERLAP
from rivae.metrics.registry import metric
from rivae.runs import Run, Status
from rivae.runs.evaluation_file import Evaluation
from rivae.runs.results import Results
from rivae.training import Position, Watcher

Say = Callable[[str], None]
TELL_S = 30.0  # between two lines about a training


def run_cell(cell: Cell, root: Path, say: Say, training: bool = True) -> Iterator[list[Row]]:
    """Train what is missing, evaluate what is not evaluated; yields the rows of one run at a time.

    A run that diverged becomes a row with state "failed" and its reason; one that could not be
    trained here (no data, other settings in its folder) one with state "not run". Without
    ``training`` only runs that have ended give rows.
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
            yield [_not_run(cell, draw, seed, error)]
        return
    for (draw, seed), config in zip(runs, configs, strict=True):
        try:
            if not training and not _has_ended(root / config.name):
                continue
            yield _rows(cell, draw, Run(root / config.name), say)
        except RivaeError as error:
            say(f"skipped: {config.name}: {error}")
            yield [_not_run(cell, draw, seed, error)]


def _exists(path: Path) -> bool:
    return (path / "config.json").exists()


def _has_ended(path: Path) -> bool:
    return _exists(path) and Run(path).status.state in ("finished", "failed")


def is_done(cell: Cell, root: Path) -> bool:
    """Whether every run of the cell has ended and is evaluated, or the cell cannot be run."""
    try:
        names = [config.name for config in cell.configs()]
        return all(
            _has_ended(root / name)
            and (Run(root / name).status.state == "failed" or bool(Run(root / name).evaluation))
            for name in names
        )
    except RivaeError:
        return True


def _refuse_other_settings(configs: list[RunConfig], root: Path) -> None:
    for config in configs:
        path = root / config.name
        if _exists(path) and completed(Run(path).config) != config:
            raise RunError(f"run {config.name} has other settings: delete {path} to train it again")


def _train_missing(configs: list[RunConfig], root: Path, say: Say) -> None:
    new = [c for c in configs if not _exists(root / c.name)]
    old = [Run(root / c.name) for c in configs if c not in new]
    halted = [run for run in old if run.status.state in ("interrupted", "created")]
    if not halted and not new:
        return
    started = time.monotonic()
    try:
        if halted:
            say(f"resuming {halted[0].id}" + _more(len(halted)))
            resume(halted, watch=_now_and_then(say, halted[0].id))
        if new:
            say(f"training {new[0].name}" + _more(len(new)))
            train(new, root, watch=_now_and_then(say, new[0].name))
    except RunError as error:
        if not any(_exists(root / c.name) for c in configs):
            raise
        say(f"failed: {error}")  # the runs hold their own reasons
    say(f"trained in {time.monotonic() - started:.0f} s")


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


def _not_run(cell: Cell, draw: int, seed: int, error: RivaeError) -> Row:
    return make_row(**_about(cell, draw, seed), state="not run", message=str(error))


def _rows(cell: Cell, draw: int, run: Run, say: Say) -> list[Row]:
    config, status = run.config, run.status
    if status.state not in ("finished", "failed"):
        raise RunError(f"run {run.id} is {status.state}: {status.message or 'wait for it'}")
    about = {
        **_about(cell, draw, config.seed),
        "config": settings_json(completed(config)),
        "state": status.state,
        "message": status.message,
        "seconds": _seconds(status),
        "batch": max(1, len(status.batch)),
    }
    if status.state == "failed":
        return [make_row(**about)]
    latent = method_class(cell.method).has_latent
    result = run.evaluation
    if result is None:
        say(f"evaluating {run.id}")
        data = run.load_dataset()
        try:
            result = evaluate(
                run.load_method(data),
                data,
                # No table has the traversals of a method without a latent.
                n_queries=SIZES[cell.size].n_queries if latent else FEW_QUERIES,
                null_permutations=0,
                null_permutations_slow=0,
            )
        except (ConfigError, DataError) as error:  # trained but not measurable: it diverged
            return [make_row(**{**about, "state": "failed", "message": str(error)})]
        run.write_evaluation(result)
    return [make_row(**about, **score) for score in scores(result, latent)]


def scores(evaluation: Evaluation, latent: bool = True) -> list[dict[str, Any]]:
    """The scores of an evaluation: metric, range, n and score of each.

    Args:
        latent: False for a method without a latent, of which only retrieval is measured.
    """
    rows = _score_rows(evaluation.retrieval, "")
    if not latent:
        return rows
    for n, sampled in evaluation.retrieval_sampled.items():
        rows += [{**row, "range": by_samples(n)} for row in _score_rows(sampled, "")]
    for along in evaluation.along:
        rows += _score_rows(along.factors, along.name)
        rows += _score_rows(along.digits.results if along.digits else {}, along.name)
    of_digits = (OVERLAP, COVERAGE)
    for at in evaluation.digits_ranges:
        where = digit_range(at.n_std)
        rows += [{"metric": m.key, "range": where, "score": getattr(at, m.key)} for m in of_digits]
    for along in evaluation.along:
        table = along.correlation.alpha_sensitivity if along.correlation else []
        measured = alpha_scores([at.model_dump() for at in table])
        rows += [{"metric": m, "range": along.name, "score": v} for m, v in measured.items()]
    return rows


def _score_rows(results: Results, where: str) -> list[dict[str, Any]]:
    return [
        {
            "metric": name,
            "range": where if metric(name).along_z else "",
            "n": result.n,
            "score": result.score,
        }
        for name, result in results.items()
    ]


def _seconds(status: Status) -> float | None:
    """Wall time from start to end, None where a file does not say; runs of one batch share it."""
    try:
        span = datetime.fromisoformat(status.updated) - datetime.fromisoformat(status.started or "")
    except (ValueError, TypeError):  # no times, or one of them without its zone
        return None
    return span.total_seconds()
