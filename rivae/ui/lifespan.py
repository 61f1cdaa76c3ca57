"""What the server does once when it starts: open the newest run while nobody waits for it."""

from __future__ import annotations

import importlib
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any


@asynccontextmanager
async def lifespan(app: Any) -> AsyncIterator[dict[str, Any]]:
    """Start warming in the background; the first page does not wait for it."""
    # In one thread before there are two: a page and the warming thread that import a package for
    # the first time at once, one of them by its submodule, break each other's import.
    for module in ("rivae.explorer", "rivae.methods"):
        importlib.import_module(module)
    # Imported here: cached functions belong to the runtime, which exists only from now on.
    from rivae.ui.cache import warm

    threading.Thread(target=warm, name="rivae-warm", daemon=True).start()
    yield {}
