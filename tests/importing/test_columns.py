"""What became of each column is said, before an import and after it, and late columns count."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rivae.base.errors import ConfigError
from rivae.data.importing import ImportReport, run_import
from rivae.data.importing.columns import MOST, what_became
from rivae.data.importing.factors import FactorReader
from rivae.data.importing.mapping import LOOKED_AT, Mapping
from rivae.data.importing.plan import Plan
from rivae.data.importing.session import ImportCancelledError
from rivae.data.store import Manifest, PairStore, writer


def said_of(records, mapping, chosen=None):
    reader = FactorReader(mapping.factors)
    for record in records:
        reader.look(record)
    columns = dict.fromkeys(name for record in records for name in record)
    return what_became(columns, mapping, reader, records, chosen)


def take(folder: Path, records=None, name="t.jsonl", **options):
    """Import, or check, records without pictures: their embeddings stand for them."""
    import numpy as np

    table = folder / name
    if records is not None:
        table.write_text("".join(json.dumps(record) + "\n" for record in records))
    n = len(table.read_text().splitlines())
    matrix = folder / "m.npy"
    np.save(matrix, np.random.default_rng(0).normal(size=(n, 3)).astype(np.float32))
    progress = options.pop("progress", None)
    plan = Plan(
        table=table, name="mine", embeddings=(matrix, matrix), root=folder / "data", **options
    )
    return run_import(plan.source(), plan.settings(), dry_run=plan.dry_run, progress=progress)


def test_every_column_is_said_once_in_the_words_of_its_use():
    records = [
        {
            "img": f"{i}.png",
            "dish_name": f"Dish {i}",
            "kcal": i * 1.5,
            "heat": i % 3 + 1,
            "kind": "ab"[i % 2],
            "gone": "" if i else "1",
            "caption": f"a red soup with bread {i}",
            "url": "x",
        }
        for i in range(40)
    ]
    mapping = Mapping(
        picture="img", title="dish_name", factors=("kcal", "heat", "kind", "gone"), url=None
    )
    title, picture, *factors, unused, guessed = said_of(records, mapping, {"picture"})
    assert title == "title ← dish_name" and picture == "picture ← img"
    assert factors[0] == "factor kcal, a number"
    assert "1–3" in factors[1] and "2" in factors[2]
    assert unused.startswith("not used: gone (")
    assert "caption (" in unused and "instructions" in unused and unused.endswith(", url")
    assert "title" in guessed and "picture" not in guessed, "that was chosen"


def test_many_columns_are_no_wall():
    record = {"title": "Soup", **{f"column {i}": i for i in range(300)}}
    factors = tuple(f"column {i}" for i in range(100))
    said = said_of([record] * 40, Mapping(title="title", factors=factors))
    assert len(said) == 1 + MOST + 1 + 1
    assert sum(len(part) for part in said) < 1000


def test_titles_that_are_file_names_are_said_even_where_nothing_else_is_there():
    records = [{"title": f"IMG_{i:04}"} for i in range(40)]
    assert said_of(records, Mapping(title="title"))[0] != "title ← title"
    records = [{"title": f"Soup {i}"} for i in range(40)]
    assert said_of(records, Mapping(title="title")) == ["title ← title"]


def test_the_report_keeps_the_columns_and_an_older_one_has_none(tmp_path):
    report = take(tmp_path, [{"name": f"Dish {i}", "note": "n"} for i in range(40)])
    assert report.columns and "; ".join(report.columns) in report.lines()[1]
    stored = Manifest.read(tmp_path / "data" / "mine").report
    assert ImportReport.from_dict(stored) == report
    older = {key: value for key, value in stored.items() if key != "columns"}
    assert ImportReport.from_dict(older).lines()[1:] == report.lines()[2:]


@pytest.mark.slow
def test_an_import_that_resumes_says_its_columns(tmp_path, monkeypatch):
    monkeypatch.setattr(writer.StoreWriter.__init__, "__defaults__", ((), 20))

    def stop(words, share):
        if share > 0.6:
            raise ImportCancelledError

    records = [{"name": f"Dish {i}", "kcal": i / 7} for i in range(300)]
    with pytest.raises(ImportCancelledError):
        take(tmp_path, records, factors=("kcal",), progress=stop)
    again = take(tmp_path, factors=("kcal",))
    assert any("kcal" in said for said in again.columns) and again.taken == 300


# Columns that appear late


def late(**columns):
    """Records with more columns from the first that is not looked at."""
    records = [{"name": f"Dish {i}"} for i in range(LOOKED_AT + 50)]
    for record in records[LOOKED_AT:]:
        record |= columns
    return records


def test_a_late_column_takes_an_open_role(tmp_path):
    take(tmp_path, late(tags=["late"], ingredients=["salt"]))
    store = PairStore(tmp_path / "data" / "mine")
    assert store.recipe(0).tags == () and store.recipe(LOOKED_AT).tags == ("late",)
    assert store.recipe(LOOKED_AT + 3).ingredients == ("salt",)


def test_a_late_column_takes_nothing_from_another(tmp_path):
    """Else most records would have lost their title, or their part of the split."""
    report = take(tmp_path, late(title="Late", split="test"))
    assert report.taken == report.read == LOOKED_AT + 50
    assert PairStore(tmp_path / "data" / "mine").title(LOOKED_AT) == f"Dish {LOOKED_AT}"
    assert "title, split" in next(said for said in report.columns if said.startswith("not used"))


def test_a_late_column_can_be_chosen_and_a_wrong_one_is_refused(tmp_path):
    chosen = {"roles": {"title": "heading"}, "factors": ("name",)}
    report = take(tmp_path, late(heading="Late"), dry_run=True, **chosen)
    assert report.taken == 50
    with pytest.raises(ConfigError, match="no column 'haeding'"):
        take(tmp_path, late(heading="Late"), roles={"title": "haeding"})
    with pytest.raises(ConfigError, match="'titel' is not a role"):
        take(tmp_path, roles={"titel": "heading"})
    assert not (tmp_path / "data").exists()


def test_the_only_text_may_come_late(tmp_path):
    records = [{"n": i} for i in range(LOOKED_AT + 10)]
    records += [{"n": i, "title": f"Late {i}"} for i in range(40)]
    assert take(tmp_path, records).taken == 40


@pytest.mark.slow
@given(
    st.lists(
        st.sampled_from(["title", "ingredients", "steps", "tags", "url", "other"]), min_size=1
    ),
    st.integers(0, 60),
    st.integers(0, 2**16),
)
def test_all_columns_of_any_table_are_said(names, begin, seed):
    """Whatever comes when: each column is named exactly once."""
    names = dict.fromkeys(names)
    records = [{"name": f"Dish {i}"} for i in range(LOOKED_AT - 30 + begin)]
    for place, name in enumerate(names):
        for record in records[(seed >> (2 * place)) % len(records) :]:
            record[name] = f"{name} of something"
    with tempfile.TemporaryDirectory() as folder:
        report = take(Path(folder), records, dry_run=True)
    present = {name for record in records for name in record}
    said = " ".join(report.columns).replace(";", " ").replace(",", " ").split("guessed by")[0]
    for name in present:
        columns = said.split("← ")[1:] + said.partition("not used:")[2].split()
        assert any(part.split()[0] == name for part in columns if part.split()), (name, said)
    assert report.read == len(records)
