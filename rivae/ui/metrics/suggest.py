"""Suggest next: the items whose labels would sharpen a run's axes most, as a labelling plan."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from rivae.ui.metrics import align
from rivae.ui.shared import labels
from rivae.ui.shared.charts import headline
from rivae.ui.shell import keys
from rivae.ui.shell.pages import LABEL
from rivae.ui.shell.text import markdown
from rivae.ui.work import report

if TYPE_CHECKING:
    from rivae.data.base import PairedDataset
    from rivae.labels.guideline import Guideline
    from rivae.labels.run_scores import Labelled
    from rivae.runs import Run
    from rivae.ui.metrics.labels_data import Found
    from rivae.ui.work.tasks import Task

PLACE = "metrics_suggest"
USUAL = 30


def panel(run: Run, found: Found, known: Labelled) -> None:
    """How many items, what was found, and the plan made of it."""
    from rivae.labels.suggest import MAX_SUGGESTED

    headline("Suggest next")
    st.caption(
        "The unlabelled items whose labels would tell most about the directions of the factors in "
        "this run's latent space."
    )
    report.show(PLACE)
    job = align.job_of("suggest", run)
    if job is not None and job.running:
        report.watch([job], PLACE)
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        n = st.number_input("Items", 1, MAX_SUGGESTED, USUAL, key=keys.METRICS_SUGGEST_N, width=140)
        st.button(
            "Suggest what to label next",
            icon=":material/lightbulb:",
            key=keys.METRICS_SUGGEST_START,
            on_click=_start,
            args=(run, known, int(n)),
        )
    st.caption(
        "Chosen among validation items, to which the model was not fitted and on which D, C and I "
        "are not measured; training items join where they are few."
    )
    if job is not None:
        _outcome(run, job, found)
    if made := st.session_state.get(f"{keys.METRICS_SUGGEST_OPEN}_{run.id}", ""):
        st.success(f"Made the plan {markdown(made)}.", icon=":material/check:")
        st.page_link(
            LABEL,
            label="Label these items",
            icon=":material/new_label:",
            query_params={"view": "Label", "plan": made},
        )


def _start(run: Run, known: Labelled, n: int) -> None:
    for name in (keys.METRICS_SUGGEST_NAME, keys.METRICS_SUGGEST_OPEN):
        st.session_state.pop(f"{name}_{run.id}", None)
    report.begin(PLACE, lambda: align.suggest(run, known.rows, n))


def _outcome(run: Run, job: Task, found: Found) -> None:
    if job.error or job.result is None:
        st.warning(markdown(job.error or "stopped before it finished"), icon=":material/info:")
        return
    from rivae.labels.derive import MAX_ID, free_name

    rows = [int(row) for row in job.result["rows"]]
    st.write(
        f"{len(rows):,} items chosen among {int(job.result['n_pool']):,} "
        f"{markdown(str(job.result['pool']))}."
    )
    key = f"{keys.METRICS_SUGGEST_NAME}_{run.id}"
    st.session_state.setdefault(key, free_name(f"{run.id}-next", labels.plan_names()))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.text_input("Name of the new plan", key=key, max_chars=MAX_ID, width=320)
        st.button(
            "Make the plan",
            icon=":material/playlist_add:",
            key=keys.METRICS_SUGGEST_KEEP,
            on_click=_keep,
            args=(run, found.opened.data, found.guideline, rows, key),
        )


def _keep(run: Run, data: PairedDataset, guideline: Guideline, rows: list[int], key: str) -> None:
    """Keep the plan with the guideline of the present one."""
    from rivae.labels.kept_plans import keep_plan
    from rivae.labels.suggest import suggested_plan

    name = str(st.session_state[key]).strip()

    def keep() -> str:
        store = labels.store()
        plan = suggested_plan(run, rows, name, data=data, guideline=guideline.version)
        keep_plan(store, plan, guideline)
        return ""

    if report.attempt(PLACE, keep):
        align.forget("suggest", run)
        st.session_state[f"{keys.METRICS_SUGGEST_OPEN}_{run.id}"] = name
