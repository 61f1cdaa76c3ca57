"""A damaged store is named and not replaced; it is repaired from what is left, and from backups."""

import json
import sqlite3
from contextlib import closing
from datetime import UTC, datetime

import numpy as np
import pytest

from rivae.base.errors import LabelError, LabelStoreError
from rivae.cli import main
from rivae.labels import database, opening
from rivae.labels.backups import backups_of, keep_backup, n_events
from rivae.labels.opening import open_labels
from rivae.labels.repair import PAGE, repair
from rivae.labels.store import LabelStore
from tests.labels.making import random_events

N = 600


@pytest.fixture
def filled(tmp_path):
    """A store with 600 events, a document, and a backup that has the first 500."""
    path = tmp_path / "labels.db"
    events = random_events(np.random.default_rng(5), N)
    with LabelStore(path) as store:
        store.keep("plan", "first", "{}")
        store.append(events[:500])
        keep_backup(path, now=datetime(2026, 3, 1, tzinfo=UTC))
        store.append(events[500:])
    return path, dict(enumerate(events, start=1))


def cut_to_nothing(path):
    path.write_bytes(b"")


def all_zeros(path):
    path.write_bytes(bytes(path.stat().st_size))


def no_database(path):
    path.write_bytes(b"x" * path.stat().st_size)


def cut_in_half(path):
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def cut_within_a_page(path):
    path.write_bytes(path.read_bytes()[: -PAGE - 77])


def lost_beginning(path):
    path.write_bytes(bytes(100) + path.read_bytes()[100:])


def lost_first_page(path):
    path.write_bytes(bytes(PAGE) + path.read_bytes()[PAGE:])


