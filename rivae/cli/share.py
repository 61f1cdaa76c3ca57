"""``rivae export``: a run as one HTML file for people who have no Python."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from rivae.catalogue import ROWS
from rivae.cli.common import OPENING_RUN, Steps, add_asks, add_command
from rivae.runs import find_run


def add_commands(commands: Any) -> None:
    """Register the command."""
    parser = add_command(
        commands,
        "export",
        _export,
        "write a run as one HTML file that needs neither server nor network",
        "  rivae export demo-kitchen kitchen.html\n"
        "  rivae export demo-kitchen kitchen.html --rows all --dry-run",
    )
    parser.add_argument("run_id", metavar="run", help="an id from `rivae runs`")
    parser.add_argument("file", type=Path, help="the file to write, such as page.html")
    parser.add_argument("--rows", choices=ROWS, default="test", help="which items it holds")
    parser.add_argument("--dry-run", action="store_true", help="say how large it would be")
    add_asks(parser, "the page begins with")


def _export(args: argparse.Namespace) -> int:
    with Steps("export", OPENING_RUN, quiet=args.json) as steps:
        from rivae.explorer import Explorer
        from rivae.page.content import check_size, estimated_size
        from rivae.page.document import page_bytes, write_page
        from rivae.tours import list_tours

        explorer = Explorer.open(find_run(args.run_id), args.rows, asks=args.ask_with)
        if warning := check_size(explorer):
            steps.keep(warning)
        n, size = len(explorer.search_rows), estimated_size(explorer)
        steps.keep(f"{n:,} items, about {size / 1e6:.1f} MB")
        if not args.dry_run:
            tours = [file.tour for file in list_tours() if file.tour is not None]
            page = page_bytes(explorer, args.run_id, tours, lambda share: steps("pictures", share))
            write_page(args.file, page)
            size = len(page)
    if args.json:
        print(json.dumps({"file": str(args.file), "items": n, "bytes": size, "written": not args.dry_run}))
    elif not args.dry_run:
        print(f"{args.file}: {size / 1e6:.1f} MB. Pictures belong to those who made them: share with care.")
    return 0
