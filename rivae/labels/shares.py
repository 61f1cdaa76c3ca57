"""Who is asked which items of a plan, where several annotators share it.

Some random items are asked of everybody, first, so that agreement is known early. The others are
dealt out in the order of the plan, one to each in turn, in an order drawn for every round. So each
is as likely to get any of them as anybody else, and all together label the items that one alone
would have: the probabilities that the plan stores stay as they are. Nothing of it is stored except
the names: who joins or stops changes the deal, and what has an answer stays with who gave it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from rivae.labels.plan import MIN_GAP, LabelPlan
from rivae.labels.store import LabelStore

OVERLAP = 0.25  # of the items, asked of everybody
MAX_OVERLAP = 48  # two sheets: alpha is known well enough from them
_OVERLAP_SEED = 1  # beside the plan's, which also drew its order

Given = Mapping[int, Mapping[str, Collection[str]]]


@dataclass(frozen=True)
class Share:
    """What one annotator is asked.

    Attributes:
        people: all annotators of the plan, sorted.
        order: positions of ``LabelPlan.order``, in the order in which they are shown; items that
            the annotator has answered are among them.
        apart: per factor the positions in ``order`` that are not asked, ascending: somebody else
            has answered there, or is to.
        shared: items that are asked of everybody.
        own: items that are asked of nobody else.
    """

    people: tuple[str, ...]
    order: tuple[int, ...]
    apart: tuple[tuple[int, ...], ...]
    shared: int
    own: int


def overlap(plan: LabelPlan) -> tuple[int, ...]:
    """The data rows that are asked of everybody, in the order of the plan.

    The first of its random share, where it has one; else drawn with its seed.

    >>> plan = LabelPlan.model_construct(order=[7, 3, 9, 5, 3], drawn=[1], random_state=0)
    >>> overlap(plan)
    (3,)
    """
    rows = list(dict.fromkeys(plan.order))
    n = min(MAX_OVERLAP, max(1, round(OVERLAP * len(rows))))
    if plan.drawn:
        return tuple(plan.order[at] for at in plan.drawn[:n])
    rng = np.random.default_rng([plan.random_state, _OVERLAP_SEED])
    chosen = set(rng.permutation(rows)[:n].tolist())
    return tuple(row for row in rows if row in chosen)


def share_of(
    plan: LabelPlan,
    people: Collection[str],
    annotator: str,
    given: Given,
    factors: Sequence[str],
) -> Share:
    """The share of one annotator.

    Args:
        people: everybody who labels the plan now; the annotator counts as one of them.
        given: by data row and annotator the factors that they have answered, see
            ``given_answers``.
        factors: ids of the plan's guideline.
    """
    team = tuple(sorted({*people, annotator}))
    everybody = set(overlap(plan))
    owners = _owners(plan, team, everybody, given, factors)
    rows = list(dict.fromkeys(plan.order))
    mine = {row for row in rows if owners.get(row) == annotator}
    shown = [row for row in rows if row in everybody]
    shown += [
        row
        for row in rows
        if row not in everybody and (row in mine or annotator in given.get(row, {}))
    ]
    order = _with_repeats(plan, shown)
    apart: list[tuple[int, ...]] = []
    for factor in factors:
        others = {
            row
            for row in shown
            if row not in everybody
            and (row not in mine or _by_another(given, row, annotator, factor))
        }
        apart.append(tuple(sorted(at for at in order if plan.order[at] in others)))
    return Share(team, order, tuple(apart), len(everybody), len(mine))


def given_answers(
    store: LabelStore, plan: str, people: Collection[str], row_of: Mapping[str, int]
) -> Given:
    """Who has answered what: those who label a plan now, and under this plan anybody.

    What others answered under other plans does not count: it may be why this one was made.

    Args:
        plan: its name.
        row_of: the data row by item key.

    Raises:
        LabelError: the store did not answer.
    """
    found: dict[int, dict[str, set[str]]] = {}
    theirs = [given for given in store.levels(items=row_of) if given[0] in people]
    for annotator, item, factor, _ in (*theirs, *store.levels(items=row_of, plan=plan)):
        found.setdefault(row_of[item], {}).setdefault(annotator, set()).add(factor)
    return found


def _by_another(given: Given, row: int, annotator: str, factor: str) -> bool:
    return any(
        who != annotator and factor in answered for who, answered in given.get(row, {}).items()
    )


def _owners(
    plan: LabelPlan,
    team: Sequence[str],
    everybody: Collection[int],
    given: Given,
    factors: Iterable[str],
) -> dict[int, str]:
    """Who is asked each item that is not asked of everybody; none where it has all its answers
    from those who label no more.
    """
    asked, owners = set(factors), dict[int, str]()
    rest = [row for row in dict.fromkeys(plan.order) if row not in everybody]
    seats: list[int] = []
    for place, row in enumerate(rest):
        turn, seat = divmod(place, len(team))
        if not seat:
            rng = np.random.default_rng([plan.random_state, turn, len(team)])
            seats = rng.permutation(len(team)).tolist()
        in_turn = [team[i] for i in (*seats[seat:], *seats[:seat])]
        by = given.get(row, {})
        begun = [who for who in in_turn if who in by]
        if begun or not asked <= {factor for answered in by.values() for factor in answered}:
            owners[row] = (begun or in_turn)[0]
    return owners


def _with_repeats(plan: LabelPlan, shown: Sequence[int]) -> tuple[int, ...]:
    """The positions of items, and of their hidden repeats: each where the plan has it, but not
    sooner after its item than ``MIN_GAP`` positions, or half of the items where they are few.
    """
    again = {plan.order[at]: at for at in plan.repeats}
    repeated = set(plan.repeats)
    first = {row: at for at, row in enumerate(plan.order) if at not in repeated}
    gap = max(1, min(MIN_GAP, len(shown) // 2))
    order, seen_at = list[int](), dict[int, int]()
    waiting = sorted(again[row] for row in shown if row in again)
    for row in shown:
        due = [
            at
            for at in waiting
            if at < first[row] and len(order) - seen_at.get(plan.order[at], len(order)) >= gap
        ]
        for at in due[:1]:  # never two repeats in a row
            order.append(at)
            waiting.remove(at)
        seen_at[row] = len(order)
        order.append(first[row])
    return (*order, *waiting)
