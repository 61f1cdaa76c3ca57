"""What the server does when it starts: open the newest run while nobody waits for it, and see to
it that the queue of trainings is worked off while the server lives.
"""

from __future__ import annotations

import importlib
import logging
import os
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from rivae.errors import RivaeError

log = logging.getLogger(__name__)
LOOK_S, LONGEST_S = 1.0, 60.0  # between two looks at the queue; the latter after failures


@asynccontextmanager
async def lifespan(app: Any) -> AsyncIterator[dict[str, Any]]:
    """Start warming in the background; the first page does not wait for it."""
    # In one thread before there are two: a page and the warming thread that import a package for
    # the first time at once, one of them by its submodule, break each other's import.
    for module in ("pandas", "rivae.explorer", "rivae.methods"):
        importlib.import_module(module)
    # Imported here: cached functions belong to the runtime, which exists only from now on.
    from rivae.ui.cache import warm

    # For what runs on its own, too: it knows by this that it works for the app.
    os.environ.setdefault("RIVAE_FILES", str(Path.cwd()))
    go_on_with_queue()
    threading.Thread(target=warm, name="rivae-warm", daemon=True).start()
    stop = threading.Event()
    threading.Thread(target=watch_queue, args=[stop], name="rivae-queue", daemon=True).start()
    yield {}
    stop.set()


def watch_queue(stop: threading.Event) -> None:
    """Go on with the queue whenever its dispatcher has died, until ``stop`` is set."""
    pause = LOOK_S
    while not stop.wait(pause):
        pause = LOOK_S if go_on_with_queue() else min(2 * pause, LONGEST_S)


def go_on_with_queue() -> bool:
    """Start a dispatcher where runs wait or train and none looks after them; False where that
    fails.

    It is a process of its own, started like any program (never a fork of this one), and one that is
    there already is left alone.
    """
    from rivae.jobs.dispatcher import go_on
    from rivae.jobs.records import is_supported
    from rivae.runs import runs_root

    try:
        return not is_supported() or go_on(runs_root())
    except (RivaeError, OSError) as error:
        log.warning("the queue of trainings is not gone on with: %s", error)
        return False
