"""Selections that are kept with the run: what the map is told of them, and what it asks for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import streamlit as st

from rivae.app.explore import chosen, page_keys
from rivae.app.panels.questions import Selecting, read
from rivae.app.shell import access, cache
from rivae.base.errors import ConfigError
from rivae.runs.selections import (
    keep_selection,
    remove_selection,
    rename_selection,
    restore_selection,
)

if TYPE_CHECKING:
    from rivae.exploring.explorer import Explorer


def act(explorer: Explorer, run_id: str, report: Mapping[str, Any]) -> None:
    """Keep what is chosen, or rename, remove or bring back a selection; it is on the disk then.

    Raises:
        RivaeError: in one sentence; nothing has changed then.
    """
    names = ("do", "id", "name")
    request = read(Selecting, {name: report[name] for name in names if name in report})
    run = cache.run(run_id)
    if request.do == "keep":
        rows = chosen.items(explorer, run_id, report)
        if not rows:
            raise ConfigError("nothing is chosen: draw a lasso on the map, or write a filter")
        keep_selection(run, rows, request.name)
        return
    access.require()
    if request.do == "rename":
        rename_selection(run, request.id, request.name)
    elif request.do == "remove":
        st.session_state[page_keys.SELECTION] = (run_id, remove_selection(run, request.id))
    else:
        of_run, last_selection = st.session_state.get(page_keys.SELECTION) or ("", None)
        if of_run == run_id and last_selection is not None:
            restore_selection(run, last_selection)
        st.session_state[page_keys.SELECTION] = None


def gone(run_id: str) -> str:
    """The name of the selection that this visitor removed last; "" where none can come back."""
    of_run, last_selection = st.session_state.get(page_keys.SELECTION) or ("", None)
    return last_selection.name if of_run == run_id and last_selection is not None else ""
