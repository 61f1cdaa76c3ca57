"""The Runs view of the Train page: runs in training, the queue, and all ended runs."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

import streamlit as st

from rivae.app.panels.component import Component
from rivae.app.shell import access, report
from rivae.app.shell.fragments import fragment
from rivae.app.shell.text import markdown
from rivae.app.train import curves, page_keys, parts, run, session
from rivae.app.work import tasks

if TYPE_CHECKING:
    from rivae.app.work.tasks import Task
    from rivae.jobs.overview import Entry

QUEUE_SHOWN, QUEUE_MOST = 8, 100
OTHER_WORK = "Other work"
NOTHING_RUNS = "Nothing is queued or training."
NO_MATCH = "No runs match. Change the words, or choose **All**."
_SCROLL = Component("rivae_scroll", js=("scroll.js",))


def panel(above: Collection[Task] = ()) -> None:
    """One run where the address names one, else all of them, and what else the app works on; the
    tasks ``above`` stand there already.
    """
    if run_id := session.chosen_run():
        run.panel(run_id)
        return
    entries, trouble = session.entries()
    if trouble:
        report.warning(trouble)
    live = tuple(sorted(entry.id for entry in entries if entry.live))
    if new_run := st.session_state.pop(page_keys.NEW, ""):
        _bring_into_view(str(new_run))
    if live:
        # No refresh while nothing runs.
        fragment(run_every=session.EVERY)(_live)(live)
    else:
        st.markdown(NOTHING_RUNS)
    if others := [task for task in tasks.all_running() if task not in above]:
        st.subheader(OTHER_WORK, anchor=False)
        report.watch(others, page_keys.OTHER_WORK, may_stop=access.may_change())
    over = [entry for entry in entries if not entry.live]
    past_panel(over)
    curves.overlay_panel(entries)


def _bring_into_view(job_id: str) -> None:
    """Scroll to the entry of a job: the form that was shown before was longer than this view."""
    key = re.sub(r"[^a-zA-Z0-9_-]", "-", f"{page_keys.BUTTON}-open-{job_id}")
    _SCROLL({"key": key}, key="train_scroll")


def _live(known: tuple[str, ...]) -> None:
    """Runs in training and queued ones; the page is drawn again when one of ``known`` ends."""
    session.rerun_if_message()
    live = [entry for entry in session.entries()[0] if entry.live]
    if set(known) - {entry.id for entry in live}:
        st.rerun()
    training = [entry for entry in live if entry.is_training]
    waiting = [entry for entry in live if not entry.is_training]
    if training:
        st.subheader("Training", anchor=False)
        with st.grid(2, min_column_width=430, gap="medium"):
            for entry in training:
                _card(entry)
    if waiting:
        _queue(waiting)


def _card(entry: Entry) -> None:
    """A run in training."""
    from rivae.jobs.overview import progress_of

    progress = progress_of(entry)
    with st.container(border=True, key=f"train-card-{entry.job.id if entry.job else entry.id}"):
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            name(entry)
            parts.badge(entry)
        st.caption(parts.about(entry))
        st.progress(progress.share, text=parts.progress_line(entry, progress))
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            parts.course(entry)
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            if st.button(
                "Watch",
                icon=":material/monitoring:",
                key=parts.key("watch", entry),
                on_click=session.open_run,
                args=(entry.id,),
            ):
                st.rerun()
            parts.cancel(entry)


def name(entry: Entry) -> None:
    """The name of a run, as a button that opens it."""
    if st.button(
        f"**{markdown(entry.id)}**",
        key=parts.key("open", entry),
        type="tertiary",
        on_click=session.open_run,
        args=(entry.id,),
    ):
        st.rerun()


def _queue(queued: list[Entry]) -> None:
    """The queued runs, in their order."""
    st.subheader("Queue", anchor=False)
    rows = queued[: QUEUE_MOST if st.session_state.get(page_keys.QUEUE_ALL) else QUEUE_SHOWN]
    priorities = [entry.job.priority if entry.job else 0 for entry in queued]
    for n, entry in enumerate(rows):
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.markdown(f"{n + 1}.", width=28)
            name(entry)
            st.caption(parts.about(entry), width="content")
            st.space("stretch")
            parts.place(
                entry,
                first=n == 0 or priorities[n - 1] != priorities[n],
                last=n + 1 == len(queued) or priorities[n + 1] != priorities[n],
            )
            parts.cancel(entry)
    if len(queued) > QUEUE_SHOWN:
        left = len(queued) - len(rows)
        st.toggle(f"Show more of the {len(queued)} queued runs", key=page_keys.QUEUE_ALL)
        if left and len(rows) > QUEUE_SHOWN:
            st.caption(f"{left} more runs are queued after these.")


PER_PAGE = 10
WHICH = ("All", "Finished", "Not finished", "Archived")


def past_panel(over: Sequence[Entry]) -> None:
    """The list, newest first."""
    archive_ids = {entry.id for entry in over if _is_archived(entry)}
    many = len(over) > PER_PAGE or bool(archive_ids)  # there is something to choose from
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        st.subheader("Runs", anchor=False, width="content")
        if many:
            st.text_input(
                "Find",
                key=page_keys.FIND,
                placeholder="name, data set or method",
                width=240,
                label_visibility="collapsed",
                persist_state="page",
            )
            st.segmented_control(
                "Which",
                WHICH if archive_ids else WHICH[:-1],
                default=WHICH[0],
                required=True,
                key=page_keys.WHICH,
                persist_state="page",
                label_visibility="collapsed",
            )
    if not over:
        st.markdown("No finished runs yet. Start one under **New run**.")
        return
    entries = _found(over, archive_ids) if many else list(over)
    entries.sort(key=lambda entry: entry.updated, reverse=True)
    if not entries:
        st.markdown(NO_MATCH)
        return
    pages = -(-len(entries) // PER_PAGE)
    page = int(st.session_state.get(page_keys.PAGE) or 1)
    if page > pages:  # of a longer list
        st.session_state.pop(page_keys.PAGE, None)
        page = 1
    for entry in entries[(page - 1) * PER_PAGE : page * PER_PAGE]:
        _row(entry)
    if pages > 1:
        st.pagination(pages, key=page_keys.PAGE, persist_state="page")


def _is_archived(entry: Entry) -> bool:
    """Whether the run is archived."""
    from rivae.runs.notes import is_archived

    return entry.run is not None and is_archived(entry.run)


def _found(over: Sequence[Entry], archived: Collection[str]) -> list[Entry]:
    """The runs that match the words and the choice above the list."""
    words = str(st.session_state.get(page_keys.FIND) or "").lower().split()
    which = st.session_state.get(page_keys.WHICH)
    entries = [entry for entry in over if (entry.id in archived) == (which == WHICH[3])]
    if which in WHICH[1:3]:
        entries = [e for e in entries if (e.state == "finished") == (which == WHICH[1])]
    return [e for e in entries if all(word in _searched(e) for word in words)]


def _searched(entry: Entry) -> str:
    config = entry.config
    settings = f" {config.dataset.name} {config.method.name}" if config is not None else ""
    return f"{entry.id}{settings} {parts.about(entry)} {entry.state}".lower()


_ROW = (7, 8, 10, 4)  # shares of the width, so that rows read as columns


def _row(entry: Entry) -> None:
    who, about, course, buttons = st.columns(_ROW, vertical_alignment="center", gap="small")
    with who.container(horizontal=True, vertical_alignment="center", gap="small"):
        parts.badge(entry)
        st.button(
            f"**{markdown(entry.id)}**",
            key=parts.key("open", entry),
            type="tertiary",
            on_click=session.open_run,
            args=(entry.id,),
        )
    words = (parts.about(entry), parts.dated(entry))
    about.caption(" · ".join(word for word in words if word))
    with course.container(horizontal=True, vertical_alignment="center", gap="small"):
        parts.course(entry)
    with buttons.container(
        horizontal=True, vertical_alignment="center", horizontal_alignment="right", gap="small"
    ):
        parts.forget(entry)
        parts.resume(entry)
        parts.clone(entry)
    if note := parts.ending(entry) or parts.replaced(entry):
        st.caption(note)
