"""The Label page's session: view and plan, which stand in the address."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from rivae.ui import state
from rivae.ui.text import markdown

VIEWS = ("Label", "Review", "Plans")


def view_picker(names: Sequence[str]) -> str:
    """The control that changes the view; without a plan only plans can be shown."""
    usual = VIEWS[0] if names else VIEWS[2]
    chosen = st.segmented_control(
        "Show", VIEWS, default=usual, required=True, key=state.LABEL_VIEW, bind="query-params",
        label_visibility="collapsed",
    )  # fmt: skip
    return str(chosen) if names and chosen in VIEWS else usual


def plan_picker(names: Sequence[str]) -> tuple[str, str]:
    """The plan in the address, else the first one; a remark (Markdown) on one that is not there."""
    asked = st.query_params.get(state.LABEL_PLAN)
    remark = ""
    if asked and asked not in names:
        remark = f"There is no plan {markdown(asked[:80])}, so another one is shown."
    chosen = st.selectbox(
        "Plan", list(names), key=state.LABEL_PLAN, bind="query-params", width=260
    )
    return str(chosen), remark


def open_plan(name: str, view: str = "Label") -> None:
    """Show a plan; for callbacks."""
    st.session_state[state.LABEL_PLAN] = name
    # The list of plans may not be on the page now: then nothing else writes its name there.
    st.query_params[state.LABEL_PLAN] = name
    st.session_state[state.LABEL_VIEW] = view
