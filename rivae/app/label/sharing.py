"""Who shares a plan: the names, the question to somebody who is not named, and the share of one
annotator in a sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from rivae.app.label import page_keys
from rivae.app.shared import labels
from rivae.app.shell import report
from rivae.app.shell.text import markdown
from rivae.base.wording import join_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rivae.app.shared.labels import OpenPlan
    from rivae.labels.guideline import Guideline
    from rivae.labels.shares import Share

ASK = "**{}** share this plan. Take a share, so that nobody labels what another has?"
ASK_ONE = "**{}** labels this plan. Share it, so that nobody labels what another has?"
SHARED = "{} share {:,} items; {} yours."
YOU = "You"
MAX_NAMED = 3  # others, in the sentence


def people(plan: str, by: str) -> tuple[str, ...]:
    """All who share a plan with this annotator; none where everything is asked of them."""
    from rivae.labels.kept_plans import plan_people

    names = plan_people(labels.store(), plan)
    alone = not set(names) - {by}
    return () if alone or plan in st.session_state.get(page_keys.WHOLE, ()) else names


def share(open_plan: OpenPlan, guideline: Guideline, by: str) -> Share | None:
    """What is asked of one annotator; None for everything, in the order of the plan."""
    from rivae.labels.shares import given_answers, share_of

    annotators = people(open_plan.plan.id, by)
    if not annotators:
        return None
    row_of = dict(zip(open_plan.keys, open_plan.plan.order, strict=True))
    answers = given_answers(labels.store(), open_plan.plan.id, {*annotators, by}, row_of)
    return share_of(open_plan.plan, annotators, by, answers, guideline.ids)


def said(share: Share, by: str) -> str:
    """The share of one annotator in a sentence of Markdown."""
    others = [markdown(name) for name in share.people if name != by]
    others = others if len(others) <= MAX_NAMED else [f"{len(others)} others"]
    own_items = "1 other is" if share.own == 1 else f"{share.own:,} others are"
    return SHARED.format(join_words([YOU, *others]), share.shared, own_items)


def question(plan: str, by: str) -> bool:
    """Ask somebody who is not named whether they want a share; whether that is open."""
    annotators = people(plan, by)
    if not annotators or by in annotators:
        return False
    with st.container(horizontal=True, vertical_alignment="center", border=True):
        text = (ASK_ONE if len(annotators) == 1 else ASK).format(
            join_words([markdown(n) for n in annotators])
        )
        st.markdown(text, width="content")
        st.button(
            "Take a share",
            key=f"{page_keys.WHOLE}_share",
            type="primary",
            on_click=_join,
            args=(plan, by),
        )
        st.button(
            "Label everything", key=f"{page_keys.WHOLE}_all", on_click=_take_all, args=(plan,)
        )
    report.show(page_keys.WHOLE)
    return True


def _join(plan: str, by: str) -> None:
    from rivae.labels.kept_plans import join_people

    def join() -> str:
        join_people(labels.store(), plan, by)
        return ""

    report.attempt(page_keys.WHOLE, join)


def _take_all(plan: str) -> None:
    st.session_state[page_keys.WHOLE] = {
        *st.session_state.get(page_keys.WHOLE, ()),
        plan,
    }


# On the card of the plan


def names_field(plan: str, known: Sequence[str], key: str) -> tuple[str, ...]:
    """The field that says who shares a plan; returns the names in it.

    Args:
        known: who has labelled.
    """
    from rivae.labels.kept_plans import MAX_PEOPLE, plan_people

    annotators = plan_people(labels.store(), plan)
    st.session_state[key] = list(annotators)  # somebody may have joined since
    st.multiselect(
        "Annotators",
        list(dict.fromkeys([*annotators, *known])),
        key=key,
        accept_new_options=True,
        max_selections=MAX_PEOPLE,
        placeholder="Type a name and press Enter",
        on_change=_name,
        args=(plan, key),
        help="With two or more names, a quarter of the items (at most 48) is asked of everybody "
        "first, and the rest is split among them. Add a name when somebody joins, remove it when "
        "somebody stops: what is not labelled yet is split again. Leave this empty where everybody "
        "is to label everything.",
    )
    report.show(key)
    return annotators


def _name(plan: str, key: str) -> None:
    from rivae.labels.kept_plans import name_people, plan_people

    def name() -> str:
        annotators = plan_people(labels.store(), plan)
        others = [
            part.strip()
            for name in st.session_state[key]
            for part in ([name] if name in annotators else name.split(","))
        ]
        name_people(labels.store(), plan, filter(None, others))
        return ""

    report.attempt(key, name)
