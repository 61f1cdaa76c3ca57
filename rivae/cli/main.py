"""The parser, and the handling of errors and Ctrl-C.

Exit codes: 0 done; 1 the user has to change something (one sentence says what); 2 the command line
is wrong; 130 stopped by Ctrl-C or SIGTERM, nothing is lost.
"""

from __future__ import annotations

import argparse
import re
import signal
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

from rivae import __version__
from rivae.base.errors import LONGEST, RivaeError, shortened, shown
from rivae.base.files import ADVICE, why_not
from rivae.base.output import with_output
from rivae.cli import (
    axes,
    bench,
    choose,
    data,
    effects,
    index,
    jobs,
    labels,
    manage,
    own,
    parts,
    prepare,
    show,
    train,
    trash,
)
from rivae.cli.common import print_json, told_on_stderr


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code."""
    return with_output(lambda: _run(argv))


def _run(argv: Sequence[str] | None) -> int:
    args = _parser().parse_args(argv)
    # SIGTERM saves and says how to resume, exactly like Ctrl-C.
    before = signal.signal(signal.SIGTERM, _interrupt)
    try:
        with told_on_stderr():
            code: int = args.run(args)
    except RivaeError as error:
        return _say(str(error), args.json)
    except OSError as error:
        if error.errno not in ADVICE:
            raise  # the program's own
        what = shown(error.filename or "a file")
        return _say(f"{what} cannot be written: {why_not(error)}", args.json)
    except KeyboardInterrupt:
        hint = getattr(args, "resume_hint", "")
        hint = hint() if callable(hint) else hint
        print(f"\nstopped{': ' + hint if hint else ''}", file=sys.stderr)
        return 130
    finally:
        signal.signal(signal.SIGTERM, before)
    return code


def _say(sentence: str, as_json: bool) -> int:
    if as_json:
        print_json({"error": sentence})
    print(f"rivae: {sentence}", file=sys.stderr)
    return 1


def _interrupt(signum: int, frame: Any) -> None:
    raise KeyboardInterrupt


class _Parser(argparse.ArgumentParser):
    """Takes -5,5 and -1e3 for numbers, not for options; its errors repeat no endless words."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._negative_number_matcher = re.compile(r"-(\d|\.\d|inf|nan)", re.IGNORECASE)

    def error(self, message: str) -> NoReturn:
        super().error(shortened(message, LONGEST - len(f"{self.prog}: error: ")))


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="rivae",
        description="Train, evaluate and explore the latent factors of cross-modal retrieval.",
        epilog="`rivae COMMAND --help` shows examples. New runs go to $RIVAE_RUNS or ./runs.",
    )
    parser.add_argument("--version", action="version", version=f"rivae {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for module in (
        data,
        own,
        train,
        jobs,
        show,
        effects,
        choose,
        labels,
        axes,
        manage,
        prepare,
        index,
        trash,
        bench,
        parts,
    ):
        module.add_commands(commands)
    return parser
