"""The queue of training runs as the app uses it: what a visitor asks for, done or said why not."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from rivae.ui import access, outcome

if TYPE_CHECKING:
    from rivae.jobs.ledger import Ledger

PLACE = "train"


def ledger() -> Ledger:
    """The queue of the folder of runs that the app writes to."""
    from rivae.jobs.ledger import Ledger
    from rivae.runs import runs_root

    return Ledger(runs_root())


def change(act: Callable[[Ledger], str], place: str = PLACE) -> bool:
    """Do what a visitor asked for, and keep the sentence that ``act`` returns for ``place``
    (``rivae.ui.outcome``); whether it was done. For callbacks.

    Done only for those who may; a dispatcher is started where none is.
    """

    def done() -> str:
        from rivae.jobs.dispatcher import ensure_dispatcher

        access.require()
        queue = ledger()
        said = act(queue)
        ensure_dispatcher(queue.root)
        return said

    return outcome.tried(place, done)
