"""The Axes view of the Label page: what the labels give back to the axes of a run, at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from rivae.app.label import axes_strips, axes_work, page_keys
from rivae.app.panels.links import CompareLink
from rivae.app.shared import labels
from rivae.app.shell import cache, keys, pages, report
from rivae.app.shell.text import markdown
from rivae.base.config import MAX_NAME, free_name
from rivae.exploring.words.axis_names import names_of_axes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rivae.app.label.axes_work import Found
    from rivae.app.work.tasks import Task
    from rivae.labels.axes_given import AxesGiven

KEY = page_keys.AXES
PLACE = "label-axes"  # of progress and errors
NO_RUN = "None of this plan's runs is here: bring one back to use its labels."
BY_TEXT = " As they are few, the texts of the items spread them."
STALE = "There are newer labels."
ADDED = "These axes are sliders of {} now."


def panel(plan: str) -> None:
    """What the labels of a plan's data give back to one of its runs; found without being asked."""
    run = _run(plan)
    if not run:
        report.warning(NO_RUN)
        return
    task = axes_work.task_of("find", plan, run)
    if _is_due(task, st.session_state[keys.ENTERED]):
        report.begin(PLACE, lambda: axes_work.find(plan, run))
        task = axes_work.task_of("find", plan, run)
    report.show(PLACE)
    saving = axes_work.task_of("save", plan, run)
    if running := [job for job in (task, saving) if job is not None and job.running]:
        report.watch(running, PLACE)
    if task is None or task.running:
        return
    if task.result is None:
        report.warning(f"{task.error[:1].upper()}{task.error[1:]}.")
        return
    result: Found = task.result["found"]
    _said(plan, run, result)
    choice = _chosen(result)
    _buttons(plan, run, result, choice, saving)
    _strips(run, result, choice)


def _run(plan: str) -> str:
    """The run whose axes it is about; "" where none of the plan's is here."""
    from rivae.labels.kept_plans import kept_plan

    here = {run.id for run in cache.ready_runs()}
    runs = [run.id for run in kept_plan(labels.store(), plan).runs if run.id in here]
    if len(runs) < 2:
        return next(iter(runs), "")
    run_id = st.pills("Run", runs, default=runs[0], required=True, key=f"{KEY}_run_{plan}")
    return str(run_id or runs[0])


def _is_due(task: Task | None, entered: bool) -> bool:
    """Whether the axes have to be found: never before, or in vain or from older labels before this
    visit.
    """
    if task is None:
        return True
    if task.running or not entered:
        return False
    return task.result is None or task.result["found"].seq != labels.store().last()


def _said(plan: str, run: str, result: Found) -> None:
    axes_given, views = result.given, result.explorer.data.view_names
    st.subheader(
        markdown(axes_given.verdict(dict(zip(("first", "second"), views, strict=True)))),
        anchor=False,
    )
    by = "1 annotator" if result.n_annotators == 1 else f"{result.n_annotators} annotators"
    st.caption(
        f"From {axes_given.n_items:,} items by {by}, labelled in any plan of these data. Measured "
        f"on those that the axes were not fitted to.{BY_TEXT if axes_given.by_text else ''}"
    )
    if result.seq != labels.store().last():
        st.button(
            STALE + " Use them",
            icon=":material/refresh:",
            type="tertiary",
            key=f"{KEY}_again",
            on_click=_again,
            args=(plan, run),
        )


def _again(plan: str, run: str) -> None:
    report.begin(PLACE, lambda: axes_work.find(plan, run))


def _chosen(result: Found) -> tuple[str, ...]:
    """The factors that the visitor leaves on, in their order."""
    axes_given = result.given
    names = {f: result.guideline.factor(f).name for f in axes_given.factors}
    choice = st.pills(
        "Which factors?",
        list(names),
        selection_mode="multi",
        default=list(names),
        format_func=names.__getitem__,
        key=f"{KEY}_factors_{'_'.join(axes_given.factors)}",
    )
    return tuple(factor for factor in axes_given.factors if factor in choice)


def _buttons(
    plan: str, run: str, result: Found, chosen: tuple[str, ...], saving: Task | None
) -> None:
    from rivae.runs.added_axes import added_axes

    specs = [axis.spec for axis in added_axes(cache.run(run))]
    axes = [a for a in result.given.axes if _id_of(result.given, a.spec) in chosen]
    lacking = [axis for axis in axes if axis.spec not in specs]
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            "Add these as axes",
            icon=":material/add:",
            type="primary" if result.given.is_gain and lacking else "secondary",
            disabled=not lacking,
            key=f"{KEY}_add",
            on_click=_add,
            args=(plan, run, chosen),
            help="Sliders beside those of the model, which is not changed.",
        )
        with st.popover("Align", icon=":material/straighten:", disabled=not chosen):
            _align(plan, run, chosen)
        if axes and not lacking:
            st.markdown(ADDED.format(markdown(run)), width="content")
            st.page_link(
                pages.path("explore"),
                label="Open in Explore",
                icon=":material/tune:",
                query_params={"run": run},
            )
    if saving is not None and not saving.running:
        _saved(run, saving)


