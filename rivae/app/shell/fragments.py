"""Parts of a page that are drawn again by themselves."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

P = ParamSpec("P")


def fragment(
    run_every: float | None = None,
) -> Callable[[Callable[P, None]], Callable[P, None]]:
    """``st.fragment`` in a container of the page's own.

    When a fragment is drawn again, Streamlit takes back what the browser has not been sent of it,
    its container as well. Were that the page's next element, those after it would come without it:
    the browser refuses them ("Bad delta path index"), and the page ends there.

    Args:
        run_every: seconds after which it is drawn again; only when it is used, by default.
    """

    def of(draw: Callable[P, None]) -> Callable[P, None]:
        fragment = st.fragment(draw, run_every=run_every)

        @wraps(draw)
        def placed(*args: P.args, **kwargs: P.kwargs) -> None:
            with st.container():
                fragment(*args, **kwargs)

        return placed

    return of


def forget_all() -> None:
    """Called when another page begins: no fragment of the page before is drawn again.

    The browser asks for them until it hears of the new page. Streamlit would answer once that is
    complete, in the name of the old page; the browser would take that for the page to show, drop
    what it has, and end at the next fragment ("'setIn' cannot be called on an ElementNode").
    """
    if context := get_script_run_ctx():
        context.fragment_storage.clear()
