"""The Explore page's session: its state, the panel's reports and the link."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

from rivae.app.explore import chosen, page_keys, search, selecting, state
from rivae.app.explore.state import ExploreState
from rivae.app.panels.answers import moves_of, next_rev, rounded
from rivae.app.panels.component import SHARED, Component
from rivae.app.panels.links import ExploreLink, Query
from rivae.app.shared import address, defaults, uploads
from rivae.app.shared import map as shared_map
from rivae.app.shared.session import Session
from rivae.app.shared.uploads import Upload
from rivae.app.shell import cache, keys, web
from rivae.app.work import certainty, layouts
from rivae.base.config import Asks, Rows
from rivae.exploring.explorer import Explorer
from rivae.exploring.sliders import certainty_marks
from rivae.figures.page.opening import Order
from rivae.runs import Run
from rivae.runs.added_axes import ADDED_ID, MAX_LINE


@dataclass(frozen=True)
class Adding:
    """What of the axes stands at the side.

    Attributes:
        axis: the id of an axis to tell about; "" where one is to be added.
        items: data rows that were chosen on the map or by words, as examples.
    """

    axis: str = ""
    items: tuple[int, ...] = ()


class ExploreSession(Session[ExploreState, ExploreLink]):
    """The session of Explore."""

    def explorer(self, state: ExploreState) -> Explorer:
        return cache.at_once(state.run, state.rows, state.asks)

    def in_hand(self, state: ExploreState) -> tuple[str, Query | str]:
        return state.run, state.start

    def to_link(self, shown: ExploreState) -> ExploreLink:
        return state.to_link(self.explorer(shown), shown)

    def commit(self, shown: ExploreState, view: Mapping[str, Any]) -> ExploreState:
        # Which axes are the best is this visitor's choice and no part of a link.
        if view.get("order") in ("reliable", "effect"):
            st.session_state[page_keys.ORDER] = view["order"]
        return state.commit(shown, view, lambda: moves_of(self.explorer(shown)))

    def with_query(self, shown: ExploreState, query: Query) -> ExploreState:
        return state.with_query(self.explorer(shown), shown, query)

    def set_query(self, query: Query) -> None:
        """As on every page; the item that is open belongs to the query before."""
        super().set_query(query)
        self.close()

    def choose_upload(self, upload: Upload) -> None:
        """Makes a visitor's own picture or text the query."""
        uploads.KEPT.keep(cache.model_key(self.shown.run), upload)
        self.set(state.with_upload(self.shown, upload))
        self.close()

    def on_search(self, report: Mapping[str, Any]) -> None:
        """The visitor asks with a text or picture of the search box."""

        def change() -> None:
            shown = self.take(report.get("view"))
            self.choose_upload(search.upload_of(self.explorer(shown), report))

        self.guarded(change)

    def move_to_item(self, i: int) -> None:
        """Sets the free dimensions of z to item ``i``'s own; the query stays."""

        def change() -> None:
            z = rounded(self.explorer(self.shown).encode(i))
            self.set(state.with_z(self.shown, z))

        self.guarded(change)

    def close_item(self) -> None:
        """No item at the side on the next run."""
        st.session_state[self.keys.item] = None

    def pick(self, item: int) -> None:
        """Opens an item at the side, in the place of an axis."""
        super().pick(item)
        st.session_state[keys.EXPLORE_ADDING] = None

    def on_add(self, report: Mapping[str, Any]) -> None:
        """The visitor wants to add an axis; what the lasso or words have chosen may tell which."""

        def change() -> None:
            self.take(report.get("view"))
            inside = chosen.items(self.explorer(self.shown), self.shown.run, report)
            self.show_axis(Adding(items=inside))
            words = report.get("words")
            if isinstance(words, str) and words:  # an axis of them was looked for and not found
                st.session_state[page_keys.AXIS_HIGH] = words[:MAX_LINE]

        self.guarded(change)

    def show_axis(self, adding: Adding | None) -> None:
        """Opens the side for adding an axis or for one that was added; None closes it."""
        st.session_state[keys.EXPLORE_ADDING] = adding
        st.session_state[page_keys.DRAFT] = None
        st.session_state[self.keys.item] = None

    def renew(self) -> None:
        """Makes the panel take the axes over as they are now."""
        self.set(replace(self.shown, rev=next_rev(self.shown.rev)))
        st.session_state[page_keys.RENEWED] = True

    def on_about(self, report: Mapping[str, Any]) -> None:
        """The visitor wants to know all about one axis."""
        axis, added = report.get("axis"), report.get("added")

        def change() -> None:
            self.take(report.get("view"))
            if isinstance(added, str) and ADDED_ID.fullmatch(added):
                self.show_axis(Adding(axis=added))
                return
            ids = self.explorer(self.shown).axis_ids
            if type(axis) is int and 0 <= axis < len(ids):
                self.show_axis(Adding(axis=ids[axis]))

        self.guarded(change)

    def on_label(self, report: Mapping[str, Any]) -> None:
        """The visitor wants to label what the lasso holds, or what has some words."""

        def change() -> None:
            self.take(report.get("view"))
            if chosen.keep_for_label(self.explorer(self.shown), self.shown.run, report):
                st.session_state[keys.EXPLORE_AWAY] = True

        self.guarded(change)

    def on_selections(self, report: Mapping[str, Any]) -> None:
        """The visitor keeps what is chosen, or changes a selection that is kept."""

        def change() -> None:
            self.take(report.get("view"))
            selecting.act(self.explorer(self.shown), self.shown.run, report)

        self.guarded(change)

    def on_layout(self, report: Mapping[str, Any]) -> None:
        """The visitor wants to see a layout that is not computed yet."""

        def change() -> None:
            self.take(report.get("view"))
            layouts.begin(self.explorer(self.shown))

        self.guarded(change)

    def open_run(self, run: str, rows: str) -> None:
        """Another run, or other rows of the same one, from its default state."""

        def change() -> None:
            chosen: Rows = "all" if rows == "all" else "test"
            known, link = self.known, ExploreLink(run=run, rows=chosen)
            upload = None
            if known is not None and known.run == run:
                link, upload = replace(self.to_link(known), rows=chosen), known.upload
            explorer = cache.at_once(run, chosen, link.asks)
            self.show_axis(None)
            self.set(state.from_link(explorer, run, link, known.rev if known else 0, upload)[0])

        self.guarded(change)


