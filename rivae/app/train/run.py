"""The view of one run: progress, curves, pictures while training, log, and buttons."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import streamlit as st

from rivae.app.shared import charts, notices
from rivae.app.shell import report
from rivae.app.shell.fragments import fragment
from rivae.app.shell.text import markdown
from rivae.app.train import curves, manage, page_keys, parts, session

if TYPE_CHECKING:
    from rivae.jobs.history import History
    from rivae.jobs.overview import Entry, RunProgress
    from rivae.runs import Run

NEXT = "Next in the queue: it starts when a slot is free."
BAD_PICTURE = "The picture of epoch {:,} cannot be read."
LOG_LINES = 200
AXES = "Both sides of the training pairs seem to share {}, and this run has {}, {}."
AS_MANY = "so that each can have one of its own"
FEWER = "so that some of what they share has none of its own"
MORE = "so that some may only hold noise"
OTHER_AXES = "To try another number, clone the run and set *Axes* to {}."
AXES_LATER = "How many axes the training pairs have is estimated once the start's fits are done."
AXES_HELP = (
    "Estimated by the contrastive start, without labels: behind the last axis that both sides "
    "share, the variance that one more axis would add falls to that of noise."
)


def panel(run_id: str) -> None:
    """The run of this name."""
    st.button(
        "All runs",
        icon=":material/arrow_back:",
        type="tertiary",
        key=f"{page_keys.BUTTON}-back",
        on_click=session.close_run,
    )
    entry = session.entry_of(run_id)
    if entry is None:
        report.warning(f"there is no run '{run_id}': choose one under All runs")
        return
    _head(entry)
    notices.data_changed(entry.run)
    manage.panel(entry.id)
    if entry.live:
        fragment(run_every=session.EVERY)(_watched)(entry.id, entry.state)
    else:
        _body(entry)


def _processor(entry: Entry) -> str:
    """The number format and the threads that the training uses, once it has begun."""
    status = entry.status
    if status is None or not status.precision:
        return ""
    return markdown(f"{status.precision} on {status.threads} thread{'s' * (status.threads != 1)}")


def _head(entry: Entry) -> None:
    """Name, state, settings and buttons."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.subheader(markdown(entry.id), anchor=False, width="content")
        parts.badge(entry)
        if not entry.live:  # else it stands with the progress, which renews itself
            parts.course(entry)
    words = [parts.about(entry)]
    if entry.config is not None:
        training = entry.config.training
        words += [markdown(f"preset {entry.config.method.preset}"), training.device]
    words.append(_processor(entry))
    words.append(parts.dated(entry))
    st.caption(" · ".join(word for word in words if word))
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        parts.explore(entry)
        parts.cancel(entry)
        parts.resume(entry, primary=not entry.opens)
        parts.clone(entry)
        if entry.run is not None:
            st.button(
                "Compare",
                icon=":material/stacked_line_chart:",
                key=parts.key("compare", entry),
                on_click=curves.add,
                args=(entry.id,),
            )
        parts.forget(entry)
    note = parts.ending(entry)
    if note and entry.state in ("failed", "broken", "lost"):
        st.warning(note, icon=":material/info:")
    elif note:
        st.markdown(note)


def _watched(run_id: str, known: str) -> None:
    """A run that has not ended; the page is drawn again when its state changes."""
    session.rerun_if_message()
    entry = session.entry_of(run_id)
    key = f"{page_keys.BUTTON}-opens-{run_id}"
    if entry is None or entry.state != known:
        st.rerun()
        return
    # The buttons above were drawn before there was a model.
    if entry.opens and st.session_state.setdefault(key, entry.opens) is False:
        st.session_state[key] = True
        st.rerun()
    st.session_state[key] = entry.opens
    _body(entry)


def _body(entry: Entry) -> None:
    from rivae.jobs.history import History, history_of
    from rivae.jobs.overview import progress_of

    history = history_of(entry.run.path) if entry.run is not None else History()
    if entry.is_training:
        progress = progress_of(entry)
        st.progress(progress.share, text=parts.progress_line(entry, progress))
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            parts.course(entry)
        _speeds(entry, history, progress)
    elif history.epoch:
        _totals(entry, history)
    if entry.state == "queued":
        _turn(entry)
    if entry.run is not None:
        _axes(entry.run, entry.is_training)
    if history.epoch:
        curves.panel(entry, history)
    if entry.run is not None:
        pictures_panel(entry)
    _log(entry)


def _axes(run: Run, training: bool) -> None:
    """How many axes the contrastive start has found, next to how many the run has."""
    from rivae.training.starts import read_shares
    from rivae.training.unfolding import count_axes

    settings = run.config.method.settings
    if not (shares := read_shares(run.unfolded)):
        if training and settings.get("init") == "contrast":
            st.caption(AXES_LATER, help=AXES_HELP)
        return
    n_axes, has = count_axes(shares), settings["n_components"]
    meaning = AS_MANY if n_axes == has else FEWER if n_axes > has else MORE
    text = AXES.format("1 axis" if n_axes == 1 else f"{n_axes} axes", has, meaning)
    st.caption(text if n_axes == has else f"{text} {OTHER_AXES.format(n_axes)}", help=AXES_HELP)


