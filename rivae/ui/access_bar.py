"""A part of the Train page."""

import streamlit as st


def panel() -> None:
    """Show it."""
    st.write("…")
