"""Labelling plans in the store of labels, each with the guideline that annotators follow now.

A plan never changes. Its guideline may: a factor that is added later is a new version, and which
version a plan follows is one more document, so that nothing is overwritten.
"""

from __future__ import annotations

import hashlib
import json
from contextlib import suppress

from rivae.errors import DataError, LabelError
from rivae.labels.plan import LabelPlan, check_plan_name, read_plan
from rivae.labels.schema import Guideline, read_guideline
from rivae.labels.store import LabelStore

PLAN = "plan"
REVISION = "plan guideline"
_DIGITS = 6


def keep_plan(store: LabelStore, plan: LabelPlan, guideline: Guideline) -> None:
    """Keep a plan and the guideline it starts with; storing the same again is harmless.

    Raises:
        LabelError: the plan was made for another guideline, or another plan has its name.
    """
    if plan.guideline != guideline.version:
        raise LabelError(f"plan {plan.id} was made for another guideline: make it anew")
    store.keep_guideline(guideline)
    store.keep(PLAN, plan.id, json.dumps(plan.model_dump(mode="json")))


def name_plan(
    store: LabelStore, plan: LabelPlan, name: str, guideline: Guideline
) -> LabelPlan:
    """The same items in the same order under a free name, with a guideline: ready to be kept.

    Raises:
        ConfigError: no plan can have this name.
        LabelError: a plan has it.
    """
    check_plan_name(name)
    if store.document(PLAN, name) is not None:
        raise LabelError(f"there is a plan '{name}' already: choose another name")
    return plan.model_copy(update={"id": name, "guideline": guideline.version})


def kept_plan(store: LabelStore, plan_id: str) -> LabelPlan:
    """The plan with this name.

    Raises:
        LabelError: there is none, or it is damaged.
    """
    content = store.document(PLAN, plan_id)
    if content is None:
        raise LabelError(f"there is no labelling plan '{plan_id[:80]}': choose one under Plans")
    try:
        return read_plan(content.encode())
    except DataError as error:
        raise LabelError(str(error)) from None


def plan_names(store: LabelStore) -> list[str]:
    """The names of all plans, sorted; some may be damaged."""
    return store.documents(PLAN)


def kept_plans(store: LabelStore) -> list[LabelPlan]:
    """All plans that can be read, by name; a damaged one must not hold up the others."""
    found = []
    for name in plan_names(store):
        with suppress(LabelError):
            found.append(kept_plan(store, name))
    return found


def plan_guideline(store: LabelStore, plan: LabelPlan) -> Guideline:
    """The guideline that the plan's annotators follow now: the last revision.

    Raises:
        LabelError: the store does not have it.
    """
    revisions = _revisions(store, plan)
    version = plan.guideline
    if revisions:
        version = store.document(REVISION, revisions[-1]) or ""
    if not version:
        return read_guideline()  # a plan from a file that fixed none: the eight factors
    found = store.guideline(version)
    if found is None:
        raise LabelError(f"the guideline of plan {plan.id} is not in this store: make a new plan")
    return found


def revise(store: LabelStore, plan: LabelPlan, guideline: Guideline) -> None:
    """From now on annotators of this plan follow ``guideline``; labels keep what they followed.

    Raises:
        LabelError: a factor was left out (its labels would be shown nowhere), or somebody revised
            the same plan at this moment.
    """
    before = plan_guideline(store, plan)
    missing = [name for name in before.ids if name not in guideline.ids]
    if missing:
        raise LabelError(f"the factor {missing[0]} is in use in plan {plan.id}: keep it")
    if guideline.version == before.version:
        return
    version = store.keep_guideline(guideline)
    number = len(_revisions(store, plan)) + 1
    store.keep(REVISION, _revision(plan, number), version)


def _revision(plan: LabelPlan, number: int) -> str:
    # A plan's name may be as long as a document's id already.
    short = hashlib.sha256(plan.id.encode()).hexdigest()[:32]
    return f"{short}-{number:0{_DIGITS}d}"


def _revisions(store: LabelStore, plan: LabelPlan) -> list[str]:
    start = _revision(plan, 0)[: -_DIGITS]
    return [name for name in store.documents(REVISION) if name.startswith(start)]
