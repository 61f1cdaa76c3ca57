"""``rivae effects``: what moving along the axes of a run changes."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING, Any

from rivae.base.errors import ConfigError
from rivae.cli.common import OPENING_RUN, Steps, add_asks, add_command, number, print_table
from rivae.runs import find_run

if TYPE_CHECKING:
    from rivae.exploring.axis_effects import AxisEffects

N_ROWS = 20  # of the table of one axis


def add_commands(commands: Any) -> None:
    """Register the command."""
    parser = add_command(
        commands,
        "effects",
        _effects,
        "say what moving along an axis changes among the items that are found",
        "  rivae effects demo-kitchen\n  rivae effects demo-kitchen z9\n"
        "  rivae effects demo-kitchen fruit --json",
    )
    parser.add_argument("run_id", metavar="run", help="an id from `rivae runs`")
    parser.add_argument("axis", nargs="?", help="an id like z9, or a name; all axes by default")
    parser.add_argument("--seed", type=int, default=0, help="of queries, shuffles and turns")
    add_asks(parser, "is moved")


def _effects(args: argparse.Namespace) -> int:
    if not 0 <= args.seed < 2**32:
        raise ConfigError(f"the seed must lie between 0 and {2**32 - 1}, got {args.seed}")
    run = find_run(args.run_id)
    with Steps(run.id, OPENING_RUN, quiet=args.json) as steps:
        from rivae.exploring.effects import EffectMeasure, shown_effects
        from rivae.exploring.explorer import Explorer

        explorer = Explorer.open(run, asks=args.ask_with)
        steps("reading factors, tags and words")
        measure = EffectMeasure(explorer.retriever, random_state=args.seed)
        axes = range(explorer.n_components) if args.axis is None else [args.axis]
        effects = []
        for n, axis in enumerate(axes):
            steps("moving along each axis", n / len(axes))
            effects.append(shown_effects(measure, explorer, axis))
    if args.json:
        print(json.dumps([each.to_dict() for each in effects]))
        return 0
    for each in effects:
        print(each.sentence)
    if args.axis is not None:
        _print_table(effects[0])
    return 0


def _print_table(effects: AxisEffects) -> None:
    rows = [
        [
            effects.kinds[c],
            effects.names[c],
            f"{effects.change[c]:+.2f}",
            number(float(effects.chance[c])),
            "yes" if effects.is_measurable[c] else "no",
        ]
        for c in effects.order[:N_ROWS]
    ]
    print_table(rows, ("kind", "name", "change, s.d.", "chance", "measurable"))
