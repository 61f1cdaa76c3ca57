"""``rivae choose``: which of several seeds to use."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from rivae.base.files import json_ready
from rivae.cli.common import OPENING_DATA, Steps, add_command, number, print_json, print_table
from rivae.metrics.measures.retrieval import MEDIAN_RANK, RECALL
from rivae.metrics.measures.udr import UDR
from rivae.runs import find_run

REMARK = "agreement does not prove true factors: seeds that share a wrong bias agree too"


def add_commands(commands: Any) -> None:
    """Register ``choose``."""
    parser = add_command(
        commands,
        "choose",
        _choose,
        "rank seeds of one configuration by agreement (UDR), without labels",
        "  rivae choose sprites-rivae-s0 sprites-rivae-s1 sprites-rivae-s2\n"
        "  rivae choose $(rivae runs | grep -o '^synth-rivae-s[0-9]*') --similarity lasso\n"
        "  rivae choose a-s0 a-s1 a-s2 --json",
    )
    parser.add_argument("runs", nargs="+", metavar="run", help="three or more ids of `rivae runs`")
    parser.add_argument(
        "--similarity",
        choices=("spearman", "lasso"),
        default="spearman",
        help="of axes: rank correlation, or the weight in a lasso regression",
    )


def _choose(args: argparse.Namespace) -> int:
    runs = [find_run(name) for name in args.runs]
    with Steps("choose", OPENING_DATA, quiet=args.json) as steps:
        from rivae.evaluation.choice import rank_runs

        ranking = rank_runs(runs, similarity=args.similarity, progress=steps)
    if args.json:
        out = [
            {
                "run": c.run.id,
                "seed": c.seed,
                "udr": c.agreement.score,
                "pairwise": c.agreement.parts["pairwise"],
                "informative_axes": c.agreement.parts["informative"],
                "validation": c.validation,
            }
            for c in ranking
        ]
        print_json(out)
        return 0
    rows = [
        [
            candidate.run.id,
            str(candidate.seed),
            number(json_ready(candidate.agreement.score), 3),
            number(candidate.agreement.std, 3),
            str(len(candidate.agreement.parts["informative"])),
            number(candidate.validation.get("recall_at_1")),
            number(candidate.validation.get("median_rank"), 1),
        ]
        for candidate in ranking
    ]
    print_table(
        rows,
        (
            "run",
            "seed",
            UDR.label,
            "s.d.",
            "axes",
            f"validation {RECALL[1].label}",
            MEDIAN_RANK.label,
        ),
    )
    print(REMARK, file=sys.stderr)
    return 0
