"""What an annotator has done by position, and what becomes of what a page sends."""

import sqlite3
import uuid
from contextlib import closing

import pytest

from rivae.labels.desk import MAX_EVENTS, Desk, desk, receive
from rivae.labels.plan import LabelPlan, PlanRun
from rivae.labels.rows import NOT_YOURS
from rivae.labels.store import LabelStore
from tests.labels.making import event

FACTORS = ("wateriness", "greenness")
ORDER, REPEATS = [4, 2, 9, 4, 7], [3]
KEYS = tuple(f"kitchen:{row}" for row in ORDER)


def a_plan(name="first", repeats=None):
    return LabelPlan(
        id=name,
        created="2026-03-01T12:00:00+00:00",
        dataset="kitchen",
        fingerprint="0123456789abcdef",
        runs=[PlanRun(id="r", model="0123456789abcdef", n_items=4)],
        n_queries=None,
        random_state=0,
        order=ORDER,
        repeats=REPEATS if repeats is None else repeats,
    )


@pytest.fixture
def store(url):
    with LabelStore(url) as opened:
        yield opened


def sent(at=0, level=3, factor="greenness", action="label", **rest):
    record = {
        "id": str(uuid.uuid4()),
        "time": "2026-03-01T12:00:00.000Z",
        "at": at,
        "factor": factor,
        "level": level,
        "action": action,
        "seconds": 1.5,
        "suggested": False,
        "undoes": "",
        "guideline": "abc",
    }
    return {**record, **rest}


def undo_of(record, **rest):
    fields = {"level": None, "action": "undo", "undoes": record["id"], **rest}
    return sent(record["at"], factor=record["factor"], **fields)


def give(store, *records, who="ann", plan=None):
    receipt = receive(store, plan or a_plan(), KEYS, who, list(records))
    assert not receipt.error and not receipt.refused, receipt
    return receipt.stored


def at_desk(store, who="ann", plan=None) -> Desk:
    return desk(store, plan or a_plan(), KEYS, FACTORS, who)


def test_labels_come_back_at_their_positions(store):
    give(store, sent(0, 3), sent(1, None), sent(4, 5, "wateriness"))
    assert at_desk(store).done == ("....5", "30...")
    assert at_desk(store, "another").done == (".....", ".....")


def test_the_hidden_repeat_is_an_answer_of_its_own(store):
    give(store, sent(0, 3), sent(3, 5))
    assert at_desk(store).done[1] == "3..5."
    assert [c.event.level for c in store.current("label")] == [3]
    assert [c.event.level for c in store.current("repeat")] == [5]


def test_steps_are_taken_back_one_by_one(store):
    first, second, third = sent(0, 3), sent(0, 4), sent(1, 2)
    give(store, first, second, third)
    steps = [(s.id, s.before, s.after) for s in at_desk(store).steps]
    assert steps == [(first["id"], ".", "3"), (second["id"], "3", "4"), (third["id"], ".", "2")]
    give(store, undo_of(third), undo_of(second))
    now = at_desk(store)
    assert now.done[1] == "3...." and [s.id for s in now.steps] == [first["id"]]


def test_flags_are_toggled_and_undone(store):
    flag = sent(2, None, "", "flag")
    give(store, flag)
    assert at_desk(store).flags == (2,) and at_desk(store).steps[-1].factor == -1
    off = sent(2, None, "", "unflag")
    give(store, off)
    assert at_desk(store).flags == ()
    give(store, undo_of(off))
    assert at_desk(store).flags == (2,)


def test_history_is_handed_over_in_parts(store):
    records = [sent(i % 2, 1 + i % 5) for i in range(7)]
    give(store, *records)
    ids = [r["id"] for r in records]
    last, older = at_desk(store).history(n=3)
    assert [s.id for s in last] == ids[4:] and older
    give(store, *(undo_of(r) for r in reversed(records[4:])))
    rest, older = at_desk(store).history()
    assert [s.id for s in rest] == ids[:4] and not older


