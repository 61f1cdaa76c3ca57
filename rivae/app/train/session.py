"""The session of the Train page: its view in the address, and the queue and runs it shows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import streamlit as st

from rivae.app.shell import access, cache, keys, report, troubles
from rivae.app.train import page_keys
from rivae.base.errors import RivaeError

if TYPE_CHECKING:
    from rivae.jobs.ledger import Ledger
    from rivae.jobs.overview import Entry


def chosen_run() -> str:
    """The run in the address, or "" where all are listed."""
    return str(st.query_params.get(page_keys.RUN, ""))[:120]


def open_run(run_id: str) -> None:
    """Show one run; for callbacks."""
    st.query_params[page_keys.RUN] = run_id


def close_run() -> None:
    """Show the list of runs again; for callbacks."""
    st.query_params.pop(page_keys.RUN, None)


PLACE = "train"


def ledger() -> Ledger:
    """The queue of the folder of runs that the app writes to."""
    from rivae.jobs.ledger import Ledger
    from rivae.runs import runs_root

    return Ledger(runs_root())


def change(act: Callable[[Ledger], str], place: str = PLACE) -> bool:
    """Change the queue with ``act`` and show the sentence it returns at ``place``
    (``rivae.app.shell.report``); returns whether it was done. For callbacks.

    Only for visitors with the right; starts a dispatcher if none is running.
    """

    def done() -> str:
        from rivae.jobs.dispatcher import ensure_dispatcher

        access.require()
        queue = ledger()
        sentence = act(queue)
        ensure_dispatcher(queue.root)
        return sentence

    return report.attempt(place, done)


EVERY = 2  # seconds between two looks while something runs


def entries() -> tuple[list[Entry], str]:
    """Every job and run, and a sentence about the queue where it is damaged (then runs only)."""
    from rivae.jobs.overview import entries

    queue, trouble = ledger(), ""
    try:
        jobs = queue.jobs()
    except RivaeError as error:
        jobs, trouble = [], str(error)
    return [_marked(entry) for entry in entries(jobs, cache.runs(), queue.root)], trouble


def _marked(entry: Entry) -> Entry:
    """The entry of a trained run that cannot be opened is broken, with the reason."""
    if entry.run is None or entry.state != "finished" or not (why := troubles.trouble(entry.run)):
        return entry
    return replace(entry, state="broken" if entry.run.opens else entry.state, message=why)


def entry_of(run_id: str) -> Entry | None:
    """The run or job of this name, or None."""
    return next((entry for entry in entries()[0] if entry.id == run_id), None)


def rerun_if_message() -> None:
    """Draw the page again where a button in a fragment has left a message, which the fragment's
    next refresh would remove.
    """
    if f"{keys.OUTCOME}_{PLACE}" in st.session_state:
        st.rerun()
