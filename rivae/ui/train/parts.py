"""What lists and details of training runs have in common: states, badges, words, small figures."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

import streamlit as st

from rivae.benchmark.names import METHODS
from rivae.errors import RivaeError
from rivae.ui.shared.runs import dataset_title, short_date
from rivae.ui.shell import cache, keys
from rivae.ui.shell.text import escape, markdown
from rivae.ui.train import session

if TYPE_CHECKING:
    from rivae.jobs.overview import Entry, Progress

Color = Literal["blue", "gray", "green", "orange", "red"]
BADGES: dict[str, tuple[str, Color, str]] = {
    "queued": (":material/schedule:", "gray", "queued"),
    "starting": (":material/hourglass_top:", "blue", "starting"),
    "running": (":material/progress_activity:", "blue", "training"),
    "finished": (":material/check_circle:", "green", "finished"),
    "failed": (":material/error:", "red", "failed"),
    "cancelled": (":material/stop_circle:", "orange", "cancelled"),
    "lost": (":material/power_off:", "orange", "lost"),
    "created": (":material/schedule:", "gray", "not started"),
    "interrupted": (":material/pause_circle:", "orange", "stopped"),
    "broken": (":material/broken_image:", "red", "broken"),
}


def badge(entry: Entry) -> None:
    """The state of a run, in one word."""
    icon, color, word = BADGES[entry.state]
    if entry.at_work and entry.job is not None and entry.job.cancelling:
        icon, color, word = ":material/stop_circle:", "orange", "stopping"
    st.badge(word, icon=icon, color=color)


def about(entry: Entry) -> str:
    """Data set, method and seed of a run, as Markdown."""
    config = entry.config
    if config is None:
        return ""
    method = config.method.name
    parts = [dataset_title(config.dataset), METHODS.get(method, method), f"seed {config.seed}"]
    return markdown(" · ".join(parts))


def dated(entry: Entry) -> str:
    """The day of the last change, as Markdown."""
    return markdown(short_date(entry.updated))


def said(entry: Entry) -> str:
    """What is to be known about a run that is over, as Markdown; "" for a finished one."""
    message = entry.message.strip()
    if entry.state == "finished" and entry.run is None:
        return "Its folder is missing."
    if entry.state == "created" and not message:
        return "Not trained yet."
    if not message or entry.state == "finished":
        return ""
    text = markdown(message[:1].upper() + message[1:])
    return text if message.endswith((".", "!", "?")) else f"{text}."


def progress_line(entry: Entry, progress: Progress) -> str:
    """How far a run at work is, as Markdown: stage, epoch, loss and what is left."""
    from rivae.jobs.units import duration

    if entry.state == "starting" or entry.run is None:
        return "Starting: loading data and libraries takes some seconds"
    if not progress.epoch:
        return f"{markdown(progress.stage or 'preparing')} · before the first epoch"
    parts = [markdown(progress.stage)] if progress.stage else []
    total = f" of {progress.total:,}" if progress.total else ""
    parts.append(f"epoch {progress.epoch:,}{total}")
    if not math.isnan(progress.loss):
        parts.append(f"loss {progress.loss:.4g}".replace("-", "−"))
    left = progress.pace.left_s
    if left is not None:
        about = "roughly " if progress.pace.rough else "about "
        parts.append(f"{about}{duration(left)} left")
    return " · ".join(parts)


def share_done(entry: Entry, progress: Progress) -> float:
    """How much of a run is done, in [0, 1]."""
    if not progress.total:
        return 0.0
    return min(max(progress.epoch, 0) / progress.total, 1.0)


def figures(cells: Sequence[tuple[str, str, str]]) -> None:
    """Small figures in one row: (name, value, what it means); all text is plain."""
    shown = "".join(
        f'<div title="{escape(meaning)}" style="min-width:3.5rem">'
        f'<div style="font-size:.78rem;opacity:.75">{escape(label)}</div>'
        '<div style="font-size:1.1rem;font-weight:600;'
        f'font-variant-numeric:tabular-nums">{escape(value)}</div></div>'
        for label, value, meaning in cells
    )
    st.html(f'<div style="display:flex;gap:.6rem 1.6rem;flex-wrap:wrap">{shown}</div>')


EVERY = 2  # seconds between two looks while something runs


def entries() -> tuple[list[Entry], str]:
    """Every job and run, and what is wrong with the queue, if anything; then the runs alone."""
    from rivae.jobs.overview import entries

    queue, trouble = session.ledger(), ""
    try:
        jobs = queue.jobs()
    except RivaeError as error:
        jobs, trouble = [], str(error)
    return entries(jobs, cache.runs(), queue.root), trouble


def entry_of(run_id: str) -> Entry | None:
    """The run or job of this name, or None."""
    return next((entry for entry in entries()[0] if entry.id == run_id), None)


def page_if_said() -> None:
    """Start the page anew where a button of a part that renews itself has left a sentence: it would
    be gone with the next look.
    """
    if f"{keys.OUTCOME}_{session.PLACE}" in st.session_state:
        st.rerun()
