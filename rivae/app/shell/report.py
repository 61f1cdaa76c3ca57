"""What a visitor's action led to: a message, or the progress of the task it started."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

import streamlit as st

from rivae.app.shell import access, keys
from rivae.app.shell.fragments import fragment
from rivae.app.shell.text import markdown
from rivae.base.errors import RivaeError
from rivae.jobs.units import duration

if TYPE_CHECKING:
    from rivae.app.work.tasks import Task

ALONE = "on this machine"


def attempt(place: str, change: Callable[[], str]) -> bool:
    """Run a change in a callback and keep its message or its error; returns whether it worked."""
    try:
        sentence = change()
    except RivaeError as error:
        st.session_state[_key(place)] = (False, str(error))
        return False
    st.session_state[_key(place)] = (True, sentence)
    return True


def begin(place: str, start: Callable[[], Task]) -> None:
    """Start a task in a callback; if that fails, a sentence at ``place`` says why."""

    def act() -> str:
        start()
        return ""

    attempt(place, act)


def show(place: str) -> None:
    """Show the message kept for ``place`` since the last run of the script, once."""
    is_done, sentence = st.session_state.pop(_key(place), (True, ""))
    if sentence and is_done:
        st.toast(markdown(sentence), icon=":material/check:")
    elif sentence:
        warning(sentence)


def warning(sentence: str) -> None:
    """A warning in one sentence."""
    st.warning(markdown(sentence), icon=":material/info:")


@fragment(run_every=1)
def watch(jobs: Sequence[Task], place: str, may_stop: bool = True) -> None:
    """The progress of each task with a Stop button; the page reruns when one ends.

    ``place`` begins the keys of the buttons.
    """
    if not all(job.running for job in jobs):
        st.rerun()
        return
    for n, job in enumerate(jobs):
        with st.container(horizontal=True, vertical_alignment="center"):
            far = f", {job.share:.0%}" if job.share else ""
            left = f", about {duration(job.left_s)} left" if job.left_s else ""
            sentence = f"{markdown(job.title)}: {markdown(job.stage)}{far}{left}"
            if job.alone and access.may_change():  # it names the operator's machines
                sentence += f" ({ALONE}: {markdown(job.alone)})"
            st.progress(job.share, text=sentence)
            st.button(
                "Stop",
                icon=":material/stop_circle:",
                key=f"{place}_stop_{n}",
                on_click=_stop,
                args=(job, may_stop),
                disabled=not (may_stop and job.can_stop),
            )
    st.caption("Continues in the background when you leave this page.")


def _stop(job: Task, may_stop: bool) -> None:
    if may_stop and job.can_stop:  # a disabled button can be made to report a click
        job.cancel()


@fragment(run_every=2)
def wait_for(is_known: Callable[[], bool]) -> None:
    """Shows nothing; the page reruns once something that is measured in the background is known."""
    if is_known():
        st.rerun()


@contextmanager
def waiting(words: str, height: int) -> Iterator[None]:
    """A spinner with seconds over a placeholder of the coming content."""
    with st.spinner(words, show_time=True), st.skeleton(height=height):
        yield


def _key(place: str) -> str:
    return f"{keys.OUTCOME}_{place}"
