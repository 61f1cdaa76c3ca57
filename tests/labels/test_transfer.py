"""Export and import: nothing is lost, nothing is overwritten, every row is checked."""

import csv
import io
import json
from dataclasses import replace

import numpy as np
import pytest

from rivae.base.csv_text import escaped, unescaped
from rivae.base.errors import LabelError, RivaeError
from rivae.labels import intake
from rivae.labels.events import KINDS
from rivae.labels.formats import (
    FORMS,
    LONG_KINDS,
    SUFFIXES,
    events_jsonl,
    export,
    read_level,
    wide_csv,
)
from rivae.labels.merge import import_labels
from rivae.labels.store import LabelStore
from tests.labels.making import event, random_events, undo


@pytest.fixture
def store(url):
    with LabelStore(url) as opened:
        yield opened


@pytest.fixture
def elsewhere(tmp_path):
    with LabelStore(tmp_path / "elsewhere.db") as opened:
        yield opened


def standing(store, kinds=KINDS):
    return {
        (
            kind,
            "" if kind == "adjudication" else c.event.annotator,
            c.event.item,
            c.event.factor,
        ): c.event.level
        for kind in kinds
        for c in store.current(kind)
    }


def written(tmp_path, text, name="labels.csv"):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


def counts(report):
    return (report.added, report.known, report.n_conflicts)


@pytest.mark.parametrize("seed", range(3))
def test_events_survive_the_way_out_and_in_and_a_second_time(store, elsewhere, tmp_path, seed):
    events = random_events(np.random.default_rng(seed), 200, ("unsure", "inapplicable"))
    store.append(events)
    path = tmp_path / "events.jsonl"
    export(store, path)
    assert counts(import_labels(elsewhere, path)) == (200, 0, 0)
    assert [e for _, e in elsewhere.events()] == events
    assert counts(import_labels(elsewhere, path)) == (0, 200, 0)
    assert counts(import_labels(store, path)) == (0, 200, 0)
    assert elsewhere.last() == store.last() == 200
    assert standing(elsewhere) == standing(store)
    assert "".join(events_jsonl(elsewhere)) == path.read_text()


@pytest.mark.parametrize(("form", "kinds"), [("long", LONG_KINDS), ("wide", ("label",))])
def test_tables_carry_the_current_labels(store, elsewhere, tmp_path, form, kinds):
    store.append(random_events(np.random.default_rng(5), 200))
    path = tmp_path / f"labels{SUFFIXES[form]}"
    export(store, path, form)
    report = import_labels(elsewhere, path)
    assert report.added == len(standing(store, kinds)) > 20
    assert standing(elsewhere) == standing(store, kinds)
    assert counts(import_labels(elsewhere, path)) == (0, report.added, 0)
    assert counts(import_labels(store, path)) == (0, report.added, 0)
    if form == "long":
        mine = {c.event for kind in kinds for c in store.current(kind)}
        assert {e for _, e in elsewhere.events()} == mine


@pytest.mark.parametrize("form", FORMS)
def test_a_foreign_file_cannot_overwrite(store, elsewhere, tmp_path, form):
    kept = event("ann", 1, 2)
    gone = event("ann", 2, 2)
    store.append([kept, gone, undo(gone), event("ann", 3, 5), event("ann", 6, 1)])
    before = standing(store)
    elsewhere.append(
        [
            event("ann", 1, 4),
            event("ann", 2, 4),
            event("ann", 3, 5),
            event("ann", 4, None),
            event("bob", 1, 4),
        ]
    )
    path = tmp_path / f"labels{SUFFIXES[form]}"
    export(elsewhere, path, form)
    said = import_labels(store, path, dry_run=True)
    assert standing(store) == before
    report = import_labels(store, path)
    assert report == said
    assert counts(report) == (2, 1, 2)
    assert [(c.item, c.stored, c.offered) for c in report.conflicts] == [
        ("kitchen:1", "2", "4"),
        ("kitchen:2", "none", "4"),
    ]
    new = {
        ("label", "ann", "kitchen:4", "greenness"): None,
        ("label", "bob", "kitchen:1", "greenness"): 4,
    }
    assert standing(store) == before | new
    assert counts(import_labels(store, path)) == (0, 3, 2)


