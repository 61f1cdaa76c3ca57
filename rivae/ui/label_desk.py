"""A view of the Label page."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

    from rivae.ui.label_store import OpenPlan


def panel(opened: OpenPlan, bar: DeltaGenerator) -> None:
    """Show it."""
    st.write(opened.plan.id)
