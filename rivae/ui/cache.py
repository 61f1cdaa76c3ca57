"""Opened runs, shared by all visitors: read-only, bounded, renewed when their model changes."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import streamlit as st

from rivae.errors import RivaeError

if TYPE_CHECKING:
    from rivae.explorer import Explorer, Rows
    from rivae.runs import Run

log = logging.getLogger(__name__)
# One opened run holds its data, model and projected items: some 10 to 200 MB.
MAX_OPEN = 4


def runs() -> list[Run]:
    """All run folders, newest first; broken ones too, their properties raise RunError."""
    from rivae.runs import list_runs

    return list_runs()


def ready_runs() -> list[Run]:
    """The runs that have a trained model, newest first."""
    return [run for run in runs() if state_of(run) == "finished"]


def state_of(run: Run) -> str:
    """"finished", "running" … or "broken" where the folder cannot be read."""
    try:
        return run.status.state
    except RivaeError:
        return "broken"


# The folder list is asked for on every drag step; two seconds old is new enough.
@st.cache_resource(ttl=2, max_entries=64, show_spinner=False)
def _resolve(run_id: str) -> tuple[Run, str]:
    run = next((r for r in runs() if r.id == run_id), None)
    if run is None:
        from rivae.errors import RunError

        raise RunError(f"there is no run '{run_id}': choose one on the Home page")
    return run, run.content_hash


@st.cache_resource(max_entries=MAX_OPEN, show_spinner=False)
def _opened(content_hash: str, run_id: str, rows: str, _run: Run) -> Explorer:
    from rivae.explorer import Explorer

    explorer = Explorer.open(_run, "all" if rows == "all" else "test")
    # Computed here once, not under the first visitor's finger.
    explorer.mean, explorer.std, explorer.effects  # noqa: B018
    return explorer


def explorer(run_id: str, rows: Rows = "test") -> Explorer:
    """The opened run ``run_id``, from any thread.

    Raises:
        RivaeError: there is no such run, it is broken, or it has no trained model yet.
    """
    run, content_hash = _resolve(run_id)
    return _opened(content_hash, run_id, rows, run)


def warm() -> None:
    """Open the newest ready run, so that the first visitor does not wait for it."""
    try:
        ready = ready_runs()
        if ready:
            explorer(ready[0].id)
    except RivaeError as error:
        log.warning("could not open the newest run: %s", error)
