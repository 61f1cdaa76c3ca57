"""The form for a new plan: from runs, counted before it is kept, or from a file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import streamlit as st

from rivae.errors import LabelError, RivaeError
from rivae.ui import (
    label_drafts,
    label_plan_making,
    label_plan_upload,
    label_store,
    outcome,
    state,
)
from rivae.ui.label_plan_runs import run_fields
from rivae.ui.text import markdown

if TYPE_CHECKING:
    from rivae.labels.plan import LabelPlan
    from rivae.labels.schema import Guideline
    from rivae.ui.label_plan_making import Request

KEY = state.LABEL_NEW
WAYS = ("From runs", "From a file")
COUNTING, MAKING = "counting", "making"
SECONDS = 3.0  # per answer, of an annotator who has found their pace


def panel(names: Sequence[str]) -> None:
    """The form."""
    st.subheader("New plan", anchor=False)
    way = st.segmented_control(
        "Made", WAYS, default=WAYS[0], required=True, key=f"{KEY}_way",
        label_visibility="collapsed",
    )  # fmt: skip
    if way == WAYS[1]:
        label_plan_upload.panel()
        return
    asked = run_fields()
    if asked is None:
        return
    try:
        guideline = label_drafts.panel(names)
        _work(asked, guideline, names)
    except RivaeError as error:
        outcome.warning(str(error))


def _work(asked: Request, guideline: Guideline, names: Sequence[str]) -> None:
    """What the plan would hold, and the buttons that count and keep it."""
    job = label_plan_making.job_of(asked)
    plan = label_plan_making.counted(asked)
    running = label_plan_making.tasks.running()  # maybe for the choices of a moment ago
    if running:
        outcome.watch(running, KEY)
    if job is not None and job.running:
        return
    if plan is None:
        if job is not None and job.error:
            outcome.warning(job.error)
        st.button(
            "Count the items", icon=":material/calculate:", type="primary", key=f"{KEY}_count",
            on_click=_count, args=(asked,), disabled=bool(running),
            help="Finds what the runs retrieve; takes seconds.",
        )  # fmt: skip
        outcome.show(COUNTING)
        outcome.show(MAKING)  # the runs have changed since the items were counted
        return
    st.markdown(preview(plan, len(guideline.factors)))
    free = _free(plan.dataset, names)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.text_input(
            "Plan name", key=f"{KEY}_name", placeholder=free, max_chars=80,
            width=260, help="Annotators see it in their link. Empty: the one in grey.",
        )  # fmt: skip
        # Never disabled by what was typed: a click tells, and once.
        st.button(
            "Make the plan", icon=":material/add:", type="primary", key=f"{KEY}_make",
            on_click=_make, args=(asked, guideline, free),
        )  # fmt: skip
    outcome.show(MAKING)


def _free(dataset: str, names: Sequence[str]) -> str:
    """The name of a plan that was given none."""
    taken = set(names)
    return next(f"{dataset}-{n}" for n in range(1, len(taken) + 2) if f"{dataset}-{n}" not in taken)


def preview(plan: LabelPlan, n_factors: int) -> str:
    """The size of a plan in one or two sentences of Markdown."""
    answers = len(plan.order) * n_factors
    hours = answers * SECONDS / 3600
    time = f"{hours:.1f} h" if hours >= 1 else f"{60 * hours:.0f} min"
    each = ", ".join(f"{run.n_items:,} of {run.id}" for run in plan.runs)
    shared = f" {markdown(f'({each})')}" if len(plan.runs) > 1 else ""
    return (
        f"**{len(plan.items):,} items**{shared}, **{n_factors} factors**, "
        f"**{len(plan.repeats):,} repeats**: {answers:,} answers. At {SECONDS:g} s per answer "
        f"about **{time}** for one person."
    )


def _count(asked: Request) -> None:
    outcome.begin(COUNTING, lambda: label_plan_making.start(asked))


def _make(asked: Request, guideline: Guideline, free: str) -> None:
    """Keep the plan that was counted, under the name that was typed, else ``free``."""
    from rivae.labels.kept_plans import keep_plan, name_plan

    def keep() -> str:
        store, plan = label_store.store(), label_plan_making.counted(asked)
        name = str(st.session_state.get(f"{KEY}_name", "")).strip() or free
        if plan is None:
            raise LabelError("the runs have changed since the items were counted: count again")
        keep_plan(store, name_plan(store, plan, name, guideline), guideline)
        return f"The plan {name} is made: send its link to the annotators."

    if outcome.tried(MAKING, keep):
        st.session_state[f"{KEY}_name"] = ""
        # With a first plan the page would otherwise begin with labelling.
        st.session_state[state.LABEL_VIEW] = "Plans"
