"""A slider that reports while it is dragged (``assets/components/steps.js``).

Streamlit's own reports on release only. As with its bound controls the chosen value stands in the
address under the slider's name, unless it is the default; it is written on release.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeGuard

import streamlit as st

from rivae.ui.components.source import source

_STEPS = st.components.v2.component(
    "rivae_steps", js=source("dom.js", "steps.js"), css=source("base.css", "steps.css")
)


def live_slider(
    label: str, steps: Sequence[float], default: float, *, name: str, about: str = ""
) -> float:
    """One of ``steps``; ``name`` is its name in the address. Put it into a fragment."""
    texts = [f"{step:g}" for step in steps]
    usual, key, kept = steps.index(default), f"{name}_slider", f"{name}_at"
    written = st.query_params.get(name, "")
    # (what the address says, the chosen step): another address wins over what was chosen.
    known: tuple[str, int] | None = st.session_state.get(kept)
    if known is None or known[0] != written:
        known = (written, texts.index(written) if written in texts else usual)
        st.session_state[kept] = known

    def reported(event: str) -> Any:
        return getattr(st.session_state.get(key), event, None)

    def is_step(at: object) -> TypeGuard[int]:
        return type(at) is int and 0 <= at < len(steps)

    def moved() -> None:
        if is_step(at := reported("move")):
            st.session_state[kept] = (written, at)

    def released() -> None:
        commit = reported("commit")
        at = commit.get("at") if isinstance(commit, Mapping) else None
        if not is_step(at):
            return
        if at != usual:
            st.query_params[name] = texts[at]
        elif name in st.query_params:
            del st.query_params[name]
        st.session_state[kept] = (st.query_params.get(name, ""), at)

    at = known[1]
    _STEPS(
        key=key, data={"label": label, "help": about, "steps": texts, "at": at},
        on_move_change=moved, on_commit_change=released,
    )  # fmt: skip
    return steps[at]
