"""A plan that several annotators share: everybody's items first, the rest dealt out once."""

import numpy as np
import pytest

from rivae.base.errors import LabelError
from rivae.labels.guideline import read_guideline
from rivae.labels.kept_plans import (
    MAX_PEOPLE,
    delete_plan,
    join_people,
    keep_plan,
    name_people,
    plan_people,
)
from rivae.labels.plan import MIN_GAP, LabelPlan, PlanRun, label_order
from rivae.labels.shares import MAX_OVERLAP, given_answers, overlap, share_of
from rivae.labels.store import LabelStore
from tests.labels.making import event

NAMES = ("Ann", "bob", "Çiğdem", "dan e", "É")
FACTORS = ("fruit", "greenness", "wateriness")


def drawn_plan(rng, n=None, name="drawn", seed=None) -> LabelPlan:
    """A plan of random rows, with a random share or without one."""
    n = int(rng.integers(2, 160)) if n is None else n
    rows = rng.permutation(5 * n)[:n]
    seed = int(rng.integers(1000)) if seed is None else seed
    order, again = label_order([[[row] for row in rows]], seed, 1 / 15)
    repeats = set(again.tolist())
    is_drawn = rng.random(len(order)) < rng.choice([0.0, 0.25])
    drawn = [at for at in np.flatnonzero(is_drawn).tolist() if at not in repeats]
    return LabelPlan(
        id=name,
        created="2026-03-01",
        dataset="drawn",
        fingerprint="0" * 16,
        runs=[PlanRun(id="a", model="0" * 16, n_items=n)],
        n_queries=None,
        guideline=read_guideline().version,
        random_state=seed,
        order=order.tolist(),
        repeats=again.tolist(),
        drawn=drawn,
    )


def asked(plan, share, k):
    """The rows that an annotator is asked a question of, in turn, without hidden repeats."""
    out = set(share.apart[k]) | set(plan.repeats)
    return [plan.order[at] for at in share.order if at not in out]


def shares(plan, people, given):
    return {name: share_of(plan, people, name, given, FACTORS) for name in people}


@pytest.mark.parametrize("seed", range(20))
def test_everything_is_asked_once_and_the_overlap_of_all(seed):
    rng = np.random.default_rng(seed)
    plan = drawn_plan(rng)
    people = rng.permutation(NAMES)[: rng.integers(1, 6)].tolist()
    of_all = overlap(plan)
    found = shares(plan, people, {})
    assert 1 <= len(of_all) <= min(MAX_OVERLAP, max(1, len(plan.items)))
    if plan.drawn:
        assert set(of_all) <= {plan.order[at] for at in plan.drawn}
    own = []
    for share in found.values():
        for k in range(len(FACTORS)):
            rows = asked(plan, share, k)
            assert rows[: len(of_all)] == list(of_all), "first, and in one order for everybody"
            assert len(rows) == share.shared + share.own
        own += rows[len(of_all) :]
    assert sorted([*own, *of_all]) == plan.items.tolist(), "nothing twice, nothing left out"
    sizes = [share.own for share in found.values()]
    assert max(sizes) - min(sizes) <= 1
    assert shares(plan, people[::-1], {}) == found, "the order of the names is nothing"


