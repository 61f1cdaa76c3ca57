"""``rivae train`` and ``rivae resume``."""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any

from rivae.cli.common import add_command, parse_settings
from rivae.errors import ConfigError
from rivae.runs import Run, find_run, runs_root


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
        "  rivae train synth --preset paper --set lambda_reg=0 --set training.patience=20",
    )
    parser.add_argument("dataset", help="a name from `rivae datasets`")
    parser.add_argument("--method", default="rivae", help="rivae or cos-sim-lvm")
    parser.add_argument("--preset", default="default", help="default (works) or paper (literal)")
    parser.add_argument("--name", help="name of the run; seeds add -s0, -s1 ...")
    parser.add_argument("--seeds", default="0", help="e.g. 3, 0-9 or 0,2,5")
    parser.add_argument("--device", help="cpu or cuda")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", dest="settings")
    parser.add_argument("--quiet", action="store_true", help="no progress line")

    parser = add_command(
        commands,
        "resume",
        _resume,
        "go on with a run that was stopped or killed",
        "  rivae resume synth-rivae-s0",
    )
    parser.add_argument("runs", nargs="+", metavar="run", help="ids from `rivae runs`")
    parser.add_argument("--quiet", action="store_true", help="no progress line")


def parse_seeds(text: str) -> list[int]:
    """ "0-3,7" as [0, 1, 2, 3, 7]; ConfigError for anything else."""
    seeds: list[int] = []
    try:
        for part in text.split(","):
            low, dash, high = part.partition("-")
            seeds += range(int(low), int(high) + 1) if dash else [int(low)]
    except ValueError:
        raise ConfigError(f"'{text}' names no seeds: write 3, 0-9 or 0,2,5") from None
    if not seeds or len(set(seeds)) != len(seeds) or len(seeds) > 1000:
        raise ConfigError(f"'{text}' must name 1 to 1000 different seeds")
    return seeds


def _train(args: argparse.Namespace) -> int:
    from rivae.launch import make_config, train
    from rivae.methods.presets import trains_as_batch

    settings = parse_settings(args.settings)
    if args.device:
        settings["training"]["device"] = args.device
    seeds = parse_seeds(args.seeds)
    base = args.name or f"{args.dataset}-{args.method}"
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
    # Small fully connected models train as one batch, convolutional ones one after the other.
    batches = [configs] if trains_as_batch(configs[0].method.settings) else [[c] for c in configs]
    done: list[Run] = []
    for batch in batches:
        names = " ".join(config.name for config in batch)
        args.resume_hint = f"`rivae resume {names}` goes on where it was"
        done += train(batch, runs_root(), None if args.quiet else ProgressLine(names))
    return _report(done, args.json)


def _resume(args: argparse.Namespace) -> int:
    from rivae.launch import resume

    runs = [find_run(name) for name in args.runs]
    args.resume_hint = f"`rivae resume {' '.join(args.runs)}` goes on where it was"
    done = resume(runs, None if args.quiet else ProgressLine(" ".join(args.runs)))
    return _report(done, args.json)


def _report(runs: list[Run], as_json: bool) -> int:
    if as_json:
        print(json.dumps([{"run": run.id, "path": str(run.path), **_last(run)} for run in runs]))
    else:
        for run in runs:
            print(f"{run.id}: {run.status.state}{_sentence(run)}")
            print(f"  evaluate it: rivae evaluate {run.id}   look at it: rivae serve")
    return 0 if all(run.status.state == "finished" for run in runs) else 1


def _last(run: Run) -> dict[str, Any]:
    measured = [row["validation"] for row in run.metrics() if "validation" in row]
    return {"state": run.status.state, "validation": measured[-1] if measured else None}


def _sentence(run: Run) -> str:
    if run.status.message:
        return f" ({run.status.message})"
    scores = _last(run)["validation"]
    if not scores:
        return ""
    return f", validation R@1 {scores['recall_at_1']:.2f}, MedR {scores['median_rank']:g}"


class ProgressLine:
    """Prints one line per epoch, over itself in a terminal, every tenth into a file."""

    def __init__(self, name: str) -> None:
        self.name = name if len(name) < 40 else name[:37] + "..."
        self.terminal = sys.stderr.isatty()
        self.seconds = 0.0
        self.scores = ""

    def __call__(self, row: dict[str, Any]) -> None:
        """Show one metrics row, or a note of the trainer."""
        if "note" in row:
            print(f"{self.name}: {row['note']}", file=sys.stderr)
            return
        epoch, total = row["epoch"], row["total_epochs"]
        self.seconds = 0.8 * self.seconds + 0.2 * row["seconds"] if self.seconds else row["seconds"]
        if "validation" in row:
            scores = row["validation"]
            self.scores = f"R@1 {scores['recall_at_1']:.2f} MedR {scores['median_rank']:g}"
        left = self.seconds * (total - epoch)
        line = (
            f"{self.name} {row['stage']} {epoch}/{total} loss {row['objective']:.3f} "
            f"{self.scores} about {_duration(left)} left"
        )
        if self.terminal:
            end = "\n" if epoch == total else ""
            print(f"\r\033[K{line}", end=end, file=sys.stderr, flush=True)
        elif epoch % 10 == 0 or epoch == total:
            print(line, file=sys.stderr, flush=True)


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


