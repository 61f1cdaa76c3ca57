"""The end of the form: how many runs these are, how long they take, and the button that queues."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import streamlit as st

from rivae.errors import RivaeError
from rivae.ui import outcome, state, train_probe, train_probes, train_queue, train_session
from rivae.ui import train_form_state as form
from rivae.ui.text import markdown

if TYPE_CHECKING:
    from rivae.config import RunConfig
    from rivae.jobs.ledger import Ledger

QUEUEING = "train_new"


def panel(disabled: bool) -> None:
    """What would be queued, or what is in the way of it."""
    from rivae.jobs.sweep import runs_of

    with st.container(border=True):
        configs: list[RunConfig] = []
        try:
            configs = runs_of(form.draft(), form.taken())
        except RivaeError as error:
            outcome.warning(str(error))
        else:
            st.markdown(summary(configs))
        with st.container(horizontal=True, vertical_alignment="center"):
            st.button(
                "Queue", icon=":material/playlist_add:", type="primary", key=form.key("queue"),
                on_click=queue, disabled=disabled or not configs,
            )  # fmt: skip
            if configs:
                train_probe.button(configs[0], disabled)
        outcome.show(QUEUEING)
        if configs:
            train_probe.result(configs[0])


def summary(configs: Sequence[RunConfig]) -> str:
    """Number, names and time of some runs in Markdown."""
    names = [config.name for config in configs]
    what = f"**{len(names)} runs**" if len(names) > 1 else "**1 run**"
    which = " … ".join(markdown(name) for name in dict.fromkeys((names[0], names[-1])))
    return f"{what}, {which}{_time(configs)}."


def _time(configs: Sequence[RunConfig]) -> str:
    """", about 40 min each, …"; "" before anything was measured."""
    from rivae.jobs.estimate import lengths_of
    from rivae.jobs.words import duration

    measured = train_probes.estimate_of(configs[0])
    if measured is None:
        return ""
    seconds = []
    for config in configs:
        own = train_probes.estimate_of(config) or measured
        seconds.append(own.seconds(lengths_of(config)))
    if len(configs) == 1:
        return f", about **{duration(seconds[0])}**"
    draft, kind = form.draft(), "cpu" if configs[0].training.device == "cpu" else "gpu"
    slots = sum(slot.startswith(kind) for slot in form.slots())
    at_once = max(slots // (draft.processes if kind == "gpu" else 1), 1)
    longest, shortest = max(seconds), min(seconds)
    each = duration(shortest)
    if longest > 1.2 * shortest:
        each = f"{each} to {duration(longest)}"
    total = sum(seconds) / min(at_once, len(configs))
    turns = "one after the other" if at_once == 1 else f"{at_once} at a time"
    return f", about **{each}** each, {duration(total)} in all, {turns}"


def queue() -> None:
    """Queue what the draft asks for and show the runs; for callbacks."""
    draft, said = form.draft(), ""

    def act(ledger: Ledger) -> str:
        from rivae.jobs.sweep import open_datasets, runs_of

        nonlocal said
        configs = runs_of(draft, form.taken())
        open_datasets(configs)
        first, *_ = ledger.add(
            configs, priority=draft.priority, max_restarts=draft.restarts,
            processes=draft.processes if draft.device != "cpu" else 1,
        )  # fmt: skip
        st.session_state[state.TRAIN_NEW] = first.id
        one = len(configs) == 1
        said = f"{configs[0].name} is queued" if one else f"{len(configs)} runs are queued"
        return ""

    if train_queue.change(act, QUEUEING):
        form.keep(replace(draft, name=""))  # the next one has another name
        st.query_params.pop(form.CLONE, None)
        train_session.open_view("Runs")
        outcome.tried(train_queue.PLACE, lambda: said)
