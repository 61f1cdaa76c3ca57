"""The process of one task: ``python -m rivae.ui.work.job MODULE:FUNCTION``, started by ``tasks``.

What the function is to do stands as JSON on the standard input. It takes that and a function that
says how far it is, and hands over what the page then reads; a ``RivaeError`` is the sentence that
the page shows. SIGTERM interrupts it, so that it can tidy up. No streamlit here.
"""

from __future__ import annotations

import importlib
import json
import os
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from types import FrameType
from typing import Any

from rivae.errors import RivaeError

Progress = Callable[[str, float], None]
Work = Callable[[Mapping[str, Any], Progress], dict[str, Any] | None]


def step_back() -> None:
    """For a task: visitors of the app come first."""
    if hasattr(os, "nice"):
        os.nice(5)


def tell(**message: Any) -> None:
    """Write one line; an app that is gone no longer reads, the work continues."""
    with suppress(OSError):
        sys.stdout.write(json.dumps(message) + "\n")
        sys.stdout.flush()


def main(argv: Sequence[str]) -> int:
    """Do what ``argv[0]`` names; returns the exit status."""

    def stop(signum: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, stop)
    module, _, name = argv[0].partition(":")
    try:
        spec = json.loads(sys.stdin.buffer.read())
        work: Work = getattr(importlib.import_module(module), name)
        result = work(spec, lambda stage, share: tell(stage=stage, share=share))
    except RivaeError as error:
        tell(error=str(error))
        return 1
    except KeyboardInterrupt:
        return 130
    tell(done=True, result=result)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
