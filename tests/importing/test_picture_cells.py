"""Pictures that stand in the table itself: read from the cell, and never printed into a report."""

from __future__ import annotations

import base64
import csv
import io
import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from rivae.base.errors import ConfigError
from rivae.base.reading import parquet
from rivae.data.importing import picture_cells, run_import
from rivae.data.importing.picture_cells import (
    MAX_NAME,
    UNNAMED,
    UNSOUND,
    holds_picture,
    picture_cell,
    shown_cell,
)
from rivae.data.importing.picture_files import FIRST_OF_SEVERAL, MISSING, PictureFiles
from rivae.data.importing.picture_places import TOO_LARGE
from rivae.data.importing.pictures import stored_picture
from rivae.data.importing.plan import Plan
from rivae.data.importing.report import EXAMPLE_LENGTH, UnusableError
from rivae.data.store import Manifest, PairStore
from tests.importing.conftest import jpeg, rows


def encoded(form: str, side: int = 9) -> bytes:
    out = io.BytesIO()
    Image.new("RGB", (side, 7), (200, 40, 10)).save(out, form)
    return out.getvalue()


def base64_of(data: bytes) -> str:
    return base64.b64encode(data).decode()


# What holds the picture of these bytes.
WRITINGS = {
    "bytes": lambda data: data,
    "bytearray": bytearray,
    "numbers": list,
    "struct": lambda data: {"bytes": data, "path": "1.png"},
    "struct without path": lambda data: {"bytes": data, "path": None},
    "struct of base64": lambda data: {"bytes": base64_of(data), "path": "1.png"},
    "list of structs": lambda data: [{"bytes": data, "path": None}],
    "data URI": lambda data: f"data:image/png;base64,{base64_of(data)}",
    "data URI, %": lambda data: f"DATA:;base64,{base64_of(data).replace('+', '%2B')}",
    "base64": base64_of,
    "base64 as bytes": lambda data: base64_of(data).encode(),
    "base64 of URLs": lambda data: base64.urlsafe_b64encode(data).decode().rstrip("="),
    "base64 in lines": lambda data: base64.encodebytes(data).decode(),
    "printed struct": lambda data: str({"bytes": data, "path": "it's 1.png"}),
    "printed bytes": str,
    "JSON": lambda data: json.dumps({"path": "1.png", "bytes": base64_of(data)}),
}


@pytest.mark.parametrize("form", ["JPEG", "PNG", "WEBP", "GIF", "BMP", "TIFF"])
@pytest.mark.parametrize("write", WRITINGS.values(), ids=WRITINGS)
def test_the_picture_in_a_cell(form, write):
    cell = write(encoded(form))
    assert picture_cell(cell).data == encoded(form) and holds_picture(cell)
    assert len(shown_cell(cell)) < 120 and "\\x" not in shown_cell(cell)
    with PictureFiles([]) as files:
        assert files.read(cell).data == encoded(form)


@pytest.mark.parametrize(
    "name",
    [
        "1.png", "a/b/1.png", b"1.png", "BM1.png", b"BM1.png", "Qk0", "[1].png", "{1}.png",
        "b'1.png",
        "R0lGODlh/" * 20 + ".gif", "data.png", "e" * 200, "{'bytes': None, 'path': '1.png'}",
        {"bytes": None, "path": "1.png"}, {"bytes": b"", "path": "1.png"}, {"path": "1.png"},
        '{"path": "1.png"}', ["1.png"], "['1.png']", '["1.png"]',
    ],
)  # fmt: skip
def test_a_name_is_no_picture(name):
    cell = picture_cell(name)
    assert cell.data is None and not cell.others and not holds_picture(name)
    assert cell.name == ("1.png" if "1.png" in str(name) and "path" in str(name) else cell.name)
    assert cell.name in str(name)


def test_what_is_neither(monkeypatch):
    for nothing in (None, "", " ", float("nan"), [], {}, {"bytes": None, "path": None}, b"", [300]):
        with pytest.raises(UnusableError, match=UNNAMED):
            picture_cell(nothing)
    with pytest.raises(UnusableError, match=UNSOUND):
        picture_cell(f"data:image/png;base64,{base64_of(encoded('PNG'))[:-7]}?")
    with pytest.raises(UnusableError, match=f"{MAX_NAME:,}"):
        picture_cell("word " * 2000)
    several = picture_cell(["1.png", "2.png", "3.png"])
    assert several == picture_cell("['1.png', '2.png', '3.png']") == ("1.png", None, 2)
    monkeypatch.setattr(picture_cells, "MAX_PICTURE_BYTES", 2000)
    for write in WRITINGS.values():
        with pytest.raises(UnusableError, match=TOO_LARGE):
            picture_cell(write(encoded("BMP", 200)))


@given(
    st.text(max_size=200) | st.binary(max_size=200) | st.text("{}[]'\"bytespath:, \\", max_size=60)
)
def test_cells_of_strangers(cell):
    try:
        picture_cell(cell)
    except UnusableError:
        assert not holds_picture(cell)
    assert len(shown_cell(cell)) < 120


# Tables that hold their pictures


