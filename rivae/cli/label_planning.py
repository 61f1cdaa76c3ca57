"""``rivae labels plan``, and ``estimates``: what a part of a plan's labels say."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from rivae.base.errors import ConfigError, LabelError
from rivae.base.files import json_ready
from rivae.cli.common import Steps, add_asks, add_command, path_argument, print_json, print_table
from rivae.cli.label_reports import add_store, opened
from rivae.runs import find_run

if TYPE_CHECKING:
    from rivae.labels.early.estimates import LabelEstimates


def add_command_plan(below: Any) -> None:
    """Register ``plan`` below ``labels``."""
    making = add_command(
        below,
        "plan",
        _plan,
        "make and keep a labelling plan for the scores of evaluated runs",
        "  rivae labels plan first demo-kitchen --minutes 20\n"
        "  rivae labels plan all demo-kitchen demo-kitchen-cos-sim-lvm --queries 20\n"
        "  rivae labels plan mine my-run --guideline factors.json --repeats .1 --seed 3\n"
        "With --minutes, `rivae labels estimates` has numbers with intervals early; without it\n"
        "whole queries are labelled one after the other.",
    )
    making.add_argument("name", help="of the plan: a-z, 0-9, '.', '_' and '-'")
    making.add_argument("runs", nargs="+", metavar="run", help="evaluated runs on one data set")
    making.add_argument("--queries", type=int, help="measured queries of each run; all by default")
    add_asks(making, "finds the items to label")
    making.add_argument("--repeats", type=float, help="share of hidden repeats, .05 to .10")
    making.add_argument(
        "--guideline",
        type=path_argument,
        metavar="FILE",
        help="factors; the paper's eight by default",
    )
    making.add_argument("--seed", type=int, default=0, help="of the order")
    making.add_argument(
        "--minutes",
        type=float,
        help="time to label: the most retrieved items of 20 queries first; 'inf' for all of them",
    )
    making.add_argument(
        "--annotator", default="", help="whose pace fills the minutes; 4 s an answer by default"
    )
    add_store(making)


def add_command_estimates(below: Any) -> None:
    """Register ``estimates`` below ``labels``."""
    estimating = add_command(
        below,
        "estimates",
        _estimates,
        "D, C, I and MCC of a run from the labels so far, with 90 %% intervals",
        "  rivae labels estimates demo-kitchen\n"
        "  rivae labels estimates demo-kitchen --plan first --factor fruit --factor greenness",
    )
    estimating.add_argument("run_id", metavar="run", help="an evaluated run of `rivae runs`")
    estimating.add_argument(
        "--plan", help="made with --minutes; the newest that serves the run by default"
    )
    estimating.add_argument(
        "--factor", action="append", metavar="ID", help="every factor of the plan by default"
    )
    add_store(estimating)


def _plan(args: argparse.Namespace) -> int:
    steps = Steps("plan")
    steps("starting")  # before the imports, which take seconds
    from rivae.labels.early.sample import N_QUERIES, make_early_plan, pace
    from rivae.labels.guideline import read_guideline
    from rivae.labels.kept_plans import TAKEN, keep_plan, plan_names
    from rivae.labels.plan import REPEATS, make_plan

    if args.minutes is not None and args.repeats is not None:
        raise ConfigError("a plan of --minutes repeats one item in fifteen: leave --repeats out")
    guideline = read_guideline(args.guideline) if args.guideline else read_guideline()
    runs = [find_run(name) for name in args.runs]
    with opened(args) as store, steps:
        if args.name in plan_names(store):
            raise LabelError(TAKEN.format(args.name[:80]))
        if args.minutes is None:
            plan = make_plan(
                runs,
                args.name,
                n_queries=args.queries,
                asks=args.ask_with,
                repeats=REPEATS if args.repeats is None else args.repeats,
                guideline=guideline.version,
                random_state=args.seed,
                progress=steps,
            )
        else:
            plan = make_early_plan(
                runs,
                args.name,
                minutes=None if args.minutes == float("inf") else args.minutes,
                n_factors=len(guideline.ids),
                seconds=pace(store, args.annotator, guideline.ids),
                n_queries=N_QUERIES if args.queries is None else args.queries,
                asks=args.ask_with,
                guideline=guideline.version,
                random_state=args.seed,
                progress=steps,
            )
        keep_plan(store, plan, guideline)
    content = {
        "plan": plan.id,
        "data set": plan.dataset,
        "items": len(plan.items),
        "repeats": len(plan.repeats),
        "factors": list(guideline.ids),
        "runs": {run.id: run.n_items for run in plan.runs},
    }
    if args.json:
        print_json(content)
        return 0
    print(
        f"{plan.id}: {len(plan.items):,} items of {plan.dataset}, {len(plan.repeats)} of them "
        f"twice, {len(guideline.ids)} factors"
    )
    for run in plan.runs:
        print(f"  {run.id} needs {run.n_items:,}")
    print("label them on the Label page: rivae serve")
    return 0


def _estimates(args: argparse.Namespace) -> int:
    steps = Steps("estimates")
    steps("starting")
    run = find_run(args.run_id)
    with opened(args) as store, steps:
        from rivae.labels.early.of_run import estimates_of_run

        found = estimates_of_run(store, run, args.plan, args.factor, progress=steps)
    if args.json:
        print_json(json_ready(record(run.id, found)))
        return 0
    print(f"{run.id}: {found.share:.0%} of the steps labelled; 90 % intervals")
    reasons = {one.reason for one in found.scores.values() if one.reason}
    if len(reasons) == 1:
        print(f"  no scores yet: {reasons.pop()}")
    else:
        rows = [(f"  {name}", str(one)) for name, one in found.scores.items()]
        print_table(rows, ("  score", "between"))
    print_table(
        [
            (f"  {factor}", str(found.labelled[k]), f"{found.steps[k]:.0%}", _best(found, k))
            for k, factor in enumerate(found.factors)
        ],
        ("  factor", "items", "steps", "goes most with"),
    )
    if found.slips is not None:
        rate = found.slips
        print(
            f"  of {rate.n} answers asked twice, {rate.rate:.0%} slipped by a level "
            f"({rate.low:.0%} to {rate.high:.0%}): the numbers are corrected for it"
        )
    if found.left_out:
        print(f"  {found.left_out:,} items that this plan did not choose count for nothing")
    return 0


def _best(found: LabelEstimates, k: int) -> str:
    column = found.table[:, k]
    if (column != column).all():
        return "–"
    j = int(column.argmax())
    return f"z{j + 1}: {found.low[j, k]:.2f} – {found.high[j, k]:.2f}"


def record(run_id: str, found: LabelEstimates) -> dict[str, Any]:
    """Estimates as JSON."""
    return {
        "run": run_id,
        "steps": found.share,
        "left_out": found.left_out,
        "slips": None if found.slips is None else asdict(found.slips),
        "scores": {
            name: {"value": one.value, "low": one.low, "high": one.high, "reason": one.reason}
            for name, one in found.scores.items()
        },
        "factors": [
            {
                "factor": factor,
                "items": found.labelled[k],
                "steps": found.steps[k],
                "correlations": [
                    {"value": value, "low": low, "high": high}
                    for value, low, high in zip(
                        found.table[:, k].tolist(),
                        found.low[:, k].tolist(),
                        found.high[:, k].tolist(),
                        strict=True,
                    )
                ],
            }
            for k, factor in enumerate(found.factors)
        ],
    }
