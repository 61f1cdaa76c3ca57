"""``rivae delete`` and ``rivae trash``: move things to the trash, restore or remove them."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from rivae.base.errors import ConfigError, DataError, LabelError
from rivae.base.files import folder_bytes
from rivae.cli.common import add_command, print_json, print_table
from rivae.jobs.units import size_text
from rivae.runs.folders import own_run

EMPTY = "the trash is empty"
NO_LABELS = "there are no labels here, so there is no plan to delete"
KINDS = ("run", "import", "plan", "tour", "names")


def add_commands(commands: Any) -> None:
    """Register ``delete`` and ``trash``."""
    parser = add_command(
        commands,
        "delete",
        _delete,
        "move runs, imports or labelling plans into the trash, after asking",
        "  rivae delete synth-rivae-s0\n  rivae delete synth-rivae-s0 synth-rivae-s1 --yes\n"
        "  rivae delete --import mine\n  rivae delete --plan first\n"
        "You can restore them until the app has run on 30 other dates: rivae trash restore NAME.\n"
        "A plan's labels stay.",
    )
    parser.add_argument("names", nargs="+", metavar="name", help="runs as in `rivae runs`")
    _add_kinds(parser, ("import", "plan"))
    parser.add_argument("--yes", action="store_true", help="do not ask")

    parser = add_command(
        commands,
        "trash",
        _list,
        "list deleted things, restore them, or remove them for good",
        "  rivae trash\n  rivae trash restore synth-rivae-s0\n  rivae trash empty\n"
        "Listing first removes for good what has lain there on 30 other dates.",
    )
    below = parser.add_subparsers(metavar="COMMAND")
    back = add_command(
        below,
        "restore",
        _restore,
        "restore something from the trash",
        "  rivae trash restore synth-rivae-s0\n  rivae trash restore mine --import\n"
        "  rivae trash restore 20260102T030405.678Z-synth-rivae-s0",
    )
    back.add_argument("name", help="or an id from `rivae trash`; the last deleted of that name")
    _add_kinds(back, KINDS)
    rest = add_command(
        below,
        "empty",
        _empty,
        "empty the trash for good, after asking",
        "  rivae trash empty\n  rivae trash empty --yes",
    )
    rest.add_argument("--yes", action="store_true", help="do not ask")


def _add_kinds(parser: argparse.ArgumentParser, kinds: tuple[str, ...]) -> None:
    group = parser.add_mutually_exclusive_group()
    what = {
        "run": "a run",
        "import": "imported data (see the Data page)",
        "plan": "a labelling plan",
        "tour": "a tour of the Steer page",
        "names": "removed axis names of a run (see the Words page)",
    }
    for kind in kinds:
        group.add_argument(
            f"--{kind}", dest="kind", action="store_const", const=kind, help=what[kind]
        )


@dataclass(frozen=True)
class _Doomed:
    """Something to delete: the question to confirm, its size, and the function that deletes it."""

    name: str
    question: str
    bytes: int | None
    delete: Callable[[], object]


def _delete(args: argparse.Namespace) -> int:
    kind = args.kind or "run"
    # If one is missing, none is deleted.
    targets = [
        {"run": _run, "import": _import, "plan": _plan}[kind](name)
        for name in dict.fromkeys(args.names)
    ]
    rows: list[dict[str, Any]] = []
    for one in targets:
        if not args.yes and not _confirmed(f"delete {one.question}? "):
            rows.append({kind: one.name, "deleted": False})
            continue
        one.delete()
        rows.append({kind: one.name, "deleted": True, "bytes": one.bytes})
        if not args.json:
            print(f"Moved {one.name} to the trash: `rivae trash restore {one.name}` restores it")
    if args.json:
        print_json(rows)
    return 0 if all(row["deleted"] for row in rows) else 1


def _run(name: str) -> _Doomed:
    from rivae.jobs.deletion import delete_run
    from rivae.jobs.renaming import children_of

    run = own_run(name)
    size = folder_bytes(run.path)
    child_ids = [child.id for child in children_of(run)]
    note = f" (runs derived from it are kept: {', '.join(child_ids)})" if child_ids else ""
    if plans := plans_naming(run.id):
        note += f" (used by labelling plan {', '.join(plans)}, which needs one of its runs)"
    return _Doomed(run.id, f"{run.id}, {size_text(size)}{note}", size, lambda: delete_run(run))


def _import(name: str) -> _Doomed:
    from rivae.data.store import own_store
    from rivae.jobs.deletion import delete_import, runs_on

    folder = own_store(name)
    size = folder_bytes(folder)
    runs = [run.id for run in runs_on(folder)]
    note = f" ({', '.join(runs)} will not open without it)" if runs else ""
    return _Doomed(
        name, f"the import {name}, {size_text(size)}{note}", size, lambda: delete_import(name)
    )


def plans_naming(run_id: str) -> list[str]:
    """The labelling plans that name the run."""
    from rivae.labels.kept_plans import plans_of_run
    from rivae.labels.opening import labels_are_kept, open_labels

    if not labels_are_kept():
        return []
    with closing(open_labels()) as store:
        return plans_of_run(store, run_id)


def _plan(name: str) -> _Doomed:
    from rivae.labels.kept_plans import delete_plan, require_plan
    from rivae.labels.opening import labels_are_kept, open_labels

    if not labels_are_kept():
        raise LabelError(NO_LABELS)
    with closing(open_labels()) as store:
        require_plan(store, name)

    def delete() -> None:
        with closing(open_labels()) as store:
            delete_plan(store, name)

    return _Doomed(name, f"the labelling plan {name} (its labels stay)", None, delete)


def _deleted_plans() -> list[tuple[str, datetime]]:
    from rivae.labels.kept_plans import deleted_plans
    from rivae.labels.opening import labels_are_kept, open_labels

    if not labels_are_kept():
        return []
    with closing(open_labels()) as store:
        return deleted_plans(store)


def _rows() -> list[dict[str, Any]]:
    """The entries of the trash, the last deleted first; a plan has no size and no end date."""
    from rivae.jobs.deletion import all_deleted

    rows: list[dict[str, Any]] = [
        {
            "kind": one.kind,
            "name": one.name,
            "id": one.id,
            "deleted": one.deleted,
            "dates_left": one.dates_left,
            "bytes": one.bytes,
        }
        for one in all_deleted()
    ]
    rows += [
        {
            "kind": "plan",
            "name": name,
            "id": name,
            "deleted": when,
            "dates_left": None,
            "bytes": None,
        }
        for name, when in _deleted_plans()
    ]
    return sorted(rows, key=lambda row: row["deleted"], reverse=True)


def _list(args: argparse.Namespace) -> int:
    from rivae.jobs.deletion import purge_all

    purge_all()
    rows = _rows()
    if args.json:
        print(json.dumps(rows, default=datetime.isoformat))
    elif not rows:
        print(EMPTY)
    else:
        print_table(
            [
                (
                    row["kind"],
                    row["name"],
                    f"{row['deleted'].astimezone(UTC):%Y-%m-%d}",
                    "–" if row["dates_left"] is None else str(row["dates_left"]),
                    "–" if row["bytes"] is None else size_text(row["bytes"]),
                    row["id"],
                )
                for row in rows
            ],
            ("what", "name", "deleted", "dates left", "size", "id"),
        )
    return 0


def _restore(args: argparse.Namespace) -> int:
    rows = [
        row
        for row in _rows()
        if args.name in (row["name"], row["id"]) and args.kind in (None, row["kind"])
    ]
    kinds = sorted({row["kind"] for row in rows}, key=KINDS.index)
    if not rows:
        what = args.kind or "run, import, plan, tour or axis names"
        raise DataError(
            f"there is no {what} '{args.name[:80]}' in the trash: `rivae trash` lists its contents"
        )
    if len(kinds) > 1:
        flags = " or ".join(f"--{kind}" for kind in kinds)
        raise DataError(f"the trash has more than one kind of '{args.name[:80]}': add {flags}")
    name = _brought_back(rows[0])
    if args.json:
        print_json({kinds[0]: name, "restored": True})
    else:
        from rivae.runs.trash import RESTORED

        print(RESTORED.format(name))
    return 0


def _brought_back(row: dict[str, Any]) -> str:
    from rivae.jobs.deletion import TRASHES, restore

    if row["kind"] in TRASHES:
        return restore(TRASHES[row["kind"]]().entry(row["id"]))
    from rivae.labels.kept_plans import restore_plan
    from rivae.labels.opening import open_labels

    with closing(open_labels()) as store:
        restore_plan(store, row["name"])
    return str(row["name"])


def _empty(args: argparse.Namespace) -> int:
    from rivae.jobs.deletion import TRASHES, all_deleted

    entries = all_deleted()
    size = size_text(sum(one.bytes for one in entries))
    names = ", ".join(one.name for one in entries[:5]) + (", …" if len(entries) > 5 else "")
    n_bytes = 0
    if entries:
        question = f"remove {names} ({size}) for good? "
        if not args.yes and not _confirmed(question):
            return 1
        n_bytes = sum(trash().empty() for trash in TRASHES.values())
    if args.json:
        print_json({"removed": len(entries), "bytes": n_bytes})
    else:
        print(f"{EMPTY}, {size_text(n_bytes)} freed")
    return 0


def _confirmed(question: str) -> bool:
    if not sys.stdin.isatty():
        raise ConfigError(f"{question.rstrip()} use --yes where nobody can be asked")
    print(question + "[y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")
