"""``rivae runs``, ``evaluate``, ``traverse`` and ``serve``: trained runs."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rivae.app.serve import add_serve_options, chosen_options, serve
from rivae.base.errors import ConfigError, RivaeError, RunError
from rivae.cli.common import (
    OPENING_RUN,
    Steps,
    add_asks,
    add_command,
    number,
    path_argument,
    print_json,
    print_table,
)
from rivae.metrics.measures.dci_paper import METRICS as D_C_I
from rivae.metrics.measures.retrieval import MEDIAN_RANK, RECALL
from rivae.retrieval.ranges import CHOICES, PAPER, parse_range
from rivae.runs import Run, find_run, list_runs
from rivae.runs.evaluation_file import FILES, Evaluation
from rivae.runs.folders import COMES_ALONG, is_demo
from rivae.runs.notes import is_archived
from rivae.runs.opening import missing, trouble

if TYPE_CHECKING:
    from rivae.data.base import PairedDataset
    from rivae.models.base import Method
    from rivae.training.alignment.certainty import Certainty

LISTED = (RECALL[1], MEDIAN_RANK, *D_C_I)  # of every run in `rivae runs`


def add_commands(commands: Any) -> None:
    """Register the commands about trained runs."""
    parser = add_command(
        commands,
        "runs",
        _runs,
        "list the runs, newest first, without the archived ones",
        "  rivae runs\n  rivae runs --all --json",
    )
    parser.add_argument("--all", action="store_true", help="archived ones too")

    parser = add_command(
        commands,
        "evaluate",
        _evaluate,
        "measure retrieval and factors of trained runs",
        "  rivae evaluate sprites-rivae-s0\n"
        "  rivae evaluate synth-rivae-s0 synth-rivae-s1 --range prior --alpha 5\n"
        "  rivae evaluate food-rivae-s0 --ask-with second\n"
        "  rivae evaluate demo-sprites --json",
    )
    parser.add_argument("runs", nargs="+", metavar="run", help="ids from `rivae runs`")
    parser.add_argument("--range", default=PAPER, help=CHOICES)
    parser.add_argument("--alpha", type=float, default=10.0, help="of rho(c)=exp(alpha c)")
    parser.add_argument("--queries", type=int, help="traversed test queries")
    parser.add_argument(
        "--samples",
        type=int,
        action="append",
        help="retrieval by so many samples of P(z|v1); may be repeated; 1 and 20 by default",
    )
    parser.add_argument("--nulls", type=int, default=100, help="permutations per null; 0 = none")
    add_asks(parser, "is measured against the factors; each has a file of its own")

    parser = add_command(
        commands,
        "traverse",
        _traverse,
        "write traversal strips and factor plots as PNG, SVG and HTML",
        "  rivae traverse sprites-rivae-s0\n"
        "  rivae traverse synth-rivae-s0 --query 17 --dims 1,2 --k 3 --out figures\n"
        "  rivae traverse digits --range -5,5 --all-points",
    )
    parser.add_argument("run_id", metavar="run", help="an id from `rivae runs`")
    parser.add_argument("--query", type=int, action="append", help="data row; may be repeated")
    parser.add_argument("--dims", help="axes counted from 1, e.g. 1,3; all by default")
    parser.add_argument("--range", default=PAPER, help=CHOICES)
    parser.add_argument("--k", type=int, default=3, help="items per point, 1 to 10")
    parser.add_argument("--all-points", action="store_true", help="not only change points")
    parser.add_argument(
        "--out", type=path_argument, default="traversals", help="folder for the files"
    )

    parser = add_command(
        commands,
        "serve",
        _serve,
        "start the app on this machine",
        "  rivae serve\n  rivae serve --port 9000 --headless",
    )
    add_serve_options(parser)


def _runs(args: argparse.Namespace) -> int:
    rows = [_summary(run) for run in list_runs() if args.all or not is_archived(run)]
    if args.json:
        print_json(rows)
    elif not rows:
        print("no runs yet: `rivae train sprites` makes one")
    else:
        keys = ["run", "state", "data set", "method", *(m.label for m in LISTED), "date"]
        table = [[_cell(row.get(key)) for key in keys] for row in rows]
        reasons = [r["message"] if r["state"] in ("broken", "finished") else "" for r in rows]
        if any(reasons):
            keys.append("reason")
            table = [[*cells, reason] for cells, reason in zip(table, reasons, strict=True)]
        print_table(table, keys)
    return 0


def _cell(value: Any) -> str:
    return number(value) if isinstance(value, float) or value is None else str(value)


def _summary(run: Run) -> dict[str, Any]:
    """A row of the list of runs; for a broken run its error and the readable fields."""
    try:
        status, config = run.status, run.config
    except RunError as error:
        return {"run": run.id, "state": "broken", "message": str(error), "path": str(run.path)}
    evaluation: Evaluation | None = None
    state, message = str(status.state), status.message
    try:
        evaluation = run.evaluation
        message = missing(run) or message or run.data_change
    except RivaeError as error:
        state, message = "broken", str(error)
    if state == "finished" and (why := trouble(run, quick=True)):
        state, message = "broken" if run.opens else state, why  # scores need no model
    return {
        "run": run.id,
        "state": state,
        "message": message,
        "data set": config.dataset.name,
        "method": config.method.name,
        "preset": config.method.preset,
        "seed": config.seed,
        **{m.label: evaluation.score(m.key) if evaluation else None for m in LISTED},
        "date": status.updated[:10],
        "path": str(run.path),
    }


def _evaluate(args: argparse.Namespace) -> int:
    out, not_kept = {}, ""
    runs, traversal = [find_run(name) for name in args.runs], parse_range(args.range)
    for run in runs:
        with Steps(run.id, OPENING_RUN, quiet=args.json) as steps:
            from rivae.evaluation.of_run import SAMPLES, evaluate, require_settings

            samples = args.samples or SAMPLES
            require_settings(
                n_queries=args.queries, alpha=args.alpha, samples=samples, shuffles=[args.nulls]
            )
            if not is_demo(run):
                try:
                    run.require_evaluation_room()
                except RunError as error:
                    steps.keep(f"{error}; its numbers are printed all the same")
            data = run.load_dataset()
            method = run.load_method(data)
            result = evaluate(
                method,
                data,
                n_queries=args.queries,
                alpha=args.alpha,
                traversal=traversal,
                samples=samples,
                null_permutations=args.nulls,
                null_permutations_slow=min(args.nulls, 20),
                asks=args.ask_with,
                progress=steps,
            )
        is_kept = not is_demo(run)
        try:
            if is_kept:
                run.write_evaluation(result, or_elsewhere=True)
        except RunError as error:  # the numbers are still shown
            is_kept, not_kept = False, str(error)
        axes, names = _certainty(run, method, data)
        out[run.id] = result.document()
        if axes:
            out[run.id]["certainty"] = [
                {**axis.model_dump(mode="json"), "reason": axis.reason(names)} for axis in axes
            ]
        if not args.json:
            _print_evaluation(run, result, is_kept)
            _print_certainty(axes, names)
    if args.json:
        print_json(out)
    if not_kept:
        print(f"rivae: {not_kept}", file=sys.stderr)
    return 1 if not_kept else 0


def _print_evaluation(run: Run, result: Evaluation, is_kept: bool) -> None:
    print(f"{run.id} ({run.config.dataset.name}, {run.config.method.name})")
    first = result.along[0]
    digits = first.digits.results if first.digits else {}
    groups = [*result.searches(), ("", first.factors), ("", digits)]
    rows = [
        [
            f"  {name}, {way}" if way else f"  {name}",
            number(value.score, 3),
            number(value.std, 3),
            number(value.null.mean, 3),
        ]
        for way, group in groups
        for name, value in group.items()
    ]
    print_table(rows, ("  metric", "score", "s.d.", "chance"))
    for effects in result.effects:
        print(f"  {effects.sentence}")
    if is_kept:
        print(f"  written to {run.path / FILES[result.settings.asks]}")
    elif is_demo(run):
        print(f"  not written: {COMES_ALONG.format(run.id)}")


def _certainty(run: Run, method: Method, data: PairedDataset) -> tuple[Certainty, list[str]]:
    """How sure the run's axes are and their names; nothing where nothing can say it."""
    from rivae.exploring.words.axis_names import names_of_axes
    from rivae.retrieval.model import LatentModel
    from rivae.training.alignment.certainty import certainty_of

    axes = certainty_of(run, LatentModel(method), data)
    return axes, names_of_axes(run, len(axes))