def some_pages_gone(path):
    content = bytearray(path.read_bytes())
    for page in range(12, len(content) // PAGE, 7):
        content[page * PAGE : (page + 1) * PAGE] = bytes(range(256)) * (PAGE // 256)
    path.write_bytes(content)


def gone(path):
    path.unlink()


NOTHING_LEFT = (cut_to_nothing, all_zeros, no_database, gone)
PARTLY = (cut_in_half, cut_within_a_page, lost_beginning, lost_first_page, some_pages_gone)


@pytest.mark.parametrize("damage", [*NOTHING_LEFT, *PARTLY])
def test_what_is_left_is_saved_and_the_backup_fills_the_gaps(filled, damage):
    path, events = filled
    damage(path)
    before = path.read_bytes() if path.exists() else None
    found = repair(path)
    if before is not None:
        assert path.read_bytes() == before, "the damaged file stays as it is"
    assert found.trouble and found.written.name == "labels.repaired.db"
    assert (found.read > 0) == (damage in PARTLY)
    assert found.newest_backup[1] == 500
    with LabelStore(found.written) as store:
        saved = dict(store.events())
        assert store.document("plan", "first") == "{}"
    assert all(events[seq] == event for seq, event in saved.items()), "nothing is made up"
    assert set(range(1, 501)) <= set(saved), "what the backup has is there"
    assert found.read + found.from_backups == len(saved)
    if damage in (cut_within_a_page, lost_beginning, lost_first_page):
        assert len(saved) > 590 and found.lost == N - len(saved)
    again = repair(path)
    assert again.written.name == "labels.repaired-2.db", "no result is overwritten"


def test_without_a_backup_the_rest_is_saved_and_the_lost_are_counted(filled):
    path, events = filled
    for backup in backups_of(path):
        backup.path.unlink()
    some_pages_gone(path)
    found = repair(path)
    assert 0 < found.read < N and found.from_backups == 0 and found.newest_backup is None
    assert found.lost >= N - found.read - 20  # the last numbers may not be known
    with LabelStore(found.written) as store:
        assert all(events[seq] == event for seq, event in store.events())


def test_a_damaged_index_costs_no_event(filled):
    path, _ = filled
    with closing(sqlite3.connect(path)) as db:
        roots = db.execute("SELECT rootpage FROM sqlite_master WHERE type = 'index'").fetchall()
    content = bytearray(path.read_bytes())
    for (root,) in roots:
        content[(root - 1) * PAGE : root * PAGE] = bytes(PAGE)
    path.write_bytes(content)
    found = repair(path)
    assert found.trouble and (found.read, found.lost) == (N, 0)


def test_replacing_keeps_the_damaged_file_under_a_name(filled):
    path, _ = filled
    cut_in_half(path)
    before = path.read_bytes()
    found = repair(path, replace=True)
    assert found.written == path and found.kept.read_bytes() == before
    with LabelStore(path) as store:
        assert store.last() >= 500


def test_a_whole_store_is_left_alone(filled, capsys):
    path, _ = filled
    files = sorted(path.parent.rglob("*"))
    found = repair(path)
    assert (found.trouble, found.read, found.written) == ("", N, None)
    assert sorted(path.parent.rglob("*")) == files
    assert main(["labels", "repair", "--store", str(path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["read"] == N


def test_there_is_nothing_to_save_without_events_and_backups(tmp_path, capsys):
    (tmp_path / "labels.db").write_bytes(b"")
    assert main(["labels", "repair", "--store", str(tmp_path / "labels.db")]) == 1
    assert repair(tmp_path / "labels.db").written is None
    with pytest.raises(LabelError, match=r"other\.db"):
        repair(tmp_path / "other.db")
    with pytest.raises(LabelError, match="PostgreSQL"):
        repair("postgresql://me@host/labels")


@pytest.mark.parametrize("damage", [*NOTHING_LEFT, cut_in_half, lost_beginning])
def test_a_damaged_store_is_named_and_no_empty_one_takes_its_place(filled, damage):
    path, _ = filled
    damage(path)
    before = path.read_bytes() if path.exists() else None
    for _ in range(2):
        with pytest.raises(LabelStoreError, match=r"labels\.db .*rivae labels repair") as caught:
            open_labels(str(path))
        assert len(str(caught.value)) <= 300
    assert (path.read_bytes() if path.exists() else None) == before


def test_a_backup_is_kept_on_each_day_of_use(tmp_path):
    path = tmp_path / "labels.db"
    events = random_events(np.random.default_rng(1), 60)
    with LabelStore(path) as store:
        assert keep_backup(path) is None, "an empty store is no backup"
        for day, event in enumerate(events[:28], start=1):
            store.append([event])
            now = datetime(2026, 2, day, tzinfo=UTC)
            made = keep_backup(path, now=now)
            assert n_events(made.path) == day and made.path.stat().st_mode & 0o77 == 0
            assert keep_backup(path, now=now) is None, "once a day"
        # A clock that jumps far ahead and back removes no newer backup.
        for year in (2090, 2026):
            store.append([events[30 + year % 10]])
            assert keep_backup(path, now=datetime(year, 3, 1, tzinfo=UTC)) is not None
        assert keep_backup(path, now=datetime(2026, 3, 2, tzinfo=UTC)) is None, "nothing is new"
    kept = backups_of(path)
    assert [backup.number for backup in kept] == list(range(21, 31))
    assert n_events(kept[-1].path) == 30
    assert (path.parent / "backups").stat().st_mode & 0o77 == 0


def test_a_backup_with_more_events_is_never_replaced(filled):
    path, _ = filled
    (good,) = backups_of(path)
    path.unlink()
    good.path.rename(path.parent / "aside")
    with LabelStore(path) as store:
        (path.parent / "aside").rename(good.path)
        for day, event in enumerate(random_events(np.random.default_rng(2), 25), start=1):
            store.append([event])
            keep_backup(path, now=datetime(2026, 4, day, tzinfo=UTC))
    kept = backups_of(path)
    assert kept[0] == good and n_events(good.path) == 500 and len(kept) > 1


def test_a_damaged_store_makes_no_backup(filled):
    path, _ = filled
    before = [backup.path.read_bytes() for backup in backups_of(path)]
    some_pages_gone(path)
    with pytest.raises(LabelStoreError, match=r"labels\.db"):
        keep_backup(path)
    assert [backup.path.read_bytes() for backup in backups_of(path)] == before
    assert {p.name for p in (path.parent / "backups").iterdir()} == {
        ".lock",
        *(backup.path.name for backup in backups_of(path)),
    }


def test_opening_backs_up_and_a_failing_backup_stops_nobody(filled, monkeypatch):
    path, _ = filled
    open_labels(str(path)).close()
    assert [n_events(b.path) for b in backups_of(path)] == [500, N]

    def full(*args, **kwargs):
        raise LabelStoreError("no room")

    monkeypatch.setattr("rivae.labels.store.keep_backup", full)
    said = []
    with open_labels(str(path), said.append) as store:
        assert store.last() == N and said == ["no room"]
        store.append(random_events(np.random.default_rng(9), 1))


def test_keys_are_renamed_only_with_a_backup(filled, monkeypatch):
    path, _ = filled
    with LabelStore(path) as store:
        from tests.labels.making import event

        store.append([event(item="pairs:1", plan="gone")])
    open_labels(str(path)).close()
    assert n_events(backups_of(path)[-1].path) == N + 1

    def full(*args, **kwargs):
        raise LabelStoreError("no room")

    monkeypatch.setattr("rivae.labels.store.keep_backup", full)
    monkeypatch.setattr(opening, "rename_old_keys", lambda store: pytest.fail("not backed up"))
    said = []
    open_labels(str(path), said.append).close()
    assert said == ["no room"]


@pytest.mark.parametrize("hold", ["BEGIN IMMEDIATE", "BEGIN EXCLUSIVE", "PRAGMA locking_mode"])
def test_a_lock_is_named_and_does_not_stop_reading(filled, hold, monkeypatch, tmp_path, capsys):
    path, _ = filled
    assert database.PATIENCE_S < 5
    monkeypatch.setattr(database, "PATIENCE_S", 0.2)
    with closing(sqlite3.connect(path, isolation_level=None)) as holder:
        if hold.startswith("PRAGMA"):
            holder.execute("PRAGMA locking_mode=EXCLUSIVE")
            holder.execute("BEGIN IMMEDIATE")
            with pytest.raises(LabelStoreError, match=r"labels\.db locked for"):
                LabelStore(path)
            return
        holder.execute(hold)
        assert main(["labels", "export", str(tmp_path / "x.jsonl"), "--store", str(path)]) == 0
        capsys.readouterr()
        with LabelStore(path) as store, pytest.raises(LabelStoreError, match="locked for"):
            store.append(random_events(np.random.default_rng(3), 1))


def test_the_last_changes_of_a_killed_server_are_read_where_nothing_can_be_written(
    filled, monkeypatch
):
    from rivae.labels import sqlite_file

    path, _ = filled
    aside = path.with_name("dvd")
    aside.mkdir()
    with LabelStore(path) as store:
        store.append(random_events(np.random.default_rng(4), 7))
        for part in (path, sqlite_file.wal_of(path)):  # as a kill leaves them
            (aside / part.name).write_bytes(part.read_bytes())
    before = {p.name: p.read_bytes() for p in aside.iterdir()}
    assert len(before) == 2
    monkeypatch.setattr(sqlite_file, "is_only_readable", lambda _: True)
    monkeypatch.setattr("rivae.labels.database.is_only_readable", lambda _: True)
    with LabelStore(aside / "labels.db") as store:
        assert store.read_only and store.last() == N + 7
        with pytest.raises(LabelStoreError, match=r"labels\.db"):
            store.append(random_events(np.random.default_rng(3), 1))
    assert {p.name: p.read_bytes() for p in aside.iterdir()} == before


def test_an_export_to_the_output_needs_no_room(filled, capsys):
    path, _ = filled
    assert main(["labels", "export", "-", "--store", str(path)]) == 0
    assert len(capsys.readouterr().out.splitlines()) == N
    assert main(["labels", "export", "-", "--form", "wide", "--store", str(path)]) == 0
    assert capsys.readouterr().out.startswith("annotator,item,")


@pytest.mark.parametrize("damage", [gone, cut_to_nothing])
@pytest.mark.parametrize("backup", [True, False])
def test_an_open_store_whose_file_goes_takes_no_labels_that_nobody_finds(filled, damage, backup):
    path, _ = filled
    more = random_events(np.random.default_rng(8), 1)
    with LabelStore(path) as store:
        aside = path.read_bytes()
        if not backup:
            for kept in backups_of(path):
                kept.path.unlink()
        damage(path)
        for act in (lambda: store.append(more), store.last):
            with pytest.raises(LabelStoreError, match=r"labels\.db .*rivae labels repair"):
                act()
        assert not path.exists() or not path.read_bytes()
        if damage is gone:
            path.write_bytes(aside)  # as it was before its last changes came into it
            assert store.append(more) and store.last() >= 1


def test_an_open_store_goes_on_with_the_repaired_file(filled):
    path, _ = filled
    with LabelStore(path) as store:
        assert store.last() == N
        with LabelStore(path.with_name("new.db")) as other:
            other.append(random_events(np.random.default_rng(8), 3))
        path.rename(path.with_name("aside.db"))
        path.with_name("new.db").rename(path)
        assert store.last() == 3
        assert store.append(random_events(np.random.default_rng(9), 1)) and store.last() == 4