@pytest.mark.parametrize("seed", range(20))
def test_hidden_repeats_come_late_enough(seed):
    rng = np.random.default_rng(seed)
    plan = drawn_plan(rng, n=int(rng.integers(60, 400)))
    repeats = set(plan.repeats)
    found = shares(plan, NAMES[: rng.integers(2, 5)], {})
    for share in found.values():
        assert len(set(share.order)) == len(share.order)
        shown = {plan.order[at] for at in share.order}
        assert repeats & set(share.order) == {at for at in repeats if plan.order[at] in shown}
        gap = min(MIN_GAP, len(shown) // 2)
        place = {plan.order[at]: i for i, at in enumerate(share.order) if at not in repeats}
        for i, at in enumerate(share.order):
            if at in repeats:
                late = i - place[plan.order[at]]
                assert late >= gap or set(share.order[i:]) <= repeats, "or at the very end"
                assert late > 0


@pytest.mark.parametrize("seed", range(30))
def test_who_joins_or_stops_leaves_nothing_out_and_nothing_is_asked_twice(seed):
    rng = np.random.default_rng(seed)
    plan = drawn_plan(rng)
    people = set(rng.permutation(NAMES)[: rng.integers(1, 4)].tolist())
    given: dict = {}
    asked_twice = 0

    def label(name, share, n):
        nonlocal asked_twice
        k = int(rng.integers(len(FACTORS)))
        for turn in range(len(FACTORS)):
            factor = FACTORS[(k + turn) % len(FACTORS)]
            for row in asked(plan, share, FACTORS.index(factor)):
                if n <= 0:
                    return
                answers = given.setdefault(row, {})
                if factor in answers.get(name, ()):
                    continue
                if row not in overlap(plan):
                    asked_twice += any(factor in some for some in answers.values())
                answers.setdefault(name, set()).add(factor)
                n -= 1

    for _ in range(4):
        for name, share in shares(plan, people, given).items():
            before = set(asked(plan, share, 0))
            label(name, share, int(rng.integers(0, 3 * len(plan.items))))
            after = share_of(plan, people, name, given, FACTORS)
            assert set(asked(plan, after, 0)) == before, "answers move nothing"
        if rng.random() < 0.5 and len(people) > 1:
            people.remove(sorted(people)[int(rng.integers(len(people)))])
        people.add(NAMES[int(rng.integers(len(NAMES)))])
    for name, share in shares(plan, people, given).items():
        label(name, share, 10**6)
    assert not asked_twice
    everything = set(FACTORS)
    for row in plan.items.tolist():
        by = given[row]
        assert set().union(*by.values()) == everything
        if row in overlap(plan):
            assert all(by[name] == everything for name in people)


def test_labels_from_before_it_was_shared_stay_with_who_gave_them():
    rng = np.random.default_rng(0)
    plan = drawn_plan(rng, n=90)
    rest = [row for row in dict.fromkeys(plan.order) if row not in overlap(plan)]
    both = {row: {"Ann": set(FACTORS), "bob": {FACTORS[0]}} for row in rest[:20]}
    found = shares(plan, ("Ann", "bob", "É"), both)
    for row in rest[:20]:
        at = plan.order.index(row)
        for k, factor in enumerate(FACTORS):
            assert at not in found["É"].order
            assert at in found["bob"].order, "one's own answers can be seen and taken back"
            assert at in found["bob"].apart[k], factor


@pytest.mark.slow
def test_the_chance_of_an_item_is_the_same_for_everybody():
    rng = np.random.default_rng(3)
    n_draws, people = 600, NAMES[:3]
    rows = {name: np.zeros(40) for name in people}
    for seed in range(n_draws):
        plan = drawn_plan(np.random.default_rng(5), n=40, seed=seed)
        place = {row: i for i, row in enumerate(plan.items.tolist())}
        for name, share in shares(plan, people, {}).items():
            for row in asked(plan, share, 0):
                rows[name][place[row]] += row not in overlap(plan)
    del rng
    whole = sum(rows.values())
    for counts in rows.values():
        expected = whole / len(people)
        off = (counts - expected)[whole > 0] / np.sqrt(whole * (2 / 9))[whole > 0]
        assert np.abs(off).max() < 4 and np.sqrt((off**2).mean()) < 1.3


def test_answers_are_read_from_the_store(tmp_path):
    store = LabelStore(tmp_path / "labels.db")
    made = [
        event("Ann", 1, 3, factor="fruit"),
        event("Ann", 1, None, factor="greenness"),
        event("bob", 1, 2, factor="fruit"),
        event("bob", 2, None, factor="fruit", action="skip"),
        event("bob", 3, 2, factor="fruit", repeat=True),
        event("bob", 4, 2, factor="fruit"),
        event("stopped", 2, 2, factor="fruit", plan="this"),
        event("stopped", 3, 2, factor="fruit", plan="that"),
    ]
    store.append(made)
    rows = {f"kitchen:{n}": 10 + n for n in range(1, 4)}
    own = {11: {"Ann": {"fruit", "greenness"}, "bob": {"fruit"}}}
    assert given_answers(store, "this", ["Ann", "bob"], rows) == own | {12: {"stopped": {"fruit"}}}
    assert given_answers(store, "other", ["Ann", "bob"], rows) == own
    store.close()


# Names


@pytest.fixture
def kept(url):
    store = LabelStore(url)
    plan = drawn_plan(np.random.default_rng(1), n=12)
    keep_plan(store, plan, read_guideline())
    yield store
    store.close()


def test_names_are_kept_until_others_are_named(kept):
    assert plan_people(kept, "drawn") == ()
    assert name_people(kept, "drawn", ["bob", "Ann", "bob"]) == ("Ann", "bob")
    assert plan_people(kept, "drawn") == ("Ann", "bob")
    assert join_people(kept, "drawn", "É ß") == ("Ann", "bob", "É ß")
    n = len(kept.documents("plan annotators"))
    join_people(kept, "drawn", "Ann")
    assert len(kept.documents("plan annotators")) == n, "nothing new, nothing kept"
    assert name_people(kept, "drawn", ["Ann"]) == ("Ann",)
    assert name_people(kept, "drawn", []) == () == plan_people(kept, "drawn")
    name_people(kept, "drawn", ["Ann"])
    assert plan_people(kept, "drawn") == ("Ann",), "a list that was there before"


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (["Bob", "bob"], "Bob and bob"),
        (["a\nb"], "line break"),
        ([""], "1 to"),
        ([f"n{i}" for i in range(MAX_PEOPLE + 1)], str(MAX_PEOPLE)),
    ],
)
def test_names_that_cannot_be(kept, names, said):
    name_people(kept, "drawn", ["Ann"])
    with pytest.raises(LabelError) as caught:
        name_people(kept, "drawn", names)
    assert said in str(caught.value) and plan_people(kept, "drawn") == ("Ann",)


def test_a_plan_that_is_gone_has_nobody_named(kept):
    delete_plan(kept, "drawn")
    for name in ("drawn", "never"):
        with pytest.raises(LabelError):
            name_people(kept, name, ["Ann"])
