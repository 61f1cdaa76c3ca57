"""``rivae benchmark``."""

from __future__ import annotations

import argparse
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rivae.base.errors import ConfigError
from rivae.cli.common import (
    RESUME_HINT,
    add_command,
    device_here,
    parse_settings,
    path_argument,
    print_json,
)

TABLES_HELP = (
    "comma-separated: synth, synth-modulated, sprites, split-mnist, split-digits (retrieval, "
    "factors or digits, sensitivity to alpha), kitchen, pairs (imported ones), ablation (RIVAE "
    "without L_Reg), starts (RIVAE from the paper's start, others from RIVAE's), paper (the "
    "literal preset on synth), or all"
)


def add_commands(commands: Any) -> None:
    """Register ``benchmark``."""
    parser = add_command(
        commands,
        "benchmark",
        _benchmark,
        "train and evaluate the rows of the paper's tables and write the report",
        "  rivae benchmark --quick --jobs 2\n"
        "  rivae benchmark --jobs 2\n"
        "  rivae benchmark --tables sprites,ablation --datasets sprites --seeds 0-9\n"
        "  rivae benchmark --tables synth --draws 10 --methods rbi-vae --set form=non-linear\n"
        "  rivae benchmark --tables pairs --set dataset.store=mine --methods rivae,cos-sim-lvm\n"
        "Stop it at any time; the same command continues, reuses finished runs, and trains none "
        "whose scores the report has.",
    )
    parser.add_argument("--tables", help=TABLES_HELP)
    parser.add_argument("--datasets", help="only these, comma-separated")
    parser.add_argument("--methods", help="only these, comma-separated")
    parser.add_argument("--presets", default="default", help="default, paper or both with a comma")
    parser.add_argument("--seeds", help="how many, or which: 5 is 0-4 (default: 5)")
    parser.add_argument("--draws", help="draws of synth and synth-modulated: 4 is 0-3 (default: 4)")
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        dest="settings",
        help="change a setting of the methods, or of the data with dataset. in front: the report "
        "has separate lines for these",
    )
    size = parser.add_mutually_exclusive_group()
    size.add_argument(
        "--quick",
        action="store_true",
        help="a tenth of the epochs, 2 seeds, 2 draws: a first look in minutes",
    )
    size.add_argument(
        "--tiny", action="store_true", help="an epoch per stage; only shows that everything works"
    )
    parser.add_argument("--jobs", type=int, default=1, help="processes that train at once")
    parser.add_argument(
        "--device", help="cpu, cuda or cuda:1, for new runs (default: the preset's)"
    )
    parser.add_argument(
        "--precision",
        choices=("float32", "bf16", "auto"),
        help="number format of new runs (default: the preset's, which may follow the processor)",
    )
    parser.add_argument(
        "--report-only",
        action="store_true",
        help="train nothing: report on the runs that have ended",
    )
    parser.add_argument(
        "--again", action="store_true", help="train also the runs whose scores the report has"
    )
    parser.add_argument(
        "--runs", type=path_argument, default="benchmarks/runs", help="folder of the run folders"
    )
    parser.add_argument(
        "--out",
        type=path_argument,
        help="folder of the report (benchmarks/results, build/benchmark-quick or -tiny)",
    )


def count_or_range(text: str, what: str) -> list[int]:
    """ "5" as 0 to 4, "3-5,9" as 3, 4, 5 and 9.

    Raises:
        ConfigError: for anything else.
    """
    from rivae.app.forms.sweep import parse_seeds

    text = text.strip()
    try:
        if text.isdecimal() and len(text) < 5 and int(text) > 0:
            return parse_seeds(f"0-{int(text) - 1}")
        if not text.isdecimal():
            return parse_seeds(text)
    except ConfigError:
        pass
    raise ConfigError(f"'{text}' names no {what}: write how many, as 5, or which, as 0-4 or 0,2,7")


def _benchmark(args: argparse.Namespace) -> int:
    if args.jobs < 1:
        raise ConfigError(f"--jobs {args.jobs}: at least one process is needed")
    seeds = count_or_range(args.seeds, "seeds") if args.seeds else None
    draws = count_or_range(args.draws, "draws") if args.draws else None

    place = {"precision": args.precision} if args.precision else {}
    if args.device is not None:
        place["device"] = device_here(args.device)

    def say(line: str) -> None:
        if not args.json:
            print(line, file=sys.stderr, flush=True)

    say("looking for finished runs")
    from rivae.benchmark.plan import plan
    from rivae.benchmark.run import benchmark
    from rivae.benchmark.summary import summarise

    size = "quick" if args.quick else ("tiny" if args.tiny else "full")
    cells = plan(
        size,
        tables=_names(args.tables),
        datasets=_names(args.datasets),
        methods=_names(args.methods),
        presets=_names(args.presets) or ("default",),
        seeds=seeds,
        draws=draws,
        settings=_settings(args.settings),
        place=place,
    )
    default = "benchmarks/results" if size == "full" else f"build/benchmark-{size}"
    out = Path(args.out or default)
    args.resume_hint = RESUME_HINT
    rows = benchmark(
        cells,
        args.runs,
        out,
        say,
        args.jobs,
        training=not args.report_only,
        again=args.again,
    )
    if args.json:
        print_json([asdict(line) for line in summarise(rows)])
    else:
        print(out / "results.md")
    return 0


def _settings(pairs: list[str]) -> dict[str, Any]:
    """Changes of the method by name, of the data set with "dataset." in front."""
    groups = parse_settings(pairs, ("method", "dataset"))
    return {**groups["method"], **{f"dataset.{k}": v for k, v in groups["dataset"].items()}}


def _names(text: str | None) -> list[str] | None:
    return [name.strip() for name in text.split(",")] if text is not None else None
