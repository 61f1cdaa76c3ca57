"""``rivae labels repair``: save the labels of a damaged store."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from rivae.cli.common import add_command, print_json

if TYPE_CHECKING:
    from rivae.labels.repair import Repair


def add_command_repair(below: Any) -> None:
    """Register ``repair`` below ``labels``."""
    parser = add_command(
        below,
        "repair",
        _repair,
        "save the labels of a damaged store: what is still readable, and its backups",
        "  rivae labels repair\n  rivae labels repair --store labels/labels.db --replace\n"
        "Writes a new store beside the damaged file, which stays as it is. With --replace the new\n"
        "one takes its name, and the damaged file is kept as labels.damaged.db: stop the app\n"
        "before. Exit code 1: something was lost, or there was nothing to save.",
    )
    parser.add_argument(
        "--store", metavar="FILE", help="the file; $RIVAE_LABELS or labels/labels.db by default"
    )
    parser.add_argument(
        "--replace", action="store_true", help="put the new store in the place of the damaged one"
    )


def _repair(args: argparse.Namespace) -> int:
    from rivae.labels.opening import labels_url
    from rivae.labels.repair import repair

    result = repair(args.store or labels_url(), replace=args.replace)
    if args.json:
        print_json(_json(result))
    else:
        print("\n".join(_said(result)))
    nothing = bool(result.trouble) and result.written is None
    return 1 if result.lost or nothing else 0


def _json(result: Repair) -> dict[str, Any]:
    day, n = result.newest_backup or (None, 0)
    return {
        "trouble": result.trouble,
        "read": result.read,
        "from_backups": result.from_backups,
        "lost": result.lost,
        "documents": result.documents,
        "written": result.written and str(result.written),
        "kept": result.kept and str(result.kept),
        "newest_backup": result.newest_backup and {"day": str(day), "events": n},
    }


def _said(result: Repair) -> list[str]:
    if not result.trouble:
        lines = [f"the store is whole ({result.read:,} events): nothing to repair"]
    else:
        losses = f"{result.lost:,} are lost" if result.lost else "none is known to be lost"
        lines = [
            result.trouble,
            f"{result.read:,} events read from it, {result.from_backups:,} more from backups; "
            f"{losses}",
        ]
    if result.newest_backup:
        day, n = result.newest_backup
        lines.append(f"the newest backup is of {day} and holds {n:,} events")
    else:
        lines.append("there is no backup")
    if result.written:
        lines.append(f"{result.written} holds what was saved, with {result.documents:,} documents")
        lines.append(f"the damaged file is kept as {result.kept}")
    elif result.trouble:
        lines.append("there was nothing to save: move the file away to start over")
    return lines
