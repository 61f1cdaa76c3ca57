"""Imports share no labels, and stores from before they were told apart lose none."""

import json
import sqlite3
from pathlib import Path

import pytest

from rivae.base.errors import LabelError
from rivae.labels import opening, sql
from rivae.labels.events import item_key_of, time_text
from rivae.labels.formats import export
from rivae.labels.guideline import guideline_json, read_guideline
from rivae.labels.hints import _picture
from rivae.labels.kept_plans import delete_plan, keep_plan
from rivae.labels.merge import import_labels
from rivae.labels.opening import open_labels, rename_old_keys
from rivae.labels.store import LabelStore
from rivae.labels.table import label_table, rows_by_key
from rivae.runs import find_run
from tests.labels.imports import numbered_import, plan_on, run_on
from tests.labels.making import event, undo

HERE = Path(__file__).parent
SCHEMA = HERE / "store_v1.sql"


@pytest.fixture
def imports(tmp_path, monkeypatch):
    """Two imports, "a" and "b", and the data sets of "run-a" and "run-b"."""
    monkeypatch.setenv("RIVAE_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("RIVAE_RUNS", str(tmp_path / "runs"))
    found = []
    for name, word in (("a", "soup"), ("b", "cake")):
        store = numbered_import(tmp_path / "data" / name, word)
        found.append(run_on(tmp_path / "runs", store, f"run-{name}").load_dataset())
    return found


@pytest.fixture
def plans(imports):
    return [plan_on(find_run(f"run-{name}"), f"plan-{name}") for name in "ab"]


def old(item, level, plan="", **rest):
    return event(item=f"pairs:{item}", level=level, plan=plan, **rest)


OLD = [
    old(1, 2, "plan-a"), old(1, 4, "plan-b", annotator="bob"), old(2, 5, "plan-a"),
    old(30, 1, "plan-b"), old(31, 1, "plan-b"), old(3, 3), old(3, 3, "gone"),
]  # fmt: skip


def filled(url, plans, events):
    """A store as version 1 left it."""
    with LabelStore(url) as store:
        for plan in plans:
            keep_plan(store, plan, read_guideline())
        store.append(events)
        with store.writing() as connection:
            connection.execute(sql.label_schema.update().values(version=1))


def items(store):
    return {e.id: e.item for _, e in store.events()}


def level_of(store, data, row):
    table = label_table(store, data, [row])
    return sorted(zip(table["annotator"], table["level"], strict=True))


def test_two_imports_with_the_same_ids_have_labels_of_their_own(imports, tmp_path):
    a, b = imports
    assert item_key_of(a, 0) != item_key_of(b, 0)
    assert item_key_of(a, 0) == f"pairs-{a.store.store_id}:1"
    assert list(rows_by_key(a)) == [item_key_of(a, i) for i in range(len(a))]
    with LabelStore(tmp_path / "l.db") as store:
        store.append([event(item=item_key_of(a, 0), level=2)])
        assert level_of(store, a, 0) == [("ann", 2.0)] and level_of(store, b, 0) == []
    assert _picture("pairs:1", a) is not None and _picture(item_key_of(a, 0), a) is not None
    assert _picture(item_key_of(b, 0), a) is None


def test_old_keys_get_their_import_and_the_rest_stays(url, imports, plans):
    a, b = imports
    gone = undo(OLD[2])
    filled(url, plans, [*OLD, gone])
    told = []
    with open_labels(url, told.append) as store:
        found = items(store)
        assert [found[e.id].partition(":")[2] for e in OLD] == [e.item[6:] for e in OLD]
        names = [found[e.id].partition(":")[0] for e in OLD]
        assert names == [a.key_name, b.key_name, a.key_name, b.key_name, *["pairs"] * 3]
        assert found[gone.id] == found[OLD[2].id]  # what was undone stays undone
        assert level_of(store, a, 0) == [("ann", 2.0)] and level_of(store, b, 0) == [("bob", 4.0)]
        assert level_of(store, a, 1) == [] and level_of(store, b, 29) == [("ann", 1.0)]
        assert [e.item for _, e in store.events() if e.plan == "gone"] == ["pairs:3"]
        with pytest.raises(LabelError, match="new rows only"), store.writing() as connection:
            connection.execute(sql.label_events.update().values(level=1))
        after = store.events()
    assert len(told) == 3 and all("they are kept" in sentence for sentence in told)
    assert any("of plan plan-b" in s and "no item '31'" in s for s in told)
    assert any("without a plan" in s and "several" in s for s in told)
    with open_labels(url, told.append) as store:  # again: nothing changes, the same is said
        assert store.events() == after and told[:3] == told[3:]


def test_a_key_goes_with_what_is_undone_and_deleted_plans_count(url, imports, plans):
    first = old(1, 2, "plan-a")
    crossed = event(item="pairs:1", level=None, plan="plan-b", action="undo", undoes=first.id)
    filled(url, plans, [first, crossed])
    with LabelStore(url) as store:
        delete_plan(store, "plan-a")
    with open_labels(url) as store:
        assert set(items(store).values()) == {item_key_of(imports[0], 0)}
        assert store.levels() == []


def test_labels_without_a_plan_belong_to_the_only_import(url, imports, plans):
    filled(url, plans[:1], [old(1, 2)])
    with open_labels(url) as store:
        assert set(items(store).values()) == {item_key_of(imports[0], 0)}


def test_a_crash_on_the_way_changes_nothing(url, imports, plans, monkeypatch):
    filled(url, plans, OLD)
    with LabelStore(url) as store:
        before = store.events()
        real = sql.rewriting

        class StoppedError(RuntimeError):
            pass

        def crash(connection):
            raise StoppedError

        monkeypatch.setattr(opening.sql, "rewriting", crash)
        with pytest.raises(StoppedError):
            rename_old_keys(store)
        monkeypatch.setattr(opening.sql, "rewriting", real)
        assert store.events() == before
        assert rename_old_keys(store).events == 4


def test_a_file_made_by_the_old_program(imports, plans, tmp_path):
    """Its bytes are made by hand, from the layout that version 1 wrote."""
    path = tmp_path / "old.db"
    with sqlite3.connect(path) as raw:
        raw.executescript(SCHEMA.read_text())
        for plan in plans:
            text = json.dumps(plan.model_dump(mode="json"))
            raw.execute("INSERT INTO label_documents VALUES ('plan', ?, ?)", (plan.id, text))
        food = read_guideline()
        raw.execute(
            "INSERT INTO label_documents VALUES ('guideline', ?, ?)",
            (food.version, guideline_json(food)),
        )
        for seq, e in enumerate(OLD, start=1):
            raw.execute(
                "INSERT INTO label_events VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, '', 0, 0, ?, '')",
                (
                    seq,
                    e.id,
                    time_text(e.time),
                    e.annotator,
                    e.item,
                    e.factor,
                    e.level,
                    e.action,
                    0.0,
                    e.plan,
                ),
            )
    raw.close()
    with open_labels(str(path)) as store:
        kept = [(seq, e.id, e.level) for seq, e in store.events()]
        assert kept == [(seq, e.id, e.level) for seq, e in enumerate(OLD, start=1)]
        assert level_of(store, imports[1], 0) == [("bob", 4.0)]
    with sqlite3.connect(path) as raw:
        assert raw.execute("SELECT version FROM label_schema").fetchone() == (2,)
    raw.close()


def test_old_exports_are_given_to_the_import_of_their_plan(imports, plans, tmp_path):
    a, b = imports
    with LabelStore(tmp_path / "old.db") as store:
        store.append([*OLD[:4], undo(OLD[2])])
        export(store, tmp_path / "old.jsonl")
        export(store, tmp_path / "old.csv", "long")
    for name in ("old.jsonl", "old.csv"):
        with LabelStore(tmp_path / f"{name}.db") as store:
            with pytest.raises(LabelError, match=r"row 1: .*no plan 'plan-a'"):
                import_labels(store, tmp_path / name)
            for plan in plans:
                keep_plan(store, plan, read_guideline())
            assert import_labels(store, tmp_path / name).added == (5 if "json" in name else 3)
            assert level_of(store, a, 0) == [("ann", 2.0)]
            assert level_of(store, b, 0) == [("bob", 4.0)]
            report = import_labels(store, tmp_path / name)
            assert (report.added, report.n_conflicts) == (0, 0)
    filled(tmp_path / "migrated.db", plans, [*OLD[:4], undo(OLD[2])])
    with open_labels(str(tmp_path / "migrated.db")) as store:
        for name in ("old.jsonl", "old.csv"):
            report = import_labels(store, tmp_path / name)
            assert (report.added, report.n_conflicts) == (0, 0)