def _id_of(axes_given: AxesGiven, spec: object) -> str:
    """The factor of an axis, by what it was asked with."""
    return next(
        f for f, a in zip(axes_given.factors, axes_given.axes, strict=True) if a.spec == spec
    )


def _add(plan: str, run: str, chosen: tuple[str, ...]) -> None:
    """Keep the axes of the chosen factors that the run lacks."""
    from rivae.exploring.axes.adding import keep_axes
    from rivae.runs.added_axes import added_axes

    def change() -> str:
        found = _found(plan, run)
        kept = [axis.spec for axis in added_axes(cache.run(run))]
        lacking = [
            axis
            for factor, axis in zip(found.given.factors, found.given.axes, strict=True)
            if factor in chosen and axis.spec not in kept
        ]
        keep_axes(cache.run(run), lacking)
        return f"Added {len(lacking)} {'axis' if len(lacking) == 1 else 'axes'} to {run}."

    report.attempt(PLACE, change)


def _found(plan: str, run: str) -> Found:
    """What was found last; RunError where the run was changed meanwhile."""
    from rivae.base.errors import RunError

    task = axes_work.task_of("find", plan, run)
    if task is None or task.result is None:
        raise RunError(f"{run} has changed meanwhile: look again")
    found: Found = task.result["found"]
    return found


def _align(plan: str, run: str, chosen: tuple[str, ...]) -> None:
    """A run whose first axes are those of the labels."""
    st.caption("A new run that finds the same items, with these factors as its first axes.")
    run_ids = {other.id for other in cache.runs()}
    free = free_name(f"{run}-aligned", run_ids.__contains__)
    key = f"{KEY}_name_{free}"
    # As a value: the browser keeps no state of what a closed popover holds.
    st.text_input("Name of the new run", free, key=key, max_chars=MAX_NAME)
    st.button(
        "Save as a run",
        icon=":material/save:",
        key=f"{KEY}_save",
        on_click=_save,
        args=(plan, run, chosen, key, free),
    )


def _save(plan: str, run: str, chosen: tuple[str, ...], key: str, free: str) -> None:
    name = str(st.session_state.get(key) or "").strip() or free
    report.begin(PLACE, lambda: axes_work.begin_save(plan, run, _found(plan, run), chosen, name))


def _saved(run: str, saving: Task) -> None:
    if saving.result is None:
        report.warning(f"{saving.error[:1].upper()}{saving.error[1:]}.")
        return
    run_id = str(saving.result["run"])
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f"Saved **{markdown(run_id)}**.", width="content")
        st.page_link(
            pages.path("explore"),
            label=f"Open {markdown(run_id)}",
            icon=":material/tune:",
            query_params={"run": run_id},
        )
        st.page_link(
            pages.path("compare"),
            label="Compare with the original",
            icon=":material/view_column:",
            query_params=CompareLink(runs=(run, run_id)).write(),
        )
        st.page_link(
            pages.path("metrics"),
            label="Evaluate it",
            icon=":material/speed:",
            query_params={"run": run_id},
        )


def _strips(run: str, result: Found, chosen: Sequence[str]) -> None:
    """Before and after, factor by factor, of one query."""
    key = f"{KEY}_query_{run}"
    rows = result.explorer.search_rows
    at = int(st.session_state.setdefault(key, 0)) * 37 % len(rows)  # far apart in any order
    query = int(rows[at])
    with st.container(horizontal=True, vertical_alignment="center"):
        title = markdown(result.explorer.title(query))
        st.markdown(f"The same query, **{title}**, along each axis", width="content")
        st.button(
            "Another query",
            icon=":material/casino:",
            type="tertiary",
            key=f"{KEY}_other",
            on_click=_other,
            args=(key,),
        )
    names = names_of_axes(cache.run(run), result.explorer.n_components)
    axes_given = result.given
    some = [k for k, factor in enumerate(axes_given.factors) if factor in chosen]
    if some:
        for block in axes_strips.strips(result.explorer, axes_given, some, query, names):
            st.html(block)


def _other(key: str) -> None:
    st.session_state[key] += 1