def table_of(path, write, n=40, **columns):
    """40 dishes with pictures 0 .. 39 as ``write`` writes them, in a table of the path's kind."""
    records = [{**row, "image": write(jpeg(i))} for i, row in enumerate(rows(n))]
    records = [{key: record[key] for key in (*columns, "image", "title")} for record in records]
    if path.suffix == ".parquet":
        pq.write_table(pa.Table.from_pylist(records), path)
    elif path.suffix == ".jsonl":
        path.write_text("\n".join(map(json.dumps, records)))
    else:
        with path.open("w", newline="") as stream:
            writer = csv.DictWriter(stream, records[0])
            writer.writeheader()
            writer.writerows(records)
    return path


@pytest.mark.parametrize(
    ("kind", "write"),
    [
        ("parquet", "struct"),
        ("parquet", "bytes"),
        ("jsonl", "data URI"),
        ("csv", "printed struct"),
    ],
)
def test_a_table_that_holds_its_pictures_needs_no_others(tmp_path, kind, write):
    table = table_of(tmp_path / f"t.{kind}", WRITINGS[write])
    plan = Plan(table=table, name="mine", root=tmp_path / "data")
    report = run_import(plan.source(), plan.settings())
    assert report.taken == 40 and report.notes == report.left_out == {}
    store = PairStore(tmp_path / "data" / "mine")
    for i in range(40):
        assert store.picture_bytes(i) == stored_picture(jpeg(i), plan.side)[0]
    assert table.name in Manifest.read(store.folder).model_dump_json()


def test_what_the_table_does_not_hold_is_looked_up(tmp_path, pictures):
    def write(data):
        number = len(written)
        written.append(data)
        return {"bytes": data if number % 2 else None, "path": f"{number}.jpg"}

    written = []
    table = table_of(tmp_path / "t.parquet", write)
    plan = Plan(table=table, name="mine", root=tmp_path / "data", images=(pictures,))
    assert run_import(plan.source(), plan.settings()).taken == 40
    inside = plan.model_copy(update={"images": ()})
    with pytest.raises(Exception, match=MISSING):
        run_import(inside.source(), inside.model_copy(update={"name": "inside"}).settings())


def test_which_column_holds_them(tmp_path):
    both = [
        {"photo_name": f"{i}.jpg", "jpg": jpeg(i), "title": f"Dish {i}", "file": f"{i}.jpg"}
        for i in range(40)
    ]
    pq.write_table(pa.Table.from_pylist(both), tmp_path / "t.parquet")
    plan = Plan(table=tmp_path / "t.parquet", name="mine", root=tmp_path / "data")
    assert plan.source().mapping.picture == "jpg"
    assert plan.model_copy(update={"roles": {"picture": "jpg"}}).source().mapping.picture == "jpg"
    named = plan.model_copy(update={"images": (tmp_path,)})
    assert named.source().mapping.picture == "file", "which the name of the column says"
    for roles in ({"picture": ""}, {"picture": "file"}):
        with pytest.raises(ConfigError, match="--images"):
            plan.model_copy(update={"roles": roles}).source()


@pytest.mark.parametrize("rows_of_a_group", [3, 40])
def test_pictures_and_lists_are_read_from_all_groups_of_rows(
    tmp_path, monkeypatch, rows_of_a_group
):
    few = [jpeg(i % 7) for i in range(40)]  # each group of rows has other ones
    structs = [{"bytes": data, "path": "x"} for data in few]
    table = pa.table({"image": few, "struct": structs, "title": [["Dish", str(i)] for i in few]})
    for dictionary in (True, False):
        path = tmp_path / f"{dictionary}.parquet"
        pq.write_table(table, path, row_group_size=rows_of_a_group, use_dictionary=dictionary)
        for n_bytes in (parquet.BATCH_BYTES, 3 * len(few[0])):
            with monkeypatch.context() as patch, parquet.open_parquet(path) as file:
                patch.setattr(parquet, "BATCH_BYTES", n_bytes)
                rows_read = list(parquet.parquet_rows(file, path.name))
            assert [row["image"] for row in rows_read] == few
            assert [row["struct"] for row in rows_read] == structs


def test_examples_of_bad_cells_stay_short(tmp_path):
    wrong = [jpeg(i) if i > 3 else b"\x00\xff" * 5000 for i in range(40)]
    table = pa.table({"image": wrong, "title": [f"Dish {i}" for i in range(40)]})
    pq.write_table(table, tmp_path / "t.parquet")
    plan = Plan(table=tmp_path / "t.parquet", name="mine", root=tmp_path / "data")
    report = run_import(plan.source(), plan.settings(), dry_run=True)
    ((reason, count),) = report.left_out.items()
    assert count == 4 and all("10,000" in example for example in report.examples[reason])
    assert not any("xff" in line for line in report.lines())
    assert max(map(len, report.lines())) < EXAMPLE_LENGTH


def test_the_first_of_several_pictures_is_taken_and_said(tmp_path, pictures):
    lines = [json.dumps({"image": [f"{i}.jpg", "9.jpg"], "title": f"Dish {i}"}) for i in range(40)]
    (tmp_path / "t.jsonl").write_text("\n".join(lines))
    plan = Plan(table=tmp_path / "t.jsonl", name="mine", root=tmp_path / "data", images=(pictures,))
    assert run_import(plan.source(), plan.settings()).notes[FIRST_OF_SEVERAL] == 40
