"""What a panel in the browser reports to its page, the same for Explore, Compare and Steer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import streamlit as st

from rivae.errors import RivaeError
from rivae.ui import cache
from rivae.ui.answers import answer


@dataclass(frozen=True)
class Panel:
    """One panel by the session keys (``ui/state.py``) of itself, its page's notice, its answer."""

    key: str
    notice: str
    answer: str

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

    def on_ask(self) -> None:
        """A question of the panel where the web route is missing."""
        question = self.reported("ask")
        if isinstance(question, dict):
            try:
                st.session_state[self.answer] = answer(question, cache.explorer)
            except RivaeError as error:
                failed = {"seq": question.get("seq"), "error": str(error)}
                st.session_state[self.answer] = failed
