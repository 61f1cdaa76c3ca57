"""Any file of labels is refused whole, or stored with counts that add up; again it adds nothing."""

import csv
import io
import json
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rivae.base.errors import RivaeError
from rivae.labels.formats import LONG_COLUMNS
from rivae.labels.merge import ImportReport, import_labels
from rivae.labels.store import LabelStore

odd = st.text(st.characters(), max_size=12)  # lone surrogates and all
numbers = st.integers(-2, 7) | st.floats() | st.integers(-(10**40), 10**40)
anything = st.recursive(
    st.none() | st.booleans() | numbers | odd,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(odd, inner, max_size=2),
    max_leaves=4,
)
items = st.sampled_from(["kitchen:a", "kitchen:b", "sprites:7", "12", "pairs:1", "nothing:1"])
usual: dict[str, st.SearchStrategy[Any]] = {
    "id": st.sampled_from([str(uuid.UUID(int=i)) for i in range(6)]) | st.uuids().map(str),
    "time": st.sampled_from(["2026-03-01T12:00:00Z", "2026-03-01T12:00:00", "0001-01-01T00:00Z"]),
    "annotator": st.sampled_from(["ann", "bob", "Zoë"]),
    "item": items,
    "factor": st.sampled_from(["fruit", "greenness", "", "Fruit!"]),
    "level": st.none() | st.integers(0, 6),
}
extra: dict[str, st.SearchStrategy[Any]] = {
    "action": st.sampled_from(["label", "undo", "flag", "unflag", "skip", "adjudicate"]),
    "seconds_shown": numbers,
    "guideline": st.sampled_from(["", "v1"]),
    "suggested": st.booleans(),
    "repeat": st.booleans(),
    "plan": st.sampled_from(["", "first"]),
    "undoes": st.sampled_from(["", *(str(uuid.UUID(int=i)) for i in range(6))]),
    "seq": st.integers(0, 9),
}
good = st.fixed_dictionaries(
    usual
    | {
        "item": st.just("kitchen:a") | st.just("sprites:7"),
        "level": st.integers(1, 5),
        "factor": st.just("fruit"),
        "time": st.just("2026-03-01T12:00:00Z"),
    }
)
damaged = st.fixed_dictionaries(
    {name: values | anything for name, values in usual.items()},
    optional={n: values | anything for n, values in extra.items()} | {"x\ud800": anything},
)
records = good | damaged | st.fixed_dictionaries(usual, optional=extra)
said = ["", "3", "0", "cannot tell", "6", "kitchen:a", "ann", "fruit", "'=x"]
cells = st.sampled_from(said) | odd


@contextmanager
def store_and_file(name: str, content: bytes) -> Iterator[tuple[LabelStore, Path]]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_bytes(content)
        with LabelStore(Path(folder) / "labels.db") as store:
            yield store, path


def check(store: LabelStore, path: Path) -> ImportReport | None:
    """What was stored, None where the file was refused."""
    try:
        said = import_labels(store, path, dry_run=True)
    except RivaeError as error:
        assert 0 < len(str(error)) < 600 and "\n" not in str(error).strip()
        str(error).encode()  # it can be shown
        assert store.last() == 0
        try:
            import_labels(store, path)
        except RivaeError:
            assert store.last() == 0
            return None
        raise AssertionError("a dry run refuses what is then stored") from None
    assert store.last() == 0, "a dry run stores nothing"
    report = import_labels(store, path)
    assert (report.added, report.n_conflicts) == (said.added, said.n_conflicts)
    assert store.last() == report.added == len(store.events())
    for _, event in store.events():
        assert event.level in (None, 1, 2, 3, 4, 5)
        assert event.item.partition(":")[0] in ("kitchen", "sprites")
    again = import_labels(store, path)
    assert again.added == 0 and again.n_conflicts == report.n_conflicts
    assert store.last() == report.added
    return report


@pytest.mark.slow
@given(st.lists(records, max_size=8))
def test_json_lines_of_anything(rows: list[dict[str, Any]]) -> None:
    text = "\n".join(json.dumps(row) for row in rows)
    with store_and_file("labels.jsonl", text.encode()) as (store, path):
        report = check(store, path)
        if report is not None:
            assert report.added + report.known + report.n_conflicts <= len(rows)


@settings(max_examples=15)
@given(st.lists(good, min_size=1, max_size=8, unique_by=lambda row: row["id"]))
def test_sound_json_lines_are_stored_to_the_last(rows: list[dict[str, Any]]) -> None:
    text = "\n".join(json.dumps(row) for row in rows)
    with store_and_file("labels.jsonl", text.encode()) as (store, path):
        report = check(store, path)
        assert report is not None and report.added == len(rows) and not report.n_conflicts


@pytest.mark.slow
@given(
    st.lists(st.sampled_from([*LONG_COLUMNS, "fruit", "mood"]), min_size=1, max_size=7),
    st.lists(st.lists(cells, min_size=1, max_size=7), max_size=6),
)
def test_tables_of_anything(header: list[str], rows: list[list[str]]) -> None:
    table = io.StringIO()
    writer = csv.writer(table)
    writer.writerow(header)
    writer.writerows([(row * 7)[: len(header)] for row in rows])
    content = table.getvalue().encode("utf-8", "surrogatepass")
    with store_and_file("labels.csv", content) as (store, path):
        check(store, path)


levels = st.sampled_from(["1", "2", "3", "4", "5", "0", "cannot tell", ""])
table_rows = st.tuples(st.sampled_from(["ann", "bob"]), st.sampled_from("abc"), levels)


@pytest.mark.slow
@settings(max_examples=15)
@given(st.lists(table_rows, max_size=8, unique_by=lambda row: row[:2]))
def test_sound_tables_are_stored_cell_by_cell(rows: list[tuple[str, str, str]]) -> None:
    lines = [f"{who},kitchen:{item},{level}" for who, item, level in rows]
    content = "\n".join(["annotator,item,fruit", *lines])
    with store_and_file("labels.csv", content.encode()) as (store, path):
        report = check(store, path)
        assert report is not None and report.added == sum(level != "" for *_, level in rows)
