"""``rivae export``, ``import-run``, ``rename``, ``archive`` and ``password-hash``."""

from __future__ import annotations

import argparse
import getpass
import sys
from pathlib import Path
from typing import Any

from rivae.base.config import ROWS
from rivae.base.errors import ConfigError, RunError
from rivae.cli.common import OPENING_RUN, Steps, add_asks, add_command, path_argument, print_json
from rivae.cli.trash import plans_naming
from rivae.jobs.units import size_text
from rivae.runs import find_run, runs_root
from rivae.runs.folders import own_run
from rivae.runs.notes import keep_about


def add_commands(commands: Any) -> None:
    """Register the commands that manage runs."""
    parser = add_command(
        commands,
        "export",
        _export,
        "write a run to one archive, for another machine, or as one HTML page, for anybody",
        "  rivae export synth-rivae-s0 synth.zip\n"
        "  rivae export synth-rivae-s0 synth.zip --checkpoints\n"
        "  rivae export demo-kitchen kitchen.html\n"
        "  rivae export demo-kitchen kitchen.html --rows all --dry-run",
    )
    parser.add_argument("run_id", metavar="run", help="an id from `rivae runs`")
    parser.add_argument(
        "file",
        type=path_argument,
        help="where to write it: NAME.zip is an archive, NAME.html a page",
    )
    parser.add_argument("--checkpoints", action="store_true", help="so that it can be resumed")
    parser.add_argument("--force", action="store_true", help="replace an existing file")
    parser.add_argument("--rows", choices=ROWS, default="test", help="of a page: the items in it")
    parser.add_argument(
        "--dry-run", action="store_true", help="of a page: say how large it would be"
    )
    add_asks(parser, "a page begins with")

    parser = add_command(
        commands,
        "import-run",
        _import,
        "import an exported run, after checking all of it",
        "  rivae import-run synth.zip\n  rivae import-run synth.zip --name theirs",
    )
    parser.add_argument("file", type=path_argument, help="a file written by `rivae export`")
    parser.add_argument(
        "--name", default="", help="new name of the run; as in the archive by default"
    )

    parser = add_command(
        commands,
        "rename",
        _rename,
        "rename a run, with everything that refers to it",
        "  rivae rename synth-rivae-s0 synth-best",
    )
    parser.add_argument("run_id", metavar="run", help="an id from `rivae runs`")
    parser.add_argument("name", help="new name")

    parser = add_command(
        commands,
        "archive",
        _archive,
        "hide runs from the lists; nothing is deleted",
        "  rivae archive synth-rivae-s0 synth-rivae-s1\n  rivae archive synth-rivae-s0 --undo",
    )
    parser.add_argument("runs", nargs="+", metavar="run", help="ids from `rivae runs --all`")
    parser.add_argument("--undo", action="store_true", help="show them again")

    add_command(
        commands,
        "password-hash",
        _password_hash,
        "print a line for the app's secrets file: a password for trainings",
        "  rivae password-hash >> .streamlit/secrets.toml",
    )


def _export(args: argparse.Namespace) -> int:
    from rivae.runs.archive import export_run

    target = args.file
    if target.exists() and not args.force:
        raise RunError(f"{target} already exists: choose another file, or --force")
    if target.suffix.lower() in (".html", ".htm"):
        return _export_page(args, target)
    if target.suffix.lower() != ".zip":
        raise ConfigError(f"{target} is neither: name an archive .zip, and a page .html")
    if args.dry_run:
        raise ConfigError("--dry-run goes with a page: name it .html")
    manifest = export_run(find_run(args.run_id), target, checkpoints=args.checkpoints)
    size = target.stat().st_size
    if args.json:
        files = [entry.model_dump() for entry in manifest.files]
        print_json({"run": manifest.name, "path": str(target), "bytes": size, "files": files})
    else:
        print(f"{target}: {len(manifest.files)} files of {manifest.name}, {size_text(size)}")
    return 0


def _export_page(args: argparse.Namespace, target: Path) -> int:
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


def _import(args: argparse.Namespace) -> int:
    from rivae.jobs.archive_import import import_run

    result = import_run(args.file, runs_root(), args.name)
    if args.json:
        run = result.run
        print_json({"run": run.id, "path": str(run.path), "remarks": result.remarks})
        return 0
    print(f"{result.run.id}: {result.run.status.state}")
    for remark in result.remarks:
        print(f"  {remark}")
    return 0


def _rename(args: argparse.Namespace) -> int:
    from rivae.jobs.renaming import rename

    run = own_run(args.run_id)
    if plans := plans_naming(run.id):
        raise RunError(f"the labelling plan {plans[0]} uses {run.id}, so this run keeps its name")
    run = rename(run, args.name)
    if args.json:
        print_json({"run": run.id, "path": str(run.path)})
    else:
        print(f"Renamed {args.run_id} to {run.id}")
    return 0


def _archive(args: argparse.Namespace) -> int:
    runs = [own_run(name) for name in args.runs]
    for run in runs:
        keep_about(run, archived=not args.undo)
        if not args.json:
            print(f"{'Unarchived' if args.undo else 'Archived'} {run.id}")
    if args.json:
        print_json([{"run": run.id, "archived": not args.undo} for run in runs])
    return 0


def _password_hash(args: argparse.Namespace) -> int:
    from rivae.app.passwords import password_hash

    if sys.stdin.isatty():
        password = getpass.getpass("password: ", sys.stderr)
        if getpass.getpass("again: ", sys.stderr) != password:
            raise ConfigError("the two passwords differ: try again")
    else:
        password = sys.stdin.readline().rstrip("\r\n")
    hash_text = password_hash(password)
    if args.json:
        print_json({"password_hash": hash_text})
    else:
        print(f'[rivae]\npassword_hash = "{hash_text}"')
    return 0
