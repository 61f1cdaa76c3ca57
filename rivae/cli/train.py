"""``rivae train`` and ``rivae resume``."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rivae.base.errors import ConfigError, RunError
from rivae.cli import jobs
from rivae.cli.common import (
    OPENING_CHECKPOINT,
    Steps,
    add_command,
    add_on,
    parse_settings,
    print_json,
)
from rivae.jobs.tracking import tracked
from rivae.jobs.units import duration
from rivae.metrics.measures.retrieval import MEDIAN_RANK, RECALL
from rivae.models.registry import METHODS
from rivae.models.settings import CLOSED_FORM
from rivae.runs import Run, find_run, runs_root
from rivae.runs.folders import is_demo_name, require_free_name

if TYPE_CHECKING:
    from rivae.base.config import RunConfig
    from rivae.training import Position

FILE_S = 30.0  # between two lines in a file: a training takes hours


def add_commands(commands: Any) -> None:
    """Register ``train`` and ``resume``."""
    parser = add_command(
        commands,
        "train",
        _train,
        "train a model, or several seeds of one",
        "  rivae train sprites\n"
        "  rivae train synth --seeds 0-9 --name try\n"
        "  rivae train split-mnist --set dataset.folder=PATH --device cuda\n"
        "  rivae train synth --preset paper --set lambda_reg=0 --set training.patience=20\n"
        "  rivae train kitchen --set method.cos_sim.temperature=0.1\n"
        "  rivae train synth --seeds 0-9 --queue --priority 7\n"
        "  rivae train food --set dataset.features=own --on tcp://host:8786",
    )
    parser.add_argument("dataset", help="a name from `rivae datasets`, or of an import")
    parser.add_argument("--method", default="rivae", help=", ".join(METHODS))
    parser.add_argument("--preset", default="default", help="default (works) or paper (literal)")
    parser.add_argument("--name", help="name of the run; seeds add -s0, -s1 ...")
    parser.add_argument("--seeds", default="0", help="e.g. 3, 0-9 or 0,2,5")
    parser.add_argument("--device", help="cpu or cuda")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", dest="settings")
    parser.add_argument("--quiet", action="store_true", help="no progress line")
    add_on(parser)
    jobs.add_queue_options(parser, new=True)

    parser = add_command(
        commands,
        "resume",
        _resume,
        "continue a run that was stopped or killed",
        "  rivae resume synth-rivae-s0\n  rivae resume synth-rivae-s0 --queue",
    )
    parser.add_argument("runs", nargs="+", metavar="run", help="ids from `rivae runs`")
    parser.add_argument("--quiet", action="store_true", help="no progress line")
    jobs.add_queue_options(parser, new=False)


def _train(args: argparse.Namespace) -> int:
    base = args.name or f"{args.dataset}-{args.method}"
    # Reported before torch is imported, which takes seconds the first time.
    quiet = args.quiet or args.json or args.queue
    with Steps(_short(base), f"opening {args.dataset}", quiet, FILE_S) as steps:
        return _train_seeds(args, base, steps)


def _train_seeds(args: argparse.Namespace, base: str, steps: Steps) -> int:
    from rivae.app.forms.sweep import parse_seeds
    from rivae.base.cluster import on_cluster
    from rivae.data.views import places_of
    from rivae.jobs.launch import make_config
    from rivae.models.presets import trains_as_batch

    seeds = parse_seeds(args.seeds)
    settings = parse_settings(args.settings)
    if args.device:
        settings["training"]["device"] = args.device
    configs = [
        make_config(
            args.dataset,
            args.method,
            args.preset,
            name=base if args.name and len(seeds) == 1 else f"{base}-s{seed}",
            seed=seed,
            dataset_settings=settings["dataset"],
            method_settings=settings["method"],
            training=settings["training"],
        )
        for seed in seeds
    ]
    if args.on and (args.queue or not any(_has_sums(config) for config in configs)):
        raise ConfigError(
            f"--on is for a start in closed form, in the foreground: add --set init={CLOSED_FORM}, "
            "or leave --on out"
        )
    if args.queue:
        return jobs.queue_new(configs, args)
    for config in configs:
        if is_demo_name(config.name):
            require_free_name(config.name, runs_root())
    # Small fully connected models train as one batch, all others one after the other.
    first = configs[0]
    as_batch = trains_as_batch(first.method.settings) and first.training.patience is None
    batches = [configs] if as_batch else [[config] for config in configs]
    data = first.dataset
    with on_cluster(args.on, places_of(data.name, data.settings)):
        runs_done, failures = _train_batches(args, batches, steps)
    steps.close()
    return _report(runs_done, args.json, failures)


def _has_sums(config: RunConfig) -> bool:
    """Whether the training begins with sums over all pairs, which a cluster can share."""
    return config.method.settings.get("init") == CLOSED_FORM


def _train_batches(
    args: argparse.Namespace, batches: Sequence[Sequence[RunConfig]], steps: Steps
) -> tuple[list[Run], dict[str, str]]:
    """The trained runs, and why others have none."""
    from rivae.jobs.launch import train

    root = runs_root()
    runs_done: list[Run] = []
    failures: dict[str, str] = {}
    for i, batch in enumerate(batches):
        paths = [root / config.name for config in batch]
        names = " ".join(path.name for path in paths)
        later = [config.name for rest in batches[i + 1 :] for config in rest]
        args.resume_hint = _hint(paths, later)
        try:
            line = ProgressLine(steps, names)
            with tracked(Run(paths[0]), batch[0], line) as listener:
                runs_done += train(batch, root, listener, watch=line.watch)
        except RunError as error:
            # The other seeds are trained even if one diverges.
            if len(batches) == 1:
                raise
            failures[names] = str(error)
    return runs_done, failures


def _hint(paths: Sequence[Path], rest: Sequence[str]) -> Callable[[], str]:
    """Makes the message for a stopped training, which names the runs that were started by then."""

    def say() -> str:
        begun = " ".join(path.name for path in paths if path.is_dir())
        parts = [f"`rivae resume {begun}` continues from here"] if begun else []
        parts += [f"not started yet: {', '.join(rest)}"] if rest else []
        return "; ".join(parts)

    return say


def _resume(args: argparse.Namespace) -> int:
    runs = [find_run(name) for name in args.runs]
    if args.queue:
        return jobs.queue_again(runs, args)
    names = " ".join(args.runs)
    quiet = args.quiet or args.json
    with Steps(_short(names), OPENING_CHECKPOINT, quiet, FILE_S) as steps:
        return _resume_runs(args, runs, ProgressLine(steps, names), steps)


def _resume_runs(
    args: argparse.Namespace, runs: list[Run], line: ProgressLine, steps: Steps
) -> int:
    from rivae.jobs.launch import resume

    args.resume_hint = lambda: f"`rivae resume {' '.join(args.runs)}` continues from here"
    with tracked(runs[0], runs[0].config, line) as listener:
        runs_done = resume(runs, listener, watch=line.watch)
    steps.close()
    return _report(runs_done, args.json)


def _report(runs: list[Run], as_json: bool, failures: dict[str, str] | None = None) -> int:
    failures = failures or {}
    if as_json:
        rows = [{"run": run.id, "path": str(run.path), **_last(run)} for run in runs]
        rows += [{"run": name, "error": error} for name, error in failures.items()]
        print_json(rows)
    else:
        for run in runs:
            print(f"{run.id}: {run.status.state}{_sentence(run)}")
            print(f"  evaluate it: rivae evaluate {run.id}   explore it: rivae serve")
    for name, error in failures.items():
        print(f"rivae: {name}: {error}", file=sys.stderr)
    return 0 if not failures and all(run.status.state == "finished" for run in runs) else 1


def _last(run: Run) -> dict[str, Any]:
    validations = [row["validation"] for row in run.metrics() if "validation" in row]
    return {"state": run.status.state, "validation": validations[-1] if validations else None}


def _sentence(run: Run) -> str:
    if run.status.message:
        return f" ({run.status.message})"
    scores = _last(run)["validation"]
    if not scores:
        return ""
    return f", validation {_retrieval(scores, ', ')}"


def _retrieval(scores: Mapping[str, float], between: str = " ") -> str:
    recall = f"{RECALL[1].label} {scores[RECALL[1].key]:.2f}"
    return f"{recall}{between}{MEDIAN_RANK.label} {scores[MEDIAN_RANK.key]:g}"


class ProgressLine:
    """Prints the progress of a training as one line; a listener and a watcher of a trainer."""

    def __init__(self, steps: Steps, name: str) -> None:
        steps.name, self.steps = _short(name), steps
        self.scores = self.loss = ""
        self.began, self.n_steps = 0.0, 0  # of this stage here

    def __call__(self, row: dict[str, Any]) -> None:
        """One metrics row, or a note of the trainer."""
        if "note" in row:
            self.steps.keep(row["note"])
            return
        self.loss = f" · loss {row['objective']:.3f}"
        if scores := row.get("validation"):
            self.scores = f" · {_retrieval(scores)}"
        if row["epoch"] == row["total_epochs"]:
            place = f"{row['stage']} epoch {row['epoch']}/{row['total_epochs']}"
            self.steps.keep(f"{place}{self.loss}{self.scores}")
            self.steps("measuring and writing the model")

    def watch(self, at: Position) -> None:
        """The position of the training, before every step."""
        if not at.steps:
            self.n_steps = 0
            self.steps(f"preparing {at.stage}")
            return
        now = time.monotonic()
        if not self.n_steps:
            self.began = now
        rate = self.n_steps / (now - self.began) if now > self.began else 0.0
        self.n_steps += 1
        text = f" epoch {at.epoch + 1}/{at.total_epochs} step {at.step + 1}/{at.steps}"
        if rate:
            # Later stages count as if their epochs took as long as those of this one.
            steps_left = (at.total_epochs - at.epoch) * at.steps - at.step
            text += f" · {rate:.3g} steps/s · about {duration(steps_left / rate)} left"
        self.steps(at.stage, detail=f"{text}{self.loss}{self.scores}")


def _short(name: str) -> str:
    return name if len(name) < 40 else name[:37] + "..."