def test_a_foreign_file_cannot_undo_or_change_an_event(store, tmp_path):
    mine = event("ann", 1, 2)
    store.append([mine])
    for forged in (undo(mine), replace(mine, level=5), event("ann", 1, 5), undo(event())):
        lines = json.dumps(forged.record()) + "\n"
        report = import_labels(store, written(tmp_path, lines, "forged.jsonl"))
        assert counts(report) == (0, 0, 1) and report.conflicts[0].reason
    judged = event("ann", 1, 3, action="adjudicate")
    store.append([judged])
    other = json.dumps(event("eve", 1, 4, action="adjudicate").record())
    assert import_labels(store, written(tmp_path, other, "other.jsonl")).n_conflicts == 1
    assert [e for _, e in store.events()] == [mine, judged]


def test_an_older_export_of_the_same_store_changes_nothing(store, tmp_path):
    first = event("ann", 1, 2)
    store.append([first])
    path = tmp_path / "events.jsonl"
    export(store, path)
    store.append([undo(first), event("ann", 1, 4)])
    before = standing(store)
    assert counts(import_labels(store, path)) == (0, 1, 0)
    assert standing(store) == before


def test_tables_made_by_hand(store, tmp_path):
    wide = written(
        tmp_path,
        "\ufeffannotator;item;wateriness;fruit\nann;kitchen:1;3;cannot tell\nann;kitchen:2;;0\n",
    )
    assert counts(import_labels(store, wide, guideline="v1")) == (3, 0, 0)
    assert {e.guideline for _, e in store.events()} == {"v1"}
    long = "annotator,item,factor,level\nann,kitchen:1,wateriness,3\nann,kitchen:1,fruit,2.0\n"
    long += "bob,kitchen:1,fruit,2.0\nbob,kitchen:2,fruit,\n"
    report = import_labels(store, written(tmp_path, long))
    assert counts(report) == (1, 1, 1)
    conflict = report.conflicts[0]
    assert (conflict.row, conflict.stored, conflict.offered) == (2, "cannot tell", "2")


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("annotator,item,factor,level\nann,kitchen:1,fruit,6\n", "row 1: '6' is not a level"),
        (
            "annotator,item,factor,level\nann,kitchen:1,fruit,3\nann,kitchen:2,sour,3\n",
            "row 2: 'sour' is no",
        ),
        (
            "annotator,item,factor,level\nann,kitchen:1,fruit,3\nann,kitchen:1,fruit,4\n",
            "row 2: an earlier",
        ),
        ("annotator,item,factor\nann,kitchen:1,fruit\n", "no column 'level'"),
        ("annotator,factor,level\nann,fruit,3\n", "no column 'item'"),
        ("annotator,item,factor,level,mood\nann,kitchen:1,fruit,3,x\n", "column 'mood'"),
        ("annotator,item,factor,level,kind\nann,kitchen:1,fruit,3,x\n", "'x' is not a kind"),
        ("annotator,item,factor,level,time\nann,kitchen:1,fruit,3,noon\n", "'noon' is not a time"),
        ("annotator,item,factor,level,time\nann,kitchen:1,fruit,3,2026-01-01\n", "no zone"),
        ("annotator,item,factor,level,id\nann,kitchen:1,fruit,3,7\n", "must be a UUID"),
        (
            "annotator,item,factor,level,seconds_shown\nann,kitchen:1,fruit,3,nan\n",
            "between 0 and a",
        ),
        ("annotator,item,factor,level,suggested\nann,kitchen:1,fruit,3,maybe\n", "neither true"),
        (f"annotator,item,fruit\n{'x' * 81},kitchen:1,3\n", "1 to 80 characters"),
        ("annotator,item,fruit\nann,kitchen:1,3,4\n", "4 cells under 3"),
        ("annotator,item,Fruit!\nann,kitchen:1,3\n", "not a factor id"),
    ],
)
def test_a_wrong_row_stores_nothing_of_its_file(store, tmp_path, text, word):
    with pytest.raises(RivaeError, match=word) as caught:
        import_labels(store, written(tmp_path, text), factors=("fruit", "wateriness"))
    assert "\n" not in str(caught.value)
    assert store.last() == 0


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"level": True}, "not a level"),
        ({"level": "3"}, "not a level"),
        ({"extra": 1}, "no field"),
        ({"time": 5}, "not a time"),
        ({"time": "0001-01-01T00:00:00+23:00"}, "out of range"),
        ({"annotator": "a\nb"}, "line break"),
        ({"annotator": ["a"]}, "annotator"),
        ({"item": ""}, "item key"),
        ({"action": "delete"}, "not an action"),
        ({"action": []}, "action"),
        ({"repeat": 1}, "'repeat'"),
        ({"plan": "../x"}, "not a plan id"),
        ({"id": "1" * 32}, "UUID"),
        ({"seconds_shown": 1e9}, "a week"),
        ({"factor": ""}, "factor"),
        ({"seconds_shown": float("inf")}, "a week"),
        ({"undoes": "x"}, "only an undo"),
        ({"action": "flag"}, "has no level"),
        ({"action": "undo", "level": None}, "undone"),
        ({"action": "adjudicate", "repeat": True}, "cannot be a repeat"),
    ],
)
def test_a_wrong_event_is_refused(store, tmp_path, change, word):
    good = event().record()
    lines = f"{json.dumps(good)}\n{json.dumps(event(item=2).record() | change)}\n"
    with pytest.raises(RivaeError, match=f"row 2: .*{word}"):
        import_labels(store, written(tmp_path, lines, "events.jsonl"))
    assert store.last() == 0
    del good["item"]
    with pytest.raises(LabelError, match="lacks the field 'item'"):
        import_labels(store, written(tmp_path, json.dumps(good), "events.jsonl"))


