"""``rivae datasets``."""

from __future__ import annotations

import argparse
import json
from typing import Any

from rivae.cli.common import Steps, add_command, parse_settings, print_table
from rivae.errors import ConfigError


def add_commands(commands: Any) -> None:
    """Register ``datasets``."""
    parser = add_command(
        commands,
        "datasets",
        _datasets,
        "list the data sets and imports, or describe one",
        "  rivae datasets\n"
        "  rivae datasets synth --set factor_distribution=uniform\n"
        "  rivae datasets split-mnist --set folder=PATH",
    )
    parser.add_argument("name", nargs="?", help="a data set to build and describe")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", dest="settings")


def _datasets(args: argparse.Namespace) -> int:
    steps = Steps("datasets", f"opening {args.name}" if args.name else "")
    # Here and not above: it imports torch, which `rivae --help` need not wait for.
    from rivae.data import dataset_names, describe_dataset, import_names, load_dataset

    if args.name is None and args.settings:
        raise ConfigError("settings need the name of a data set: rivae datasets NAME --set ...")
    if args.name is None:
        names = (*dataset_names(), *import_names())
        rows = [(name, *describe_dataset(name)) for name in names]
        if args.json:
            print(json.dumps([{"name": n, "about": a, "settings": s} for n, a, s in rows]))
        else:
            print_table([(name, about) for name, about, _ in rows], ("data set", "what it is"))
        return 0
    with steps:
        data = load_dataset(args.name, **parse_settings(args.settings, ("dataset",))["dataset"])
    facts = {
        "name": data.name,
        "settings": data.settings,
        "pairs": len(data),
        "view 1": f"{data.view_names[0]} {data.x1.shape}",
        "view 2": f"{data.view_names[1]} {data.x2.shape}",
        **{f"{split} pairs": len(rows) for split, rows in data.splits.items()},
        "factors": [f"{spec.name} ({spec.kind}, {spec.role})" for spec in data.factor_specs],
    }
    if args.json:
        print(json.dumps(facts, default=str))
    else:
        for key, value in facts.items():
            print(f"{key + ':':20} {value}")
    return 0
