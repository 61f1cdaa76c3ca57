"""Items on which annotators disagree or that somebody flagged, and the verdicts on them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import streamlit as st

from rivae.app.label import annotator, page_keys
from rivae.app.shared import labels
from rivae.app.shell import report
from rivae.app.shell.fragments import fragment
from rivae.app.shell.text import markdown
from rivae.base.errors import RivaeError

if TYPE_CHECKING:
    from collections.abc import Collection

    from rivae.app.shared.labels import OpenPlan
    from rivae.labels.guideline import Guideline
    from rivae.labels.review import PlanAgreement, PlanAnswers
    from rivae.labels.rows import Current
    from rivae.labels.verdicts import Case

ITEM_FLAGGED = "The item itself is flagged. Choose a factor above to decide its level."
INAPPLICABLE = "does not apply"
PER_PAGE = 10
PICTURE = 160  # pixels
FAR, FLAGGED = "Two or more levels apart", "Flagged"


@fragment()
def panel(
    open_plan: OpenPlan, guideline: Guideline, answers: PlanAnswers, agreements: PlanAgreement
) -> None:
    """A list of items with everybody's levels; a verdict only redraws this list."""
    from rivae.labels.verdicts import verdicts

    st.subheader("Items to discuss", anchor=False)
    key_of = dict(zip(open_plan.plan.order, open_plan.keys, strict=True))
    try:
        cases = _chosen(guideline, answers, agreements)
        standing = verdicts(labels.store(), {key_of[case.row] for case in cases})
    except RivaeError as error:
        report.warning(str(error))
        return
    open_cases = [case for case in cases if (key_of[case.row], case.factor) not in standing]
    n_decided = len(cases) - len(open_cases)
    if st.session_state.get(page_keys.OPEN_ONLY):
        cases = open_cases
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(f"{_items(len(cases))}, {n_decided} decided.")
        st.toggle("Hide decided items", key=page_keys.OPEN_ONLY)
    if not cases:
        return
    n_pages = math.ceil(len(cases) / PER_PAGE)
    if st.session_state.get(page_keys.PAGE, 1) > n_pages:
        st.session_state[page_keys.PAGE] = n_pages
    page = st.pagination(n_pages, key=page_keys.PAGE) if n_pages > 1 else 1
    page_cases = cases[(page - 1) * PER_PAGE : page * PER_PAGE]
    inapplicable = _inapplicable({key_of[case.row] for case in page_cases})
    for case in page_cases:
        key = key_of[case.row]
        not_for = {
            who for item, factor, who in inapplicable if (item, factor) == (key, case.factor)
        }
        _case(open_plan, guideline, answers, case, key, standing.get((key, case.factor)), not_for)


def _inapplicable(items: Collection[str]) -> set[tuple[str, str, str]]:
    """Item, factor and annotator of the answers that a question does not apply to an item."""
    return {
        (event.event.item, event.event.factor, event.event.annotator)
        for event in labels.store().current("label", items=items)
        if event.event.action == "inapplicable"
    }


def _items(n: int) -> str:
    return "1 item" if n == 1 else f"{n:,} items"


def _chosen(guideline: Guideline, answers: PlanAnswers, agreements: PlanAgreement) -> list[Case]:
    """The chosen list of items."""
    from rivae.labels.verdicts import far_cases, flagged_cases

    names = {factor.id: factor.name for factor in guideline.factors}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        show = st.segmented_control(
            "Show",
            (FAR, FLAGGED),
            default=FAR,
            required=True,
            key=page_keys.CASES,
            label_visibility="collapsed",
            on_change=_first_page,
        )
        factor = st.selectbox(
            "Factor",
            list(guideline.ids),
            index=None,
            placeholder="all of them",
            width=260,
            key=page_keys.CASE_FACTOR,
            format_func=lambda f: names.get(f, f),
            on_change=_first_page,
        )
    return flagged_cases(answers, factor) if show == FLAGGED else far_cases(agreements, factor)


def _first_page() -> None:
    st.session_state[page_keys.PAGE] = 1


