"""The end of the form: an estimate, the number of runs, and the button that queues them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import streamlit as st

from rivae.app.shared import address
from rivae.app.shell import access, report
from rivae.app.shell.text import markdown
from rivae.app.train import form_state, page_keys, session
from rivae.app.work.tasks import Task, Tasks, start_process
from rivae.base.errors import RivaeError, RunError

if TYPE_CHECKING:
    from rivae.app.forms.estimate import Estimate
    from rivae.app.work.tasks import Task
    from rivae.base.config import RunConfig
    from rivae.jobs.ledger import Ledger

QUEUEING = "train_new"


def panel(disabled: bool) -> None:
    """The runs to queue, or the error that prevents it."""
    from rivae.app.forms.sweep import runs_of

    with st.container(border=True):
        configs: list[RunConfig] = []
        try:
            configs = runs_of(form_state.draft(), form_state.taken())
        except RivaeError as error:
            report.warning(str(error))
        else:
            st.markdown(summary(configs))
        with st.container(horizontal=True, vertical_alignment="center"):
            st.button(
                "Queue",
                icon=":material/playlist_add:",
                type="primary",
                key=form_state.key("queue"),
                on_click=queue,
                disabled=disabled or not configs,
            )
            if configs:
                button(configs[0], disabled)
        report.show(QUEUEING)
        if configs:
            result(configs[0])


def summary(configs: Sequence[RunConfig]) -> str:
    """Number, names and time of some runs in Markdown."""
    names = [config.name for config in configs]
    what = f"**{len(names)} runs**" if len(names) > 1 else "**1 run**"
    which = " … ".join(markdown(name) for name in dict.fromkeys((names[0], names[-1])))
    return f"{what}, {which}{_time(configs)}."


def _time(configs: Sequence[RunConfig]) -> str:
    """ ", about 40 min each, …"; "" before anything was measured."""
    from rivae.app.forms.estimate import lengths_of
    from rivae.jobs.units import duration

    first_estimate = estimate_of(configs[0])
    if first_estimate is None:
        return ""
    seconds = []
    for config in configs:
        own_estimate = estimate_of(config) or first_estimate
        seconds.append(own_estimate.seconds(lengths_of(config)))
    if len(configs) == 1:
        return f", about **{duration(seconds[0])}**"
    draft, kind = form_state.draft(), "cpu" if configs[0].training.device == "cpu" else "gpu"
    slots = sum(slot.startswith(kind) for slot in form_state.slots())
    at_once = max(slots // (draft.processes if kind == "gpu" else 1), 1)
    longest, shortest = max(seconds), min(seconds)
    each = duration(shortest)
    if longest > 1.2 * shortest:
        each = f"{each} to {duration(longest)}"
    total = sum(seconds) / min(at_once, len(configs))
    turns = "one after the other" if at_once == 1 else f"{at_once} at a time"
    return f", about **{each}** each, {duration(total)} in all, {turns}"


def queue() -> None:
    """Queue the runs of the draft and show them; for callbacks."""
    draft, said = form_state.draft(), ""

    def act(ledger: Ledger) -> str:
        from rivae.app.forms.sweep import open_datasets, runs_of

        nonlocal said
        configs = runs_of(draft, form_state.taken())
        open_datasets(configs)
        first, *_ = ledger.add(
            configs,
            priority=draft.priority,
            max_restarts=draft.restarts,
            processes=draft.processes if draft.device != "cpu" else 1,
        )
        st.session_state[page_keys.NEW] = first.id
        one = len(configs) == 1
        said = f"{configs[0].name} is queued" if one else f"{len(configs)} runs are queued"
        return ""

    if session.change(act, QUEUEING):
        form_state.keep(replace(draft, name=""))  # the next run needs another name
        st.query_params.pop(form_state.CLONE, None)
        address.show_view("Runs")
        report.attempt(session.PLACE, lambda: said)


PROBING = "train_probe"


def button(config: RunConfig, disabled: bool) -> None:
    """The button that estimates this run, unless that is done."""
    job = job_of(config)
    if job is not None and (job.running or job.result is not None):
        return
    st.button(
        "Estimate time and memory",
        icon=":material/timer:",
        key=form_state.key("probe"),
        on_click=_start,
        args=(config,),
        disabled=disabled or bool(tasks.running()),
        help="Trains every stage for 20 steps on this machine; takes seconds and saves nothing.",
    )


def result(config: RunConfig) -> None:
    """The progress of the estimate, or its result."""
    report.show(PROBING)
    job = job_of(config)
    if running := tasks.running():  # perhaps for earlier settings
        report.watch(running, form_state.key("probe"))
    if job is None or job.running:
        return
    if job.error:
        report.warning(job.error)
    else:
        estimate = estimate_of(config)
        if estimate is not None:
            st.caption(details(estimate, config))


def details(estimate: Estimate, config: RunConfig) -> str:
    """The estimate as Markdown."""
    from rivae.app.forms.estimate import lengths_of
    from rivae.jobs.units import duration, size_text

    lengths, parts = lengths_of(config), []
    for stage in estimate.stages:
        epochs = lengths.get(stage.setting, stage.epochs)
        if epochs:
            took = duration(estimate.stage_seconds(stage, lengths))
            parts.append(
                f"{markdown(stage.name)} {epochs:,} × {stage.steps:,} steps of "
                f"{_step_words(stage.step_s)} ({took})"
            )
    sizes = ((estimate.memory, "of memory"), (estimate.card_memory, "of the card's memory"))
    memory = " and ".join(f"{size_text(size)} {what}" for size, what in sizes if size)
    where = "the CPU" if estimate.device == "cpu" else "one graphics card"
    return (
        f"{' · '.join(parts)}. {f'At most {memory}. ' if memory else ''}Measured on {where} with "
        f"{estimate.n_pairs:,} training pairs; a busy machine takes longer."
    )


def _step_words(seconds: float) -> str:
    return f"{1000 * seconds:.3g} ms" if seconds < 1 else f"{seconds:.3g} s"


def _start(config: RunConfig) -> None:
    def start() -> Task:
        access.require()
        return measure(config)

    report.begin(PROBING, start)


MAX_KEPT = 100  # an estimate is 2 kB

tasks = Tasks(MAX_KEPT, RunError, "another estimate is running: wait for it or stop it")


def job_of(config: RunConfig) -> Task | None:
    """The task, running or done, that estimates runs like this one; or None."""
    from rivae.app.forms.estimate import estimate_key

    return tasks.get(estimate_key(config))


def estimate_of(config: RunConfig) -> Estimate | None:
    """The estimate for runs like this one, or None."""
    from rivae.app.forms.estimate import Estimate

    job = job_of(config)
    return None if job is None or job.result is None else Estimate.from_dict(job.result)


def measure(config: RunConfig) -> Task:
    """Start an estimate, or join one for the same run.

    Raises:
        RunError: another estimate is running.
    """
    from rivae.app.forms.estimate import estimate_key

    key, spec = estimate_key(config), {"config": config.model_dump_json()}
    work, title = "rivae.app.train.work:estimate", f"Estimate for {config.name}"
    return tasks.start(key, lambda: start_process(key, title, work, spec))
