"""Two questions before labelling: which run, and how many minutes; all else has a default."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import streamlit as st

from rivae.app.label import page_keys, plan_form, plan_making
from rivae.app.label.plan_making import EarlyRequest
from rivae.app.shared import address, labels
from rivae.app.shared.runs import run_title
from rivae.app.shell import cache, report
from rivae.base.errors import LabelError, RivaeError

if TYPE_CHECKING:
    from rivae.app.work.tasks import Task
    from rivae.labels.guideline import Guideline
    from rivae.runs import Run

KEY = page_keys.BEGIN
MINUTES: Mapping[str, float | None] = {
    "10": 10.0,
    "20": 20.0,
    "40": 40.0,
    "As long as it takes": None,
}
FIRST = "20"
WIDTH = 720
ENOUGH = 20  # items of a factor from which on D, C and I are given
SHEET = 24  # items that the desk asks one question of before the next question; as label_sheet.js
NO_RUNS = "There is no trained run to label for yet: train one, or import one."
NO_FACTOR = "No factor is chosen: choose those that you have time for."
STARTING = "starting"  # a place of messages


def button() -> None:
    """Leads to the two questions."""
    st.button(
        "New labels",
        icon=":material/add:",
        key=f"{KEY}_open",
        on_click=address.show_view,
        args=("New labels",),
    )


def panel(names: Sequence[str]) -> None:
    """The two questions, what comes of the answers, and the button that leads to the desk.

    Args:
        names: of the plans there are.
    """
    _go_on(names)
    with st.container(width=WIDTH):
        st.subheader("New labels", anchor=False)
        if ready := cache.ready_runs():
            _questions(names, ready)
        else:
            st.info(NO_RUNS, icon=":material/info:")


def _questions(names: Sequence[str], ready: Sequence[Run]) -> None:
    """The questions, and the button where they are answered."""
    runs = _runs(ready)
    minutes = MINUTES[
        st.segmented_control(
            "How many minutes?", list(MINUTES), default=FIRST, required=True, key=f"{KEY}_minutes"
        )
        or FIRST
    ]
    try:
        guideline = _factors(names, runs)
    except RivaeError as error:
        report.warning(str(error))
        return
    if runs and guideline is not None:
        _start_button(runs, minutes, guideline)


def _runs(ready: Sequence[Run]) -> list[Run]:
    """The runs whose axes are labelled, all on the data set of the one that was chosen last; the
    one in hand at first.
    """
    from rivae.labels.plan import MAX_RUNS

    runs_by_id = {run.id: run for run in ready}
    key = f"{KEY}_runs"
    in_hand = address.run_in_hand()
    if key not in st.session_state:
        st.session_state[key] = [in_hand if in_hand in runs_by_id else ready[0].id]
    before = [runs_by_id[name] for name in st.session_state[key] if name in runs_by_id]
    st.session_state[key] = [
        run.id for run in before if run.config.dataset.same_items(before[-1].config.dataset)
    ]
    run_ids = st.multiselect(
        "Which run?",
        list(runs_by_id),
        format_func=lambda name: run_title(runs_by_id[name]),
        key=key,
        max_selections=MAX_RUNS,
        placeholder="Choose one, or several to compare",
        help="Several have one data set: that of the run that you choose last.",
    )
    return [runs_by_id[name] for name in run_ids]


def _factors(names: Sequence[str], runs: Sequence[Run]) -> Guideline | None:
    """The questions that are asked: all of a guideline, or those that the visitor leaves on."""
    from rivae.labels.guideline import guideline

    place = st.container()
    with st.expander("Other factors", icon=":material/tune:"):
        whole = plan_form.factor_choice(names, KEY, runs[0].id if runs else "")
    titles = {factor.id: factor.name for factor in whole.factors}
    with place:
        factor_ids = st.pills(
            "Which factors?",
            list(titles),
            selection_mode="multi",
            default=list(titles),
            format_func=titles.__getitem__,
            key=f"{KEY}_factors_{whole.version}",
            help="Two are enough for a quick look.",
        )
    if not factor_ids:
        st.info(NO_FACTOR, icon=":material/info:")
        return None
    if len(factor_ids) == len(titles):
        return whole
    return guideline(whole.title, [factor for factor in whole.factors if factor.id in factor_ids])


def _start_button(runs: Sequence[Run], minutes: float | None, guideline: Guideline) -> None:
    from rivae.labels.early.sample import SECONDS, pace

    by = str(st.session_state.get(page_keys.BY) or "").strip()
    seconds = pace(labels.store(), by, guideline.ids) if by else SECONDS
    st.markdown(foretold(minutes, len(guideline.factors), seconds))
    request = EarlyRequest(
        paths=tuple(str(run.path.resolve()) for run in runs),
        minutes=minutes,
        n_factors=len(guideline.factors),
        seconds=round(seconds, 2),
    )
    running = plan_making.tasks.running()
    if running:
        report.watch(running, KEY)
    else:
        st.button(
            "Start labelling",
            icon=":material/new_label:",
            type="primary",
            key=f"{KEY}_start",
            on_click=_start,
            args=(request, guideline),
        )
    report.show(STARTING)


def foretold(minutes: float | None, n_factors: int, seconds: float) -> str:
    """What so many minutes bring, in two sentences of Markdown.

    Args:
        minutes: None for as long as it takes.
        seconds: an answer.
    """
    from rivae.labels.early.sample import items_for

    n_items = SHEET if minutes is None else items_for(minutes, n_factors, seconds)
    before = min(max(n_items, ENOUGH), SHEET) * (n_factors - 1)  # a sheet of every other question
    first = max(1, round((before + ENOUGH) * seconds / 60))
    numbers = f"D, C and I as ranges after about **{first} min**"
    each = "1 question" if n_factors == 1 else f"{n_factors} questions"
    if minutes is None:
        return f"{each.capitalize()} an item. {numbers}."
    if n_items < ENOUGH:
        numbers = (
            f"Too few for D, C and I, which need {ENOUGH} items (about {first} min): choose fewer "
            "factors or more minutes. What each axis follows is said all the same"
        )
    return f"About **{n_items} items**, {each} each. {numbers}."


def _start(request: EarlyRequest, guideline: Guideline) -> None:
    def begin() -> Task:
        job = plan_making.start(request)
        st.session_state[page_keys.STARTING] = job, guideline
        return job

    report.begin(STARTING, begin)


def _go_on(names: Sequence[str]) -> None:
    """Keeps the plan that this visitor has begun as soon as it is made, and opens its desk."""
    from rivae.labels.kept_plans import keep_plan, name_plan

    begun: tuple[Task, Guideline] | None = st.session_state.get(page_keys.STARTING)
    if begun is None or begun[0].running:
        return
    st.session_state[page_keys.STARTING] = None
    job, guideline = begun
    plan = plan_making.plan_of(job)
    if plan is None:
        if job.error:
            report.warning(job.error)
        return
    name = plan_form.free_plan_name(plan.dataset, names)
    try:
        keep_plan(labels.store(), name_plan(labels.store(), plan, name, guideline), guideline)
    except LabelError as error:
        report.warning(str(error))
        return
    labels.show_plan(name)
    st.rerun()
