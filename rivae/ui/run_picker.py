"""Choosers at the top of a page: which run, and which of its items are searched."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from rivae.ui import cache
from rivae.ui.run_cards import run_title

ROW_LABELS = {"test": "Test items", "all": "All items"}


def run_picker(run_id: str, ready: list[str], *, key: str, on_change: Callable[[], None]) -> None:
    """A list of the runs that can be opened; ``run_id`` is chosen."""
    titles = {run.id: run_title(run) for run in cache.runs()}
    options = ready if run_id in ready else [run_id, *ready]
    st.session_state[key] = run_id
    st.selectbox(
        "Run",
        options,
        format_func=lambda run: titles.get(run, run),
        key=key,
        on_change=on_change,
        width=340,
    )


def rows_picker(rows: str, *, key: str, on_change: Callable[[], None]) -> None:
    """Whether the test items or all items are searched."""
    st.session_state[key] = rows
    st.selectbox(
        "Search in",
        list(ROW_LABELS),
        format_func=ROW_LABELS.__getitem__,
        key=key,
        on_change=on_change,
        width=130,
        help="Test items were not seen in training.",
    )
