"""Tables of strangers: what is counted and skipped, and what is refused in one sentence."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from rivae.base.errors import DataError
from rivae.base.reading import csv_rows, json_records, parquet, row, tables, text_files
from rivae.base.reading.json_records import JsonList
from rivae.base.reading.parquet import parquet_matrix
from rivae.base.reading.tables import Broken, InputTable
from rivae.base.reading.typed_text import clean

GOOD = [json.dumps({"id": i, "title": f"Dish {i}"}).encode() for i in range(40)]
WIDE = json.dumps({f"c{i}": 0 for i in range(2001)}).encode()
CSV = b"id,title\n" + b"".join(b"%d,Dish\n" % i for i in range(40))


def short(value: bytes | str) -> str:
    return repr(value[:24])


def write(folder: Path, name: str, content: bytes) -> Path:
    path = folder / name
    path.write_bytes(content)
    return path


DISHES = [{"id": i, "title": f"Dürüm {i}"} for i in range(3)]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "latin-1"])
def test_a_list_of_json_objects_is_a_table(tmp_path, encoding):
    listed = json.dumps(DISHES, ensure_ascii=False, indent=1).encode(encoding)
    path = write(tmp_path, "t.json", b"  \n" + listed if encoding == "utf-8" else listed)
    given = "utf-8" if encoding == "utf-8-sig" else encoding
    assert list(InputTable(path, given).records()) == DISHES
    if encoding == "latin-1":
        with pytest.raises(DataError, match=r"--encoding cp1252"):
            list(InputTable(path).records())
    else:
        assert list(InputTable(path).records()) == DISHES, "a byte order mark says what it is"


def test_lines_of_json_may_be_named_json(tmp_path):
    path = write(tmp_path, "t.json", b"\n".join(GOOD))
    assert list(InputTable(path).records()) == [json.loads(line) for line in GOOD]


def test_elements_that_are_no_objects_are_left_out(tmp_path):
    path = write(tmp_path, "t.json", json.dumps([*DISHES, [1], 5]).encode())
    *sound, one, other = InputTable(path).rows()
    assert sound == DISHES
    assert (one.line, other.line, one.reason) == (4, 5, "element is no JSON object")


def test_a_list_that_ends_early_or_is_packed_is_refused(tmp_path):
    listed = json.dumps(DISHES).encode()
    with pytest.raises(DataError, match=r"t\.json is not a sound JSON list"):
        list(InputTable(write(tmp_path, "t.json", listed[:-5])).rows())
    with pytest.raises(DataError, match=r"t\.json\.gz is packed: unpack it first"):
        list(InputTable(write(tmp_path, "t.json.gz", gzip.compress(listed))).rows())


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b'{"id": 1, "title"', "line is no JSON"),
        (b"[1, 2]", "line is no JSON object"),
        (b'{"id": 1' + b"0" * 400 + b"}", "line is no JSON"),
        (b'{"id": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", "line is no JSON"),
        (WIDE, "line has more than 2,000 columns"),
        (b'{"id": "' + b"x" * tables.MAX_FIELD + b'"}', "line is longer than 4,194,304 characters"),
    ],
    ids=short,
)
def test_a_broken_line_of_json_is_told_with_its_number(tmp_path, monkeypatch, line, reason):
    monkeypatch.setattr(text_files, "MAX_RATIO", 5000)  # a long line of one letter is packed small
    content = b"\n".join([*GOOD[:20], b"", line, *GOOD[20:]])
    for name, data in (("t.jsonl", content), ("t.jsonl.gz", gzip.compress(content))):
        found = list(InputTable(write(tmp_path, name, data)).rows())
        (broken,) = [row for row in found if isinstance(row, Broken)]
        assert (broken.line, broken.reason) == (22, reason) and found.index(broken) == 20
        assert len(found) == 41 and len(InputTable(tmp_path / name).preview()) == 40
        with pytest.raises(DataError, match=rf"{name}, line 22: it "):
            list(InputTable(tmp_path / name).records())


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"1,2,3", "line has another number of cells than there are columns"),
        (b'"a"b,c', "line has misplaced quotation marks"),
        (b"1," + b"x" * (tables.MAX_FIELD + 1), "cell longer than 4 million characters"),
    ],
    ids=short,
)
def test_a_broken_line_of_csv_is_told_with_its_number(tmp_path, line, reason):
    found = list(InputTable(write(tmp_path, "t.csv", CSV + line + b"\n40,Dish\n")).rows())
    assert isinstance(found[40], Broken) and found[41] == {"id": "40", "title": "Dish"}
    assert (found[40].line, found[40].reason, len(found)) == (42, reason, 42)


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        (
            "t.jsonl",
            b"no json\n" * 20,
            r"not a sound table: 20 of its first 20 .*line 20: it is no J",
        ),
        (
            "t.jsonl",
            b"\n".join(GOOD) + b"\nno" * 41,
            "not a sound table: 41 of its first 81 records",
        ),
        ("t.csv", CSV + b"1,2,3\n" * 41, "not a sound table: 41 of its first 81 records"),
        ("t.csv", CSV + b'1,"' + b"x\n" * 200 + b'",3\n', "line 42: a quotation mark"),
        ("t.csv", b"ab" * 2**16 + b"\n1\n", "a record of more than"),
        ("t.csv", b",".join(b"c%d" % i for i in range(1000)), "more than 200 columns"),
        ("t.csv", CSV.decode().encode("utf-16-le"), "--encoding utf-16-le"),
        ("t.jsonl", GOOD[0].decode().encode("utf-16-be"), "--encoding utf-16-be"),
        ("t.csv", b"id,t\xeftle\n", "not UTF-8 text .*“tïtle”.*--encoding cp1252"),
        ("t.csv", b"\r" * (row.MAX_EMPTY + 9), "is empty: its first line must name the columns"),
        ("t.csv", CSV + b"\n" * (row.MAX_EMPTY + 1), "more than 100,000 empty lines"),
        ("t.jsonl", GOOD[0] + b"\n" * (row.MAX_EMPTY + 2), "more than 100,000 empty lines"),
        ("t.parquet", b"PAR1 no PAR1", "as Parquet"),
    ],
    ids=short,
)
def test_what_is_refused(tmp_path, monkeypatch, name, content, reason):
    monkeypatch.setattr(csv_rows, "MAX_RECORD", 2**16)
    monkeypatch.setattr(row, "MAX_COLUMNS", 200)
    path = write(tmp_path, name, content)
    packed = write(tmp_path, f"{name}.gz", gzip.compress(content))
    for one in (path, packed) if name != "t.parquet" else (path,):
        with pytest.raises(DataError, match=reason):
            list(InputTable(one).rows())


@pytest.mark.slow
def test_a_gzip_bomb_is_not_unpacked_to_its_end(tmp_path, monkeypatch):
    monkeypatch.setattr(text_files, "RATIO_FROM", 2**16)
    read = []
    original = text_files._Unpacked.readinto
    monkeypatch.setattr(
        text_files._Unpacked, "readinto", lambda *a: read.append(original(*a)) or read[-1]
    )
    for name, line in (("t.csv.gz", b"0,\n"), ("t.jsonl.gz", b"{}\n"), ("t.csv.gz", b"x")):
        read.clear()
        head = b"\n".join([*GOOD, b""]) if "json" in name else CSV
        content = gzip.compress(head) + gzip.compress(line * (30_000_000 // len(line)))
        with pytest.raises(DataError, match="unpacks to more than 100 times its size"):
            list(InputTable(write(tmp_path, name, content)).rows())
        assert sum(read) < 10_000_000


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends_and_byte_order_marks(tmp_path, end):
    text = end.join(["id,title", "1,Soup", "2,Stew"])
    for encoding in ("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "latin-1"):
        path = write(tmp_path, "t \n'\"ü.csv", text.encode(encoding))
        said = "utf-8" if encoding == "utf-8-sig" else encoding
        assert [row["title"] for row in InputTable(path, said).records()] == ["Soup", "Stew"]
    lines = end.join(line.decode() for line in GOOD).encode()
    assert len(list(InputTable(write(tmp_path, "t.jsonl", lines)).records())) == 40


@pytest.mark.parametrize("encoding", ["klingon", "base64", "idna", "a\0b", "utf-16", "undefined"])
def test_encodings_that_do_not_fit_are_named(tmp_path, encoding):
    with pytest.raises(DataError, match=r"encoding|is not [A-Z0-9-]+ text"):
        list(InputTable(write(tmp_path, "t.csv", b"id,title\n1,\xff.\n"), encoding).rows())


def test_text_that_is_none_becomes_a_mark_everywhere(tmp_path):
    """One rule for JSON, Parquet and whatever else: half a character is U+FFFD."""
    line = b'{"id": "\\ud800", "title": "\\ud83c\\udf72 a\\udc00b", "tags": ["\\udfff"]}'
    (row,) = InputTable(write(tmp_path, "t.jsonl", line)).records()
    assert row == {"id": "\ufffd", "title": "\U0001f372 a\ufffdb", "tags": ["\ufffd"]}
    assert clean("x\ud800") == clean(b"x\xff") == "x\ufffd" and clean(" a\x00\nb\ufeff") == "a b"
    bad = pa.Array.from_buffers(pa.string(), 2, pa.array([b"caf\xe9", b"ok"]).buffers())
    pq.write_table(
        pa.table({"title": bad, "lists": pa.ListArray.from_arrays([0, 1, 2], bad)}),
        tmp_path / "t.parquet",
    )
    first, second = InputTable(tmp_path / "t.parquet").records()
    assert clean(first["title"]) == clean(first["lists"][0]) == "caf\ufffd"
    assert second == {"title": "ok", "lists": ["ok"]} or clean(second["title"]) == "ok"


def test_parquet_values_that_python_lacks(tmp_path):
    numbers = pa.array([0, 2**62], pa.int64())
    pq.write_table(
        pa.table(
            {
                "id": ["a", "b"],
                "time": numbers.view(pa.timestamp("us")),
                "took": numbers.view(pa.duration("us")),
            }
        ),
        tmp_path / "t.parquet",
    )
    one, two = InputTable(tmp_path / "t.parquet").records()
    assert str(one["time"]).startswith("1970-01-01") and two["id"] == "b"
    assert str(2**62) in str(two["time"]) and "days" in str(two["took"])


def test_parquet_bombs(tmp_path, monkeypatch):
    """A kilobyte that states many millions of rows, or repeats a large text."""
    monkeypatch.setattr(parquet, "FREE_ROWS", 10_000)
    monkeypatch.setattr(parquet, "FREE_BYTES", 100_000)
    pq.write_table(pa.table({"title": pa.nulls(30_000, pa.string())}), tmp_path / "n.parquet")
    with pytest.raises(DataError, match="states 30,000 rows in"):
        next(InputTable(tmp_path / "n.parquet").rows())
    large = pa.DictionaryArray.from_arrays(pa.array([0] * 2000, pa.int8()), ["x" * 200_000])
    pq.write_table(pa.table({"title": large}), tmp_path / "d.parquet", compression="zstd")
    found = [row["title"] for row in InputTable(tmp_path / "d.parquet").rows()]
    # The rows of a batch of 500 share one text; each used to be a copy.
    assert len(found) == 2000 and len({id(text) for text in found}) <= 4
    zeros = pa.array([[0.0] * 1000] * 200)
    pq.write_table(pa.table({"v": zeros}), tmp_path / "m.parquet", compression="zstd")
    with pytest.raises(DataError, match="unpacks to more than 100 times its size"):
        parquet_matrix(tmp_path / "m.parquet")
    pq.write_table(pa.table({"v": [[1.0, 2.0, 3.0], [4.0]]}), tmp_path / "u.parquet")
    with pytest.raises(DataError, match="its lists differ in length"):
        parquet_matrix(tmp_path / "u.parquet")


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"[" * 400_000, "element 1 is nested too deeply"),
        (b'[{"a":' * 200_000, "element 1 is nested too deeply"),
        (b"[" + b"[" * 300 + b"]" * 300 + b"]", "element 1: .*recursion"),
        (b'[{"id": 1}, {"id": ', "element 2: "),
        (b'[{"id": 1} {"id": 2}]', "no ',' after element 1"),
        (b'{"id": 1}', "does not begin with"),
        (b"[1] 2", "something follows the list"),
        (b"[" + b"9" * 5000 + b"]", "300 digits|element 1"),
        (b'["' + b"x" * 9_000_000 + b'"]', "element 1 is longer than 4 million characters"),
        (b"", "does not begin with"),
    ],
    ids=short,
)
def test_long_lists_of_strangers(tmp_path, content, reason):
    with pytest.raises(DataError, match=f"not a sound JSON list .*(?:{reason})"):
        list(JsonList(write(tmp_path, "layer1.json", content)))


def test_a_long_list_is_read_across_blocks(tmp_path, monkeypatch):
    monkeypatch.setattr(json_records, "_BLOCK", 7)
    values = [{"id": "é\U0001f372", "n": [1, 2.5, None]}, 12345678, "x]", [], {}, "\ufffd"]
    path = write(tmp_path, "l.json", json.dumps(values, ensure_ascii=False).encode())
    for _ in range(2):  # again from its beginning
        assert list(JsonList(path)) == values
    lone = write(tmp_path, "s.json", b'\xef\xbb\xbf [ "\\ud800" , "\xff" ] \n')
    assert list(JsonList(lone)) == ["\ufffd", "\ufffd"]
    assert list(JsonList(write(tmp_path, "e.json", b"[ ]"))) == []
