"""``rivae kitchen``."""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

from rivae.cli.common import Steps, add_command


def add_commands(commands: Any) -> None:
    """Register ``kitchen``."""
    parser = add_command(
        commands,
        "kitchen",
        _kitchen,
        "generate synthetic dishes, pictures with recipes, from eight known factors",
        "  rivae kitchen kitchen/\n"
        "  rivae kitchen small/ --n 500 --seed 3\n"
        "The folder is laid out as Recipe1M is. Then: rivae import kitchen/ --name my-kitchen",
    )
    parser.add_argument("folder", type=Path, help="a new or empty folder")
    parser.add_argument("--n", type=int, default=6000, help="number of dishes (default: 6000)")
    parser.add_argument(
        "--seed", type=int, default=0, help="each seed makes another kitchen (default: 0)"
    )
    parser.add_argument("--webp", action="store_true", help="smaller pictures than JPEG")
    parser.add_argument("--quiet", action="store_true", help="no progress line")


def _kitchen(args: argparse.Namespace) -> int:
    args.resume_hint = "the same command starts over"
    start = time.monotonic()
    with Steps("kitchen", "preparing", args.quiet) as steps:
        from rivae.kitchen.layout import write_kitchen

        def tell(done: int, n: int) -> None:
            left = (time.monotonic() - start) / done * (n - done)
            steps(f"{done:,} of {n:,} dishes, about {left:.0f} s left", done / n)

        write_kitchen(args.folder, args.n, args.seed, tell, args.webp)
    if args.json:
        print(json.dumps({"folder": str(args.folder), "n": args.n, "seed": args.seed}))
    else:
        print(f"{args.folder}: {args.n:,} synthetic dishes in the layout of Recipe1M")
        print(f"  import them: rivae import {args.folder} --name my-kitchen")
    return 0
