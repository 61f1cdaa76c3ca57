"""The form for a new plan: its factors, and its items counted before it is kept; or a file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import streamlit as st

from rivae.app.label import factors, page_keys, plan_chosen, plan_making, plan_runs, plan_upload
from rivae.app.shared import address, labels
from rivae.app.shell import cache, gate, keys, report
from rivae.app.shell.text import markdown
from rivae.base.config import free_name
from rivae.base.errors import LabelError, RivaeError

if TYPE_CHECKING:
    from rivae.app.label.plan_making import PlanRequest
    from rivae.app.shared.labels import ChosenItems
    from rivae.labels.guideline import Guideline
    from rivae.labels.plan import LabelPlan

KEY = page_keys.NEW
NO_GUIDELINE = "choose the file of a guideline: every plan has one under Files and link"
NO_NAMES = "no axis of this run has a name any more: choose other factors"
WAYS = ("From runs", "From a file")
CHOSEN = "From the map"
COUNTING, MAKING, FACTORS = "counting", "making", "draft"  # places of messages
FOOD, FILE, AXES = "food", "file", "axes:"
SECONDS = 3.0  # per answer, of an annotator who has found their pace


def panel(names: Sequence[str]) -> None:
    """The form."""
    st.subheader("New plan", anchor=False)
    items = plan_chosen.chosen()
    ways = (CHOSEN, *WAYS) if items is not None else WAYS
    way = st.segmented_control(
        "Made",
        ways,
        default=ways[0],
        required=True,
        key=f"{KEY}_way",
        label_visibility="collapsed",
    )
    if way == WAYS[1]:
        plan_upload.panel()
        return
    if items is not None and way == CHOSEN:
        try:
            guideline = factor_choice(names)
        except RivaeError as error:
            report.warning(str(error))
            return
        st.markdown(plan_chosen.about(items, len(guideline.factors)))
        free = free_name(f"{items.run}-map", names.__contains__)
        _name_and_make(free, _make_chosen, (items, guideline, free))
        return
    fields = plan_runs.run_fields()
    if fields is None:
        return
    try:
        guideline = factor_choice(names)
        _work(fields, guideline, names)
    except RivaeError as error:
        report.warning(str(error))


def _work(request: PlanRequest, guideline: Guideline, names: Sequence[str]) -> None:
    """The size of the plan, and the buttons that count and make it."""
    job = plan_making.job_of(request)
    plan = plan_making.counted(request)
    running = plan_making.tasks.running()  # maybe for earlier choices
    if running:
        report.watch(running, KEY)
    if job is not None and job.running:
        return
    if plan is None:
        if job is not None and job.error:
            report.warning(job.error)
        st.button(
            "Count the items",
            icon=":material/calculate:",
            type="primary",
            key=f"{KEY}_count",
            on_click=_count,
            args=(request,),
            disabled=bool(running),
            help="Finds the items that the runs retrieve; takes seconds.",
        )
        report.show(COUNTING)
        report.show(MAKING)  # the runs have changed since the items were counted
        return
    st.markdown(preview(plan, len(guideline.factors)))
    free = free_plan_name(plan.dataset, names)
    _name_and_make(free, _make, (request, guideline, free))


def _name_and_make(free: str, make: Callable[..., None], args: tuple[object, ...]) -> None:
    """The field for the name, and the button that calls ``make`` with ``args``."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.text_input(
            "Plan name",
            key=f"{KEY}_name",
            placeholder=free,
            max_chars=80,
            width=260,
            help="Annotators see it in their link. Leave empty for the suggested name.",
        )
        # Always enabled: a click tells what is wrong with the name.
        st.button(
            "Make the plan",
            icon=":material/add:",
            type="primary",
            key=f"{KEY}_make",
            on_click=make,
            args=args,
        )
    report.show(MAKING)


def free_plan_name(dataset: str, names: Sequence[str]) -> str:
    """The suggested name: the first free number after the data set's name."""
    names_in_use = set(names)
    return next(
        f"{dataset}-{n}"
        for n in range(1, len(names_in_use) + 2)
        if f"{dataset}-{n}" not in names_in_use
    )


def preview(plan: LabelPlan, n_factors: int) -> str:
    """The size of a plan in one or two sentences of Markdown."""
    answers = len(plan.order) * n_factors
    hours = answers * SECONDS / 3600
    time = f"{hours:.1f} h" if hours >= 1 else f"{60 * hours:.0f} min"
    each = ", ".join(f"{run.n_items:,} of {run.id}" for run in plan.runs)
    per_run = f" {markdown(f'({each})')}" if len(plan.runs) > 1 else ""
    return (
        f"**{len(plan.items):,} items**{per_run}, **{n_factors} factors**, "
        f"**{len(plan.repeats):,} repeats**: {answers:,} answers. At {SECONDS:g} s per answer "
        f"about **{time}** for one person."
    )


def _count(request: PlanRequest) -> None:
    report.begin(COUNTING, lambda: plan_making.start(request))


