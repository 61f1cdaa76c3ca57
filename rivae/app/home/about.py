"""What the app is, where its runs come from, and how to change the theme."""

from __future__ import annotations

import streamlit as st

import rivae


def about() -> None:
    """About the app and its settings, behind a line at the foot of Home."""
    with st.expander("About and settings", icon=":material/info:"):
        st.markdown(
            f"RIVAE Explorer {rivae.__version__}. A run is a trained model of pairs: one side is "
            "the query, the other is searched. Between them is **z**, a few numbers that the "
            "model has learned. Change one of them, and the results change.\n\n"
            "Light or dark: menu ⋮ at the top right, then Settings. Runs are read from the folder "
            "`runs` (or `$RIVAE_RUNS`) and from the demo runs that come with the project."
        )