def test_labels_of_another_plan_count_but_are_not_undone_here(store):
    other = a_plan("other", repeats=[])
    # What is a repeat there is none here, and the other way round.
    give(store, sent(1, 2), plan=other)
    assert at_desk(store).done[1] == ".2..." and at_desk(store).steps == ()
    assert len(at_desk(store, plan=other).steps) == 1


def test_the_same_batch_again_changes_nothing(store):
    batch = [sent(0, 3), sent(1, 4)]
    assert give(store, *batch) == give(store, *batch)
    assert store.last() == 2


def test_one_bad_event_does_not_hold_up_the_others(store):
    good, elsewhere, wrong = sent(0, 3), sent(99, 3), sent(1, 9)
    lost = undo_of(sent(1, 2))
    answer = receive(store, a_plan(), KEYS, "ann", [elsewhere, good, wrong, lost])
    assert list(answer.stored) == [good["id"]] and not answer.error
    assert set(answer.refused) == {elsewhere["id"], wrong["id"], lost["id"]}
    assert "no item" in answer.refused[elsewhere["id"]]
    assert "never stored" in answer.refused[lost["id"]]


def test_an_undo_of_somebody_else_is_refused(store):
    theirs = sent(0, 3)
    give(store, theirs, who="bea")
    answer = receive(store, a_plan(), KEYS, "ann", [undo_of(theirs)])
    assert answer.refused[next(iter(answer.refused))] == NOT_YOURS
    assert store.last() == 1


@pytest.mark.parametrize(
    "junk",
    [
        None,
        [],
        "x",
        [None],
        [{"at": 1}],
        [{"id": 5}],
        [sent()] * (MAX_EVENTS + 1),
    ],
)
def test_junk_is_one_sentence_and_stores_nothing(store, junk):
    answer = receive(store, a_plan(), KEYS, "ann", junk)
    assert answer.error and not answer.stored and store.last() == 0


@pytest.mark.parametrize(
    "change",
    [
        {"at": True},
        {"at": "0"},
        {"at": -1},
        {"action": "adjudicate"},
        {"action": None},
        {"factor": "<b>"},
        {"level": "3"},
        {"time": "yesterday"},
        {"seconds": "long"},
        {"more": 1},
        {"id": "not-a-uuid"},
        {"suggested": 1},
        {"guideline": 7},
    ],
)
def test_every_field_is_checked(store, change):
    answer = receive(store, a_plan(), KEYS, "ann", [sent(**change)])
    assert len(answer.refused) == 1 and store.last() == 0


def test_a_bad_name_refuses_every_event(store):
    answer = receive(store, a_plan(), KEYS, "two\nlines", [sent()])
    assert "annotator" in next(iter(answer.refused.values()))


def test_a_store_that_does_not_answer_is_tried_again_later(tmp_path):
    with LabelStore(tmp_path / "labels.db") as broken:
        with closing(sqlite3.connect(tmp_path / "labels.db")) as other:
            other.execute("DROP TABLE label_events")
        answer = receive(broken, a_plan(), KEYS, "ann", [sent()])
    assert "did not answer" in answer.error and not answer.refused


def test_events_of_other_makers_do_not_disturb(store):
    store.append(
        [
            event("ann", 4, None, action="skip"),
            event("ann", 4, 2, action="adjudicate"),
            event("ann", 4, None, action="flag"),
        ]
    )
    assert at_desk(store).done == (".....", ".....") and at_desk(store).flags == ()


def test_skipping_shows_until_there_is_a_level_and_is_no_label(store):
    give(store, sent(0, None, action="skip"), sent(1, None, action="skip"), sent(1, 3))
    give(store, sent(2, 4), later := sent(2, None, action="skip"))
    assert (at_desk(store).done[1], at_desk(store).skips) == (".34..", ((), (0,)))
    assert [(c.event.item, c.event.level) for c in store.current()] == [(KEYS[1], 3), (KEYS[2], 4)]
    assert [(s.before, s.after) for s in at_desk(store).steps][2:] == [
        ("s", "3"), (".", "4"), ("4", "4"),
    ]  # fmt: skip
    give(store, undo_of(later))
    assert (at_desk(store).done[1], at_desk(store).skips) == (".34..", ((), (0,)))
    store.append([event("ann", 7, None, action="skip", factor="")])  # the whole item, from a file
    assert at_desk(store).done == (".....", ".34..")
    assert at_desk(store).skips == ((4,), (0, 4))
    shown = {(p.factor, p.labelled, p.skipped) for p in store.progress("ann")}
    assert shown == {("greenness", 2, 1)}, "a skip counts as long as there is no label"


