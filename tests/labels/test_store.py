"""The store on SQLite and PostgreSQL: what is confirmed, what is current, what is refused."""

import os
import re
import sqlite3
import stat
import sys
from dataclasses import replace

import numpy as np
import pytest
from sqlalchemy import create_engine, text

from rivae.base.errors import LabelError
from rivae.base.installed import how_to_install
from rivae.labels.database import parse_url
from rivae.labels.events import KINDS, current_events
from rivae.labels.guideline import read_guideline
from rivae.labels.rows import NOT_YOURS
from rivae.labels.store import MAX_BATCH, LabelStore
from tests.labels.making import event, random_events, reference, undo
from tests.labels.postgres import PASSWORD


@pytest.fixture
def store(url):
    with LabelStore(url) as opened:
        yield opened


def levels(store, kind="label"):
    return {(c.event.annotator, c.event.item): c.event.level for c in store.current(kind)}


def test_every_field_comes_back_and_numbers_count_up(store, url):
    first = event(
        "Zoë O'Brien; DROP TABLE",
        'data set-1:ä "q" %s :x',
        None,
        factor="wateriness",
        seconds_shown=1.2345678901234567,
        guideline="0a1b",
        suggested=True,
        repeat=True,
        plan="p1",
    )
    second = event(action="flag", level=None, factor="")
    assert store.append([first, second]) == {first.id: 1, second.id: 2}
    assert store.append([]) == {}
    with LabelStore(url) as again:
        assert again.events() == [(1, first), (2, second)]
        assert again.events(since=1) == [(2, second)] == again.events(annotator="ann")
        assert again.events(limit=1) == [(1, first)]
        assert again.event(first.id) == (1, first) and again.event(undo(first).id) is None
        assert again.last() == 2
        assert again.annotators() == ["Zoë O'Brien; DROP TABLE", "ann"]


@pytest.mark.parametrize("seconds", [10**400, -1, float("nan"), float("inf"), "1", True])
def test_seconds_of_any_size_are_a_sentence(seconds):
    with pytest.raises(LabelError, match="the seconds shown must"):
        event(seconds_shown=seconds)


@pytest.mark.skipif(os.name != "posix", reason="rights are those of POSIX systems")
def test_strangers_cannot_read_the_labels(tmp_path):
    path = tmp_path / "made" / "labels.db"
    for _ in range(2):
        with LabelStore(path) as store:
            store.append([event()])
            shut = {file.name: stat.S_IMODE(file.stat().st_mode) for file in path.parent.iterdir()}
        assert len(shut) >= 2 and set(shut.values()) == {0o600}, shut
        path.chmod(0o644)  # as an older version left it
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_the_same_batch_again_changes_nothing(store):
    batch = [event(item=i) for i in range(5)]
    numbers = store.append(batch)
    assert store.append(batch[2:]) == {e.id: numbers[e.id] for e in batch[2:]}
    more = event(item=9)
    assert store.append([*batch, more, more])[more.id] == 6
    assert store.last() == 6


def test_the_same_id_with_other_content_is_refused_with_its_whole_batch(store):
    first = event()
    store.append([first])
    for other in (replace(first, level=4), replace(first, seconds_shown=0.1)):
        with pytest.raises(LabelError, match="stored with other content"):
            store.append([event(item=2), other])
    twin = event(item=3)
    with pytest.raises(LabelError, match="stored with other content"):
        store.append([twin, replace(twin, level=1)])
    assert [e for _, e in store.events()] == [first]


def test_undo_goes_back_without_limit(store):
    given = [event(item=i % 3, level=1 + i % 5) for i in range(30)]
    store.append(given)
    for n in range(30, 0, -1):
        left = given[:n]
        expected = {("ann", e.item): e.level for e in left}
        assert levels(store) == expected
        store.append([undo(left[-1])])
    assert levels(store) == {} and store.last() == 60


def test_an_undo_takes_back_its_own_event_only(store):
    mine, yours = event("ann", level=2), event("bob", level=4)
    store.append([mine, yours])
    taken = undo(mine)
    stranger = replace(undo(yours), annotator="ann")
    for wrong, word in [
        (undo(event()), "never stored"),
        (stranger, NOT_YOURS),
        (replace(undo(mine), item="kitchen:2"), "item and factor"),
    ]:
        with pytest.raises(LabelError, match=word):
            store.append([wrong])
    store.append([taken, undo(mine)])  # twice, as two open tabs may
    with pytest.raises(LabelError, match="give the label again"):
        store.append([undo(taken)])
    assert levels(store) == {("bob", "kitchen:1"): 4}


