"""Ids are as the table gives them, and records without one never get another record's id."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rivae.data.importing import run_import
from rivae.data.importing.ids import NO_ID, IdColumn
from rivae.data.importing.plan import Plan
from rivae.data.importing.session import ImportCancelledError
from rivae.data.store import PairStore, writer


def ids_of(cells):
    column = IdColumn("id")
    for number, cell in enumerate(cells):
        column.look(cell, number)
    return [column.read(cell, number, []) for number, cell in enumerate(cells)]


given_ids = st.one_of(
    st.integers(0, 12).map(str),
    st.integers(0, 12),
    st.sampled_from(["row 1", "row row 1", "row 5", "a", "é", "007", "1.0", " 3 ", "NaN"]),
    st.none(),
    st.just(""),
    st.just(float("nan")),
)


@given(st.lists(given_ids, max_size=14))
def test_an_id_that_was_made_is_nobody_elses(cells):
    found = ids_of(cells)
    without = [i for i, cell in enumerate(cells) if str(cell).strip().lower() in NONE]
    made = [found[i] for i in without]
    assert len(set(made)) == len(made)
    assert not set(made) & {found[i] for i in range(len(cells)) if i not in without}
    assert ids_of(cells) == found


NONE = {"", "none", "nan"}


def test_ids_stay_as_they_are():
    assert ids_of(["a", "7", 7.5, "1.0", "01", "x.0"]) == ["a", "7", "7.5", "1.0", "01", "x.0"]
    assert IdColumn(None).read(None, 7, []) == "7"
    assert ids_of(["", "a", "b"]) == ["0", "a", "b"]
    assert ids_of(["1", "", "b"]) == ["1", "row 1", "b"]
    assert ids_of([{"$oid": "5f"}, {"$oid": "60"}]) == ["5f", "60"]


def test_a_gap_makes_no_decimals_of_whole_ids():
    assert ids_of([0.0, float("nan"), 2.0]) == ["0", "1", "2"]
    assert ids_of(["2.0", "", "1.0"]) == ["2", "row 1", "1"]


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
def test_records_without_an_id_are_counted_and_the_same_after_a_resume(tmp_path, monkeypatch, kind):
    monkeypatch.setattr(writer.StoreWriter.__init__, "__defaults__", ((), 20))
    n = 300
    records = [{"id": str(n - i) if i % 3 else None, "title": f"Dish {i}"} for i in range(n)]
    table = tmp_path / f"t.{kind}"
    if kind == "jsonl":
        table.write_text("".join(json.dumps(record) + "\n" for record in records))
    else:
        frame = pd.DataFrame(records)
        (frame.to_csv if kind == "csv" else frame.to_parquet)(table, index=False)
    np.save(tmp_path / "m.npy", np.random.default_rng(0).normal(size=(n, 3)))
    matrix = tmp_path / "m.npy"

    def take(root, progress=None):
        plan = Plan(table=table, name="mine", embeddings=(matrix, matrix), root=tmp_path / root)
        report = run_import(plan.source(), plan.settings(), progress=progress)
        assert report.taken == n and report.notes[NO_ID] == n / 3
        return [recipe.id for recipe in PairStore(tmp_path / root / "mine").recipes()]

    def stop(words, share):
        if share > 0.6:
            raise ImportCancelledError

    whole = take("a")
    assert len(set(whole)) == n and whole[1] == str(n - 1)
    with pytest.raises(ImportCancelledError):
        take("b", stop)
    assert take("b") == whole
