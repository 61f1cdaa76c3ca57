"""What a panel in the browser reports to its page, the same for Explore, Compare and Steer."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import streamlit as st

from rivae.errors import ConfigError, RivaeError
from rivae.ui.panels.answers import answer
from rivae.ui.panels.links import Query
from rivae.ui.shell import cache

if TYPE_CHECKING:
    from rivae.explorer import Explorer


@dataclass(frozen=True)
class Panel:
    """One panel by the session keys (``ui/state.py``) of itself, its page's notice, its answer, and
    of whether the gallery is open.
    """

    key: str
    notice: str
    answer: str
    choosing: str

    def reported(self, name: str) -> Any:
        """The value of the panel's trigger ``name``, or None."""
        return getattr(st.session_state.get(self.key), name, None)

    def on(self, name: str, change: Callable[[dict[str, Any]], object]) -> None:
        """``guarded`` with what the trigger ``name`` reports; other than a mapping is nothing."""
        report = self.reported(name)
        if isinstance(report, dict):
            self.guarded(lambda: change(report))

    def guarded(self, change: Callable[[], object]) -> None:
        """Runs a change; what cannot be done is said on the page instead of thrown at it."""
        try:
            change()
        except RivaeError as error:
            st.session_state[self.notice] = str(error)

    def choose(
        self, report: dict[str, Any], explorer: Explorer, take: Callable[[Query], object]
    ) -> None:
        """Gives ``take`` the query that a report asks for (a random one, the average or a row), or
        opens the gallery.
        """
        how, item = report.get("how"), report.get("id")
        if how == "random":
            take(int(random.choice(explorer.search_rows)))
        elif how == "average":
            take("mean")
        elif how == "row" and type(item) is int:
            take(item)
        elif how == "gallery":
            st.session_state[self.choosing] = True

    def on_ask(self) -> None:
        """A question of the panel where the web route is missing."""
        question = self.reported("ask")
        if isinstance(question, dict):
            try:
                st.session_state[self.answer] = answer(question, cache.explorer)
            except RivaeError as error:
                failed = {"seq": question.get("seq"), "error": str(error)}
                st.session_state[self.answer] = failed


def named_item(report: dict[str, Any], explorer: Explorer) -> int:
    """The item that a report names.

    Raises:
        ConfigError: it names none, or one that does not exist.
    """
    item = report.get("id")
    if type(item) is not int:
        raise ConfigError("the panel named no item")
    explorer.title(item)
    return item
