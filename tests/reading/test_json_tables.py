"""Tables in JSON, as pandas, Kaggle and Hugging Face write them."""

from __future__ import annotations

import gzip
import json
from typing import Any

import pytest

from rivae.base.errors import DataError
from rivae.base.reading import json_tables
from rivae.base.reading.tables import Broken, InputTable

DISHES: list[dict[str, Any]] = [
    {"id": i, "image": f"{i}.png", "title": f"Dürüm {i}", "steps": ["a", "b"]} for i in range(20)
]
COLUMNS = list(DISHES[0])
BY_NUMBER = {str(i): dish for i, dish in enumerate(DISHES)}


def read(tmp_path, value: Any, indent: int | None = None) -> tuple[list[Any], set[str]]:
    path = tmp_path / "t.json"
    path.write_text(json.dumps(value, ensure_ascii=False, indent=indent), encoding="utf-8")
    remarks = set()
    found = list(InputTable(path).rows(note=lambda remark, *_: remarks.add(remark)))
    assert InputTable(path).preview() == found and set(InputTable(path).columns()) == set(found[0])
    return found, remarks


@pytest.mark.parametrize("indent", [None, 1])
@pytest.mark.parametrize(
    "value",
    [
        DISHES,
        {name: {str(i): dish[name] for i, dish in enumerate(DISHES)} for name in COLUMNS},
        {name: [dish[name] for dish in DISHES] for name in COLUMNS},
        BY_NUMBER,
        {
            "columns": COLUMNS,
            "index": list(range(20)),
            "data": [list(dish.values()) for dish in DISHES],
        },
        {name: {f"r{i}": dish[name] for i, dish in enumerate(DISHES)} for name in COLUMNS},
        {"dataset": "mine", "n": 20, "data": DISHES},
        {"schema": {"fields": [{"name": name} for name in COLUMNS]}, "data": DISHES},
    ],
    ids=["records", "columns", "lists", "index", "split", "labels", "data", "schema"],
)
def test_what_pandas_and_others_write(tmp_path, value, indent):
    found, remarks = read(tmp_path, value, indent)
    assert found == DISHES
    assert {"data" in remark for remark in remarks} <= {True}


def test_records_by_name_keep_their_name(tmp_path):
    plain = [{key: dish[key] for key in dish if key != "id"} for dish in DISHES]
    found, remarks = read(tmp_path, {f"a{i}": dish for i, dish in enumerate(plain)})
    assert found == [{"id": f"a{i}", **dish} for i, dish in enumerate(plain)]
    assert remarks == {json_tables.BY_NAME}
    assert read(tmp_path, BY_NUMBER)[1] == set(), "they have an id"


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (DISHES[0], "one object"),
        ({"images": DISHES, "annotations": DISHES}, r"images, annotations"),
        ({"id": [1, 2], "title": ["a"]}, "different length"),
        ([[1, "a"]] * 40, "not a sound table"),
        ({}, "one object"),
    ],
)
def test_what_is_no_table(tmp_path, value, reason):
    path = tmp_path / "t.json"
    path.write_text(json.dumps(value, indent=1))
    with pytest.raises(DataError, match=reason):
        list(InputTable(path).rows())


def test_one_large_object_is_not_read(tmp_path, monkeypatch):
    monkeypatch.setattr(json_tables, "MAX_DOCUMENT", 500)
    path = tmp_path / "t.json"
    path.write_text(json.dumps(BY_NUMBER, indent=1))
    with pytest.raises(DataError, match="one large object"):
        list(InputTable(path).rows())


def test_lines_that_are_named_json(tmp_path):
    path = tmp_path / "t.json"
    lines = [json.dumps(dish) for dish in DISHES]
    path.write_text("\n \n" + "\n".join([*lines, "no json", lines[0]]))
    *sound, broken, last = InputTable(path).rows()
    assert sound == DISHES and last == DISHES[0] and isinstance(broken, Broken)
    assert broken.line == 23


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (json.dumps(DISHES), r"name it \.json"),
        (json.dumps(DISHES, indent=1), r"name it \.json"),
        ("\n".join(json.dumps(dish, indent=1) for dish in DISHES), "several lines"),
    ],
)
def test_what_is_no_text_of_lines(tmp_path, content, reason):
    for name, data in (
        ("t.jsonl", content.encode()),
        ("t.jsonl.gz", gzip.compress(content.encode())),
    ):
        (tmp_path / name).write_bytes(data)
        with pytest.raises(DataError, match=reason):
            list(InputTable(tmp_path / name).rows())


def test_columns_that_appear_late_are_found(tmp_path):
    path = tmp_path / "t.jsonl"
    lines = [json.dumps({"id": i, **({"late": 1} if i == 5000 else {})}) for i in range(6001)]
    path.write_text("\n".join(lines))
    assert InputTable(path).columns() == ("id", "late")


def test_columns_are_bounded(tmp_path):
    path = tmp_path / "t.jsonl"
    path.write_text("\n".join(json.dumps({f"c{i}": 1}) for i in range(5000)))
    assert len(InputTable(path).columns()) == 2000


def test_gzip_is_known_by_its_content(tmp_path):
    lines = "\n".join(json.dumps(dish) for dish in DISHES).encode()
    (tmp_path / "packed.jsonl").write_bytes(gzip.compress(lines))
    (tmp_path / "plain.jsonl.gz").write_bytes(lines)
    for name in ("packed.jsonl", "plain.jsonl.gz"):
        assert list(InputTable(tmp_path / name).rows()) == DISHES
    (tmp_path / "packed.json").write_bytes(gzip.compress(lines))
    with pytest.raises(DataError, match="is packed"):
        list(InputTable(tmp_path / "packed.json").rows())
