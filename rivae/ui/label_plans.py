"""A view of the Label page."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st


def panel(names: Sequence[str]) -> None:
    """Show it."""
    st.write(len(names))
