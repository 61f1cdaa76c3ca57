"""The estimate of a new run: the button that asks for it, how far it is, what was measured."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from rivae.ui import access, outcome, train_probes
from rivae.ui import train_form_state as form
from rivae.ui.text import markdown

if TYPE_CHECKING:
    from rivae.config import RunConfig
    from rivae.jobs.estimate import Estimate
    from rivae.ui.background import Job

PROBING = "train_probe"


def button(config: RunConfig, disabled: bool) -> None:
    """Measure this run, unless that is done."""
    job = train_probes.job_of(config)
    if job is not None and (job.running or job.result is not None):
        return
    st.button(
        "Estimate time and memory", icon=":material/timer:", key=form.key("probe"),
        on_click=_start, args=(config,), disabled=disabled or bool(train_probes.tasks.running()),
        help="Trains every stage for 20 steps on this machine; takes seconds and keeps nothing.",
    )  # fmt: skip


def result(config: RunConfig) -> None:
    """How far the measurement is, or what it found."""
    outcome.show(PROBING)
    job = train_probes.job_of(config)
    if running := train_probes.tasks.running():  # maybe for the settings of a moment ago
        outcome.watch(running, form.key("probe"))
    if job is None or job.running:
        return
    if job.error:
        outcome.warning(job.error)
    else:
        measured = train_probes.estimate_of(config)
        if measured is not None:
            st.caption(details(measured, config))


def details(measured: Estimate, config: RunConfig) -> str:
    """What was measured, in Markdown."""
    from rivae.jobs.estimate import lengths_of
    from rivae.jobs.words import duration, size_text

    lengths, parts = lengths_of(config), []
    for stage in measured.stages:
        epochs = lengths.get(stage.setting, stage.epochs)
        if epochs:
            took = duration(measured.stage_seconds(stage, lengths))
            parts.append(
                f"{markdown(stage.name)} {epochs:,} × {stage.steps:,} steps of "
                f"{_step_words(stage.step_s)} ({took})"
            )
    sizes = ((measured.memory, "of memory"), (measured.card_memory, "of the card's memory"))
    memory = " and ".join(f"{size_text(size)} {what}" for size, what in sizes if size)
    where = "the CPU" if measured.device == "cpu" else "one graphics card"
    return (
        f"{' · '.join(parts)}. {f'At most {memory}. ' if memory else ''}Measured on {where} with "
        f"{measured.n_pairs:,} training pairs; other work on this machine makes it longer."
    )


def _step_words(seconds: float) -> str:
    return f"{1000 * seconds:.3g} ms" if seconds < 1 else f"{seconds:.3g} s"


def _start(config: RunConfig) -> None:
    def start() -> Job:
        access.require()
        return train_probes.start(config)

    outcome.begin(PROBING, start)
