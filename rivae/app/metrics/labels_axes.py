"""Which items to label next, so that a run's axes are known best."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from rivae.app.metrics import page_keys, work
from rivae.app.shared import labels
from rivae.app.shared.charts import headline
from rivae.app.shell import pages, report
from rivae.app.shell.text import markdown
from rivae.base.config import MAX_NAME, free_name
from rivae.exploring.words.axis_names import names_of_axes

if TYPE_CHECKING:
    from rivae.app.metrics.labels_data import PlanScores
    from rivae.app.work.tasks import Task
    from rivae.base.config import Asks
    from rivae.labels.run_scores import Labelled
    from rivae.runs import Run

SUGGEST = "metrics_suggest"  # a place of progress and errors
USUAL = 30  # suggested items
NOT_SURE = "They are spread first along the axes that are not sure without labels: {}."


def suggest_panel(run: Run, scores: PlanScores, all_labels: Labelled) -> None:
    """Choose how many items; show the suggestion and the plan made of it."""
    from rivae.labels.suggest import MAX_SUGGESTED

    headline("Suggest next")
    st.caption(
        "The unlabelled items whose labels would best determine the directions of the factors in "
        "this run's z."
    )
    report.show(SUGGEST)
    job = work.job_of("suggest", run)
    if job is not None and job.running:
        report.watch([job], SUGGEST)
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        n = st.number_input("Items", 1, MAX_SUGGESTED, USUAL, key=page_keys.SUGGEST_N, width=140)
        st.button(
            "Suggest what to label next",
            icon=":material/lightbulb:",
            key=page_keys.SUGGEST_START,
            on_click=_suggest,
            args=(run, all_labels, int(n), scores.opened.plan.asks),
        )
    st.caption(
        "Chosen among validation items, to which the model was not fitted and on which D, C and I "
        "are not measured; training items join where they are few."
    )
    if job is not None:
        _suggested(run, job, scores)
    if new_plan := st.session_state.get(f"{page_keys.SUGGEST_OPEN}_{run.id}", ""):
        st.success(f"Made the plan {markdown(new_plan)}.", icon=":material/check:")
        st.page_link(
            pages.path("label"),
            label="Label these items",
            icon=":material/new_label:",
            query_params={"view": "Label", "plan": new_plan},
        )


def _suggest(run: Run, all_labels: Labelled, n: int, asks: Asks) -> None:
    for name in (page_keys.SUGGEST_NAME, page_keys.SUGGEST_OPEN):
        st.session_state.pop(f"{name}_{run.id}", None)
    report.begin(SUGGEST, lambda: work.start_suggest(run, all_labels.rows, n, asks))


def _suggested(run: Run, job: Task, scores: PlanScores) -> None:
    if job.error or job.result is None:
        st.warning(markdown(job.error or "stopped before it finished"), icon=":material/info:")
        return

    rows = [int(row) for row in job.result["rows"]]
    st.write(
        f"{len(rows):,} items chosen among {int(job.result['n_pool']):,} "
        f"{markdown(str(job.result['pool']))}."
    )
    if axes := job.result["axes"]:
        names = names_of_axes(run, max(axes) + 1)
        st.caption(markdown(NOT_SURE.format(", ".join(names[j] for j in axes))))
    key = f"{page_keys.SUGGEST_NAME}_{run.id}"
    st.session_state.setdefault(key, free_name(f"{run.id}-next", labels.plan_names().__contains__))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.text_input("Name of the new plan", key=key, max_chars=MAX_NAME, width=320)
        st.button(
            "Make the plan",
            icon=":material/playlist_add:",
            key=page_keys.SUGGEST_KEEP,
            on_click=_keep_plan,
            args=(run, scores, rows, key),
        )


def _keep_plan(run: Run, scores: PlanScores, rows: list[int], key: str) -> None:
    """Save the plan with the guideline of the current one, for queries by the same view."""
    from rivae.labels.kept_plans import keep_plan
    from rivae.labels.suggest import suggested_plan

    name = str(st.session_state[key]).strip()

    def keep() -> str:
        store = labels.store()
        plan = suggested_plan(
            run,
            rows,
            name,
            data=scores.opened.data,
            guideline=scores.guideline.version,
            asks=scores.opened.plan.asks,
        )
        keep_plan(store, plan, scores.guideline)
        return ""

    if report.attempt(SUGGEST, keep):
        work.forget("suggest", run)
        st.session_state[f"{page_keys.SUGGEST_OPEN}_{run.id}"] = name
