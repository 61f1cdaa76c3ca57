"""Labelling plans in the store of labels, with their current guidelines, runs and data.

Documents are only added. A plan never changes; a revision of its guideline is a new document that
names the version, and so is a deletion or restoration. Deleted plans and their labels are kept.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import TypeVar

from rivae.base.errors import DataError, LabelError, LabelStoreError, RivaeError
from rivae.data.base import PairedDataset
from rivae.labels.annotators import alike_groups
from rivae.labels.events import check_annotator
from rivae.labels.guideline import Guideline, read_guideline
from rivae.labels.plan import LabelPlan, check_plan_name, read_plan
from rivae.labels.store import LabelStore
from rivae.runs import Run, find_run

TAKEN = "there is already a plan '{}': choose another name"
PLAN = "plan"
REVISION = "plan guideline"
REMOVAL = "plan removal"  # a plan with an odd number of them is deleted
PEOPLE = "plan annotators"  # the last list of them counts
MAX_PEOPLE = 24
_DIGITS = 6

Opened = TypeVar("Opened")


def keep_plan(store: LabelStore, plan: LabelPlan, guideline: Guideline) -> None:
    """Store a plan and the guideline it starts with; storing it again is harmless.

    Raises:
        LabelError: the plan was made for another guideline, or another plan has its name.
    """
    if plan.guideline != guideline.version:
        raise LabelError(f"plan {plan.id} was made for another guideline: make a new plan")
    store.keep_guideline(guideline)
    store.keep(PLAN, plan.id, json.dumps(plan.model_dump(mode="json")))


def name_plan(store: LabelStore, plan: LabelPlan, name: str, guideline: Guideline) -> LabelPlan:
    """The plan under a free name and with a guideline, ready for ``keep_plan``.

    Raises:
        ConfigError: the name is not allowed.
        LabelError: another plan has the name.
    """
    check_plan_name(name)
    if store.document(PLAN, name) is not None:
        raise LabelError(TAKEN.format(name))
    return plan.model_copy(update={"id": name, "guideline": guideline.version})


def kept_plan(store: LabelStore, plan_id: str) -> LabelPlan:
    """The plan with this name.

    Raises:
        LabelError: there is none, it was deleted, or it is damaged.
    """
    content = store.document(PLAN, plan_id)
    require_plan(store, plan_id)
    try:
        return read_plan((content or "").encode())
    except DataError as error:
        raise LabelError(str(error)) from None


def plan_names(store: LabelStore) -> list[str]:
    """The names of all plans, sorted, without deleted ones; damaged plans are included."""
    removals = _removed(store)
    return [name for name in store.documents(PLAN) if _short(name) not in removals]


def require_plan(store: LabelStore, plan_id: str) -> None:
    """LabelError unless there is a plan with this name (it may be damaged) that was not deleted."""
    if _short(plan_id) in _removed(store):
        raise LabelError(
            f"the labelling plan '{plan_id[:80]}' was deleted: restore it with "
            f"`rivae trash restore --plan {plan_id[:80]}`"
        )
    if store.document(PLAN, plan_id) is None:
        raise LabelError(
            f"there is no labelling plan '{plan_id[:80]}': choose one under Plans on the Label "
            "page, or from `rivae labels plans`"
        )


def delete_plan(store: LabelStore, plan_id: str, now: datetime | None = None) -> None:
    """Delete a plan until it is restored; all labels stay.

    Raises:
        LabelError: there is no such plan, or somebody is deleting or restoring it right now.
    """
    require_plan(store, plan_id)
    _mark(store, plan_id, now)


def restore_plan(store: LabelStore, plan_id: str) -> None:
    """Bring a deleted plan back.

    Raises:
        LabelError: no plan of this name was deleted.
    """
    if plan_id not in dict(deleted_plans(store)):
        raise LabelError(f"no deleted labelling plan is named '{plan_id[:80]}': see `rivae trash`")
    _mark(store, plan_id, None)


def deleted_plans(store: LabelStore) -> list[tuple[str, datetime]]:
    """The names of the deleted plans, and when each was deleted."""
    removals = _removed(store)
    if not removals:
        return []
    plans = []
    for name in store.documents(PLAN):
        if last := removals.get(_short(name)):
            plans.append((name, _time(store.document(REMOVAL, last) or "")))
    return plans


def kept_plans(store: LabelStore, *, deleted: bool = False) -> list[LabelPlan]:
    """All readable plans, by name; damaged ones are skipped. ``deleted`` includes deleted plans."""
    plans = []
    for name in store.documents(PLAN) if deleted else plan_names(store):
        with suppress(DataError):
            plans.append(read_plan((store.document(PLAN, name) or "").encode()))
    return plans


def plan_guideline(store: LabelStore, plan: LabelPlan) -> Guideline:
    """The current guideline of the plan: its last revision.

    Raises:
        LabelError: the store does not have it.
    """
    revisions = _revisions(store, plan)
    version = plan.guideline
    if revisions:
        version = store.document(REVISION, revisions[-1]) or ""
    if not version:
        return read_guideline()  # a plan from a file without a guideline: the eight factors
    guideline = store.guideline(version)
    if guideline is None:
        raise LabelError(f"the guideline of plan {plan.id} is not in this store: make a new plan")
    return guideline


def revise(store: LabelStore, plan: LabelPlan, guideline: Guideline) -> None:
    """Give the plan a new guideline; existing labels keep the version they followed.

    Raises:
        LabelError: a factor is missing (its labels would be shown nowhere), or somebody is
            revising the same plan right now.
    """
    before = plan_guideline(store, plan)
    missing = [name for name in before.ids if name not in guideline.ids]
    if missing:
        raise LabelError(f"the factor {missing[0]} is in use in plan {plan.id}: keep it")
    if guideline.version == before.version:
        return
    version = store.keep_guideline(guideline)
    _keep_next(store, REVISION, plan.id, version, "revising")


# Who labels a plan


def plan_people(store: LabelStore, plan_id: str) -> tuple[str, ...]:
    """The annotators who share a plan, sorted; none where nobody was named.

    Raises:
        LabelError: the store did not answer.
    """
    lists = _numbered(store, PEOPLE, plan_id)
    return tuple(json.loads(store.document(PEOPLE, lists[-1]) or "[]")) if lists else ()


def name_people(store: LabelStore, plan_id: str, names: Iterable[str]) -> tuple[str, ...]:
    """Say who shares a plan from now on; labels of who is named no more stay.

    Args:
        names: of all annotators, also of those who were named before.

    Returns:
        The names, sorted.

    Raises:
        LabelError: there is no such plan, a name is not allowed or is like another one, there are
            more than ``MAX_PEOPLE``, or somebody else is naming them right now.
    """
    require_plan(store, plan_id)
    people = tuple(sorted(set(names)))
    for name in people:
        check_annotator(name)
    if len(people) > MAX_PEOPLE:
        raise LabelError(f"{len(people)} annotators are too many: name at most {MAX_PEOPLE}")
    for group in alike_groups(people):
        raise LabelError(f"{' and '.join(group)} may be one person: write each name once")
    if people != plan_people(store, plan_id):
        content = json.dumps(people, ensure_ascii=False)
        _keep_next(store, PEOPLE, plan_id, content, "naming the annotators of")
    return people


def join_people(store: LabelStore, plan_id: str, name: str) -> tuple[str, ...]:
    """Add one to those who share a plan; LabelError as ``name_people``."""
    return name_people(store, plan_id, {*plan_people(store, plan_id), name})


# The runs of a plan, and the data that they open


def plan_data(plan: LabelPlan) -> PairedDataset:
    """The data of the first run that exists and has the plan's data.

    Raises:
        LabelError: there is none.
    """
    return first_that_opens(plan, lambda run: find_run(run).load_dataset(), lambda data: data)


def first_that_opens(
    plan: LabelPlan, open_run: Callable[[str], Opened], data_of: Callable[[Opened], PairedDataset]
) -> Opened:
    """The first run of the plan that can be opened, as ``open_run`` returns it.

    Args:
        open_run: opens a run by its id; after a RivaeError the next run is tried.
        data_of: the data of an opened run, which must be the plan's.

    Raises:
        LabelError: no run can be opened; it tells why for the first.
    """
    trouble = ""
    for plan_run in plan.runs:
        try:
            handle = open_run(plan_run.id)
            plan.check(data_of(handle))
            return handle
        except RivaeError as error:
            trouble = trouble or str(error)
    raise LabelError(f"the data of plan {plan.id} cannot be opened ({trouble})")


def plans_of_run(store: LabelStore, run_id: str) -> list[str]:
    """The names of the plans with this run, whose data a plan may need."""
    return [
        plan.id for plan in kept_plans(store) if run_id in {plan_run.id for plan_run in plan.runs}
    ]


def newest_plan_of(store: LabelStore, run: Run) -> LabelPlan | None:
    """The newest plan for the scores of a run, or of the run it was derived from."""
    run_ids = {run.id, run.parent}
    serving = [
        plan
        for plan in kept_plans(store)
        if plan.purpose == "scores" and run_ids & {plan_run.id for plan_run in plan.runs}
    ]
    return max(serving, key=lambda plan: plan.created, default=None)


def family(ids: Sequence[str], runs: Iterable[Run]) -> list[Run]:
    """The runs with these ids in their order, then those derived from them, parents first.

    Runs that are not there, or whose configuration cannot be read, are left out.
    """
    by_id = {run.id: run for run in runs}
    members = [by_id[name] for name in dict.fromkeys(ids) if name in by_id]
    children: dict[str, list[Run]] = {}
    for run in by_id.values():
        if (parent := run.parent) is not None:
            children.setdefault(parent, []).append(run)
    member_ids = {run.id for run in members}
    for run in members:  # grows during iteration: children of children
        for child in sorted(children.get(run.id, []), key=lambda r: r.id):
            if child.id not in member_ids:
                member_ids.add(child.id)
                members.append(child)
    return members


def _mark(store: LabelStore, plan_id: str, now: datetime | None) -> None:
    when = (now or datetime.now(UTC)).isoformat()
    _keep_next(store, REMOVAL, plan_id, when, "deleting or restoring")


def _keep_next(store: LabelStore, kind: str, plan_id: str, content: str, doing: str) -> None:
    """Adds a document of a plan to those of its kind; LabelError if somebody else just did."""
    number = len(_numbered(store, kind, plan_id)) + 1
    try:
        store.keep(kind, f"{_short(plan_id)}-{number:0{_DIGITS}d}", content)
    except LabelStoreError:
        raise
    except LabelError:
        raise LabelError(f"somebody else is {doing} plan {plan_id[:80]}: try again") from None


def _removed(store: LabelStore) -> dict[str, str]:
    """The deleted plans, by ``_short``, with their last removal document."""
    all_of: dict[str, list[str]] = {}
    for name in store.documents(REMOVAL):
        all_of.setdefault(name[: -_DIGITS - 1], []).append(name)
    return {short: names[-1] for short, names in all_of.items() if len(names) % 2}


def _time(text: str) -> datetime:
    try:
        return datetime.fromisoformat(text).astimezone(UTC)
    except ValueError:
        return datetime.fromtimestamp(0, UTC)


def _short(plan_id: str) -> str:
    # A plan's name alone may have the full length of a document id.
    return hashlib.sha256(plan_id.encode()).hexdigest()[:32]


def _revisions(store: LabelStore, plan: LabelPlan) -> list[str]:
    return _numbered(store, REVISION, plan.id)


def _numbered(store: LabelStore, kind: str, plan_id: str) -> list[str]:
    start = f"{_short(plan_id)}-"
    return [name for name in store.documents(kind) if name.startswith(start)]
