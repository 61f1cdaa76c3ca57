"""The Label view: the annotator's name, the labelling panel, and storing what it sends."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import streamlit as st

from rivae.app.label import annotator, meter, page_keys, sharing
from rivae.app.panels.answers import next_rev
from rivae.app.panels.component import Component
from rivae.app.shared import frame, labels
from rivae.app.shell import web
from rivae.app.shell.fragments import fragment
from rivae.base.errors import LabelError, RivaeError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rivae.app.shared.labels import OpenPlan
    from rivae.labels.desk import Step
    from rivae.labels.guideline import Guideline
    from rivae.labels.shares import Share

NO_NAME = "Type your name above to begin."
BLIND = "You see items in random order, without their origin and without the labels of others."


def panel(open_plan: OpenPlan) -> None:
    """The labelling panel of one annotator."""
    with frame.tools():
        name = annotator.field("Labels are kept under this name. Use the same one next time.")
        with_suggestions = _has_tags(open_plan) and st.toggle(
            "Suggestions from tags",
            key=page_keys.TAGS,
            bind="query-params",
            help="Shows a weak guess from the item's tags. It counts only if you confirm it.",
        )
    trouble = _name_trouble(name)
    if not name or trouble:
        st.info(trouble or f"{NO_NAME} {BLIND}", icon=":material/info:")
        return
    if not annotator.question(name) and not sharing.question(open_plan.plan.id, name):
        meter.panel(open_plan, name)
        _desk(open_plan.plan.id, name, bool(with_suggestions))


@fragment()
def _desk(plan: str, by: str, tagged: bool) -> None:
    """A fragment, so that a batch of labels redraws nothing else."""
    desk_payload = payload(labels.open_plan(plan), by, tagged)
    if desk_payload["shares"]:
        st.caption(desk_payload["shares"])
    _PANEL(
        desk_payload,
        key=page_keys.PANEL,
        send=on_send,
        older=on_older,
        look=on_look,
    )


def payload(open_plan: OpenPlan, by: str, tagged: bool) -> dict[str, Any]:
    """The data of the panel; rebuilt on entering the page and for another plan, name or guideline.

    Raises:
        LabelError: the store did not answer.
    """
    guideline = _guideline(open_plan)
    people = sharing.people(open_plan.plan.id, by)
    key = [open_plan.plan.id, by, tagged, guideline.version, list(people)]
    last_payload = st.session_state.get(page_keys.PAYLOAD)
    # The fragment is also drawn again after every batch, without entering the page.
    if last_payload is None or last_payload["key"] != key:
        if last_payload is None or last_payload["key"][:2] != key[:2]:
            for answer in (page_keys.ANSWER, page_keys.OLDER, page_keys.LOOK):
                st.session_state[answer] = None
        last_payload = _built(open_plan, by, tagged, guideline) | {"key": key}
        st.session_state[page_keys.PAYLOAD] = last_payload
    return {
        **last_payload,
        "answer": st.session_state.get(page_keys.ANSWER),
        "news": st.session_state.get(page_keys.LOOK),
        "history": st.session_state.get(page_keys.OLDER),
    }


def enter() -> None:
    """Rebuild the panel from the store when it is next shown."""
    st.session_state[page_keys.PAYLOAD] = None


def _standing(
    open_plan: OpenPlan, guideline: Guideline, by: str, share: Share | None
) -> dict[str, Any]:
    """What the store has of this annotator now; ``seen`` is the number up to which that is."""
    from rivae.labels.desk import desk

    desk_state = desk(labels.store(), open_plan.plan, open_plan.keys, guideline.ids, by, share)
    steps, older = desk_state.history()
    return {
        "done": list(desk_state.done),
        "flags": list(desk_state.flags),
        "skips": [list(row) for row in desk_state.skips],
        "steps": _rows(steps),
        "older": older,
        "seen": desk_state.last,
    }


def _built(open_plan: OpenPlan, by: str, tagged: bool, guideline: Guideline) -> dict[str, Any]:
    share = sharing.share(open_plan, guideline, by)
    return {
        "rev": next_rev(0),
        "plan": open_plan.plan.id,
        "by": by,
        "n": len(open_plan.keys),
        "order": None if share is None else list(share.order),
        "shares": "" if share is None else sharing.said(share, by),
        "inTurn": bool(open_plan.plan.chances),  # numbers early need some items of every factor
        "url": web.label_url(open_plan.plan.id),
        "guideline": guideline.version,
        "factors": [
            {
                "id": factor.id,
                "name": factor.name,
                "definition": factor.definition,
                "levels": list(factor.levels),
                "cannotTell": factor.cannot_tell,
            }
            for factor in guideline.factors
        ],
        **_standing(open_plan, guideline, by, share),
        "tags": _suggestions(open_plan, guideline) if tagged else None,
    }


def _rows(steps: tuple[Step, ...]) -> list[list[Any]]:
    return [list(asdict(step).values()) for step in steps]


def _guideline(open_plan: OpenPlan) -> Guideline:
    from rivae.labels.kept_plans import plan_guideline

    return plan_guideline(labels.store(), open_plan.plan)


def _has_tags(open_plan: OpenPlan) -> bool:
    from rivae.exploring.words.item_words import item_tags

    return item_tags(open_plan.data) is not None


def _suggestions(open_plan: OpenPlan, guideline: Guideline) -> list[str] | None:
    from rivae.labels.hints import tag_suggestions

    suggestions = tag_suggestions(open_plan.data, open_plan.plan.order, guideline.ids)
    return None if suggestions is None else list(suggestions)


def _name_trouble(name: str) -> str:
    from rivae.labels.events import check_annotator

    try:
        check_annotator(name or "nobody")
    except LabelError as error:
        return f"{str(error)[0].upper()}{str(error)[1:]}."
    return ""


# What the panel reports


def on_send(sent: dict[str, Any]) -> None:
    """Store a batch of events and answer which were stored."""
    st.session_state[page_keys.ANSWER] = _receipt(sent)


def _receipt(sent: dict[str, Any]) -> dict[str, Any]:
    from rivae.labels.desk import receive

    plan, by = sent.get("plan"), sent.get("by")
    answer = {"batch": sent.get("batch"), "plan": plan, "by": by}
    if not isinstance(plan, str) or not isinstance(by, str):
        return {**answer, "error": "The page did not send the name of the annotator: reload it"}
    try:
        open_plan = labels.open_plan(plan)
        receipt = receive(labels.store(), open_plan.plan, open_plan.keys, by, sent.get("events"))
        news = _news(open_plan, by, sent.get("seen"), receipt.stored)
    except RivaeError as error:
        return {**answer, "error": str(error)}
    return {**answer, **asdict(receipt), **news}


def _news(open_plan: OpenPlan, by: str, seen: object, own: Mapping[str, int]) -> dict[str, Any]:
    """What other pages of the annotator have stored: ``fresh``, where there is anything, and
    ``seen``, the number up to which this page has been told.
    """
    from rivae.labels.desk import has_news

    if isinstance(seen, bool) or not isinstance(seen, int):
        return {}
    if not has_news(labels.store(), by, seen, own):
        return {"seen": max((seen, *own.values()))}
    guideline = _guideline(open_plan)
    fresh = _standing(open_plan, guideline, by, sharing.share(open_plan, guideline, by))
    return {"fresh": fresh, "seen": fresh["seen"]}


def on_look(asked: dict[str, Any]) -> None:
    """A page that comes into view asks for what others have stored meanwhile."""
    st.session_state[page_keys.LOOK] = _look(asked)


def _look(asked: dict[str, Any]) -> dict[str, Any] | None:
    plan, by = asked.get("plan"), asked.get("by")
    if not isinstance(plan, str) or not isinstance(by, str):
        return None
    try:
        return {"plan": plan, "by": by, **_news(labels.open_plan(plan), by, asked.get("seen"), {})}
    except RivaeError:
        return None  # it is asked again, and told when something is stored


def on_older(asked: dict[str, Any]) -> None:
    """Answer a request for older steps, made after all the others were undone."""
    st.session_state[page_keys.OLDER] = _older(asked)


def _older(asked: dict[str, Any]) -> dict[str, Any]:
    from rivae.labels.desk import desk

    plan, by = str(asked.get("plan")), str(asked.get("by"))
    try:
        open_plan = labels.open_plan(plan)
        ids = _guideline(open_plan).ids
        desk_state = desk(labels.store(), open_plan.plan, open_plan.keys, ids, by)
    except RivaeError as error:
        return {"ask": asked.get("ask"), "error": str(error)}
    steps, older = desk_state.history()
    return {"ask": asked.get("ask"), "steps": _rows(steps), "older": older}


_PANEL = Component(
    "rivae_label",
    js=(
        "dom.js",
        "panel.js",
        "label_queue.js",
        "label_desk.js",
        "label_items.js",
        "label_meanwhile.js",
        "label_sheet.js",
        "label_focus.js",
        "label_zoom.js",
        "label_overlay.js",
        "label.js",
    ),
    css=("base.css", "label.css"),
    # A batch of events; requests for older steps to undo, and for what other pages stored.
    reports={"send": dict, "older": dict, "look": dict},
)