def _print_certainty(axes: Certainty, names: Sequence[str]) -> None:
    if not axes:
        return
    rows = [
        [
            f"  {names[axis.axis]}",
            axis.verdict,
            f"{axis.n_held} of {axis.n_fits}",
            number(axis.agreement),
            number(axis.inside),
            f"{axis.turn:.0f}°",
            number(axis.dependence),
            ", ".join(names[j] for j in axis.partners),
        ]
        for axis in axes
    ]
    print_table(
        rows, ("  axis", "sure?", "held by", "|r|", "R²", "turn", "dependence", "plane with")
    )
    for axis in axes:
        if axis.verdict != "sure":
            print(f"  {names[axis.axis]}: {axis.reason(names)}")


def _traverse(args: argparse.Namespace) -> int:
    dims = None
    if args.dims:
        try:
            dims = [int(part) - 1 for part in args.dims.split(",")]
        except ValueError:
            raise ConfigError(f"'{args.dims}' names no axes: write e.g. 1,3") from None
    if not 1 <= args.k <= 10:
        raise ConfigError(f"k must lie between 1 and 10, got {args.k}")
    run, traversal = find_run(args.run_id), parse_range(args.range)
    with Steps(run.id, OPENING_RUN, quiet=args.json) as steps:
        from rivae.figures.of_run import write_traversals

        files = write_traversals(
            run,
            args.out,
            queries=args.query,
            dims=dims,
            traversal=traversal,
            k=args.k,
            changes_only=not args.all_points,
            progress=steps,
        )
    if args.json:
        print_json([str(path) for path in files])
    else:
        for path in files:
            print(path)
    return 0


def _serve(args: argparse.Namespace) -> int:
    return serve(args.port, args.address, args.headless, **chosen_options(args))
