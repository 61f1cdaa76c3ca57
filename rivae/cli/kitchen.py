"""``rivae kitchen``."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rivae.cli.common import add_command

TELL_SECONDS = 2.0


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
        "--seed", type=int, default=0, help="another seed is another kitchen (default: 0)"
    )
    parser.add_argument("--webp", action="store_true", help="smaller pictures than JPEG")
    parser.add_argument("--quiet", action="store_true", help="no progress line")


def _kitchen(args: argparse.Namespace) -> int:
    from rivae.kitchen.layout import write_kitchen

    args.resume_hint = "the same command writes the kitchen again from its beginning"
    write_kitchen(args.folder, args.n, args.seed, None if args.quiet else _teller(), args.webp)
    if args.json:
        print(json.dumps({"folder": str(args.folder), "n": args.n, "seed": args.seed}))
    else:
        print(f"{args.folder}: {args.n:,} synthetic dishes in the layout of Recipe1M")
        print(f"  import them: rivae import {args.folder} --name my-kitchen")
    return 0


def _teller() -> Callable[[int, int], None]:
    """A line over itself in a terminal, one every two seconds into a file."""
    terminal = sys.stderr.isatty()
    start = last = time.monotonic()

    def tell(done: int, n: int) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last < (0.2 if terminal else TELL_SECONDS) and done < n:
            return
        last = now
        left = (now - start) / done * (n - done)
        line = f"{done:,} of {n:,} dishes, about {left:.0f} s left"
        if terminal:
            end = "\n" if done == n else ""
            print(f"\r\033[K{line}", end=end, file=sys.stderr, flush=True)
        else:
            print(line, file=sys.stderr, flush=True)

    return tell