def test_files_that_hold_no_labels_are_refused(store, tmp_path, monkeypatch):
    for name in ("labels.parquet", "labels.tsv", "labels.png"):
        with pytest.raises(RivaeError, match=r"\.csv"):
            import_labels(store, written(tmp_path, "x", name))
    monkeypatch.setattr(intake, "MAX_EVENTS", 3)
    text = "annotator,item,fruit\n" + "".join(f"ann,kitchen:{i},3\n" for i in range(4))
    with pytest.raises(LabelError, match="more than 3 labels"):
        import_labels(store, written(tmp_path, text))


def test_no_cell_is_a_formula_and_every_name_comes_back(store, elsewhere, tmp_path):
    names = ["=1+1", "+4", "-2", "@x", "'=x", "''-y", "'plain", 'quote"s, comma', "a=b", "–ok"]
    store.append([event(name, f"kitchen:{name}", 3) for name in names])
    for form in ("long", "wide"):
        path = tmp_path / f"{form}.csv"
        export(store, path, form)
        with path.open(newline="", encoding="utf-8") as stream:
            cells = [cell for row in csv.reader(stream) for cell in row]
        assert len(cells) > 20 and not [c for c in cells if c[:1] in ("=", "+", "-", "@")]
        import_labels(elsewhere, path)
        assert standing(elsewhere) == standing(store)
    for name in names:
        assert unescaped(escaped(name, name=True)) == name


def test_the_columns_of_a_wide_table_can_be_chosen(store):
    store.append([event(factor="fruit", level=None), event("bob", factor="grains", level=1)])
    rows = list(csv.reader(io.StringIO("".join(wide_csv(store, ["dessert", "fruit"])))))
    assert rows == [
        ["annotator", "item", "dessert", "fruit"],
        ["ann", "kitchen:1", "", "cannot tell"],
    ]
    rows = list(csv.reader(io.StringIO("".join(wide_csv(store, annotator="bob")))))
    assert rows == [["annotator", "item", "grains"], ["bob", "kitchen:1", "1"]]


def test_levels_in_cells():
    assert [read_level(c) for c in ("1", "5", "3.0", "0", "Cannot tell")] == [1, 5, 3, None, None]
    for cell in ("", "6", "-1", "1.5", "٣", "1e0", "nan"):
        with pytest.raises(LabelError):
            read_level(cell)
