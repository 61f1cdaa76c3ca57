"""What the commands share: sub-parsers with examples, settings on the command line, tables."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Sequence
from typing import Any

from rivae.errors import ConfigError

Command = Callable[[argparse.Namespace], int]


def add_command(
    commands: Any, name: str, run: Command, help_line: str, examples: str
) -> argparse.ArgumentParser:
    """A sub-command with examples in its help and the common ``--json``."""
    parser: argparse.ArgumentParser = commands.add_parser(
        name,
        help=help_line,
        description=help_line,
        epilog=f"examples:\n{examples}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--json", action="store_true", help="print one JSON value for machines")
    parser.set_defaults(run=run)
    return parser


def parse_settings(pairs: Sequence[str]) -> dict[str, dict[str, Any]]:
    """``["method.eta=[1,0.1]", "dataset.g_seed=3"]`` as nested settings.

    Keys begin with ``method.`` (may be left out), ``dataset.`` or ``training.``; values are JSON,
    anything else is taken as text.

    Raises:
        ConfigError: for a pair without "=".
    """
    out: dict[str, dict[str, Any]] = {"method": {}, "dataset": {}, "training": {}}
    for pair in pairs:
        key, equals, text = pair.partition("=")
        if not equals or not key:
            raise ConfigError(f"'{pair}' is no setting: write --set key=value")
        group, dot, name = key.partition(".")
        if not dot:
            group, name = "method", key
        if group not in out:
            raise ConfigError(f"'{key}': settings begin with method., dataset. or training.")
        try:
            out[group][name] = json.loads(text)
        except json.JSONDecodeError:
            out[group][name] = text
    return out


def print_table(rows: Sequence[Sequence[str]], header: Sequence[str]) -> None:
    """Columns padded with two spaces between; text aligned left."""
    widths = [max(len(row[i]) for row in [header, *rows]) for i in range(len(header))]
    for row in [header, *rows]:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


def number(value: Any, digits: int = 2) -> str:
    """A number for a table; an en dash where there is none."""
    return f"{value:.{digits}f}" if isinstance(value, int | float) else "–"
