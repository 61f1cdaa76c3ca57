"""All runs of the Train page with their states, as of now."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from rivae.errors import RivaeError
from rivae.ui import cache, state, train_queue

if TYPE_CHECKING:
    from rivae.jobs.overview import Entry

EVERY = 2  # seconds between two looks while something runs


def entries() -> tuple[list[Entry], str]:
    """Every job and run, and what is wrong with the queue, if anything; then the runs alone."""
    from rivae.jobs.overview import entries

    queue, trouble = train_queue.ledger(), ""
    try:
        jobs = queue.jobs()
    except RivaeError as error:
        jobs, trouble = [], str(error)
    return entries(jobs, cache.runs(), queue.root), trouble


def entry_of(run_id: str) -> Entry | None:
    """The run or job of this name, or None."""
    return next((entry for entry in entries()[0] if entry.id == run_id), None)


def page_if_said() -> None:
    """Start the page anew where a button of a part that renews itself has left a sentence: it would
    be gone with the next look.
    """
    if f"{state.OUTCOME}_{train_queue.PLACE}" in st.session_state:
        st.rerun()
