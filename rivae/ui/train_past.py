"""Runs that are over: found by name or state, ten at a time."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

import streamlit as st

from rivae.ui import state, train_actions, train_parts, train_session
from rivae.ui.text import markdown

if TYPE_CHECKING:
    from rivae.jobs.overview import Entry

PER_PAGE = 10
WHICH = ("All", "Finished", "Not finished", "Archived")


def panel(over: Sequence[Entry]) -> None:
    """The list, newest first."""
    archived = {entry.id for entry in over if _is_archived(entry)}
    many = len(over) > PER_PAGE or bool(archived)  # there is something to choose from
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        st.subheader("Runs", anchor=False, width="content")
        if many:
            st.text_input("Find", key=state.TRAIN_FIND, placeholder="name, data set or method",
                          width=240, label_visibility="collapsed",
                          persist_state="page")  # fmt: skip
            st.segmented_control("Which", WHICH if archived else WHICH[:-1], default=WHICH[0],
                                 required=True, key=state.TRAIN_WHICH, persist_state="page",
                                 label_visibility="collapsed")  # fmt: skip
    if not over:
        st.markdown("No run is over yet. Start one under **New run**.")
        return
    found = _found(over, archived) if many else list(over)
    found.sort(key=lambda entry: entry.updated, reverse=True)
    if not found:
        st.markdown("No run fits. Change the words, or choose **All**.")
        return
    pages = -(-len(found) // PER_PAGE)
    page = int(st.session_state.get(state.TRAIN_PAGE) or 1)
    if page > pages:  # of a longer list
        st.session_state.pop(state.TRAIN_PAGE, None)
        page = 1
    for entry in found[(page - 1) * PER_PAGE : page * PER_PAGE]:
        _row(entry)
    if pages > 1:
        st.pagination(pages, key=state.TRAIN_PAGE, persist_state="page")


def _is_archived(entry: Entry) -> bool:
    """Whether lists leave it out."""
    from rivae.runs.notes import is_archived

    return entry.run is not None and is_archived(entry.run)


def _found(over: Sequence[Entry], archived: Collection[str]) -> list[Entry]:
    """What fits the words and the choice above the list."""
    words = str(st.session_state.get(state.TRAIN_FIND) or "").lower().split()
    which = st.session_state.get(state.TRAIN_WHICH)
    found = [entry for entry in over if (entry.id in archived) == (which == WHICH[3])]
    if which in WHICH[1:3]:
        found = [e for e in found if (e.state == "finished") == (which == WHICH[1])]
    return [e for e in found if all(word in _searched(e) for word in words)]


def _searched(entry: Entry) -> str:
    config = entry.config
    settings = f" {config.dataset.name} {config.method.name}" if config is not None else ""
    return f"{entry.id}{settings} {train_parts.about(entry)} {entry.state}".lower()


def _row(entry: Entry) -> None:
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        train_parts.badge(entry)
        st.button(f"**{markdown(entry.id)}**", key=train_actions.key("open", entry),
                  type="tertiary", on_click=train_session.open_run,
                  args=(entry.id,))  # fmt: skip
        parts = (train_parts.about(entry), train_parts.dated(entry))
        st.caption(" · ".join(part for part in parts if part), width="content")
        st.space("stretch")
        train_actions.forget(entry)
        train_actions.resume(entry)
        train_actions.clone(entry)
    if note := train_parts.said(entry):
        st.caption(note)
