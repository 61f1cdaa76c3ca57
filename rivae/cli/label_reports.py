"""``rivae labels agreement``, ``scores`` and ``align``: what labels say, and axes from them."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any

from rivae.base.errors import LabelError
from rivae.base.files import json_ready
from rivae.cli.common import (
    OPENING_DATA,
    Steps,
    add_asks,
    add_command,
    number,
    print_json,
    print_table,
)
from rivae.labels.annotators import require_known
from rivae.runs import Run, find_run, list_runs

if TYPE_CHECKING:
    from rivae.labels.guideline import Guideline
    from rivae.labels.plan import LabelPlan
    from rivae.labels.run_scores import Labelled
    from rivae.labels.scores import LabelScores
    from rivae.labels.store import LabelStore

NO_SCORE = "no score yet: no factor has enough queries of which nine tenths are labelled"


def add_store(parser: argparse.ArgumentParser) -> None:
    """The option that says where labels are kept."""
    parser.add_argument(
        "--store",
        metavar="URL",
        help="FILE, sqlite:///FILE or postgresql://...; default $RIVAE_LABELS or labels/labels.db",
    )


def opened(args: argparse.Namespace) -> LabelStore:
    """The store that ``--store`` names; LabelError when it cannot be opened."""
    from rivae.labels.opening import open_labels

    return open_labels(args.store or "", lambda text: print(f"rivae: {text}", file=sys.stderr))


def add_commands(below: Any) -> None:
    """Register them below ``labels``."""
    agreeing = add_command(
        below,
        "agreement",
        _agreement,
        "how the annotators of a plan agree, before any verdict",
        "  rivae labels agreement first\n  rivae labels agreement first --json",
    )
    agreeing.add_argument("plan", help="a name from `rivae labels plans`")
    add_store(agreeing)
    scoring = add_command(
        below,
        "scores",
        _scores,
        "D, C and I of a run from labels, with coverage and interval",
        "  rivae labels scores demo-kitchen\n  rivae labels scores demo-kitchen --plan first",
    )
    scoring.add_argument("run_id", metavar="run", help="an evaluated run of `rivae runs`")
    scoring.add_argument(
        "--plan",
        help="whose queries and factors are scored; the newest that serves the run by default",
    )
    add_store(scoring)

    aligning = add_command(
        below,
        "align",
        _align,
        "change a run's axes so that each factor has one, and keep the result as a new run",
        "  rivae labels align demo-kitchen --plan first\n"
        "  rivae labels align demo-kitchen --plan first --factor greenness --factor fruit --dry-run"
        "\nAs *Align to labels* on the Metrics page: labels of every plan on the data count; what\n"
        "held-out items gain is printed, and the new run is fitted to all of them.",
    )
    aligning.add_argument("run_id", metavar="run", help="a run of `rivae runs` with a model")
    aligning.add_argument(
        "--plan", help="whose factors are used; the newest that serves the run by default"
    )
    aligning.add_argument(
        "--factor",
        action="append",
        metavar="ID",
        help="of the new axes, in their order; every factor with enough labels by default",
    )
    aligning.add_argument(
        "--annotator",
        action="append",
        metavar="NAME",
        help="use the labels of these annotators only, without verdicts",
    )
    add_asks(aligning, "is matched with its labels")
    aligning.add_argument("--name", help="of the new run; RUN-aligned by default")
    aligning.add_argument(
        "--dry-run", action="store_true", help="only print the gain, write no run"
    )
    add_store(aligning)


def _agreement(args: argparse.Namespace) -> int:
    from rivae.labels import review
    from rivae.labels.kept_plans import kept_plan, plan_data, plan_guideline
    from rivae.labels.table import keys_by_row

    with opened(args) as store:
        plan = kept_plan(store, args.plan)
        row_of = {key: row for row, key in keys_by_row(plan_data(plan), plan.items).items()}
        factors = plan_guideline(store, plan).ids
        answers = review.read_answers(store, row_of, factors, len(plan.repeats))
    agreement = review.measure_agreement(answers)
    lacking = review.why_no_agreement(answers)
    alphas, pairs, repeats = (
        make(agreement, {}) for make in (review.alpha_rows, review.pair_rows, review.own_rows)
    )
    if args.json:
        print_json(
            {
                "plan": plan.id,
                "annotators": answers.annotators,
                "missing": lacking,
                "alpha": alphas,
                "pairs": pairs,
                "repeats": repeats,
                "far_apart": len(agreement.apart),
            }
        )
        return 0
    if lacking:
        print(lacking)
    else:
        _print(alphas, ("factor", "alpha", "low 95 %", "high 95 %", "shared items", "reading"))
        print(f"\n{len(agreement.apart):,} items are two or more levels apart")
    for title, rows in (("pairs of annotators", pairs), ("hidden repeats", repeats)):
        if rows:
            print(f"\n{title}")
            _print(rows, tuple(rows[0]))
    return 0


def _print(rows: list[dict[str, Any]], keys: tuple[str, ...]) -> None:
    def cell(value: Any) -> str:
        return number(json_ready(value)) if isinstance(value, float) else str(value)

    print_table([[cell(row[key]) for key in keys] for row in rows], keys)


def _followed(store: LabelStore, name: str | None, run: Run) -> tuple[LabelPlan | None, Guideline]:
    """The named plan, or the newest one of the run, and the guideline that its labels follow."""
    from rivae.labels.guideline import read_guideline
    from rivae.labels.kept_plans import kept_plan, newest_plan_of, plan_guideline

    plan = kept_plan(store, name) if name else newest_plan_of(store, run)
    return plan, plan_guideline(store, plan) if plan else read_guideline()


def _scores(args: argparse.Namespace) -> int:
    steps = Steps("scores")
    steps("starting")  # before the imports, which take seconds
    run = find_run(args.run_id)
    with opened(args) as store, steps:
        plan, guideline = _followed(store, args.plan, run)
        every, scores = _scored(store, run, plan, guideline, steps)
    from rivae.labels.run_scores import score_record, score_rows

    if args.json:
        print_json(score_record(run.id, plan, every, scores))
        return 0
    whose = f"plan {plan.id}" if plan else "no plan: all measured queries, the paper's factors"
    print(f"{run.id} ({run.config.dataset.name}; {whose})")
    if scores is None:
        print(f"  {NO_SCORE}")
    else:
        rows = [
            (
                f"  {row['score']}",
                number(row["value"], 3),
                f"{number(row['low'], 3)} … {number(row['high'], 3)}",
                row["over"],
            )
            for row in json_ready(score_rows(run.id, scores))
        ]
        print_table(rows, ("  score", "value", "95 %", "dimensions"))
        print(
            f"  over {', '.join(scores.settings['factors'])}; interval over "
            f"{scores.interval_over}; {_annotators(scores)}"
        )
    _print_coverage(every)
    return 0


def _scored(
    store: LabelStore, run: Run, plan: LabelPlan | None, guideline: Guideline, steps: Steps
) -> tuple[LabelScores, LabelScores | None]:
    """Scores over every factor without intervals, and over the factors of which enough is known."""
    from rivae.labels.coverage import measured_traversal, needed_items
    from rivae.labels.run_scores import current_levels, scored_factors
    from rivae.labels.scores import label_scores

    steps(OPENING_DATA)
    data = run.load_dataset()
    if plan is not None:
        plan.check(data)
    stage = f"searching with {run.id}"
    steps(stage, 0.0)
    traversal = measured_traversal(
        run,
        data,
        n_queries=plan.n_queries if plan else None,
        asks=plan.asks if plan else "first",
        progress=lambda share: steps(stage, share),
    )
    steps("reading the labels")
    labels = current_levels(store, data, needed_items(traversal))
    if labels.empty:
        fix = (
            f"label the plan {plan.id} on the Label page"
            if plan
            else f"`rivae labels plan NAME {run.id}` makes a plan to label"
        )
        raise LabelError(f"no item that {run.id} retrieves is labelled: {fix}")
    steps("scoring")
    every = label_scores(traversal, labels, guideline.ids, n_bootstrap=0)
    factors = scored_factors(guideline.ids, [every.coverage], every.settings["n_queries"])
    return every, label_scores(traversal, labels, factors) if factors else None


def _annotators(labels: LabelScores | Labelled) -> str:
    return "1 annotator" if labels.n_annotators == 1 else f"{labels.n_annotators} annotators"


def _print_coverage(every: LabelScores) -> None:
    coverage, n_queries = every.coverage, every.settings["n_queries"]
    rows = [
        (
            f"  {factor}",
            f"{coverage.labelled[k]:,} of {coverage.needed:,}",
            str(coverage.cannot_tell[k]),
            f"{coverage.queries[k]} of {n_queries}",
        )
        for k, factor in enumerate(every.settings["factors"])
    ]
    print_table(rows, ("  factor", "labelled", "cannot tell", "queries that count"))
    print(
        "scores of runs are compared over the same factors: see the Metrics page", file=sys.stderr
    )


def _align(args: argparse.Namespace) -> int:
    steps = Steps("align")
    steps("starting")  # before the imports, which take seconds
    from rivae.base.config import free_name
    from rivae.labels.derive import align_run, alignment_record, derive_run
    from rivae.labels.run_scores import labelled

    run = find_run(args.run_id)
    with opened(args) as store, steps:
        plan, guideline = _followed(store, args.plan, run)
        steps(OPENING_DATA)
        data = run.load_dataset()
        if plan is not None:
            plan.check(data)
        steps("reading the labels")
        require_known(args.annotator or (), store.annotators())
        answers = labelled(store, data, guideline.ids, args.annotator)
        answers = answers.of(_factors(answers, guideline, args.factor))
        steps("fitting the axes")
        alignment, gains = align_run(
            run, answers.rows, answers.levels, answers.factors, data=data, asks=args.ask_with
        )
        record = alignment_record(alignment, gains, guideline.version)
        record |= {} if args.ask_with == "first" else {"asks": args.ask_with}
        derived_run = None
        if not args.dry_run:
            steps("writing the run")
            taken_ids = {other.id for other in list_runs()}
            derived_run = derive_run(
                run,
                alignment.change.matrix,
                alignment.change.offset,
                args.name or free_name(f"{run.id}-aligned", taken_ids.__contains__),
                note=alignment.change.note,
                names=[guideline.factor(factor).name for factor in answers.factors],
                poles=[guideline.factor(factor).poles for factor in answers.factors],
                record=record,
                data=data,
            )
    if args.json:
        print_json(
            {
                "run": run.id,
                "made": derived_run.id if derived_run else None,
                "items": len(answers.rows),
                "annotators": answers.n_annotators,
                "note": alignment.change.note,
                **record,
            }
        )
        return 0
    print(f"{run.id}: {alignment.change.note} ({_annotators(answers)})")
    if gains:
        print_table(
            [
                (
                    f"  {gain.factor}",
                    str(gain.n),
                    number(gain.before),
                    number(gain.after),
                    number(gain.r2_before),
                    number(gain.r2_after),
                )
                for gain in gains
            ],
            ("  factor", "held out", "correlation before", "after", "R² before", "after"),
        )
        print("  axes fitted to 70 % of the items, measured on the others")
    else:
        print("  too few labels, or too alike, to hold some out: the gain is unknown")
    if derived_run is not None:
        print(f"{derived_run.id} is written: `rivae evaluate {derived_run.id}` measures it")
    return 0


def _factors(answers: Labelled, guideline: Guideline, names: list[str] | None) -> tuple[str, ...]:
    """The factors to align to; LabelError where one cannot be, or none is left."""
    from rivae.labels.align import MIN_LABELS

    usable = answers.usable()
    for factor in names or ():
        guideline.factor(factor)
        if factor not in usable:
            n = answers.counts()[answers.factors.index(factor)]
            raise LabelError(
                f"{factor} has {n} labels that can be used: label at least {MIN_LABELS} items "
                "that differ in it, better 30"
            )
    if not usable:
        raise LabelError(
            f"no factor has different labels of at least {MIN_LABELS} items: label some first, "
            "better 30"
        )
    return tuple(dict.fromkeys(names)) if names else usable
