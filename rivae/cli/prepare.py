"""``rivae prepare``: what a run on very many items needs before its first search."""

from __future__ import annotations

import argparse
from typing import Any

from rivae.base.config import ROWS
from rivae.cli.common import OPENING_RUN, Steps, add_asks, add_command, add_on, print_json
from rivae.runs import find_run


def add_commands(commands: Any) -> None:
    """Register the command."""
    parser = add_command(
        commands,
        "prepare",
        _prepare,
        "embed the items of a run once, so that the app opens it at once",
        "  rivae prepare food-rivae-s0\n"
        "  rivae prepare food-rivae-s0 --rows all --on tcp://host:8786",
    )
    parser.add_argument("run_id", metavar="run", help="an id from `rivae runs`")
    parser.add_argument("--rows", choices=ROWS, default="all", help="which items (default: all)")
    add_asks(parser, "asks; the other one is searched")
    add_on(parser)


def _prepare(args: argparse.Namespace) -> int:
    run = find_run(args.run_id)
    with Steps(run.id, OPENING_RUN, quiet=args.json) as steps:
        from rivae.base.cluster import on_cluster
        from rivae.data.views import places_of
        from rivae.exploring.preparing import prepare

        data = run.config.dataset
        with on_cluster(args.on, places_of(data.name, data.settings)):
            n_items = prepare(run, args.rows, args.ask_with, steps)
    if args.json:
        print_json({"run": run.id, "rows": args.rows, "items": n_items})
    else:
        print(f"{run.id}: {n_items:,} items are ready for `rivae serve`")
    return 0
