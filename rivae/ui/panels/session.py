"""What a panel in the browser reports to its page, the same for Explore, Compare and Steer."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import streamlit as st

from rivae.errors import ConfigError, RivaeError
from rivae.ui.panels.answers import OpenRun, answer
from rivae.ui.panels.links import Query
from rivae.ui.shell import cache

if TYPE_CHECKING:
    from rivae.explorer import Explorer


@dataclass(frozen=True)
class Panel:
    """One panel by the session keys of its page's notice, its answer, and of whether the gallery is
    open.
    """

    notice: str
    answer: str
    choosing: str

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

    def on_ask(self, question: dict[str, Any]) -> None:
        """A question of the panel where the web route is missing."""
        st.session_state[self.answer] = answered(question, answer)


def answered(
    question: dict[str, Any], answer: Callable[[dict[str, Any], OpenRun], dict[str, Any]]
) -> dict[str, Any]:
    """The ``answer`` to a question through the session; what cannot be done is said in it."""
    try:
        return answer(question, cache.explorer)
    except RivaeError as error:
        return {"seq": question.get("seq"), "error": str(error)}


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
