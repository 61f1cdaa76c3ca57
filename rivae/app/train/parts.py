"""What lists and details of training runs share: badge, texts, figures and buttons of a run."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Literal

import streamlit as st

from rivae.app.shared import charts
from rivae.app.shared.runs import dataset_title, method_title, short_date
from rivae.app.shell import access, pages
from rivae.app.shell.text import escape, markdown
from rivae.app.train import form, page_keys, session
from rivae.base.errors import RivaeError
from rivae.runs import is_read_only, runs_root
from rivae.runs.opening import missing

if TYPE_CHECKING:
    from rivae.jobs.ledger import Ledger
    from rivae.jobs.overview import Entry, RunProgress

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
    if entry.is_training and entry.job is not None and entry.job.cancelling:
        icon, color, word = ":material/stop_circle:", "orange", "stopping"
    st.badge(word, icon=icon, color=color)


def about(entry: Entry) -> str:
    """Data set, method and seed of a run, as Markdown."""
    config = entry.config
    if config is None:
        return ""
    method = config.method.name
    parts = [dataset_title(config.dataset), method_title(method), f"seed {config.seed}"]
    return markdown(" · ".join(parts))


def dated(entry: Entry) -> str:
    """The day of the last change, as Markdown."""
    return markdown(short_date(entry.updated))


def ending(entry: Entry) -> str:
    """Why a run ended, as Markdown; "" for a finished one."""
    message = entry.message.strip()
    if entry.state == "finished" and entry.run is None:
        return "Its folder is missing."
    if entry.state == "created" and not message:
        return "Not trained yet."
    if not message or entry.state == "finished":
        return ""
    text = markdown(message[:1].upper() + message[1:])
    return text if message.endswith((".", "!", "?")) else f"{text}."


def replaced(entry: Entry) -> str:
    """That other data have the name of a run's data now, or that a part of it is not installed
    here, as Markdown; "" where neither is so.
    """
    try:
        change = "" if entry.run is None else entry.run.data_change or missing(entry.run)
    except RivaeError:  # the row says elsewhere what is wrong
        return ""
    return f"{markdown(change[:1].upper() + change[1:])}." if change else ""


def course(entry: Entry) -> None:
    """The validation score of a run as a small curve, and what it says."""
    from rivae.figures.sparkline import sparkline
    from rivae.jobs.history import history_of
    from rivae.jobs.verdict import verdict

    if entry.run is None or entry.state == "broken":
        return
    history = history_of(entry.run.path)
    curve = history.scores.get("score")
    if curve is None:
        return
    about = f"Validation score of {entry.id}: mean reciprocal rank, last {curve.last:.2f}"
    if svg := sparkline(curve.y.tolist(), about, charts.is_dark()):
        st.html(svg, width="content")
    if sentence := verdict(history, entry.is_training):
        st.caption(sentence[:1].upper() + sentence[1:], width="content")


def progress_line(entry: Entry, progress: RunProgress) -> str:
    """Progress of a run in training as Markdown: stage, epoch, loss and time left."""
    from rivae.jobs.units import duration

    if entry.state == "starting" or entry.run is None:
        return "Starting: loading data and libraries takes a few seconds"
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


def figures(cells: Sequence[tuple[str, str, str]]) -> None:
    """Small figures in one row: (name, value, meaning); all text is plain."""
    spans = "".join(
        f'<div title="{escape(meaning)}" style="min-width:3.5rem">'
        f'<div style="font-size:.78rem;opacity:.75">{escape(label)}</div>'
        '<div style="font-size:1.1rem;font-weight:600;'
        f'font-variant-numeric:tabular-nums">{escape(value)}</div></div>'
        for label, value, meaning in cells
    )
    st.html(f'<div style="display:flex;gap:.6rem 1.6rem;flex-wrap:wrap">{spans}</div>')


REMOVED = "Removed {} from the queue"
NO_RIGHT = "You may view trainings, but not change them: log in first."
FROM_TERMINAL = "It trains from a terminal: stop it there with Ctrl C."


def key(what: str, entry: Entry) -> str:
    """The key of a button of a run or job."""
    return f"{page_keys.BUTTON}-{what}-{entry.job.id if entry.job else entry.id}"


def _help(otherwise: str | None = None) -> str | None:
    return otherwise if access.may_change() else NO_RIGHT


def may_resume(entry: Entry) -> bool:
    """Whether a run that has ended can be resumed here."""
    from rivae.jobs.overview import UNFINISHED

    if entry.state not in UNFINISHED or entry.config is None:
        return False
    if entry.job is not None:
        return entry.job.config is not None
    run = entry.run
    return run is not None and run.path.parent == runs_root() and not is_read_only(run)


def cancel(entry: Entry) -> None:
    """The button that stops a run, or removes it from the queue."""
    if not entry.live:
        return
    job = entry.job
    if job is None:
        st.button(
            "Cancel",
            icon=":material/stop:",
            key=key("cancel", entry),
            disabled=True,
            help=FROM_TERMINAL,
        )
        return

    def act(queue: Ledger) -> str:
        after = queue.cancel(job.id)
        return (
            REMOVED.format(job.run)
            if after.state == "cancelled"
            else (f"{job.run} stops within seconds")
        )

    st.button(
        "Cancel",
        icon=":material/stop:",
        key=key("cancel", entry),
        on_click=_change,
        args=(act,),
        disabled=job.cancelling or not access.may_change(),
        help=_help(),
    )


def resume(entry: Entry, *, primary: bool = False) -> None:
    """The button that queues a run again that ended before it was finished."""
    if not may_resume(entry):
        return

    def act(queue: Ledger) -> str:
        from rivae.runs.named_files import require_open

        if entry.config is not None:
            require_open(entry.config)
        if entry.job is not None:
            queue.resume(entry.job.id)
        elif entry.config is not None:
            # A copied folder still has the name of the one it was copied from in its file.
            queue.add_existing(entry.config.model_copy(update={"name": entry.id}))
        return f"{entry.id} is queued: it resumes from its last checkpoint"

    st.button(
        "Resume",
        icon=":material/play_arrow:",
        key=key("resume", entry),
        on_click=_change,
        args=(act,),
        disabled=not access.may_change(),
        type="primary" if primary else "secondary",
        help=_help("Resumes from its last checkpoint, with the same final numbers."),
    )


def clone(entry: Entry) -> None:
    """The button that opens the form with the settings of this run."""
    if entry.config is None:
        return
    if st.button(
        "Clone",
        icon=":material/content_copy:",
        key=key("clone", entry),
        type="tertiary",
        on_click=_clone,
        args=(entry.id,),
        help="Opens the form with the settings of this run.",
    ):
        st.rerun()


def _clone(run_id: str) -> None:
    session.close_run()
    form.clone(run_id)


def explore(entry: Entry) -> None:
    """The button that opens the model, also one in training."""
    if not entry.opens:
        return
    hint = None if entry.state == "finished" else "The model as last saved."
    if st.button(
        "Open in Explore",
        icon=":material/tune:",
        key=key("explore", entry),
        type="primary",
        help=hint,
    ):
        st.switch_page(pages.path("explore"), query_params={"run": entry.id})


def forget(entry: Entry) -> None:
    """The button that removes an entry without a run from the list."""
    job = entry.job
    if job is None or entry.live or (entry.run is not None and job.config is not None):
        return

    def act(queue: Ledger) -> str:
        queue.remove(job.id)
        return f"Removed {entry.id} from the list"

    why = "it has no folder" if entry.run is None else "the run's folder is kept"
    st.button(
        "Remove",
        icon=":material/close:",
        key=key("remove", entry),
        on_click=_change,
        args=(act,),
        disabled=not access.may_change(),
        help=_help(f"Removes the entry from the list; {why}."),
    )


def place(entry: Entry, *, first: bool, last: bool) -> None:
    """Priority and place of a queued run; ``first`` and ``last`` among those of its priority."""
    from rivae.jobs.records import MAX_PRIORITY

    job, may = entry.job, access.may_change()
    if job is None:
        return
    name = f"{page_keys.PRIORITY}-{job.id}"
    st.session_state[name] = job.priority
    st.selectbox(
        "Priority",
        range(MAX_PRIORITY, -1, -1),
        key=name,
        on_change=_prioritise,
        args=(job.id, job.run),
        width=124,
        disabled=not may,
        label_visibility="collapsed",
        format_func="Priority {}".format,
        help=None if may else NO_RIGHT,
    )
    for word, by, icon, no in (("Up", -1, "upward", first), ("Down", 1, "downward", last)):
        st.button(
            word,
            icon=f":material/arrow_{icon}:",
            key=key(word.lower(), entry),
            type="tertiary",
            on_click=_change,
            args=(_mover(job.id, by),),
            disabled=no or not may,
        )


def _mover(job_id: str, by: int) -> Callable[[Ledger], str]:
    def act(queue: Ledger) -> str:
        queue.move(job_id, by)
        return ""

    return act


def _prioritise(job_id: str, run: str) -> None:
    priority = st.session_state.get(f"{page_keys.PRIORITY}-{job_id}")

    def act(queue: Ledger) -> str:
        queue.set_priority(job_id, int(str(priority)))
        return f"{run} now has priority {priority}"

    if priority is not None:
        session.change(act)


def _change(act: Callable[[Ledger], str]) -> None:
    session.change(act)