def _make(request: PlanRequest, guideline: Guideline, free: str) -> None:
    """Keep the counted plan, under the typed name or ``free``."""
    from rivae.labels.kept_plans import name_plan

    def plan(name: str) -> LabelPlan:
        counts = plan_making.counted(request)
        if counts is None:
            raise LabelError("the runs have changed since the items were counted: count them again")
        return name_plan(labels.store(), counts, name, guideline)

    _keep_made(plan, guideline, free)


def _make_chosen(items: ChosenItems, guideline: Guideline, free: str) -> None:
    """Keep a plan of the chosen items, under the typed name or ``free``."""
    if _keep_made(lambda name: plan_chosen.plan_of(items, guideline, name), guideline, free):
        st.session_state[keys.LABEL_CHOSEN] = None


def _keep_made(plan: Callable[[str], LabelPlan], guideline: Guideline, free: str) -> bool:
    from rivae.labels.kept_plans import keep_plan

    def keep() -> str:
        name = str(st.session_state.get(f"{KEY}_name", "")).strip() or free
        keep_plan(labels.store(), plan(name), guideline)
        return f"Made the plan {name}: send its link to the annotators."

    if is_kept := report.attempt(MAKING, keep):
        st.session_state[f"{KEY}_name"] = ""
        # With its first plan the page would otherwise switch to labelling.
        address.show_view("Plans")
    return is_kept


# Its factors


def factor_choice(names: Sequence[str], key: str = KEY, run: str = "") -> Guideline:
    """The choice of factors, in the form of a new plan with their editor; returns the guideline.

    Args:
        names: of the plans whose factors can be taken.
        key: begins the keys of the fields.
        run: whose named axes can be the factors.

    Raises:
        LabelError: the chosen plan's guideline is damaged, or no file was chosen.
    """
    axes = [f"{AXES}{run}"] if run and _of_axes(run) is not None else []
    options = [FOOD, *axes, *(f"plan:{name}" for name in names), FILE]
    begun = st.selectbox(
        "Factors",
        options,
        format_func=_title,
        key=f"{key}_base",
        width=340,
        help="What annotators are asked about every item.",
    )
    if begun == FILE:
        st.file_uploader(
            "A guideline as this app exports it",
            type=["json"],
            key=f"{key}_guideline",
            max_upload_size=gate.SMALL_FILE,
            on_change=_uploaded,
            args=(key,),
        )
    report.show(FACTORS)
    guideline = _current(begun)
    if key == KEY:
        _editor(begun, guideline)
    return guideline


def _editor(begun: str, guideline: Guideline) -> None:
    """The factors of a new plan, folded, to be changed."""
    with st.expander(
        f"{len(guideline.factors)} factors: see, change, add",
        icon=":material/tune:",
    ):
        factors.editor(
            f"new-{begun}",
            guideline,
            current=lambda: _current(begun),
            save=lambda changed: _keep(begun, changed),
            removable=True,
        )


def _title(option: str) -> str:
    if option.startswith("plan:"):
        return f"Factors of the plan {option.removeprefix('plan:')}"
    if option.startswith(AXES):
        return "What the axes are called"
    return "From a file" if option == FILE else "The eight food factors"


def _of_axes(run: str) -> Guideline | None:
    """The named axes of a run as a guideline; None where none has a name."""
    from rivae.exploring.sliders import axes_by_key
    from rivae.labels.axes_guideline import guideline_of_axes

    return guideline_of_axes([*axes_by_key(cache.explorer(run)).values()])


def _current(begun: str) -> Guideline:
    """The guideline with the changes of this visitor."""
    from rivae.labels.guideline import read_guideline
    from rivae.labels.kept_plans import kept_plan, plan_guideline

    drafts: dict[str, Guideline] = st.session_state.get(page_keys.DRAFTS, {})
    if begun in drafts:
        return drafts[begun]
    if begun == FILE:
        raise LabelError(NO_GUIDELINE)
    if begun == FOOD:
        return read_guideline()
    if begun.startswith(AXES):
        if (of_axes := _of_axes(begun.removeprefix(AXES))) is None:
            raise LabelError(NO_NAMES)
        return of_axes
    store = labels.store()
    return plan_guideline(store, kept_plan(store, begun.removeprefix("plan:")))


def _keep(begun: str, changed: Guideline) -> None:
    """Remember the changes of this visitor, separately for each starting point."""
    drafts = st.session_state.get(page_keys.DRAFTS, {})
    st.session_state[page_keys.DRAFTS] = {**drafts, begun: changed}


def _uploaded(key: str) -> None:
    from rivae.labels.guideline import MAX_GUIDELINE_BYTES, parse_guideline

    file = st.session_state.get(f"{key}_guideline")
    if file is None:
        return

    def take() -> str:
        _keep(FILE, parse_guideline(file.read(MAX_GUIDELINE_BYTES + 1), file.name[:80]))
        return ""

    report.attempt(FACTORS, take)