PAGE = ExploreSession(keys.EXPLORE, ExploreLink)
PANEL = Component(
    "rivae_explore",
    js=(*SHARED, *shared_map.JS, "search.js", "explore.js"),
    css=("base.css", "explore.css", "search.css", shared_map.CSS),
    # The view after a release, an action with the view, and a question where the web route is
    # missing.
    reports={
        "commit": dict,
        "pick": dict,
        "choose": dict,
        "ask": dict,
        "about": dict,
        "add": dict,
        "label": dict,
        "layout": dict,
        "selections": dict,
        "search": dict,
    },
)


def current(entered: bool, ready: Sequence[Run]) -> tuple[ExploreState, Explorer]:
    """The state to show: the session's, unless the address says otherwise.

    ``entered`` tells that the visitor has just come from another page.

    Raises:
        RivaeError: the run in question is missing, broken or not ready.
    """

    def begin(link: ExploreLink, rev: int) -> tuple[ExploreState, list[str], Explorer]:
        if link.upload:
            link = replace(link, asks=uploads.asks_of(link.upload))
        run, explorer, left_out = defaults.opened(
            link.run, defaults.names(ready), lambda run: _opened(run, link.rows, link.asks)
        )
        upload = uploads.KEPT.find(cache.model_key(run), link.upload) if link.upload else None
        first_state, notes = state.from_link(explorer, run, link, rev, upload)
        return first_state, left_out + notes, explorer

    shown, explorer = PAGE.current(
        entered, lambda shown: _opened(shown.run, shown.rows, shown.asks), begin
    )
    if _has_other_weights(shown.run):
        # Its axes are others, so the old z would be anywhere.
        PAGE.set(state.with_query(explorer, replace(shown, locked=()), shown.query))
    return PAGE.shown, explorer


def _opened(run: str, rows: Rows, asks: Asks) -> Explorer:
    """The opened run, with everything slow that its first results need already computed; of very
    many items some, until all are embedded.
    """
    cache.hold(run)
    explorer = cache.asked(run, asks, rows, cache.at_once)
    explorer.prepare()
    return explorer


def _has_other_weights(run: str) -> bool:
    """Whether a run has other weights than this visitor saw last, as one in training has."""
    now, before = cache.model_key(run), st.session_state.get(page_keys.MODEL)
    st.session_state[page_keys.MODEL] = (run, now)
    return before is not None and before[0] == run and before[1] != now


def panel_data(explorer: Explorer, shown: ExploreState) -> dict[str, Any]:
    """What the panel is sent."""
    data = cache.data_version(shown.run)
    key = f"{shown.run}/{shown.rows}/{shown.asks}/{len(explorer.search_rows)}/{data}"
    payload = PAGE.sent(key, lambda: state.payload(explorer, shown, key, web.topk_url()))
    axis_certainty = certainty.known_certainty(explorer.run)
    return {
        **payload,
        "view": address.view(),
        "best": best_order(),
        "watched": st.session_state.get(keys.EXPLORE.item),
        "marks": certainty_marks(axis_certainty, explorer.axis_names),
        "map": shared_map.map_of(explorer, shown.run),
        "takes": search.takes(explorer),
        "hits": web.hits_url(),
        "changes": web.changes_url(),
        "docked": _is_docked(),
        "gone": selecting.gone(shown.run),
    }


def best_order() -> Order:
    """Which axes come first where the best do, as far as the panel has said it."""
    order: Order = st.session_state.get(page_keys.ORDER, "reliable")
    return order


def _is_docked() -> bool:
    """Whether something stands at the side of the page."""
    names = (keys.EXPLORE.item, keys.EXPLORE_ADDING)
    return any(st.session_state.get(name) is not None for name in names)
