"""``rivae index push``: an engine that searches where one machine is too small."""

from __future__ import annotations

import argparse
from typing import Any

from rivae.base.config import ROWS
from rivae.cli.common import OPENING_RUN, Steps, add_asks, add_command, print_json
from rivae.runs import find_run


def add_commands(commands: Any) -> None:
    """Register the command."""
    parser = add_command(
        commands,
        "index",
        _index,
        "send a run's items to Qdrant, which then searches them",
        "  rivae index push food-rivae-s0 --to http://localhost:6333\n"
        "  RIVAE_INDEX_URL=http://localhost:6333 rivae serve",
    )
    parser.add_argument("action", choices=["push"], help="send what is not there yet")
    parser.add_argument("run_id", metavar="run", help="an id from `rivae runs`")
    parser.add_argument(
        "--to", required=True, metavar="URL", help="of Qdrant; its key is QDRANT_API_KEY"
    )
    parser.add_argument("--rows", choices=ROWS, default="all", help="which items")
    add_asks(parser, "asks; the other one is sent")


def _index(args: argparse.Namespace) -> int:
    run = find_run(args.run_id)
    args.resume_hint = "the same command goes on where it stopped"
    with Steps(run.id, OPENING_RUN, quiet=args.json) as steps:
        from rivae.exploring.pushing import push_run
        from rivae.retrieval.engine import URL, connect

        index = push_run(connect(args.to), run, args.rows, args.ask_with, steps)
    if args.json:
        print_json({"run": run.id, "collection": index.name, "items": index.n_items})
    else:
        print(f"{index.name}: {index.n_items:,} items of {run.id}; {URL}={args.to} rivae serve")
    return 0
