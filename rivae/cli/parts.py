"""``rivae parts``: every method, data set, metric, index, step and source that there is."""

from __future__ import annotations

import argparse
import json
from typing import Any

from rivae.base.errors import ConfigError
from rivae.base.parts import Parts
from rivae.base.reading.documents import printable


def add_commands(commands: Any) -> None:
    """Add ``rivae parts``."""
    parser = commands.add_parser(
        "parts",
        help="list methods, data sets, metrics, indexes, steps on the axes, sources of features",
        description="Lists what there is of each kind: of this package, and of installed ones.",
        epilog="examples:\n  rivae parts\n  rivae parts method --json",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("kind", nargs="?", help="one kind alone, such as method")
    parser.add_argument("--json", action="store_true", help="print one JSON object per line")
    parser.set_defaults(run=_run)


def _run(args: argparse.Namespace) -> int:
    from rivae.api.register import kinds

    every = {parts.kind: parts for parts in kinds()}
    if args.kind and args.kind not in every:
        names = ", ".join(every)
        raise ConfigError(f"there is no kind '{printable(args.kind[:80])}': the kinds are {names}")
    for kind, parts in every.items():
        if args.kind in (None, kind):
            rows = [_row(parts, name) for name in parts]
            if args.json:
                print("\n".join(json.dumps({"kind": kind, **row}) for row in rows))
            else:
                print(f"{kind}:")
                width = max(len(row["name"]) for row in rows)
                print("\n".join(f"  {row['name']:{width}}  {_about(row)}" for row in rows))
    return 0


def _row(parts: Parts[Any], name: str) -> dict[str, str]:
    if trouble := parts.trouble(name):
        return {"name": name, "error": printable(trouble)}
    title, blurb = (str(parts.said(name, each, "")) for each in ("title", "blurb"))
    row = {"name": name, "title": printable(title), "blurb": printable(blurb)}
    return {**row, "clash": printable(clash)} if (clash := parts.clash(name)) else row


def _about(row: dict[str, str]) -> str:
    if "error" in row:
        return f"does not load: {row['error']}"
    return ". ".join(filter(None, (row["title"], row["blurb"], row.get("clash", ""))))
