"""The runs that are shown first, and opened before anybody asks."""

from __future__ import annotations

import logging
from importlib import import_module

from rivae.app.shell.cache import explorer, ready_runs, strip
from rivae.base.errors import RivaeError
from rivae.runs import DEMO_ROOT, Run

SHOWPIECE = "demo-kitchen"
log = logging.getLogger(__name__)


def telling_runs(in_hand: str = "") -> list[Run]:
    """The runs that can be opened: first the one that a visitor has ``in_hand``, then those that
    were trained here, the newest first, and then the one that shows a newcomer most, the kitchen.
    """

    def order(run: Run) -> tuple[bool, bool, bool]:
        return run.id != in_hand, run.path.parent == DEMO_ROOT, run.id != SHOWPIECE

    return sorted(sorted(ready_runs(), key=_updated, reverse=True), key=order)


def _updated(run: Run) -> str:
    try:
        return run.status.updated or ""
    except RivaeError:
        return ""


def warm() -> None:
    """Open the runs that the first visitor sees, so that nobody waits for them."""
    from rivae.exploring.preparing import needs_preparing

    ready = ready_runs()
    first = {found.id: found for found in (*telling_runs()[:1], *ready[:1])}

    def ahead(run: Run) -> None:
        if run.id in first and not needs_preparing(run, "test", "first"):
            explorer(run.id).best("a", 1)  # texts are indexed at the first search
        # Of one that needs preparing only who asks for it waits.

    for work, some in ((ahead, first.values()), (lambda found: strip(found.config), ready)):
        for found in some:
            try:
                work(found)
            except RivaeError as error:
                log.warning("could not open run %s: %s", found.id, error)
    # It brings matplotlib, half a second of a core; pages import it by its name, too, so that one
    # that asks for it meanwhile waits for this.
    import_module("wordcloud")
