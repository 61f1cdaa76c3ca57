"""What the server does once when it starts: open the newest run while nobody waits for it, and go
on with the queue of trainings.
"""

from __future__ import annotations

import importlib
import logging
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from rivae.errors import RivaeError

log = logging.getLogger(__name__)


@asynccontextmanager
async def lifespan(app: Any) -> AsyncIterator[dict[str, Any]]:
    """Start warming in the background; the first page does not wait for it."""
    # In one thread before there are two: a page and the warming thread that import a package for
    # the first time at once, one of them by its submodule, break each other's import.
    for module in ("pandas", "rivae.explorer", "rivae.methods"):
        importlib.import_module(module)
    # Imported here: cached functions belong to the runtime, which exists only from now on.
    from rivae.ui.cache import warm

    threading.Thread(target=warm, name="rivae-warm", daemon=True).start()
    go_on_with_queue()
    yield {}


def go_on_with_queue() -> None:
    """Start a dispatcher where runs wait or were at work when the machine or the app stopped.

    It is a process of its own, started like any program (never a fork of this one), and one that is
    there already is left alone.
    """
    from rivae.jobs.dispatcher import ensure_dispatcher
    from rivae.jobs.ledger import Ledger
    from rivae.jobs.records import is_supported
    from rivae.runs import runs_root

    queue = Ledger(runs_root())
    try:
        if is_supported() and queue.jobs("queued", "starting", "running"):
            ensure_dispatcher(queue.root)
    except (RivaeError, OSError) as error:
        log.warning("the queue of trainings is not gone on with: %s", error)