def _turn(entry: Entry) -> None:
    """How many runs are queued before this one."""
    waiting = [other.id for other in session.entries()[0] if other.state == "queued"]
    before = waiting.index(entry.id) if entry.id in waiting else 0
    if not before:
        st.markdown(NEXT)
    else:
        runs = "1 run" if before == 1 else f"{before} runs"
        st.markdown(f"Waiting for a free slot, after {runs}.")


def _speeds(entry: Entry, history: History, progress: RunProgress) -> None:
    """Speed of a run in training, and its use of the machine."""
    from rivae.app.train.session import ledger
    from rivae.jobs.devices import cards_use, trainer_use, use_text
    from rivae.jobs.records import jobs_folder
    from rivae.jobs.units import duration

    pace = progress.pace
    cells = []
    if pace.epoch_s is not None:
        cells.append(("Epoch", duration_text(pace.epoch_s), "seconds per epoch, with validation"))
    if pace.steps_s is not None:
        cells.append(("Steps", f"{pace.steps_s:,.3g}/s", "steps per second of training"))
    if pace.left_s is not None:
        hint = (
            "if later stages take as long per epoch as this one"
            if pace.rough
            else ("to the last epoch; less if it stops early")
        )
        cells.append(("Left", duration(pace.left_s), hint))
    cells += _worked(history) + _scores(history)
    if cells:
        parts.figures(cells)
    if entry.job is not None:
        trainer = trainer_use(jobs_folder(ledger().root), entry.job.id)
        slots = {slot.removeprefix("gpu:") for slot in entry.job.slots if slot.startswith("gpu:")}
        cards = [card for card in cards_use() if str(card.index) in slots] if slots else []
        if text := use_text(trainer, cards):
            st.caption(markdown(f"In use: {text}"))


def _totals(entry: Entry, history: History) -> None:
    total = entry.status.total_epochs if entry.status else 0
    epochs = f"{history.epoch:,}" + (f" of {total:,}" if total > history.epoch else "")
    parts.figures([("Epochs", epochs, ""), *_worked(history), *_scores(history)])


def _worked(history: History) -> list[tuple[str, str, str]]:
    from rivae.jobs.units import duration

    if history.elapsed is None:
        return []
    return [("Trained", duration(history.elapsed.last), "training time, without pauses")]


def _scores(history: History) -> list[tuple[str, str, str]]:
    """The last validation."""
    from rivae.metrics.registry import metric

    when = f"validation of epoch {history.last_scores.get('epoch', 0):.0f}"
    names = ("recall_at_1", "median_rank", "mcc", "r2")
    return [
        (metric(name).label, f"{history.last_scores[name]:.3g}", when)
        for name in names
        if math.isfinite(history.last_scores.get(name, math.nan))
    ]


def duration_text(seconds: float) -> str:
    """Seconds with three digits, longer times as in ``duration``."""
    from rivae.jobs.units import duration

    return f"{seconds:.3g} s" if seconds < 90 else duration(seconds)


def _log(entry: Entry) -> None:
    """The last lines that the run's processes printed."""
    if entry.job is None:
        return
    from rivae.app.train.session import ledger
    from rivae.jobs.agent import log_path
    from rivae.jobs.tail import log_tail

    lines = log_tail(log_path(ledger().root, entry.job.id), LOG_LINES)
    if not lines:
        return
    with (
        st.expander(
            f"Log, last {len(lines)} lines",
            icon=":material/terminal:",
            key=page_keys.LOG,
            expanded=entry.state == "failed",
        ),
        st.container(height=320, border=False, autoscroll=True),  # stays at the newest line
    ):
        st.code("\n".join(lines), language=None)


NEWEST = "newest"


def pictures_panel(entry: Entry) -> None:
    """The pictures of one epoch, the newest by default; nothing if there are none."""
    from rivae.jobs.preview import previews_of

    previews = previews_of(entry.run.path) if entry.run is not None else []
    if not previews:
        if entry.is_training and entry.job is not None:
            st.caption("Pictures along the axes appear once the first model is saved.")
        return
    by_name = {str(one.epoch): one for one in previews}
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        st.subheader("Along the axes", anchor=False, width="content")
        choice = st.selectbox(
            "Epoch",
            [NEWEST, *reversed(by_name)],
            key=f"{page_keys.EPOCH}-{entry.id}",
            width=150,
            label_visibility="collapsed",
            format_func=lambda name: "Newest" if name == NEWEST else f"Epoch {int(name):,}",
        )
    preview = by_name.get(str(choice), previews[-1])
    content = preview.content(charts.is_dark())
    if content is None:
        st.caption(BAD_PICTURE.format(preview.epoch))
        return
    st.image(content, alt=f"Items retrieved along each axis after epoch {preview.epoch}")
    first = previews[0].epoch
    others = f" {len(previews)} pictures since epoch {first:,}." if len(previews) > 1 else ""
    st.caption(
        f"After epoch {preview.epoch:,}: the best of at most 1,000 test items for one query, "
        f"moving one axis at a time.{others}"
    )
