"""``rivae axes``: axes beside those of z: added, listed, removed, proposed, baked into a run."""

from __future__ import annotations

import argparse
import csv
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rivae.base.errors import ConfigError, DataError
from rivae.cli.common import (
    OPENING_RUN,
    Steps,
    add_command,
    number,
    path_argument,
    print_json,
    print_table,
)
from rivae.runs import Run, find_run

if TYPE_CHECKING:
    from rivae.exploring.axes.finder import AxisFinder
    from rivae.runs.added_axes import AddedAxis

ACTIONS = ("add", "list", "rename", "remove", "propose", "refit", "bake")
FOOD = "food"  # the guideline that comes with the project
VIEWS = {"first": 0, "second": 1}
MAX_LABELS = 2**22  # bytes of a file of labels


def add_commands(commands: Any) -> None:
    """Register the command."""
    parser = add_command(
        commands,
        "axes",
        _axes,
        "add axes beside those of z, by words, a tag, a factor, examples or labels",
        '  rivae axes add food-s0 --high "sweet dessert, cake" --low "savory dinner, meat"\n'
        "  rivae axes add food-s0 --tag desserts\n"
        "  rivae axes add food-s0 --items ar_1,ar_7,ar_9 --name glazed\n"
        "  rivae axes add food-s0 --labels levels.csv --high fruit --name fruit\n"
        "  rivae axes add food-s0 --guideline food\n"
        "  rivae axes list food-s0 --json\n"
        '  rivae axes rename food-s0 a1 --name "sweetness"\n'
        "  rivae axes remove food-s0 a1 a2\n"
        "  rivae axes propose food-s0 --n 6 --keep\n"
        "  rivae axes refit food-refined\n"
        "  rivae axes bake food-s0 a1 a3 --as food-named",
    )
    parser.add_argument("action", choices=ACTIONS, help="what to do")
    parser.add_argument("run_id", metavar="run", help="an id from `rivae runs`")
    parser.add_argument(
        "axes", nargs="*", help="ids of added axes, to rename, remove or bake; all to bake"
    )
    parser.add_argument("--high", default="", metavar="LINE", help="words of the high end")
    parser.add_argument("--low", default="", metavar="LINE", help="words of the low end")
    parser.add_argument("--tag", default="", help="a tag of the items")
    parser.add_argument("--factor", default="", help="a factor of the data, by name")
    parser.add_argument("--items", default="", metavar="ID,ID", help="items that have it")
    parser.add_argument("--against", default="", metavar="ID,ID", help="items that have it not")
    parser.add_argument(
        "--labels",
        type=path_argument,
        metavar="FILE",
        help="CSV with the columns item and level; texts spread them, from --high and --low",
    )
    parser.add_argument(
        "--guideline",
        metavar="FILE",
        help=f"an axis for each of its factors; {FOOD} for the eight food factors",
    )
    parser.add_argument("--name", default="", help="of the axis; that of its high end by default")
    parser.add_argument("--n", type=int, help="axes to propose; 8 by default")
    parser.add_argument("--keep", action="store_true", help="add what is proposed")
    parser.add_argument("--as", dest="new_name", default="", help="name of the baked run")


def _axes(args: argparse.Namespace) -> int:
    run = find_run(args.run_id)
    if args.axes and args.action not in ("rename", "remove", "bake"):
        raise ConfigError(f"`rivae axes {args.action}` takes no ids: leave out {args.axes[0][:40]}")
    if args.action == "bake":
        new_run = _bake(run, args)
        if args.json:
            print_json({"run": new_run.id, "path": str(new_run.path)})
        else:
            print(f"{new_run.id}: its first axes are those that were added; {new_run.path}")
        return 0
    of_action = {
        "add": _add,
        "list": _listed,
        "rename": _rename,
        "remove": _remove,
        "propose": _propose,
        "refit": _refit,
    }
    axes = of_action[args.action](run, args)
    if args.json:
        print_json([axis.document() for axis in axes])
    else:
        _print(axes, args.action)
    return 0


def _add(run: Run, args: argparse.Namespace) -> Sequence[AddedAxis]:
    levels = _levels(args.labels) if args.labels else ()
    with Steps(run.id, OPENING_RUN, quiet=args.json):
        from rivae.exploring.axes.adding import add_axis, asked_spec

        sources: dict[str, Any] = {
            "tag": args.tag,
            "factor": args.factor,
            "items": _ids(args.items),
            "against": _ids(args.against),
            "levels": levels,
        }
        if not args.guideline:
            spec = asked_spec(args.high, args.low, **sources)
            return [add_axis(run, _finder(run), spec, name=args.name)]
        if args.high or args.low or any(sources.values()):
            raise ConfigError("a guideline asks for all its axes at once: leave out the others")
        from rivae.labels.guideline import FOOD_GUIDELINE, read_guideline
        from rivae.labels.guideline_axes import add_guideline_axes

        path = FOOD_GUIDELINE if args.guideline == FOOD else path_argument(args.guideline)
        return add_guideline_axes(run, _finder(run), read_guideline(path))