def test_a_hidden_repeat_never_replaces_the_first_label(store):
    store.append([event(level=2), event(level=5, repeat=True), event(item=2, level=1, repeat=True)])
    assert levels(store) == {("ann", "kitchen:1"): 2}
    assert levels(store, "repeat") == {("ann", "kitchen:1"): 5, ("ann", "kitchen:2"): 1}


def test_an_adjudication_is_one_for_all_and_leaves_the_labels(store):
    store.append([event("ann", level=1), event("bob", level=5)])
    store.append([event("ann", level=2, action="adjudicate")])
    last = event("eve", level=3, action="adjudicate")
    store.append([last])
    assert [c.event for c in store.current("adjudication")] == [last]
    assert levels(store) == {("ann", "kitchen:1"): 1, ("bob", "kitchen:1"): 5}
    store.append([undo(last)])
    assert [c.event.level for c in store.current("adjudication")] == [2]


@pytest.mark.parametrize("seed", range(6))
def test_random_sequences_follow_the_rule(store, seed):
    rng = np.random.default_rng(seed)
    events = random_events(rng, 150, ("unsure", "inapplicable"))
    at = 0
    while at < len(events):
        step = int(rng.integers(1, 40))
        store.append(events[at : at + step])
        at += step
        done = events[:at]
        rule = current_events(done)
        for kind in KINDS:
            expected = reference(done, kind)
            found = store.current(kind)
            assert {
                (
                    "" if kind == "adjudication" else c.event.annotator,
                    c.event.item,
                    c.event.factor,
                ): c.event
                for c in found
            } == expected
            assert [c.seq for c in found] == sorted(c.seq for c in found)
            assert {tuple(s)[1:]: e for s, e in rule.items() if s.kind == kind} == expected
    assert [e for _, e in store.events()] == events


def test_current_labels_and_progress_can_be_narrowed(store):
    rng = np.random.default_rng(7)
    events = random_events(rng, 300, ("unsure", "inapplicable"))
    store.append(events)
    labels = reference(events, "label")
    items = ["kitchen:1", "kitchen:3", *(f"kitchen:{i}" for i in range(10_000, 10_900))]
    narrowed = store.current(annotator="annotator 1", factor="fruit", items=items)
    assert {c.event for c in narrowed} == {
        e
        for (who, item, factor), e in labels.items()
        if (who, factor) == ("annotator 1", "fruit") and item in items
    }
    assert store.current(items=[]) == [] and store.progress(items=[]) == []
    for asked in (None, items):
        rows = store.progress(items=asked)
        for row in rows:

            def mine(kind, row=row, asked=asked):
                return [
                    e
                    for (who, item, factor), e in reference(events, kind).items()
                    if (who, factor) == (row.annotator, row.factor) and (not asked or item in asked)
                ]

            assert row.labelled == len(mine("label"))
            answers = [(e.action, e.level) for e in mine("label")]
            assert row.cannot_tell == answers.count(("label", None))
            assert row.not_applicable == answers.count(("inapplicable", None))
            assert row.unsure == sum(action == "unsure" for action, _ in answers)
            assert (row.repeats, row.flagged) == (len(mine("repeat")), len(mine("flag")))
            assert row.seconds == pytest.approx(sum(e.seconds_shown for e in mine("label")))
        assert [(r.annotator, r.factor) for r in rows] == sorted(
            {
                (who, factor)
                for kind in KINDS
                if kind != "adjudication"
                for who, item, factor in reference(events, kind)
                if not asked or item in asked
            }
        )
    assert {r.annotator for r in store.progress("annotator 2")} == {"annotator 2"}


def test_guidelines_and_plans_are_kept_and_never_changed(store):
    shipped = read_guideline()
    version = store.keep_guideline(shipped)
    assert store.keep_guideline(shipped) == version
    assert store.guideline(version) == shipped and store.guideline("000") is None
    store.keep("plan", "p1", "{}")
    store.keep("plan", "p1", "{}")
    with pytest.raises(LabelError, match="choose a new id"):
        store.keep("plan", "p1", "[]")
    assert store.document("plan", "p1") == "{}" and store.documents("plan") == ["p1"]


