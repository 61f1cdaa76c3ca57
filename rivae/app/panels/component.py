"""The parts of pages that are drawn in the browser: each declared once, with what it reports.

One of them is on every page (``assets/components/page.js``): it looks after the browser's history,
the focus and the panel at the side.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Any

import streamlit as st

from rivae.app.shell import keys
from rivae.app.shell.text import markdown
from rivae.base.scripts import source, styles

# The modules that the Explore and the Compare panel share.
SHARED = (
    "dom.js",
    "wire.js",
    "tiles.js",
    "rows.js",
    "layout.js",
    "added.js",
    "sliders.js",
    "panel.js",
)


class Component:
    """One part of a page, made of files in ``assets/components``.

    Calling it puts it on the page::

        CLOUDS = Component("rivae_clouds", js=("clouds.js",), reports={"item": int})
        CLOUDS(data, key="clouds", item=open_item)

    Args:
        name: unique in the app.
        js: modules, joined to one in this order with what they import.
        css: files, in this order.
        reports: the type of what the browser sends by event (``setTriggerValue`` or
            ``setStateValue`` there). What a stranger sends may be anything: a value of another
            type is not reported.
        styles_page: whether its style is for the whole page, not for itself alone.
    """

    def __init__(
        self,
        name: str,
        *,
        js: tuple[str, ...],
        css: tuple[str, ...] = (),
        reports: Mapping[str, type] | None = None,
        styles_page: bool = False,
    ) -> None:
        self.reports = dict(reports or {})
        self._mount = st.components.v2.component(
            name,
            js=source(*js),
            css=styles(*css) if css else None,
            isolate_styles=not styles_page,
        )

    def __call__(
        self,
        data: Mapping[str, Any],
        *,
        key: str,
        height: int | None = None,
        **handlers: Callable[[Any], object],
    ) -> None:
        """Show the component with ``data`` under the session key ``key``.

        ``height`` is its room in pixels from the first byte, where what it draws needs just that.

        ``handlers`` are called with what is reported, by event; without one an event is ignored.
        """
        assert handlers.keys() <= self.reports.keys(), "no such event"
        on: dict[str, Any] = {
            f"on_{event}_change": partial(self._hear, key, event, handlers.get(event))
            for event in self.reports
        }
        self._mount(key=key, data=dict(data), height=height or "content", **on)

    def _hear(self, key: str, event: str, handler: Callable[[Any], object] | None) -> None:
        kind = self.reports[event]
        value = getattr(st.session_state.get(key), event, None)
        if kind is dict and isinstance(value, Mapping):
            value = dict(value)
        if handler is not None and type(value) is kind:  # true is no number
            handler(value)


_FRAME = Component(
    "rivae_page",
    js=("page.js",),
    css=("page.css",),
    reports={"theme": str},  # a change of it; nothing is to do but to run again
    styles_page=True,
)


def page_frame() -> None:
    """Mount the invisible part; last on every page, so that it finds the rest in place."""
    _FRAME({"reveal": list(st.session_state.get(keys.REVEAL, ("", 0)))}, key="page_frame")


def reveal(name: str) -> None:
    """Bring the container with the key ``name`` (``detail_…``) into view once; for callbacks."""
    _, count = st.session_state.get(keys.REVEAL, ("", 0))
    st.session_state[keys.REVEAL] = (name, count + 1)


@contextmanager
def dock(title: str, close: Callable[[], None]) -> Iterator[None]:
    """A panel at the side of a page, which stays usable next to it; Escape closes it, too.

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
