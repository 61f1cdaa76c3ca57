"""``rivae export RUN page.html``: a run as one HTML file for people who have no Python."""

from __future__ import annotations

import argparse
from pathlib import Path

from rivae.base.config import ROWS
from rivae.cli.common import OPENING_RUN, Steps, add_asks, print_json
from rivae.runs import find_run

EXAMPLES = (
    "  rivae export demo-kitchen kitchen.html\n"
    "  rivae export demo-kitchen kitchen.html --rows all --dry-run"
)


def is_page(target: Path) -> bool:
    """Whether a file of that name is a page, and not an archive."""
    return target.suffix.lower() in (".html", ".htm")


def add_page_options(parser: argparse.ArgumentParser) -> None:
    """The options of a page."""
    parser.add_argument("--rows", choices=ROWS, default="test", help="of a page: the items in it")
    parser.add_argument(
        "--dry-run", action="store_true", help="of a page: say how large it would be"
    )
    add_asks(parser, "a page begins with")


def export_page(args: argparse.Namespace, target: Path) -> int:
    """Write the page, and say its size before."""
    with Steps("export", OPENING_RUN, quiet=args.json) as steps:
        from rivae.exploring.explorer import Explorer
        from rivae.exploring.tours import list_tours
        from rivae.figures.page.content import RIGHTS, check_size, estimated_size
        from rivae.figures.page.document import page_bytes, write_page

        explorer = Explorer.open(find_run(args.run_id), args.rows, asks=args.ask_with)
        if warning := check_size(explorer):
            steps.keep(warning)
        n, size = len(explorer.search_rows), estimated_size(explorer)
        steps.keep(f"{n:,} items, about {size / 1e6:.1f} MB")
        if not args.dry_run:
            tours = [file.tour for file in list_tours() if file.tour is not None]
            page = page_bytes(
                explorer,
                args.run_id,
                tours,
                lambda share: steps("making pictures and word clouds", share),
            )
            write_page(target, page, replace=args.force)
            size = len(page)
    if args.json:
        is_written = not args.dry_run
        print_json({"path": str(target), "items": n, "bytes": size, "written": is_written})
    elif not args.dry_run:
        print(f"{target}: {n:,} items, {size / 1e6:.1f} MB\n{RIGHTS}")
    return 0
