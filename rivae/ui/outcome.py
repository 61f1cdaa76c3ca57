"""One sentence about what a visitor just tried, shown where it was tried."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from rivae.errors import RivaeError
from rivae.ui import state
from rivae.ui.text import markdown


def tried(place: str, change: Callable[[], str]) -> bool:
    """Run a change in a callback and keep what it says, or why it failed; whether it worked."""
    try:
        said = change()
    except RivaeError as error:
        st.session_state[_key(place)] = (False, str(error))
        return False
    st.session_state[_key(place)] = (True, said)
    return True


def show(place: str) -> None:
    """What was said about ``place`` since the last run of the script, once."""
    worked, said = st.session_state.pop(_key(place), (True, ""))
    if said and worked:
        st.toast(markdown(said), icon=":material/check:")
    elif said:
        warning(said)


def warning(sentence: str) -> None:
    """A sentence about what cannot be done."""
    st.warning(markdown(sentence), icon=":material/info:")


def _key(place: str) -> str:
    return f"{state.OUTCOME}_{place}"
