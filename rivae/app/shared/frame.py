"""The frame of every page: the bar at the top and the tabs of the place.

``main.py`` draws it before the page; the page fills two slots: ``run_chip`` with what it shows a
view of, and ``tools`` with the few controls of its own, in the row of the tabs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

import streamlit as st

from rivae.app.panels.component import Component
from rivae.app.shared import address, charts, ended, finder, share
from rivae.app.shell import keys, pages, web
from rivae.app.shell.text import escape, markdown
from rivae.base.scripts import styles

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

    from rivae.app.shell.pages import Page, View

MAX_CHIP = 32  # characters of a run's title in the bar

ICONS = {
    "Home": ":material/home:",
    "Explore": ":material/tune:",
    "Evidence": ":material/fact_check:",
    "Label": ":material/new_label:",
    "Train": ":material/model_training:",
}
_UNDO = Component("rivae_undo", js=("dom.js", "undo.js"), css=("base.css", "undo.css"))
_slots: ContextVar[dict[str, DeltaGenerator] | None] = ContextVar("slots", default=None)


def draw(page: Page, view: View) -> None:
    """The bar, and the tabs of the view's place; the slots are for the page."""
    share.begin()
    # The headings are for screen readers; the bar says them to everybody else. Home has its own.
    headings = f"<h1>{escape(view.place)}</h1><h2>{escape(view.title)}</h2>"
    page_name = "" if page.name == pages.HOME else f'<div class="page-name">{headings}</div>'
    style = f":root {{ --bar-accent: {charts.accent()} }}"
    if not web.is_mounted():  # else it is in the page from the beginning
        style += styles("bar.css")
    with st.container(key="page_head"):  # its style keeps it from taking room, even while it loads
        st.html(f"<style>{style}</style>{page_name}")
    with st.container(key="bar", horizontal=True, vertical_alignment="center", gap="small"):
        with st.container(key="places", horizontal=True, gap=None, width="content"):
            for place in pages.PLACES:
                _place(place, is_shown=place == view.place)
        chip = st.container(key="bar_run", width="content")
        find = st.container(key="bar_find", width="content")
        with st.container(key="bar_steps", width="content"):
            _UNDO({}, key="undo")
        share_place = st.container(key="bar_share", width="content")
        _help(page)
    st.session_state.setdefault(keys.LAST_VIEWS, {})[view.place] = view.title
    slots = {"chip": chip, "find": find, "share": share_place}
    tabs = [each for each in pages.tabs(view.place) if each[1].has_tab or each[1] is view]
    if len(tabs) > 1:
        slots["tools"] = _views(view, tabs)
    _slots.set(slots)


def _views(view: View, tabs: Sequence[tuple[Page, View]]) -> DeltaGenerator:
    """The row of the tabs; returns the place of the page's own controls in it."""
    with st.container(key="views", horizontal=True, vertical_alignment="center", gap="small"):
        with st.container(key="tabs", horizontal=True, gap=None, width="content"):
            for other, tab in tabs:
                _link(other, tab, tab.title, is_shown=tab is view)
        return st.container(
            key="tools", horizontal=True, vertical_alignment="center", gap="small", width="content"
        )


def _place(place: str, is_shown: bool) -> None:
    """The link to a place: to the view where the visitor last was, from there to the first."""
    last = None if is_shown else st.session_state.get(keys.LAST_VIEWS, {}).get(place)
    page, view = next(
        (each for each in pages.tabs(place) if each[1].title == last), pages.tabs(place)[0]
    )
    label = "**RIVAE**" if place == pages.PLACES[0] else place
    _link(page, view, label, is_shown, icon=ICONS[place], name=f"place_{place}")


def _link(
    page: Page, view: View, label: str, is_shown: bool, icon: str | None = None, name: str = ""
) -> None:
    key = f"{'at' if is_shown else 'to'}_{name or view.title}".replace(" ", "_")
    with st.container(key=key, width="content"):
        st.page_link(
            page.path,
            label=label,
            icon=icon,
            query_params=address.to_view(page, view),
            help=None if name == "place_Home" else page.blurb,
        )


def _help(page: Page) -> None:
    text = page.help + ("\n\n" + pages.SURE if page.discs else "")
    with st.container(key="bar_help", width="content"):
        if text:
            with st.popover("Help", icon=":material/help:", type="tertiary"):
                st.markdown(text)


@contextmanager
def run_chip(title: str = "") -> Iterator[None]:
    """What the page is a view of, in the bar: ``title`` shows, the controls open from it. Without a
    title, more controls of the same.
    """
    short = title if len(title) <= MAX_CHIP else f"{title[: MAX_CHIP - 1]}…"
    with _opened("chip", short, ":material/deployed_code:"):
        yield


@contextmanager
def details(title: str = "Details", icon: str = ":material/tune:") -> Iterator[None]:
    """Controls that are rarely needed, behind a button in the row of the tabs."""
    with _opened("tools", title, icon, name=title):
        yield


@contextmanager
def tools() -> Iterator[None]:
    """The page's own few controls, in the row of its tabs."""
    with _slot("tools"):
        yield


def finish(page: Page) -> None:
    """What needs to know what ``page`` shows; last on every page."""
    with _slot("find"):
        finder.button()
    ended.tell()
    if page.name != pages.HOME:
        with _slot("share"):
            share.menu()


def _opened(slot: str, title: str, icon: str, name: str = "") -> DeltaGenerator:
    """The popover of a slot, which is made once: a page may add to it in several places."""
    slots = _slots.get()
    key = f"{slot} {name}"
    if slots is not None and key in slots:
        return slots[key]
    with _slot(slot):
        popover: DeltaGenerator = st.popover(markdown(title), icon=icon)
    if slots is not None:
        slots[key] = popover
    return popover


def _slot(name: str) -> DeltaGenerator:
    """A slot of the frame; a row of the page where that is drawn without one, as a fragment."""
    slots = _slots.get()
    return slots[name] if slots else st.container(horizontal=True, vertical_alignment="bottom")