def _case(
    open_plan: OpenPlan,
    guideline: Guideline,
    answers: PlanAnswers,
    case: Case,
    key: str,
    verdict: Current | None,
    not_for: Collection[str],
) -> None:
    """One case; ``not_for`` are the annotators to whom the question does not apply."""
    title = open_plan.data.title(case.row)
    with st.container(border=True, horizontal=True, gap="medium"):
        st.image(_picture(open_plan, case.row), width=PICTURE, alt=f"{title}, picture")
        with st.container():
            factor = guideline.factor(case.factor) if case.factor else None
            name = f": {markdown(factor.name)}" if factor else ""
            st.markdown(f"**{markdown(title)}**{name}")
            if case.flagged_by:
                st.caption(f":material/flag: {markdown(', '.join(case.flagged_by))}")
            if factor is None:
                st.caption(ITEM_FLAGGED)
                return
            st.markdown(_levels(answers, case, factor.levels, not_for))
            report.show(_place(key, case.factor))
            _buttons(open_plan, guideline, case, key, verdict)


def _picture(open_plan: OpenPlan, row: int) -> bytes:
    from rivae.data.thumbnails import encode_picture, enlarged

    small = open_plan.pictures.get(row, open_plan.side)
    if not small.is_tiny:
        return small.content
    # Single pixels stay sharp.
    return encode_picture(enlarged(open_plan.data.picture(row, open_plan.side)), 320).content


def _levels(
    answers: PlanAnswers, case: Case, names: tuple[str, ...], not_for: Collection[str]
) -> str:
    """Everybody's level as Markdown."""
    from rivae.labels.verdicts import levels_of

    lines = [
        f"{markdown(who)} {INAPPLICABLE if who in not_for else _given(level, names)}"
        for who, level in levels_of(answers.labels, case)
    ]
    return "  \n".join(lines) or "Nobody has labelled it."


def _given(level: float | None, names: tuple[str, ...]) -> str:
    """A level, or the two that somebody is unsure between, as Markdown."""
    if level is None:
        return "cannot tell"
    ends = sorted({int(level), math.ceil(level)})
    return " or ".join(f"**{end}** {markdown(names[end - 1])}" for end in ends)


def _buttons(
    open_plan: OpenPlan, guideline: Guideline, case: Case, key: str, verdict: Current | None
) -> None:
    """The levels as buttons, the current verdict, and a button to undo it."""
    levels = guideline.factor(case.factor).levels
    now = verdict.event if verdict else None
    verdict_id = "" if now is None else now.id
    about = (open_plan.plan.id, guideline.version, key, case.factor, verdict_id)
    key_prefix = f"{page_keys.REVIEW}_{case.row}_{case.factor}"
    choices = [*((i, f"{i} {name}") for i, name in enumerate(levels, 1)), (None, "cannot tell")]
    with st.container(horizontal=True, gap="small"):
        for level, text in choices:
            stands = now is not None and now.level == level
            st.button(
                markdown(text),
                key=f"{key_prefix}_{level or 0}",
                on_click=_decide,
                args=(*about, level),
                type="primary" if stands else "secondary",
            )
        if now is not None:
            st.button(
                "Undo",
                key=f"{key_prefix}_back",
                type="tertiary",
                icon=":material/undo:",
                on_click=_take_back,
                args=(key, case.factor, now.id),
                help="Only the person who gave the verdict can undo it; the previous one returns.",
            )
    if now is not None:
        verdict_text = f"{now.level} {levels[now.level - 1]}" if now.level else "cannot tell"
        st.caption(f":material/gavel: {markdown(verdict_text)}, by {markdown(now.annotator)}")


def _decide(plan: str, version: str, key: str, factor: str, shown: str, level: int | None) -> None:
    """Store a verdict; ``shown`` is the id of the one that stood there, "" without one."""
    from rivae.labels.verdicts import decide

    def change() -> str:
        who = annotator.current()
        decide(
            labels.store(), key, factor, level, who, guideline=version, plan=plan, instead_of=shown
        )
        return ""  # the button shows it

    report.attempt(_place(key, factor), change)


def _take_back(key: str, factor: str, event_id: str) -> None:
    from rivae.labels.verdicts import take_back

    def change() -> str:
        take_back(labels.store(), event_id, annotator.current())
        return ""

    report.attempt(_place(key, factor), change)


def _place(key: str, factor: str) -> str:
    """Where messages appear: next to the buttons of the item."""
    return f"verdict_{key}_{factor}"
