"""Labels of items that nobody knows are refused by the first of them, and nothing is stored."""

import json
import os
import re

import pytest

from rivae.base.errors import DataError, LabelError, RivaeError
from rivae.cli import main
from rivae.labels import sqlite_file
from rivae.labels.desk import receive
from rivae.labels.events import item_key_of
from rivae.labels.guideline import guideline, read_guideline
from rivae.labels.kept_plans import (
    keep_plan,
    kept_plans,
    newest_plan_of,
    plan_guideline,
    plans_of_run,
)
from rivae.labels.known_items import KnownItems
from rivae.labels.merge import import_labels
from rivae.labels.run_scores import planned_rows
from rivae.labels.store import LabelStore
from rivae.runs import find_run
from tests.labels.imports import N, numbered_import, plan_on, run_on
from tests.labels.making import event

HEAD = "annotator,item,factor,level\n"


@pytest.fixture
def data(tmp_path, monkeypatch):
    """The import "a", on which "run-a" is made, and the plan "first" in the store of labels."""
    for variable, name in (("RIVAE_DATA", "data"), ("RIVAE_RUNS", "runs")):
        monkeypatch.setenv(variable, str(tmp_path / name))
    monkeypatch.setenv("RIVAE_LABELS", str(tmp_path / "labels.db"))
    run = run_on(tmp_path / "runs", numbered_import(tmp_path / "data" / "a", "soup"), "run-a")
    with LabelStore(tmp_path / "labels.db") as store:
        keep_plan(store, plan_on(run, "first"), read_guideline())
    return run.load_dataset()


def table(tmp_path, *items, name="t.csv"):
    path = tmp_path / name
    path.write_text(HEAD + "".join(f"ann,{item},greenness,3\n" for item in items))
    return str(path)


def events(tmp_path):
    with LabelStore(tmp_path / "labels.db") as store:
        return [(e.item, e.factor, e.level) for _, e in store.events()]


@pytest.mark.parametrize(
    ("item", "reason"),
    [
        ("17", "row 2: '17' names no item: .*--plan NAME, and --rows"),
        ("kitchen:79f935f625", "'kitchen:79f935f625' is not an item of the data of a plan here"),
        ("pairs-0123456789abcdef:1", "is not an item of the data of a plan here"),
        ("nothing:1", "is not an item of the data of a plan here"),
        ("pairs:31", "the imported data have no item '31'"),
    ],
)
@pytest.mark.parametrize("dry", [True, False])
def test_an_unknown_item_is_named_and_nothing_is_stored(data, tmp_path, capsys, item, reason, dry):
    path = table(tmp_path, item_key_of(data, 0), item)
    assert main(["labels", "import", path, *(["--dry-run"] if dry else [])]) == 1
    said = capsys.readouterr()
    assert re.search(reason, said.err), said.err
    assert said.out == "" and events(tmp_path) == []


def test_ids_and_rows_are_taken_where_the_data_is_named(data, tmp_path, capsys):
    path = table(tmp_path, "1", "2", "30")
    assert main(["labels", "import", path, "--plan", "first", "--dry-run"]) == 0
    out = capsys.readouterr().out
    assert "3 would be added" in out and f"item 1 is {item_key_of(data, 0)} (soup 1)" in out
    assert events(tmp_path) == []
    assert main(["labels", "import", path, "--run", "run-a"]) == 0
    assert [item for item, *_ in events(tmp_path)] == [item_key_of(data, i) for i in (0, 1, 29)]
    capsys.readouterr()
    assert main(["labels", "import", path, "--plan", "first", "--json"]) == 0
    again = json.loads(capsys.readouterr().out)
    assert (again["added"], again["known"]) == (0, 3) and again["named"][0]["title"] == "soup 1"
    rows = table(tmp_path, *range(7, 14), name="rows.csv")
    assert main(["labels", "import", rows, "--plan", "first", "--rows"]) == 0
    assert f"item 7 is {item_key_of(data, 7)} (soup 8)\n" in (out := capsys.readouterr().out)
    assert "and 2 more" in out
    assert len(events(tmp_path)) == 10
    for item, more, reason in (
        (str(N), ["--rows"], f"'{N}' is not a row of pairs: rows are 0 to {N - 1}"),
        ("-1", ["--rows"], "'-1' is not a row of pairs"),
        ("31", [], "'31' is not an item of pairs: give its id"),
    ):
        path = table(tmp_path, "3", item)
        assert main(["labels", "import", path, "--plan", "first", *more]) == 1
        assert reason in capsys.readouterr().err
    assert main(["labels", "import", path, "--rows"]) == 1
    assert re.search("--plan .*--run", capsys.readouterr().err)
    assert len(events(tmp_path)) == 10


def test_what_the_store_has_is_known_when_its_data_is_gone(data, tmp_path):
    with LabelStore(tmp_path / "labels.db") as store:
        store.append([event(item=item_key_of(data, 0))])
        (tmp_path / "runs" / "run-a" / "config.json").unlink()
        path = tmp_path / "t.csv"
        path.write_text(f"{HEAD}bob,{item_key_of(data, 0)},fruit,3\n")
        assert import_labels(store, path).added == 1
        path.write_text(f"{HEAD}bob,{item_key_of(data, 1)},fruit,3\n")
        with pytest.raises(LabelError, match="data of plan first"):
            import_labels(store, path)


def test_without_a_plan_any_data_set_that_is_here_may_come_first(data, tmp_path):
    with LabelStore(tmp_path / "empty.db") as store:
        items = KnownItems(store)
        for key in ("kitchen:x", "sprites:5", item_key_of(data, 0)):
            assert items.key(key) == key
        for key in ("5", "nothing:5", "pairs:1", "pairs-0123456789abcdef:1"):
            with pytest.raises(LabelError):
                items.key(key)


