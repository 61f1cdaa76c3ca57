"""``rivae import``."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rivae.cli.common import Steps, add_command
from rivae.errors import ConfigError

if TYPE_CHECKING:
    from rivae.importing.plan import Plan


def add_commands(commands: Any) -> None:
    """Register ``import``."""
    parser = add_command(
        commands,
        "import",
        _import,
        "import pairs of pictures and texts: a table with pictures, or Recipe1M",
        "  rivae import recipes.csv --images photos/ --name mine --dry-run\n"
        "  rivae import recipes.jsonl.gz --images photos.zip --name mine --paper-filter\n"
        "  rivae import table.csv --images photos --name mine --map picture=file --factor depth\n"
        "  rivae import RECIPE1M_FOLDER --name recipe1m --tags RAW_recipes.csv\n"
        "After a stop, the same command resumes. Then: rivae train mine",
    )
    parser.add_argument(
        "source", type=Path, help="CSV, TSV, JSON lines or Parquet; or a folder like Recipe1M's"
    )
    parser.add_argument(
        "--images",
        type=Path,
        action="append",
        default=[],
        metavar="PATH",
        help="folder or zip with the pictures; may be given several times",
    )
    parser.add_argument("--name", required=True, help="of the new data set")
    parser.add_argument("--title", default="", help="what a person calls it")
    parser.add_argument(
        "--map",
        action="append",
        default=[],
        metavar="ROLE=COLUMN",
        help="which column is what: picture, id, title, ingredients, instructions, tags, url, "
        "partition; an empty column for none (default: by their names)",
    )
    parser.add_argument(
        "--factor", action="append", default=[], metavar="COLUMN", help="a known factor"
    )
    parser.add_argument("--tags", type=Path, help="Recipe1M: food.com's RAW_recipes.csv")
    parser.add_argument(
        "--embeddings",
        type=Path,
        nargs=2,
        metavar=("PICTURES", "TEXTS"),
        help="your own embeddings of both sides (.npy or Parquet), a row per record; then no "
        "pictures are needed. Train on them with --set dataset.features=own",
    )
    parser.add_argument("--encoding", default="utf-8", help="of a text table")
    parser.add_argument("--side", type=int, default=256, help="largest side of stored pictures")
    parser.add_argument(
        "--paper-filter",
        action="store_true",
        help="only 1-20 ingredients and 1-20 instructions (always so for Recipe1M)",
    )
    parser.add_argument("--dry-run", action="store_true", help="check everything, write nothing")


def _import(args: argparse.Namespace) -> int:
    args.resume_hint = "the same command resumes where it stopped"
    with Steps("import", f"opening {args.source.name}") as steps:
        from rivae.importing import run_import

        plan = _plan(args)
        settings = plan.settings()
        report = run_import(plan.source(), settings, dry_run=plan.dry_run, progress=steps)
    if args.json:
        out = {**report.to_dict(), "folder": None if args.dry_run else str(settings.folder)}
        print(json.dumps(out))
        return 0
    print("\n".join(report.lines()))
    if args.dry_run:
        print("nothing was written (--dry-run)")
    else:
        print(f"{settings.folder} is ready: rivae train {settings.name}")
    return 0


def _plan(args: argparse.Namespace) -> Plan:
    from rivae.importing.plan import Plan

    roles = {}
    for pair in args.map:
        role, equals, column = pair.partition("=")
        if not equals:
            raise ConfigError(f"'{pair}' is not a mapping: write --map role=COLUMN")
        roles[role] = column
    return Plan(
        table=args.source,
        images=tuple(args.images),
        name=args.name,
        title=args.title,
        roles=roles,
        factors=tuple(args.factor),
        tags=args.tags,
        encoding=args.encoding,
        embeddings=tuple(args.embeddings) if args.embeddings else None,
        side=args.side,
        paper_filter=args.paper_filter,
        dry_run=args.dry_run,
    )
