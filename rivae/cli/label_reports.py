"""``rivae labels agreement`` and ``scores``: what labels say about annotators and about runs."""

from __future__ import annotations

import argparse
import json
import sys
from typing import TYPE_CHECKING, Any

from rivae.cli.common import add_command, number, print_table
from rivae.errors import LabelError
from rivae.files import json_ready
from rivae.runs import Run, find_run

if TYPE_CHECKING:
    from rivae.labels.plan import LabelPlan
    from rivae.labels.schema import Guideline
    from rivae.labels.scores import LabelScores
    from rivae.labels.store import LabelStore


def add_store(parser: argparse.ArgumentParser) -> None:
    """The option that says where labels are kept."""
    parser.add_argument(
        "--store", metavar="URL",
        help="a file, sqlite:///FILE or postgresql://...; $RIVAE_LABELS or labels/labels.db by "
        "default",
    )  # fmt: skip


def opened(args: argparse.Namespace) -> LabelStore:
    """The store that ``--store`` names; LabelError when it cannot be opened."""
    from rivae.labels.home import labels_url
    from rivae.labels.store import LabelStore

    return LabelStore(args.store or labels_url())


def add_commands(below: Any) -> None:
    """Register both below ``labels``."""
    agreeing = add_command(
        below, "agreement", _agreement, "how the annotators of a plan agree, before any verdict",
        "  rivae labels agreement first\n  rivae labels agreement first --json",
    )  # fmt: skip
    agreeing.add_argument("plan", help="a name from `rivae labels plans`")
    add_store(agreeing)
    scoring = add_command(
        below, "scores", _scores, "D, C and I of a run from labels, with coverage and interval",
        "  rivae labels scores demo-kitchen\n  rivae labels scores demo-kitchen --plan first",
    )  # fmt: skip
    scoring.add_argument("run_id", metavar="run", help="an evaluated run of `rivae runs`")
    scoring.add_argument(
        "--plan", help="whose queries and factors are scored; the newest that serves the run by "
        "default",
    )  # fmt: skip
    add_store(scoring)


def _agreement(args: argparse.Namespace) -> int:
    from rivae.labels import review, review_rows
    from rivae.labels.by_row import keys_by_row
    from rivae.labels.kept_plans import kept_plan, plan_guideline
    from rivae.labels.plan_data import plan_data

    with opened(args) as store:
        plan = kept_plan(store, args.plan)
        row_of = {key: row for row, key in keys_by_row(plan_data(plan), plan.items).items()}
        factors = plan_guideline(store, plan).ids
        said = review.what_was_said(store, row_of, factors, len(plan.repeats))
    agreed = review.how_they_agree(said)
    lacking = review.missing(said)
    alphas, pairs, own = (
        make(agreed, {})
        for make in (review_rows.alpha_rows, review_rows.pair_rows, review_rows.own_rows)
    )
    if args.json:
        print(json.dumps(json_ready({
            "plan": plan.id, "annotators": said.annotators, "missing": lacking, "alpha": alphas,
            "pairs": pairs, "repeats": own, "far_apart": len(agreed.apart),
        })))  # fmt: skip
        return 0
    if lacking:
        print(lacking)
    else:
        _print(alphas, ("factor", "alpha", "low 95 %", "high 95 %", "shared items", "reading"))
        print(f"\n{len(agreed.apart):,} items are two or more levels apart")
    for title, rows in (("pairs of annotators", pairs), ("hidden repeats", own)):
        if rows:
            print(f"\n{title}")
            _print(rows, tuple(rows[0]))
    return 0


def _print(rows: list[dict[str, Any]], keys: tuple[str, ...]) -> None:
    def cell(value: Any) -> str:
        return number(json_ready(value)) if isinstance(value, float) else str(value)

    print_table([[cell(row[key]) for key in keys] for row in rows], keys)