def _listed(run: Run, args: argparse.Namespace) -> Sequence[AddedAxis]:
    from rivae.runs.added_axes import added_axes

    return added_axes(run)


def _rename(run: Run, args: argparse.Namespace) -> Sequence[AddedAxis]:
    from rivae.exploring.axes.adding import rename_axis

    if len(args.axes) != 1 or not args.name:
        raise ConfigError("give one id and the new name: rivae axes rename RUN ID --name NAME")
    return [rename_axis(run, args.axes[0], args.name)]


def _remove(run: Run, args: argparse.Namespace) -> Sequence[AddedAxis]:
    from rivae.runs.added_axes import added_axes, find_added, remove_added

    if not args.axes:
        raise ConfigError("name the axes to remove, as `rivae axes list` does")
    axes_there = added_axes(run)
    for axis_id in args.axes:  # all or none
        find_added(axes_there, axis_id)
    return [remove_added(run, axis_id) for axis_id in dict.fromkeys(args.axes)]


def _propose(run: Run, args: argparse.Namespace) -> Sequence[AddedAxis]:
    with Steps(run.id, OPENING_RUN, quiet=args.json) as steps:
        from rivae.exploring.axes.adding import keep_axes
        from rivae.exploring.axes.proposing import propose_axes
        from rivae.runs.added_axes import N_PROPOSED

        drafts = propose_axes(_finder(run), N_PROPOSED if args.n is None else args.n)
        if not drafts:
            steps.keep("nothing measurable: no words, tags or factors that z says something about")
        return keep_axes(run, drafts) if args.keep and drafts else drafts


def _refit(run: Run, args: argparse.Namespace) -> Sequence[AddedAxis]:
    if (base := run.config.refines) is None:
        raise ConfigError(f"{run.id} refines no other run: add its axes with `rivae axes add`")
    with Steps(run.id, OPENING_RUN, quiet=args.json) as steps:
        from rivae.exploring.axes.adding import refit_lacking

        axes, problems = refit_lacking(run, find_run(base))
        for problem in problems:
            steps.keep(problem)
        return axes


def _bake(run: Run, args: argparse.Namespace) -> Run:
    if not args.new_name:
        raise ConfigError("name the new run: --as NAME")
    with Steps(run.id, OPENING_RUN, quiet=args.json):
        from rivae.labels.baked import bake_run
        from rivae.runs.added_axes import added_axes, find_added

        those = added_axes(run)
        if not those:
            raise ConfigError(f"{run.id} has no added axes: add some with `rivae axes add`")
        axes = [find_added(those, axis_id) for axis_id in dict.fromkeys(args.axes)] or those
        return bake_run(run, axes, _finder(run).finder.z, args.new_name)


def _finder(run: Run) -> AxisFinder:
    from rivae.exploring.axes.finder import AxisFinder

    return AxisFinder.open(run)


def _ids(text: str) -> tuple[str, ...]:
    return tuple(filter(None, (part.strip() for part in text.split(","))))


def _levels(path: Path) -> tuple[tuple[str, float], ...]:
    """The levels in a CSV file; an item may be an id or a key of a label file.

    Raises:
        DataError: it cannot be read, or a column is missing, a level no number, an item twice.
    """
    try:
        if path.stat().st_size > MAX_LABELS:
            raise DataError(f"{path.name} has more than {MAX_LABELS:,} bytes: give fewer labels")
        with path.open(encoding="utf-8-sig", newline="") as stream:
            rows = list(csv.DictReader(stream))
    except (OSError, UnicodeDecodeError, csv.Error):
        raise DataError(f"{path.name} cannot be read: give a CSV file in UTF-8") from None
    if not rows or not {"item", "level"} <= set(rows[0]):
        raise DataError(f"{path.name} needs the columns item and level: add them")
    levels: dict[str, float] = {}
    for line, row in enumerate(rows, start=2):
        name = str(row["item"]).rpartition(":")[2]
        try:
            level = float(row["level"])
        except (TypeError, ValueError):
            raise DataError(
                f"line {line} of {path.name} has no number as level: correct it"
            ) from None
        if name in levels:
            raise DataError(f"{path.name} has item {name[:40]} twice: keep one level of it")
        levels[name] = level
    return tuple(levels.items())


def _print(axes: Sequence[AddedAxis], action: str) -> None:
    if not axes:
        print("no added axes")
        return
    rows = []
    for axis in axes:
        views: list[str] = ["–", "–"]
        for score in axis.scores:
            views[VIEWS[score.asks]] = (
                f"{number(score.score)} [{number(score.low)}, {number(score.high)}] "
                f"chance {number(score.chance)}"
            )
        shares = ", ".join(f"{one.name} {number(one.correlation)}" for one in axis.shares[:2])
        low, high = axis.poles
        rows.append([axis.id or "–", axis.name, f"{low} ↔ {high}" if low else high, *views, shares])
    print_table(rows, ("id", "name", "poles", "view 1 asks", "view 2 asks", "shares with"))
    for axis in axes:
        if axis.remark:
            print(f"{axis.id or axis.name}: {axis.remark}")
    if action == "remove":
        print(f"removed {len(axes)}")
