"""``rivae benchmark``."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from rivae.cli.common import add_command
from rivae.cli.train import parse_seeds
from rivae.errors import ConfigError


def add_commands(commands: Any) -> None:
    """Register ``benchmark``."""
    parser = add_command(
        commands,
        "benchmark",
        _benchmark,
        "train and evaluate the rows of the paper's tables and write the report",
        "  rivae benchmark\n"
        "  rivae benchmark --datasets sprites --seeds 0-9\n"
        "  rivae benchmark --datasets synth --draws 0-4 --methods rivae,cos-sim-lvm",
    )
    parser.add_argument("--datasets", default="synth,sprites,split-mnist", help="comma-separated")
    parser.add_argument("--methods", default="rivae", help="comma-separated")
    parser.add_argument("--presets", default="default", help="default, paper or both with a comma")
    parser.add_argument("--seeds", default="0-4", help="e.g. 0-9")
    parser.add_argument("--draws", default="0", help="draws of Synth, e.g. 0-4")
    parser.add_argument("--runs", default="benchmarks/runs", help="folder of the run folders")
    parser.add_argument("--out", default="benchmarks/results", help="folder of the report")


def _benchmark(args: argparse.Namespace) -> int:
    from rivae.benchmark.plan import Cell
    from rivae.benchmark.run import benchmark
    from rivae.data import dataset_names

    names = args.datasets.split(",")
    for name in names:
        if name not in dataset_names():
            raise ConfigError(f"there is no data set '{name}': choose from {dataset_names()}")
    seeds, draws = tuple(parse_seeds(args.seeds)), tuple(parse_seeds(args.draws))
    cells = [
        Cell(name, method, preset, seeds, draws if name == "synth" else (0,))
        for name in names
        for method in args.methods.split(",")
        for preset in args.presets.split(",")
    ]
    args.resume_hint = "the same command goes on where it was"
    rows = benchmark(
        cells, Path(args.runs), Path(args.out), lambda line: print(line, file=sys.stderr)
    )
    if args.json:
        print(json.dumps(rows))
    else:
        print(Path(args.out) / "results.md")
    return 0
