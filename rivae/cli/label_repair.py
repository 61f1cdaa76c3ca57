"""``rivae labels repair``: save the labels of a damaged store."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING, Any

from rivae.cli.common import add_command

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

    found = repair(args.store or labels_url(), replace=args.replace)
    if args.json:
        print(json.dumps(_json(found)))
    else:
        print("\n".join(_said(found)))
    nothing = bool(found.trouble) and found.written is None
    return 1 if found.lost or nothing else 0


def _json(found: Repair) -> dict[str, Any]:
    day, n = found.newest_backup or (None, 0)
    return {
        "trouble": found.trouble,
        "read": found.read,
        "from_backups": found.from_backups,
        "lost": found.lost,
        "documents": found.documents,
        "written": found.written and str(found.written),
        "kept": found.kept and str(found.kept),
        "newest_backup": found.newest_backup and {"day": str(day), "events": n},
    }


def _said(found: Repair) -> list[str]:
    if not found.trouble:
        lines = [f"the store is whole ({found.read:,} events): nothing to repair"]
    else:
        lost = f"{found.lost:,} are lost" if found.lost else "none is known to be lost"
        lines = [
            found.trouble,
            f"{found.read:,} events read from it, {found.from_backups:,} more from backups; {lost}",
        ]
    if found.newest_backup:
        day, n = found.newest_backup
        lines.append(f"the newest backup is of {day} and holds {n:,} events")
    else:
        lines.append("there is no backup")
    if found.written:
        lines.append(f"{found.written} holds what was saved, with {found.documents:,} documents")
        lines.append(f"the damaged file is kept as {found.kept}")
    elif found.trouble:
        lines.append("there was nothing to save: move the file away to start over")
    return lines
