"""What belongs to the page as a whole (``assets/components/page.js``): history, focus, the panel at
the side.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import streamlit as st

from rivae.ui.panels.component import Component
from rivae.ui.shell import keys
from rivae.ui.shell.text import markdown

_FRAME = Component("rivae_page", js=("page.js",), css=("page.css",), styles_page=True)


def page_frame() -> None:
    """Show nothing; last on every page, so that what it looks for is there."""
    _FRAME({"reveal": list(st.session_state.get(keys.REVEAL, ("", 0)))}, key="page_frame")


def reveal(name: str) -> None:
    """Brings the container with the key ``name`` (``detail_…``) into view once; for callbacks."""
    _, count = st.session_state.get(keys.REVEAL, ("", 0))
    st.session_state[keys.REVEAL] = (name, count + 1)


@contextmanager
def dock(title: str, close: Callable[[], None]) -> Iterator[None]:
    """A panel at the side of a page, which stays in use beside it; Escape closes it, too.

    ``title`` is plain text.
    """
    with st.container(key="dock"):
        with st.container(key="dock_head", horizontal=True, horizontal_alignment="distribute"):
            st.subheader(markdown(title), anchor=False, width="stretch")
            st.button(
                "Close",
                icon=":material/close:",
                type="tertiary",
                key=keys.DOCK_CLOSE,
                on_click=close,
                shortcut="Escape",
            )
        yield