def _scores(args: argparse.Namespace) -> int:
    from rivae.labels.kept_plans import kept_plan, plan_guideline
    from rivae.labels.plan_data import newest_plan_of
    from rivae.labels.schema import read_guideline

    run = find_run(args.run_id)
    with opened(args) as store:
        plan = kept_plan(store, args.plan) if args.plan else newest_plan_of(store, run)
        guideline = plan_guideline(store, plan) if plan else read_guideline()
        every, scores = _scored(store, run, plan, guideline)
    if args.json:
        print(json.dumps(json_ready(_record(run, plan, every, scores))))
        return 0
    whose = f"plan {plan.id}" if plan else "no plan: all measured queries, the paper's factors"
    print(f"{run.id} ({run.config.dataset.name}; {whose})")
    if scores is None:
        print("  no score yet: no factor has enough queries of which nine tenths are labelled")
    else:
        rows = [
            (f"  {row['score']}", number(row["value"], 3),
             f"{number(row['low'], 3)} … {number(row['high'], 3)}", row["over"])
            for row in json_ready(_rows(run, scores))
        ]  # fmt: skip
        print_table(rows, ("  score", "value", "95 %", "dimensions"))
        print(f"  over {', '.join(scores.settings['factors'])}; interval over "
              f"{scores.interval_over}; {_annotators(scores)}")  # fmt: skip
    _print_coverage(every)
    return 0


def _scored(
    store: LabelStore, run: Run, plan: LabelPlan | None, guideline: Guideline
) -> tuple[LabelScores, LabelScores | None]:
    """Scores over every factor without intervals, and over the factors of which enough is known."""
    from rivae.labels.needed import measured_traversal, needed_items
    from rivae.labels.run_scores import current_levels, scored_factors
    from rivae.labels.scores import label_scores

    data = run.load_dataset()
    if plan is not None:
        plan.check(data)
    found = measured_traversal(run, data, n_queries=plan.n_queries if plan else None)
    labels = current_levels(store, data, needed_items(found))
    if labels.empty:
        raise LabelError(
            f"nothing of what {run.id} retrieves is labelled: label a plan that serves it "
            f"(`rivae labels plan NAME {run.id}` makes one)"
        )
    every = label_scores(found, labels, guideline.ids, n_bootstrap=0)
    factors = scored_factors(guideline.ids, [every.coverage], every.settings["n_queries"])
    return every, label_scores(found, labels, factors) if factors else None


def _rows(run: Run, scores: LabelScores) -> list[dict[str, Any]]:
    from rivae.labels.score_rows import score_rows

    return score_rows(run.id, scores)


def _record(
    run: Run, plan: LabelPlan | None, every: LabelScores, scores: LabelScores | None
) -> dict[str, Any]:
    coverage = every.coverage
    return {
        "run": run.id, "plan": plan.id if plan else None,
        "scores": _rows(run, scores) if scores else [],
        "needed": coverage.needed,
        "factors": [
            {"factor": factor, "labelled": coverage.labelled[k],
             "cannot_tell": coverage.cannot_tell[k], "points": coverage.points[k],
             "queries_that_count": coverage.queries[k], "scored": scores is not None
             and factor in scores.settings["factors"]}
            for k, factor in enumerate(every.settings["factors"])
        ],
    }  # fmt: skip


def _annotators(scores: LabelScores) -> str:
    return "1 annotator" if scores.n_annotators == 1 else f"{scores.n_annotators} annotators"


def _print_coverage(every: LabelScores) -> None:
    coverage, n_queries = every.coverage, every.settings["n_queries"]
    rows = [
        (f"  {factor}", f"{coverage.labelled[k]:,} of {coverage.needed:,}",
         str(coverage.cannot_tell[k]), f"{coverage.queries[k]} of {n_queries}")
        for k, factor in enumerate(every.settings["factors"])
    ]  # fmt: skip
    print_table(rows, ("  factor", "labelled", "cannot tell", "queries that count"))
    print(
        "scores of runs are compared over the same factors: see the Metrics page", file=sys.stderr
    )
