"""The queue: what may follow what, order, damage, many processes at once."""

import sqlite3
import threading
from contextlib import closing

import pytest

from rivae.base.errors import ConfigError, RunError
from rivae.jobs.ledger import Ledger
from rivae.jobs.records import NEXT, STATES
from tests.training.tiny import tiny_config


@pytest.fixture
def ledger(tmp_path):
    return Ledger(tmp_path)


def names(jobs):
    return [job.run for job in jobs]


def add(ledger, *runs, **options):
    return ledger.add([tiny_config(name) for name in runs], **options)


def test_an_empty_queue_needs_no_file(ledger):
    assert ledger.jobs() == [] and not ledger.path.exists()


def test_a_job_comes_back_as_it_was_queued(ledger):
    (job,) = add(ledger, "a", priority=7, max_restarts=1, processes=2)
    assert ledger.job(job.id) == job
    assert (job.state, job.priority, job.max_restarts, job.processes) == ("queued", 7, 1, 2)
    assert job.config == tiny_config("a") and not job.wants_gpu


def test_names_are_taken_once(ledger, tmp_path):
    add(ledger, "a")
    (tmp_path / "there").mkdir()
    for runs in (["a"], ["there"], ["b", "b"]):
        with pytest.raises(RunError, match="already exists"):
            add(ledger, *runs)
    assert names(ledger.jobs()) == ["a"], "all or none"


@pytest.mark.parametrize("options", [{"priority": 10}, {"max_restarts": -1}, {"processes": 0}])
def test_numbers_out_of_range_are_refused(ledger, options):
    with pytest.raises(ConfigError):
        add(ledger, "a", **options)


def test_the_queue_chooses_the_card(ledger):
    with pytest.raises(ConfigError, match="chooses the card"):
        ledger.add([tiny_config("a", training={"device": "cuda:1"})])


def test_turns_follow_priority_and_can_be_changed(ledger):
    a, b, c, d = add(ledger, "a", "b", "c", "d")
    (urgent,) = add(ledger, "e", priority=9)
    assert names(ledger.jobs("queued")) == ["e", "a", "b", "c", "d"]
    ledger.move(d.id, -1)
    ledger.move(a.id, 9)
    assert names(ledger.jobs("queued")) == ["e", "b", "d", "c", "a"]
    ledger.set_priority(urgent.id, 0)
    ledger.set_priority(c.id, 6)
    assert names(ledger.jobs("queued")) == ["c", "b", "d", "a", "e"]
    ledger.cancel(b.id)
    with pytest.raises(RunError, match="only queued runs"):
        ledger.move(b.id, 1)


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("after", STATES)
def test_only_what_may_follow_follows(ledger, state, after):
    (job,) = add(ledger, "a")
    with closing(sqlite3.connect(ledger.path)) as db, db:
        db.execute("UPDATE jobs SET state = ?", (state,))
    assert ledger.advance(job.id, after, "because") == (after in NEXT[state])
    assert ledger.job(job.id).state == (after if after in NEXT[state] else state)


def test_a_slot_is_given_once(ledger):
    a, b = add(ledger, "a", "b")
    assert ledger.claim(a.id, ["cpu"]) and not ledger.claim(a.id, ["cpu"])
    assert not ledger.claim(b.id, ["cpu"])
    assert ledger.claim(b.id, ["gpu:0", "gpu:1"]) and ledger.job(b.id).slots == ("gpu:0", "gpu:1")
    ledger.advance(a.id, "running")
    ledger.advance(a.id, "failed", "diverged")
    assert ledger.job(a.id).slots == () and ledger.job(a.id).ended


def test_cancelling_and_resuming(ledger):
    a, b = add(ledger, "a", "b")
    assert ledger.cancel(a.id).state == "cancelled"
    assert not ledger.claim(a.id, ["cpu"]), "what was cancelled is not started"
    ledger.claim(b.id, ["cpu"])
    assert ledger.cancel(b.id).cancelling and ledger.job(b.id).state == "starting"
    with pytest.raises(RunError, match="cancel it first"):
        ledger.remove(b.id)
    ledger.advance(b.id, "cancelled")
    again = ledger.resume(b.id)
    assert (again.state, again.cancelling, again.attempts) == ("queued", False, 0)
    for job, act in ((b, ledger.resume), (a, ledger.cancel)):
        with pytest.raises(RunError, match="nothing to"):
            act(job.id)
    ledger.remove(a.id)
    with pytest.raises(RunError, match="no job"):
        ledger.job(a.id)


def test_a_run_from_elsewhere_is_queued_to_go_on(ledger):
    config = tiny_config("old")
    job = ledger.add_existing(config)
    assert job.state == "queued"
    with pytest.raises(RunError, match=r"old .*resume"):
        ledger.add_existing(config)


def test_a_damaged_entry_is_shown_and_spoils_nothing(ledger):
    a, b, _ = add(ledger, "a", "b", "c")
    with closing(sqlite3.connect(ledger.path)) as db, db:
        db.execute("UPDATE jobs SET config = '{no json' WHERE id = ?", (a.id,))
        db.execute("UPDATE jobs SET state = 'dancing' WHERE id = ?", (b.id,))
    found = {job.run: job for job in ledger.jobs()}
    for name in "ab":
        assert found[name].state == "failed" and "damaged" in found[name].message
        assert found[name].config is None
    assert names(ledger.jobs("queued")) == ["c"]
    with pytest.raises(RunError, match="remove its entry"):
        ledger.resume(a.id)
    ledger.remove(a.id)
    ledger.remove(b.id)
    assert names(ledger.jobs()) == ["c"]


def test_a_file_that_is_no_ledger_is_one_sentence(ledger):
    ledger.path.parent.mkdir()
    ledger.path.write_text("no database, but long enough to be looked at as one" * 100)
    for act in (ledger.jobs, lambda: add(ledger, "a")):
        with pytest.raises(RunError, match="cannot be used"):
            act()


def test_a_newer_ledger_is_left_alone(ledger):
    add(ledger, "a")
    with closing(sqlite3.connect(ledger.path)) as db, db:
        db.execute("PRAGMA user_version = 99")
    with pytest.raises(RunError, match="newer version"):
        ledger.jobs()


def test_many_at_once_take_every_job_once(tmp_path):
    jobs = add(Ledger(tmp_path), *(f"run-{i}" for i in range(24)))
    won: list[str] = []

    def take(worker):
        mine = Ledger(tmp_path)
        won.extend(job.id for job in jobs if mine.claim(job.id, [f"slot-{worker}-{job.id}"]))

    threads = [threading.Thread(target=take, args=(n,)) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(won) == sorted(job.id for job in jobs)
