"""Which theme the visitor sees, and the colours that drawings made in Python take from it."""

from __future__ import annotations

import streamlit as st


def is_dark() -> bool:
    """Whether the page is dark now."""
    return st.context.theme.type == "dark"


def ink() -> str:
    """The colour of text."""
    return _option("textColor", "#e3e9eb", "#1c282e")


def accent() -> str:
    """The accent colour for drawings, readable on the page's surface."""
    return _option("linkColor", "#7fc4da", "#14607c")


def _option(name: str, dark: str, light: str) -> str:
    """A colour of .streamlit/config.toml, or ours where another configuration is used."""
    mode = "dark" if is_dark() else "light"
    return str(st.get_option(f"theme.{mode}.{name}") or (dark if is_dark() else light))
