"""What the server does once when it starts: open the newest run while nobody waits for it."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any


@asynccontextmanager
async def lifespan(app: Any) -> AsyncIterator[dict[str, Any]]:
    """Start warming in the background; the first page does not wait for it."""
    # Imported here: cached functions belong to the runtime, which exists only from now on.
    from rivae.ui.cache import warm

    threading.Thread(target=warm, name="rivae-warm", daemon=True).start()
    yield {}
