"""The Train page's session: its views, which stand in the address."""

from __future__ import annotations

import streamlit as st

from rivae.ui import state

VIEWS = ("Runs", "New run")


def view_picker() -> str:
    """The control that changes the view."""
    chosen = st.segmented_control(
        "Show", VIEWS, default=VIEWS[0], required=True, key=state.TRAIN_VIEW, bind="query-params",
        label_visibility="collapsed",
    )  # fmt: skip
    return str(chosen) if chosen in VIEWS else VIEWS[0]


def open_view(view: str) -> None:
    """Show a view; for callbacks."""
    st.session_state[state.TRAIN_VIEW] = view


def chosen_run() -> str:
    """The run in the address, or "" where all are listed."""
    return str(st.query_params.get(state.TRAIN_RUN, ""))[:120]


def open_run(run_id: str) -> None:
    """Show one run; for callbacks."""
    st.query_params[state.TRAIN_RUN] = run_id


def close_run() -> None:
    """Show the list of runs again; for callbacks."""
    st.query_params.pop(state.TRAIN_RUN, None)
