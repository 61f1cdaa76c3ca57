"""A run's axes and labels: align the axes to factors, and suggest items to label next."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import streamlit as st

from rivae.app.metrics import session, work
from rivae.app.metrics.labels_table import gains_payload
from rivae.app.metrics.results_table import RESULTS
from rivae.app.panels.links import CompareLink
from rivae.app.shared import labels
from rivae.app.shared.charts import headline
from rivae.app.shared.runs import queries_by
from rivae.app.shell import cache, keys, pages, report
from rivae.app.shell.text import markdown
from rivae.base.config import MAX_NAME, free_name
from rivae.exploring.words.axis_names import names_of_axes

if TYPE_CHECKING:
    from collections.abc import Collection

    from rivae.app.metrics.labels_data import PlanScores
    from rivae.app.work.tasks import Task
    from rivae.base.config import Asks
    from rivae.labels.run_scores import Labelled
    from rivae.runs import Run

ALIGN, SUGGEST = "metrics_align", "metrics_suggest"  # places of their progress and errors
GOOD = 30  # labelled items from which an alignment is worthwhile
USUAL = 30  # suggested items
TOO_FEW = "No factor has different labels of at least {} items yet; {} do much more."
NOT_SURE = "They are spread first along the axes that are not sure without labels: {}."
GAIN_UNKNOWN = (
    "The labels are too few, or too similar, to hold some of them out: the gain of this "
    "alignment is unknown."
)


def align_panel(run: Run, found: PlanScores, known: Labelled) -> None:
    """Align ``run`` to the current labels."""
    headline("Align to labels")
    st.caption(
        "Changes the axes by an invertible linear map, so that each chosen factor gets its own "
        "axis. The search finds the same items as before, and this run is not changed."
    )
    report.show(ALIGN)
    aligning, keeping = work.job_of("align", run), work.job_of("keep", run)
    if running := [job for job in (aligning, keeping) if job is not None and job.running]:
        report.watch(running, ALIGN)
        return
    usable = _choice(run, found, known)
    if aligning is not None and usable:
        _aligned(run, aligning, found)
    if keeping is not None:
        _kept_run(run, keeping)


def _choice(run: Run, found: PlanScores, known: Labelled) -> bool:
    """The choice of factors and the button; returns whether any factor can be aligned to."""
    from rivae.labels.align import MIN_LABELS

    ids, counts, usable = found.guideline.ids, known.counts(), known.usable()
    if not usable:
        st.write(TOO_FEW.format(MIN_LABELS, GOOD))
        return False
    names = dict(zip(ids, found.names(ids), strict=True))
    key = f"{keys.METRICS_ALIGN_FACTORS}_{run.id}"
    before = st.session_state.get(key, ids)
    # Labels that were taken back may have left a factor with too few.
    st.session_state[key] = [factor for factor in usable if factor in before]
    chosen = st.multiselect(
        "Factors, in the order of the new axes",
        usable,
        format_func=lambda f: f"{names[f]} ({counts[ids.index(f)]})",
        key=key,
        help="Behind a name: how many items have a level.",
    )
    st.button(
        "Align",
        icon=":material/straighten:",
        type="primary",
        disabled=not chosen,
        key=keys.METRICS_ALIGN_START,
        on_click=_align,
        args=(run, found, known, tuple(chosen)),
    )
    st.caption(_basis(found, known, usable))
    return True


def _basis(found: PlanScores, known: Labelled, usable: Collection[str]) -> str:
    """The labels that an alignment would use, in Markdown."""
    import numpy as np

    tested = int(np.isin(known.rows, found.opened.data.splits["test"]).sum())
    by = "one annotator" if known.n_annotators == 1 else f"{known.n_annotators} annotators"
    text = (
        f"Uses all labels of this data set, from any plan: {len(known.rows):,} items by "
        f"{by}, the median of their levels, verdicts in its place."
    )
    if tested:
        text += (
            f" {tested:,} of them are test items: on those, D, C and I of the aligned run are "
            "higher than on others."
        )
    if (asks := found.opened.plan.asks) != "first":
        text += f" The axes are fitted {queries_by(found.opened.data.view_names, asks)}."
    missing = [factor for factor in found.guideline.ids if factor not in usable]
    if missing:
        text += f" Too few different labels: {markdown(', '.join(found.names(missing)))}."
    return text


def _align(run: Run, found: PlanScores, known: Labelled, factors: tuple[str, ...]) -> None:
    own = known.of(factors)
    work.forget("keep", run)
    report.begin(
        ALIGN,
        lambda: work.start_align(
            run, own.rows, own.levels, factors, found.guideline.version, found.opened.plan.asks
        ),
    )


def _aligned(run: Run, job: Task, found: PlanScores) -> None:
    """The result, and the button that saves it as a run."""

    if job.error or job.result is None:
        st.warning(markdown(job.error or "stopped before it finished"), icon=":material/info:")
        return
    result: dict[str, Any] = job.result
    record = result["record"]
    known = set(found.guideline.ids)
    names = {f: found.guideline.factor(f).name if f in known else f for f in record["factors"]}
    if record["held_out"]:
        before = names_of_axes(run, len(result["matrix"]))
        RESULTS(gains_payload(record["held_out"], names, before), key=f"{keys.METRICS_TABLE}_gains")
        st.caption(
            "Axes fitted to 70 % of the labelled items, measured on the others; the saved run is "
            "fitted to all of them."
        )
    else:
        st.info(
            GAIN_UNKNOWN,
            icon=":material/info:",
        )
    st.caption(markdown(f"{result['note'][:1].upper()}{result['note'][1:]}."))
    key = f"{keys.METRICS_ALIGN_NAME}_{run.id}"
    free = free_name(f"{run.id}-aligned", {r.id for r in cache.runs()}.__contains__)
    st.session_state.setdefault(key, free)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.text_input("Name of the new run", key=key, max_chars=MAX_NAME, width=320)
        st.button(
            "Save as a run",
            icon=":material/save:",
            key=keys.METRICS_ALIGN_KEEP,
            on_click=_keep_run,
            args=(run, result, [names[f] for f in record["factors"]], key),
        )


def _keep_run(run: Run, result: dict[str, Any], names: list[str], key: str) -> None:
    name = str(st.session_state[key]).strip()
    report.begin(ALIGN, lambda: work.start_keep(run, result, names, name))


def _kept_run(run: Run, job: Task) -> None:
    if job.error or job.result is None:
        st.warning(markdown(job.error or "stopped before it finished"), icon=":material/info:")
        return
    made = str(job.result["run"])
    st.success(
        f"Saved {markdown(made)}. Its first axes are named after the factors.",
        icon=":material/check:",
    )
    with st.container(horizontal=True):
        st.page_link(
            pages.path("explore"),
            label="Open in Explore",
            icon=":material/tune:",
            query_params={"run": made},
        )
        st.page_link(
            pages.path("compare"),
            label="Compare with the original",
            icon=":material/view_column:",
            query_params=CompareLink(runs=(run.id, made)).write(),
        )
        st.button(
            "Evaluate it",
            icon=":material/speed:",
            type="tertiary",
            key=keys.METRICS_ALIGN_EVALUATE,
            on_click=session.show_run,
            args=(made,),
        )


def suggest_panel(run: Run, found: PlanScores, known: Labelled) -> None:
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
        n = st.number_input("Items", 1, MAX_SUGGESTED, USUAL, key=keys.METRICS_SUGGEST_N, width=140)
        st.button(
            "Suggest what to label next",
            icon=":material/lightbulb:",
            key=keys.METRICS_SUGGEST_START,
            on_click=_suggest,
            args=(run, known, int(n), found.opened.plan.asks),
        )
    st.caption(
        "Chosen among validation items, to which the model was not fitted and on which D, C and I "
        "are not measured; training items join where they are few."
    )
    if job is not None:
        _suggested(run, job, found)
    if made := st.session_state.get(f"{keys.METRICS_SUGGEST_OPEN}_{run.id}", ""):
        st.success(f"Made the plan {markdown(made)}.", icon=":material/check:")
        st.page_link(
            pages.path("label"),
            label="Label these items",
            icon=":material/new_label:",
            query_params={"view": "Label", "plan": made},
        )


def _suggest(run: Run, known: Labelled, n: int, asks: Asks) -> None:
    for name in (keys.METRICS_SUGGEST_NAME, keys.METRICS_SUGGEST_OPEN):
        st.session_state.pop(f"{name}_{run.id}", None)
    report.begin(SUGGEST, lambda: work.start_suggest(run, known.rows, n, asks))


def _suggested(run: Run, job: Task, found: PlanScores) -> None:
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
    key = f"{keys.METRICS_SUGGEST_NAME}_{run.id}"
    st.session_state.setdefault(key, free_name(f"{run.id}-next", labels.plan_names().__contains__))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.text_input("Name of the new plan", key=key, max_chars=MAX_NAME, width=320)
        st.button(
            "Make the plan",
            icon=":material/playlist_add:",
            key=keys.METRICS_SUGGEST_KEEP,
            on_click=_keep_plan,
            args=(run, found, rows, key),
        )


def _keep_plan(run: Run, found: PlanScores, rows: list[int], key: str) -> None:
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
            data=found.opened.data,
            guideline=found.guideline.version,
            asks=found.opened.plan.asks,
        )
        keep_plan(store, plan, found.guideline)
        return ""

    if report.attempt(SUGGEST, keep):
        work.forget("suggest", run)
        st.session_state[f"{keys.METRICS_SUGGEST_OPEN}_{run.id}"] = name
