"""The Runs view of the Train page: the queue, what trains now, and every run there was."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import streamlit as st

from rivae.ui import (
    outcome,
    state,
    train_actions,
    train_overlay,
    train_parts,
    train_past,
    train_run,
    train_session,
    train_watched,
)
from rivae.ui.components.source import source
from rivae.ui.text import markdown

if TYPE_CHECKING:
    from rivae.jobs.overview import Entry

QUEUE_SHOWN, QUEUE_MOST = 8, 100
_SCROLL = st.components.v2.component("rivae_scroll", js=source("scroll.js"))


def panel() -> None:
    """One run where the address names one, else all of them."""
    if chosen := train_session.chosen_run():
        train_run.panel(chosen)
        return
    found, trouble = train_watched.entries()
    if trouble:
        outcome.warning(trouble)
    live = tuple(sorted(entry.id for entry in found if entry.live))
    if queued := st.session_state.pop(state.TRAIN_NEW, ""):
        _bring_into_view(str(queued))
    if live:
        # Nothing renews itself while nothing runs.
        st.fragment(_live, run_every=train_watched.EVERY)(live)
    else:
        st.markdown("Nothing is queued or training now.")
    over = [entry for entry in found if not entry.live]
    train_past.panel(over)
    train_overlay.panel(found)


def _bring_into_view(job_id: str) -> None:
    """Scroll to the entry of a job, which is drawn after this: the form above it was longer."""
    key = re.sub(r"[^a-zA-Z0-9_-]", "-", f"{state.TRAIN_BUTTON}-open-{job_id}")
    _SCROLL(key="train_scroll", data={"key": key})


def _live(known: tuple[str, ...]) -> None:
    """What trains and what waits; the page starts anew once one of the ``known`` is over."""
    train_watched.page_if_said()
    live = [entry for entry in train_watched.entries()[0] if entry.live]
    if set(known) - {entry.id for entry in live}:
        st.rerun()
    at_work = [entry for entry in live if entry.at_work]
    queued = [entry for entry in live if not entry.at_work]
    if at_work:
        st.subheader("Training", anchor=False)
        with st.grid(2, min_column_width=430, gap="medium"):
            for entry in at_work:
                _card(entry)
    if queued:
        _queue(queued)


def _card(entry: Entry) -> None:
    """A run at work."""
    from rivae.jobs.overview import progress_of

    progress = progress_of(entry)
    with st.container(border=True, key=f"train-card-{entry.job.id if entry.job else entry.id}"):
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            name(entry)
            train_parts.badge(entry)
        st.caption(train_parts.about(entry))
        share = train_parts.share_done(entry, progress)
        st.progress(share, text=train_parts.progress_line(entry, progress))
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            if st.button("Watch", icon=":material/monitoring:",
                         key=train_actions.key("watch", entry),
                         on_click=train_session.open_run, args=(entry.id,)):  # fmt: skip
                st.rerun()
            train_actions.cancel(entry)


def name(entry: Entry) -> None:
    """The name of a run, which leads to it."""
    if st.button(f"**{markdown(entry.id)}**", key=train_actions.key("open", entry), type="tertiary",
                 on_click=train_session.open_run, args=(entry.id,)):  # fmt: skip
        st.rerun()


def _queue(queued: list[Entry]) -> None:
    """The runs that wait, in the order of their turn."""
    st.subheader("Queue", anchor=False)
    shown = queued[: QUEUE_MOST if st.session_state.get(state.TRAIN_QUEUE_ALL) else QUEUE_SHOWN]
    priorities = [entry.job.priority if entry.job else 0 for entry in queued]
    for n, entry in enumerate(shown):
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.markdown(f"{n + 1}.", width=28)
            name(entry)
            st.caption(train_parts.about(entry), width="content")
            st.space("stretch")
            train_actions.place(
                entry, first=n == 0 or priorities[n - 1] != priorities[n],
                last=n + 1 == len(queued) or priorities[n + 1] != priorities[n],
            )  # fmt: skip
            train_actions.cancel(entry)
    if len(queued) > QUEUE_SHOWN:
        left = len(queued) - len(shown)
        st.toggle(f"Show more of the {len(queued)} queued runs", key=state.TRAIN_QUEUE_ALL)
        if left and len(shown) > QUEUE_SHOWN:
            st.caption(f"{left} more are queued behind these.")
