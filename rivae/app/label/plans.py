"""The Plans view of the Label page, for those who organise the labelling. It is not blind."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import streamlit as st

from rivae.app.label import annotator, page_keys, plan_form, sharing
from rivae.app.shared import labels
from rivae.app.shared.runs import short_date, view_names
from rivae.app.shell import cache, report
from rivae.app.shell.text import markdown
from rivae.base.errors import RivaeError

if TYPE_CHECKING:
    from rivae.app.shared.labels import OpenPlan
    from rivae.labels.guideline import Guideline
    from rivae.labels.plan import LabelPlan, PlanRun
    from rivae.labels.review import PlanProgress

WHAT_A_PLAN_IS = (
    "A plan says which items are labelled, in which order, and which questions are asked. "
    "Make one from the runs whose D, C and I should come from labels, then send its link "
    "to the annotators."
)
PURPOSES = {"scores": "D, C and I of", "axes": "aligning the axes of"}
ASKS_NAME = "Everybody enters their own name"
MAX_SHARES = 24  # annotators listed


def panel(names: Sequence[str]) -> None:
    """Every plan with its progress, then the form for a new one."""
    for sentence in labels.remarks():
        report.warning(f"{sentence[:1].upper()}{sentence[1:]}.")
    if not names:
        st.caption(WHAT_A_PLAN_IS)
    for name in names:
        with st.container(border=True, key=f"label-plan-{name}"):
            try:
                _card(name)
            except RivaeError as error:
                st.markdown(f"**{markdown(name)}**")
                report.warning(str(error))
    plan_form.panel(names)


def _card(name: str) -> None:
    """One plan; raises RivaeError where it or its guideline is damaged."""
    from rivae.labels.kept_plans import kept_plan, plan_guideline

    store = labels.store()
    plan = kept_plan(store, name)
    st.markdown(f"**{markdown(name)}** :small[{markdown(_about(plan))}]")
    st.caption(_purpose(plan))
    guideline = plan_guideline(store, plan)
    open_plan, annotators = None, list[str]()
    try:
        with report.waiting("Opening the data of the plan …", 60):
            open_plan = labels.open_plan(name)
        progress = _done(open_plan, guideline)
        annotators = [share.annotator for share in progress.shares[:MAX_SHARES]]
        _progress(progress)
    except RivaeError as error:
        report.warning(str(error))
    _actions(plan, guideline, annotators)
    if st.session_state.get(page_keys.EDITED) == name:
        from rivae.app.label import factors

        factors.of_plan(plan, guideline, open_plan)


def _about(plan: LabelPlan) -> str:
    when = short_date(plan.created)
    parts = (
        plan.dataset,
        f"{len(plan.items):,} items",
        f"{len(plan.repeats):,} hidden repeats",
        f"made {when}" if when else "",
    )
    return " · ".join(part for part in parts if part)


def _purpose(plan: LabelPlan) -> str:
    """What the plan is for, with a remark on runs that changed since it was made."""
    runs = ", ".join(f"{run.id}{_changed(run)}" for run in plan.runs)
    queries = f", {plan.n_queries} queries of each" if plan.n_queries else ""
    return markdown(f"For {PURPOSES[plan.purpose]} {runs}{queries}{_asked(plan)}.")


def _asked(plan: LabelPlan) -> str:
    """Which view asks, as a part of a sentence; nothing for the first one."""
    if plan.asks == "first":
        return ""
    here = {run.id: run for run in cache.runs()}
    first, second = next(
        (view_names(here[run.id]) for run in plan.runs if run.id in here),
        ("first view", "second view"),
    )
    return f", asked with the {second if plan.asks == 'second' else f'{first} and the {second}'}"


def _changed(served: PlanRun) -> str:
    try:
        same = cache.run(served.id).model_key == served.model
    except RivaeError:
        return " (not here)"
    return "" if same else " (retrained since)"


def _done(open_plan: OpenPlan, guideline: Guideline) -> PlanProgress:
    from rivae.labels.opening import labels_url

    last = labels.store().last()
    return _progress_at(
        labels_url(), open_plan.plan.id, guideline.version, last, open_plan, guideline
    )


# Cached, as it counts thousands of answers.
@st.cache_resource(max_entries=64, show_spinner=False)
def _progress_at(
    url: str, plan_id: str, version: str, last: int, _open_plan: OpenPlan, _guideline: Guideline
) -> PlanProgress:
    from rivae.labels.review import plan_progress

    return plan_progress(labels.store(), _open_plan.keys, _guideline.ids)


def _progress(done: PlanProgress) -> None:
    share = done.answered / done.needed
    st.progress(
        share,
        text=f"{done.answered:,} of {done.needed:,} answers by at least one person ({share:.0%})",
    )
    lines = [
        f"{markdown(who.annotator)}: {who.answers:,} answers ({who.answers / done.needed:.0%}), "
        f"{who.cannot_tell:,} of them cannot tell, {who.repeats:,} repeats, "
        f"{who.seconds:.1f} s each"
        for who in done.shares[:MAX_SHARES]
    ]
    if len(done.shares) > MAX_SHARES:
        lines.append(f"and {len(done.shares) - MAX_SHARES} more")
    if lines:
        st.caption("  \n".join(lines))


def _actions(plan: LabelPlan, guideline: Guideline, known: Sequence[str]) -> None:
    """What can be done with a plan; ``known`` are its annotators."""
    from rivae.app.label.factors import guideline_file

    key = f"{page_keys.CARD}_{plan.id}"
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            "Label",
            icon=":material/new_label:",
            key=f"{key}_label",
            on_click=labels.show_plan,
            args=(plan.id, "Label"),
        )
        st.button(
            "Review",
            icon=":material/rule:",
            key=f"{key}_review",
            on_click=labels.show_plan,
            args=(plan.id, "Review"),
        )
        st.button(
            "Factors",
            icon=":material/tune:",
            key=f"{key}_factors",
            on_click=_edit,
            args=(plan.id,),
            help="See, change and add the questions.",
        )
        with st.popover("Links and files", icon=":material/link:"):
            _links(plan.id, known, key)
            st.download_button(
                "Plan, JSON",
                lambda: _plan_file(plan),
                file_name=f"{plan.id}.json",
                mime="application/json",
                icon=":material/download:",
                on_click="ignore",
                key=f"{key}_plan",
            )
            guideline_file(guideline, f"{key}_guideline")


def _links(plan_id: str, known: Sequence[str], key: str) -> None:
    """Who shares a plan; a link for each annotator, to be copied, and one that asks for a name."""
    names = sharing.names_field(plan_id, known, f"{key}_names")
    for name in list(dict.fromkeys(["", *names, *known]))[: MAX_SHARES + 1]:
        st.caption(markdown(name) or ASKS_NAME)
        st.code(annotator.link(plan_id, name), language=None)


def _plan_file(plan: LabelPlan) -> bytes:
    import json

    return json.dumps(plan.model_dump(mode="json"), indent=1).encode()


def _edit(plan_id: str) -> None:
    """Open the factors of a plan, or close them."""
    now = st.session_state.get(page_keys.EDITED)
    st.session_state[page_keys.EDITED] = None if now == plan_id else plan_id