# Two pages of one annotator


class Page:
    """What a page of ``ann`` knows and sends."""

    def __init__(self, store, plan=None):
        self.store, self.plan = store, plan or a_plan()
        self.look()
        self.mine: dict[tuple[int, str], str] = {}

    def look(self):
        self.seen = at_desk(self.store, plan=self.plan).last

    def record(self, at, level, factor="greenness", **rest):
        made = sent(at, level, factor, **rest)
        after = self.mine.get((at, factor), "")
        self.mine[at, factor] = made["id"]
        return {**made, "seen": self.seen, "after": after}

    def send(self, *records):
        return receive(self.store, self.plan, KEYS, "ann", list(records))


def test_a_page_replaces_only_what_it_has_shown(store):
    first, second = Page(store), Page(store)
    three = first.record(0, 3)
    assert first.send(three).stored
    four = second.record(0, 4)
    answer = second.send(four, elsewhere := second.record(1, 5))
    assert answer.overtaken == (four["id"],) and list(answer.stored) == [elsewhere["id"]]
    assert not answer.refused and at_desk(store).done[1] == "35..."
    second.look()
    assert second.send(second.record(0, 4)).stored and at_desk(store).done[1] == "45..."


def test_the_own_answers_of_a_page_follow_each_other_without_an_answer(store):
    page = Page(store)
    one = page.record(0, 1)
    batch = [one, page.record(0, 2), page.record(0, None, action="skip"), page.record(0, 3)]
    assert len(page.send(*batch).stored) == 4
    again = page.send(*batch)
    assert len(again.stored) == 4 and not again.overtaken, "sent again, it keeps its numbers"
    assert page.send(page.record(0, 5)).stored, "the page knew no number, but its own event"
    assert at_desk(store).done[1] == "5...."


def test_what_follows_an_overtaken_answer_is_overtaken_too(store):
    page = Page(store)
    give(store, sent(0, 3))
    late = page.record(0, 4)
    answer = page.send(
        late, page.record(0, 5), page.record(0, None, action="undo", undoes=late["id"])
    )
    assert len(answer.overtaken) == 3 and not answer.refused and not answer.stored
    wrong = page.record(1, 9)
    answer = page.send(wrong, more := page.record(0, 4))
    assert list(answer.refused) == [wrong["id"]] and answer.overtaken == (more["id"],)
    assert at_desk(store).done[1] == "3...."


def test_an_undo_takes_back_only_what_is_shown(store):
    page = Page(store)
    mine = page.record(0, 2)
    assert page.send(mine).stored
    page.look()
    give(store, sent(0, 5))
    undo = page.record(0, None, action="undo", undoes=mine["id"])
    assert page.send(undo).overtaken == (undo["id"],) and at_desk(store).done[1] == "5...."
    # The undo of another page counts as well: this one still shows the label.
    page, other = Page(store), Page(store)
    five = at_desk(store).steps[-1]
    assert other.send(other.record(0, None, action="undo", undoes=five.id)).stored
    assert page.send(late := page.record(0, 4)).overtaken == (late["id"],)


def test_flags_and_repeats_have_places_of_their_own(store):
    page = Page(store)
    give(store, sent(0, None, "", "flag"), sent(3, 5))  # 3 is the hidden repeat of 0
    assert page.send(page.record(0, 2)).stored, "neither is an answer at this place"
    flag = page.record(0, None, factor="", action="unflag")
    assert page.send(flag).overtaken == (flag["id"],)


@pytest.mark.parametrize("seen", ["1", True, 1.5, [1]])
def test_what_a_page_has_seen_is_checked(store, seen):
    answer = receive(store, a_plan(), KEYS, "ann", [{**sent(), "seen": seen, "after": ""}])
    assert len(answer.refused) == 1 and store.last() == 0