def test_a_factor_that_the_plan_lacks_is_not_stored(data, tmp_path):
    food = read_guideline()
    one = guideline("one", [food.factor("fruit")])
    with LabelStore(tmp_path / "labels.db") as store:
        plan = plan_on(find_run("run-a"), "fruity").model_copy(update={"guideline": one.version})
        keep_plan(store, plan, one)
        keys = [item_key_of(data, i) for i in plan.order]
        sent = [
            {
                "id": e.id,
                "time": e.record()["time"],
                "at": 0,
                "factor": e.factor,
                "level": 3,
                "action": "label",
            }
            for e in (event(factor="greenness"), event(factor="fruit"))
        ]
        got = receive(store, plan, keys, "ann", sent)
        assert list(got.stored) == [sent[1]["id"]]
        assert got.refused == {sent[0]["id"]: "'greenness' is not a factor of this plan: reload it"}
        odd = receive(store, plan, keys, "ann", [{**sent[0], "factor": [1]}])
        assert list(odd.refused) == [sent[0]["id"]]
        path = tmp_path / "e.csv"
        path.write_text(
            f"annotator,item,factor,level,plan\nann,{keys[1]},fruit,1,fruity\n"
            f"ann,{keys[1]},greenness,1,first\nbob,{keys[1]},greenness,1,fruity\n"
        )
        with pytest.raises(LabelError, match="row 3: 'greenness' is not a factor of plan fruity"):
            import_labels(store, path)
        assert plan_guideline(store, plan) == one and len(store.events()) == 1


def test_a_damaged_plan_is_one_row_and_holds_up_nobody(data, tmp_path, capsys):
    with LabelStore(tmp_path / "labels.db") as store:
        store.keep("plan", "damaged", "{")
        store.keep("plan", "future", '{"version": 9}')
        store.append([event(item=item_key_of(data, 0))])
        assert [plan.id for plan in kept_plans(store)] == ["first"]
        assert newest_plan_of(store, find_run("run-a")).id == "first"
        assert plans_of_run(store, "run-a") == ["first"]
        assert list(planned_rows(store, data)) == list(range(N))
    assert main(["labels", "import", table(tmp_path, item_key_of(data, 1)), "--json"]) == 0
    capsys.readouterr()
    assert main(["labels", "plans", "--json"]) == 0
    rows = {row["plan"]: row for row in json.loads(capsys.readouterr().out)}
    assert list(rows) == ["damaged", "first", "future"]
    assert rows["damaged"]["data set"] == rows["future"]["data set"] == "broken"
    assert "not a labelling plan" in rows["damaged"]["message"] and rows["first"]["answered"] == 2
    assert main(["labels", "plans"]) == 0
    said = capsys.readouterr()
    assert "broken" in said.out and "future: this is not a labelling plan" in said.err
    assert main(["labels", "agreement", "damaged"]) == 1
    assert "not a labelling plan" in capsys.readouterr().err


def test_a_factor_that_an_import_names_but_lacks_is_one_sentence(data, tmp_path):
    path = tmp_path / "data" / "a" / "store.json"
    manifest = json.loads(path.read_text())
    manifest["factors"] = [{"name": "ghost", "kind": "continuous"}]
    path.write_text(json.dumps(manifest))
    with pytest.raises(DataError, match="lacks columns of an import: import the data again"):
        find_run("run-a").load_dataset()


@pytest.mark.parametrize("seconds", ["1" + "0" * 400, "1e400", "-1", "604801"])
def test_seconds_out_of_range_are_refused(data, tmp_path, seconds):
    record = event(item=item_key_of(data, 0)).record()
    line = json.dumps(record).replace('"seconds_shown": 0.0', f'"seconds_shown": {seconds}')
    assert seconds in line
    (tmp_path / "e.jsonl").write_text(line)
    with LabelStore(tmp_path / "labels.db") as store, pytest.raises(RivaeError, match=r"e\.jsonl"):
        import_labels(store, tmp_path / "e.jsonl")


@pytest.mark.parametrize("place", [":memory:", "file:x?mode=memory", "sqlite:///:memory:"])
def test_labels_need_a_file(capsys, place):
    assert main(["labels", "plans", "--store", place]) == 1
    assert "labels need a SQLite file: write sqlite:///labels.db" in capsys.readouterr().err


@pytest.fixture
def read_only(data, tmp_path, monkeypatch):
    """The store, as if it lay on a medium that cannot be written (root may write anywhere)."""
    (tmp_path / "dvd").mkdir()
    path = tmp_path / "dvd" / "labels.db"
    with LabelStore(path) as store:
        keep_plan(store, plan_on(find_run("run-a"), "first"), read_guideline())
        store.append([event(item=item_key_of(data, 0))])
    path.chmod(0o444)
    path.parent.chmod(0o555)
    access = os.access
    monkeypatch.setattr(
        sqlite_file.os,
        "access",
        lambda place, mode: "dvd" not in str(place) and access(place, mode),
    )
    yield path
    path.parent.chmod(0o755)


def test_labels_are_read_where_nothing_can_be_written(read_only, tmp_path, capsys):
    before = sorted(read_only.parent.iterdir())
    with LabelStore(read_only) as store:
        assert store.read_only and len(store.levels()) == 1
        with pytest.raises(LabelError, match=r"labels\.db can only be read here: copy it"):
            store.append([event()])
    words = ["--store", str(read_only)]
    assert main(["labels", "plans", *words]) == 0
    assert "first" in capsys.readouterr().out
    assert main(["labels", "export", str(tmp_path / "out.jsonl"), *words]) == 0
    assert len((tmp_path / "out.jsonl").read_text().splitlines()) == 1
    assert sorted(read_only.parent.iterdir()) == before
