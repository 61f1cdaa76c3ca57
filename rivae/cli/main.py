"""The parser, and the handling of errors and Ctrl-C.

Exit codes: 0 done; 1 the user has to change something (one sentence says what); 2 the command line
is wrong; 130 stopped by Ctrl-C or SIGTERM, nothing is lost.
"""

from __future__ import annotations

import argparse
import json
import signal
import sys
from collections.abc import Sequence
from typing import Any

from rivae import __version__
from rivae.cli import (
    bench,
    data,
    index,
    jobs,
    labels,
    manage,
    own,
    show,
    train,
    trash,
)
from rivae.cli.common import told_on_stderr
from rivae.errors import RivaeError


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code."""
    parser = _parser()
    args = parser.parse_args(argv)
    # SIGTERM saves and says how to resume, exactly like Ctrl-C.
    before = signal.signal(signal.SIGTERM, _interrupt)
    try:
        with told_on_stderr():
            code: int = args.run(args)
    except RivaeError as error:
        if args.json:
            print(json.dumps({"error": str(error)}))
        print(f"rivae: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        hint = getattr(args, "resume_hint", "")
        hint = hint() if callable(hint) else hint
        print(f"\nstopped{': ' + hint if hint else ''}", file=sys.stderr)
        return 130
    except BrokenPipeError:
        # `rivae runs | head`: the reader has read enough.
        sys.stderr.close()
        return 0
    finally:
        signal.signal(signal.SIGTERM, before)
    return code


def _interrupt(signum: int, frame: Any) -> None:
    raise KeyboardInterrupt


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
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
        labels,
        manage,
        index,
        trash,
        bench,
    ):
        module.add_commands(commands)
    return parser
