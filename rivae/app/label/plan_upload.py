"""A plan from a file: one that this app made, here or elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import streamlit as st

from rivae.app.label import page_keys
from rivae.app.shared import address, labels
from rivae.app.shell import cache, gate, report
from rivae.base.errors import LabelError, RivaeError

if TYPE_CHECKING:
    from rivae.labels.guideline import Guideline
    from rivae.labels.plan import LabelPlan

KEY = page_keys.NEW
NO_RUN = "None of its runs is here: import one to label."
PLACE = "upload"


def panel() -> None:
    """Two files and a button."""
    with st.container(horizontal=True):
        for label, name in (
            ("Plan", "plan_file"),
            ("Its guideline, if this app does not have it", "plan_guideline"),
        ):
            st.file_uploader(
                label,
                type=["json"],
                key=f"{KEY}_{name}",
                max_upload_size=gate.SMALL_FILE,
                width=360,
            )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.text_input(
            "Plan name",
            key=f"{KEY}_plan_name",
            placeholder="as in the file",
            max_chars=80,
            width=260,
        )
        st.button(
            "Import plan",
            icon=":material/upload:",
            type="primary",
            key=f"{KEY}_take",
            on_click=_take,
        )
    report.show(PLACE)


def _take() -> None:
    if report.attempt(PLACE, _taken):
        address.show_view("Plans")  # the first plan would change the view


def _taken() -> str:
    """Check both files and keep the plan; nothing is kept if one of them is wrong."""
    from rivae.labels.kept_plans import keep_plan, kept_plan, name_plan, plan_names
    from rivae.labels.plan import MAX_BYTES, read_plan

    file: Any = st.session_state.get(f"{KEY}_plan_file")
    if file is None:
        raise LabelError("choose the file of a plan: every plan has one under Files and link")
    plan = read_plan(_content(file, MAX_BYTES))
    guideline = _guideline(plan)
    here = _check(plan)
    store = labels.store()
    name = str(st.session_state.get(f"{KEY}_plan_name", "")).strip() or plan.id
    if name in plan_names(store) and kept_plan(store, name) == plan:
        return f"The plan {name} is already here."
    keep_plan(store, name_plan(store, plan, name, guideline), guideline)
    return f"Imported the plan {name}." + ("" if here else f" {NO_RUN}")


def _guideline(plan: LabelPlan) -> Guideline:
    """The guideline that the plan was made with; the food factors if it names none."""
    from rivae.labels.guideline import MAX_GUIDELINE_BYTES, parse_guideline, read_guideline

    file: Any = st.session_state.get(f"{KEY}_plan_guideline")
    food = read_guideline()
    guideline = food if plan.guideline in ("", food.version) else None
    if file is not None:
        guideline = parse_guideline(_content(file, MAX_GUIDELINE_BYTES), file.name[:80])
    elif guideline is None:
        guideline = labels.store().guideline(plan.guideline)
    if guideline is None:
        raise LabelError(
            f"the guideline {plan.guideline} of this plan is missing: choose its file, too"
        )
    if plan.guideline not in ("", guideline.version):
        raise LabelError(
            f"this plan follows the guideline {plan.guideline}, the file holds "
            f"{guideline.version}: choose the one that came with the plan"
        )
    return guideline


def _check(plan: LabelPlan) -> bool:
    """Whether one of its runs is here; DataError if the plan does not fit that run's data."""
    for plan_run in plan.runs:
        try:
            data = cache.pictures(cache.run(plan_run.id)).data
        except RivaeError:
            continue  # not here, or without its data
        plan.check(data)
        return True
    return False


def _content(file: Any, most: int) -> bytes:
    """The content, up to one byte more than allowed, so that the reader sees it is too large."""
    file.seek(0)
    return bytes(file.read(most + 1))
