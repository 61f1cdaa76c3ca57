"""Helpers of all commands: sub-parsers with examples, settings on the command line, tables."""

from __future__ import annotations

import argparse
import json
import re
import shutil
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO, get_args

from rivae.base.config import Asks, training_config
from rivae.base.errors import ConfigError, DataReplacedWarning, RivaeError
from rivae.base.files import json_ready
from rivae.base.paths import home_path
from rivae.base.table import Table

Command = Callable[[argparse.Namespace], int]
# What a command says before its first work, and after Ctrl-C where it can be begun again.
OPENING_DATA = "opening the data"
OPENING_RUN = "opening the data and the model"
OPENING_CHECKPOINT = "opening the data and the last checkpoint"
RESUME_HINT = "the same command continues from here"
TERMINAL_S, FILE_S = 0.1, 2.0  # between two lines about the same stage
_COUNTS = re.compile(r"\d[\d,.]*")


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


@contextmanager
def told_on_stderr() -> Iterator[None]:
    """Within the block, print each warning about replaced data once, on one line of stderr."""
    messages: set[str] = set()

    def show(
        message: Warning | str,
        category: type[Warning],
        filename: str,
        lineno: int,
        file: TextIO | None = None,
        line: str | None = None,
    ) -> None:
        if issubclass(category, DataReplacedWarning):
            if str(message) not in messages:
                print(f"rivae: {message}", file=sys.stderr)
            messages.add(str(message))
        else:
            usual(message, category, filename, lineno, file, line)

    with warnings.catch_warnings():
        usual = warnings.showwarning
        warnings.simplefilter("always", DataReplacedWarning)
        warnings.showwarning = show
        yield


def path_argument(text: str) -> Path:
    """The path on a command line: a shell expands "~" only at the beginning of a word."""
    try:
        return home_path(text)
    except ConfigError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def place_argument(text: str) -> Path:
    """As ``path_argument``, also in an object store."""
    from rivae.base.reading.places import is_address, place

    if not is_address(text):
        return path_argument(text)
    try:
        return place(text)
    except RivaeError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def add_asks(parser: argparse.ArgumentParser, what: str) -> None:
    """``--ask-with``: the view of an item that is the query; its z ``what``."""
    parser.add_argument(
        "--ask-with",
        choices=get_args(Asks),
        default="first",
        help=f"the view of an item whose z {what}",
    )


def add_on(parser: argparse.ArgumentParser) -> None:
    """Where the work is done: here, or on a cluster."""
    parser.add_argument(
        "--on",
        default="",
        metavar="ADDRESS",
        help="Dask scheduler whose workers share the work, such as tcp://host:8786; they have to "
        "see the same folders (default: the cores of this machine)",
    )


def parse_settings(
    pairs: Sequence[str], groups: tuple[str, ...] = ("method", "dataset", "training")
) -> dict[str, dict[str, Any]]:
    """``["method.eta=[1,0.1]", "dataset.g_seed=3"]`` as settings by group.

    Keys begin with a group's name and a dot; the first group's name may be left out. Values are
    JSON, anything else is taken as text.

    Raises:
        ConfigError: for a pair without "=", or another group.
    """
    out: dict[str, dict[str, Any]] = {group: {} for group in groups}
    for pair in pairs:
        key, equals, text = pair.partition("=")
        if not equals or not key:
            raise ConfigError(f"'{pair}' is not a setting: write --set key=value")
        group, dot, name = key.partition(".")
        if not dot:
            group, name = groups[0], key
        if group not in out:
            raise ConfigError(f"'{key}': settings begin with {', '.join(f'{g}.' for g in groups)}")
        try:
            out[group][name] = json.loads(text)
        except (ValueError, RecursionError):
            out[group][name] = text
    return out


def device_here(name: str) -> str:
    """``name`` of a device, checked; ConfigError where it is none or this machine has none such."""
    import torch

    from rivae.training.models import require_device

    device = training_config({"device": name}).device
    require_device(torch.device(device))
    return device


def print_json(value: Any) -> None:
    """Print one line of JSON; numbers that are not finite become null."""
    print(json.dumps(json_ready(value)))


def print_table(rows: Sequence[Sequence[str]], header: Sequence[str]) -> None:
    """Columns padded with two spaces between; text aligned left."""
    print(Table.of(header, rows).text(), end="")


class Steps:
    """Reports the progress of a command on stderr, from its start.

    In a terminal one line that is overwritten several times a second; in a file a line per stage,
    and one every ``file_s`` seconds.

    Args:
        first: the first stage; reported before any work, and before modules are loaded for it.
        quiet: report nothing.
    """

    def __init__(
        self, name: str, first: str = "", quiet: bool = False, file_s: float = FILE_S
    ) -> None:
        self.name, self.quiet, self.stage = name, quiet, ""
        self.terminal = sys.stderr.isatty()
        self.pause = TERMINAL_S if self.terminal else file_s
        self._last_time = 0.0
        self._open = False  # a line in the terminal that the next one replaces
        if first:
            self(first)

    def __call__(self, stage: str, share: float | None = None, detail: str = "") -> None:
        """Report the stage, the share in [0, 1] that is done, and other details."""
        same = _COUNTS.sub("", stage) == _COUNTS.sub("", self.stage)
        soon = same and time.monotonic() - self._last_time < self.pause and share != 1
        if self.quiet or soon:
            return
        self.stage, self._last_time = stage, time.monotonic()
        text = f"{self.name}: {stage}" + (f" {share:.0%}" if share else "") + detail
        if self.terminal:
            # A longer line would wrap, and stay behind when the next one is written over it.
            text = text[: max(shutil.get_terminal_size().columns - 1, 20)]
            print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)
            self._open = True
        else:
            print(text, file=sys.stderr, flush=True)

    def keep(self, text: str) -> None:
        """Print a line that is not overwritten."""
        if not self.quiet:
            self.close()
            print(f"{self.name}: {text}", file=sys.stderr, flush=True)

    def close(self) -> None:
        """Remove the line from the terminal."""
        if self._open:
            print("\r\033[K", end="", file=sys.stderr, flush=True)
        self._open = False

    def __enter__(self) -> Steps:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def number(value: Any, digits: int = 2) -> str:
    """A number for a table; an en dash where there is none."""
    return f"{value:.{digits}f}" if isinstance(value, int | float) else "–"