def test_the_database_itself_refuses_to_change_or_remove_an_event(store, url):
    store.append([event()])
    engine = create_engine(parse_url(url))
    for words in (
        "UPDATE label_events SET level = 5",
        "DELETE FROM label_events",
        "TRUNCATE label_events"
        if "postgres" in url
        else "INSERT OR REPLACE INTO label_events SELECT * FROM label_events",
    ):
        with (
            pytest.raises(Exception, match="takes new rows only"),
            engine.begin() as connection,
        ):
            connection.execute(text(words))
    engine.dispose()
    assert levels(store) == {("ann", "kitchen:1"): 3}


def test_a_newer_layout_is_refused(url):
    LabelStore(url).close()
    engine = create_engine(parse_url(url))
    with engine.begin() as connection:
        connection.execute(text("UPDATE label_schema SET version = 99"))
    with pytest.raises(LabelError, match="newer version: update rivae"):
        LabelStore(url)
    with engine.begin() as connection:
        connection.execute(text("DELETE FROM label_schema"))
    with pytest.raises(LabelError, match="not a database of labels"):
        LabelStore(url)
    engine.dispose()


def test_a_strangers_tables_are_left_alone(url):
    engine = create_engine(parse_url(url))
    with engine.begin() as connection:
        connection.execute(text("CREATE TABLE label_events (id INTEGER)"))
    with pytest.raises(LabelError, match="not a database of labels"):
        LabelStore(url)
    with engine.begin() as connection:
        connection.execute(text("INSERT INTO label_events VALUES (1)"))
    engine.dispose()


def test_a_strangers_file_is_refused_and_stays_as_it_is(tmp_path):
    for name, content in (
        ("notes.txt", b"x" * 5000),
        ("broken.db", b"SQLite format 3\0" + b"x" * 9),
    ):
        path = tmp_path / name
        path.write_bytes(content)
        with pytest.raises(LabelError, match=name):
            LabelStore(path)
        assert path.read_bytes() == content
    other = tmp_path / "other.db"
    connection = sqlite3.connect(other)
    connection.execute("CREATE TABLE people (name TEXT)")
    connection.close()
    before = other.read_bytes()
    with pytest.raises(LabelError, match=r"other\.db is not a database of labels"):
        LabelStore(other)
    assert other.read_bytes() == before
    with pytest.raises(LabelError, match=r"cannot be opened|did not answer"):
        LabelStore(tmp_path)


def test_a_file_is_written_ahead_and_to_the_disk(tmp_path):
    with LabelStore(tmp_path / "new" / "labels.db") as store, store.writing() as connection:
        mode = connection.exec_driver_sql("PRAGMA journal_mode").scalar()
        full = connection.exec_driver_sql("PRAGMA synchronous").scalar()
    assert (mode, full) == ("wal", 2)


@pytest.mark.parametrize(
    "place",
    [
        "",
        "sqlite://",
        "sqlite:///:memory:",
        f"mysql://me:{PASSWORD}@host/labels",
        f"postgresql://me:{PASSWORD}@host:port/labels",
        f"://{PASSWORD}",
        f"postgresql://me:{PASSWORD}@127.0.0.1:1/labels",
        f"postgresql://me@127.0.0.1:1/labels?password={PASSWORD}",
        f"sqlite:///x.db?key={PASSWORD}",
    ],
)
def test_wrong_places_are_refused_without_the_password(place):
    with pytest.raises(LabelError) as caught:
        LabelStore(place)
    assert PASSWORD not in str(caught.value) and "\n" not in str(caught.value)
    assert caught.value.__cause__ is None


def test_a_wrong_password_is_not_repeated(url):
    if "postgres" not in url:
        return
    with pytest.raises(LabelError, match="did not answer") as caught:
        LabelStore(url.replace(PASSWORD, "another-secret"))
    assert "another-secret" not in str(caught.value)
    with LabelStore(url) as store:
        assert PASSWORD not in repr(store)


def test_a_batch_has_a_bound(store):
    with pytest.raises(LabelError, match="too many at once"):
        store.append([event()] * (MAX_BATCH + 1))
    assert len(store.append([event(item=i) for i in range(MAX_BATCH)])) == MAX_BATCH


def test_without_the_driver_of_postgresql_the_message_names_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(LabelError, match=re.escape(how_to_install("postgresql"))) as caught:
        LabelStore(f"postgresql://me:{PASSWORD}@127.0.0.1:1/labels")
    assert PASSWORD not in str(caught.value)
