"""The Label page's session: view and plan, which stand in the address."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from rivae.ui import state
from rivae.ui.text import markdown

VIEWS = ("Label", "Review", "Plans")


def recall(names: Sequence[str]) -> None:
    """Coming back from another page: plan and name as they were left, unless the address has them.
    """
    kept = st.session_state.get(state.LABEL_KEPT, {})
    for name, value in kept.items():
        if name not in st.query_params and (name != state.LABEL_PLAN or value in names):
            st.session_state[name] = value


def remember() -> None:
    """Plan and name, for when the visitor comes back."""
    kept = st.session_state.setdefault(state.LABEL_KEPT, {})
    for name in (state.LABEL_PLAN, state.LABEL_BY):
        if st.session_state.get(name):
            kept[name] = st.session_state[name]


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
