"""The session of a page with a panel (Explore, Compare, Steer): its state, the panel's reports and
the address.
"""

from __future__ import annotations

import random
import secrets
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, TypeVar

import streamlit as st

from rivae.app.panels.answers import OpenRun, answer
from rivae.app.panels.codec import Link, unread
from rivae.app.panels.links import Query
from rivae.app.shared import address
from rivae.app.shell import cache, keys
from rivae.app.shell.keys import PanelKeys
from rivae.base.errors import ConfigError, RivaeError

if TYPE_CHECKING:
    from rivae.base.config import Asks
    from rivae.exploring.explorer import Explorer

Report = dict[str, Any]


class State(Protocol):
    """The state of a page, a dataclass; ``rev`` changes whenever Python, not the browser, sets it.

    The query is the view ``asks`` of a data row, or the average of all.
    """

    __dataclass_fields__: ClassVar[dict[str, Any]]

    @property
    def rev(self) -> int: ...

    @property
    def query(self) -> Query: ...

    @property
    def asks(self) -> Asks: ...


S = TypeVar("S", bound=State)
L = TypeVar("L", bound=Link)
Opened = TypeVar("Opened")


class Session(ABC, Generic[S, L]):
    """One page's session; each page defines its state, link and runs.

    Args:
        keys: the names of its parts in Streamlit's session.
        link: the settings that its address can hold.
    """

    def __init__(self, keys: PanelKeys, link: type[L]) -> None:
        self.keys, self.link = keys, link

    @abstractmethod
    def explorer(self, shown: S) -> Explorer:
        """The run that queries are chosen from, opened with the view that asks."""

    @abstractmethod
    def in_hand(self, shown: S) -> tuple[str, Query | str]:
        """The run and the query that the visitor takes to other pages."""

    @abstractmethod
    def to_link(self, shown: S) -> L:
        """The link that restores a state."""

    @abstractmethod
    def commit(self, shown: S, view: Mapping[str, Any]) -> S:
        """A state with what the panel reports of its view."""

    @abstractmethod
    def with_query(self, shown: S, query: Query) -> S:
        """A state at another query."""

    # The state and the address

    @property
    def known(self) -> S | None:
        """The state that was shown last, None at first."""
        state: S | None = st.session_state.get(self.keys.state)
        return state

    @property
    def shown(self) -> S:
        """The state that is shown; for callbacks."""
        state: S = st.session_state[self.keys.state]
        return state

    def stays(self) -> bool:
        """Whether the address is as it was last read or written: the known state is shown."""
        return self.known is not None and self._params() == st.session_state.get(self.keys.link)

    def _params(self) -> dict[str, str]:
        return address.read(self.link.names())

    def current(
        self,
        entered: bool,
        opened: Callable[[S], Opened],
        begin: Callable[[L, int], tuple[S, list[str], Opened]],
    ) -> tuple[S, Opened]:
        """The state to show, and its runs: the session's, unless the address says otherwise.

        Args:
            entered: whether the visitor has just come from another page.
            opened: the runs of the known state.
            begin: the state of a link, with a number that its ``rev`` exceeds, remarks and runs.
        """
        if self.stays():
            self._keep(self.shown)
            return self.shown, opened(self.shown)
        params, last_state = self._params(), self.known
        link, unreadable = self.link.read(params)
        state, notes, runs = begin(link, last_state.rev if last_state else 0)
        st.session_state[self.keys.notice] = " ".join(unread(unreadable) + notes)
        st.session_state[self.keys.link] = params
        self._keep(state)
        if entered and not {self.link.names()[0], "q"} <= params.keys():
            self.save()
        return state, runs

    def _keep(self, shown: S) -> None:
        st.session_state[self.keys.state] = shown
        address.take(*self.in_hand(shown), shown.asks)

    def save(self) -> None:
        """Writes the state into the address, which adds one step to the browser's history."""
        address.save(self.to_link(self.shown).write(), self.link.names(), self.keys.link)

    def set(self, shown: S) -> None:
        """Replaces the state and the address; for callbacks."""
        self._keep(shown)
        st.session_state[self.keys.notice] = ""
        self.save()

    # What the panel is sent

    def sent(self, key: str, build: Callable[[], dict[str, Any]], *answers: str) -> dict[str, Any]:
        """What the panel is sent: built on a new rev or ``key``, so that other reruns send nothing
        new, and the answers through the session under the keys ``answers``.
        """
        last_payload = st.session_state.get(self.keys.payload)
        if last_payload is None or (last_payload["rev"], last_payload["key"]) != (
            self.shown.rev,
            key,
        ):
            # Where a new session begins, e.g. on another server, the panel knows more than it.
            session = st.session_state.setdefault(keys.SESSION, secrets.token_hex(8))
            last_payload = {**build(), "session": session}
            st.session_state[self.keys.payload] = last_payload
            st.session_state.update(dict.fromkeys((self.keys.answer, *answers)))
        return {**last_payload, "answer": st.session_state.get(self.keys.answer)}

    def refresh(self) -> None:
        """Makes the panel take the session's state over again, e.g. after a page switch."""
        st.session_state[self.keys.payload] = None

    # What the panel and the page's widgets report

    def guarded(self, change: Callable[[], object]) -> None:
        """Runs a change; an error becomes a sentence on the page."""
        try:
            change()
        except RivaeError as error:
            st.session_state[self.keys.notice] = str(error)

    def take(self, view: object) -> S:
        """The state after what the panel reports of its view."""
        after = self.commit(self.shown, view if isinstance(view, Mapping) else {})
        if after != self.shown:
            self.set(after)
        return after

    def on_commit(self, view: Report) -> None:
        """A slider was released, or an option of the panel has changed."""
        self.guarded(lambda: self.take(view))

    def on_choose(self, report: Report) -> None:
        """Another query is wanted: a random one, the average, a row, or the gallery."""
        self.guarded(lambda: self._choose(report))

    def _choose(self, report: Report) -> None:
        explorer = self.explorer(self.take(report.get("view")))
        how, item = report.get("how"), report.get("id")
        if how == "random":
            self.set_query(int(random.choice(explorer.search_rows)))
        elif how == "average":
            self.set_query("mean")
        elif how == "row" and type(item) is int:
            self.set_query(item)
        elif how == "gallery":
            st.session_state[self.keys.choosing] = True

    def set_query(self, query: Query) -> None:
        """Makes a data row (or "mean") the query.

        Raises:
            ConfigError: there is no such row.
        """
        self.set(self.with_query(self.shown, query))

    def ask_with(self, asks: Asks) -> None:
        """Makes another view of the same item the query."""

        def change() -> None:
            next_state = replace(self.shown, asks=asks)
            self.set(self.with_query(next_state, next_state.query))

        self.guarded(change)

    def choose_query(self, query: Query) -> None:
        """``set_query``, and closes the gallery or item it was chosen in."""
        self.guarded(lambda: self.set_query(query))
        self.close()

    def close(self) -> None:
        """No item at the side and no gallery on the next run."""
        st.session_state[self.keys.item] = None
        st.session_state[self.keys.choosing] = False

    def on_pick(self, report: Report) -> None:
        """A picture was clicked: its item opens at the side."""
        self.guarded(lambda: self.pick(self.named_item(report)))

    def pick(self, item: int) -> None:
        """Opens an item at the side."""
        st.session_state[self.keys.item] = item

    def named_item(self, report: Report) -> int:
        """The item that a report names, once its view is taken.

        Raises:
            ConfigError: it names none, or one that does not exist.
        """
        explorer, item = self.explorer(self.take(report.get("view"))), report.get("id")
        if type(item) is not int:
            raise ConfigError("the panel named no item")
        explorer.title(item)
        return item

    def on_ask(self, question: Report) -> None:
        """A question of the panel where the web route is missing."""
        st.session_state[self.keys.answer] = answered(question, answer)


def answered(question: Report, answer: Callable[[Report, OpenRun], Report]) -> Report:
    """The ``answer`` to a question through the session; what cannot be done is said in it."""
    try:
        return answer(question, cache.at_once)
    except RivaeError as error:
        return {"seq": question.get("seq"), "error": str(error)}
