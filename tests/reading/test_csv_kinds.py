"""Tables as spreadsheets, R, pandas and people write them: what was written is what is read."""

from __future__ import annotations

import csv
import io
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from rivae.base.errors import DataError
from rivae.base.reading.csv_layout import PARTED_BY, TITLES_SKIPPED
from rivae.base.reading.csv_rows import HEADLESS, LOOSE, OTHER_NUMBER, SHORT, UNNAMED
from rivae.base.reading.tables import Broken, InputTable, Record

ROWS = [[str(i), f"{i}.png", f"Dish {i}"] for i in range(12)]
NAMES = ["id", "image", "title"]
DISHES = [dict(zip(NAMES, row, strict=True)) for row in ROWS]
Notes = list[tuple[str, str, str]]


def read(content: str | bytes, name: str = "t.csv") -> tuple[list[Record | Broken], Notes]:
    """The rows of a file with this content, and the remarks on it."""
    notes: Notes = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        found = list(InputTable(path).rows(note=lambda *remark: notes.append(remark)))
        columns = InputTable(path).columns()
        assert all(isinstance(row, Broken) or set(row) <= {*columns, *row} for row in found)
    return found, notes


def written(table: list[list[str]], end: str = "\n", **how: Any) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator=end, **how).writerows(table)
    return out.getvalue()


PLAIN = written([NAMES, *ROWS])

# Letters that tables are parted and quoted by, in cells of their own and within texts.
cells = st.text(st.sampled_from('ab é語,;|\t"\n-5'), max_size=12).filter(lambda c: '="' not in c)
names = st.text(st.sampled_from("abcdé ,;"), min_size=1, max_size=6).filter(
    lambda name: name == name.strip() and name not in ("id", "image")
)
tables = st.lists(names, min_size=1, max_size=4, unique=True).flatmap(
    lambda more: st.tuples(
        st.just(["id", "image", *more]),
        st.lists(st.lists(cells, min_size=len(more), max_size=len(more)), min_size=1, max_size=9),
    )
)


@given(
    tables,
    st.sampled_from(",;\t|"),
    st.sampled_from(["\n", "\r\n", "\r"]),
    st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
    st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]),
    st.integers(0, 3),
    st.integers(0, 3),
    st.booleans(),
)
def test_what_was_written_is_read(
    table: tuple[list[str], list[list[str]]],
    delimiter: str,
    end: str,
    quoting: Any,
    encoding: str,
    n_unnamed: int,
    n_empty: int,
    said: bool,
) -> None:
    header, texts = table
    if delimiter not in ",;":  # names with both are anyone's guess
        assume(not any(mark in name for name in header for mark in ",;"))
    if end == "\r":  # the writer only quotes line ends like its own
        quoting = csv.QUOTE_ALL
    full = [[str(i), f"{i}.png", *row] for i, row in enumerate(texts)]
    expected = [dict(zip(header, row, strict=True)) for row in full]
    unnamed = [""] * n_unnamed
    lines = [header + unnamed, *(row + unnamed for row in full)]
    lines += [[""] * len(lines[0])] * n_empty
    text = written(lines, end, delimiter=delimiter, quoting=quoting)
    if said:
        text = f"sep={delimiter}{end}{text}"
    found, notes = read(text.encode(encoding))
    # A line end in a cell is kept as it was, the last of a row may be any.
    assert found == expected
    assert not {remark for remark, _, _ in notes} & {SHORT, UNNAMED}


@given(st.data())
def test_cells_that_are_missing_at_the_end_are_empty(data: st.DataObject) -> None:
    width = data.draw(st.integers(3, 6))
    header = ["id", "image", *(f"c{i}" for i in range(2, width))]
    n_missing = data.draw(st.lists(st.integers(0, width - 2), min_size=3, max_size=30))
    full = [
        [str(i), f"{i}.png", *("x" for _ in range(width - 2 - missing))]
        for i, missing in enumerate(n_missing)
    ]
    n_short = sum(len(row) < width for row in full)
    found, notes = read(written([header, *full]))
    padded = [row + [""] * (width - len(row)) for row in full]
    assert found == [dict(zip(header, row, strict=True)) for row in padded]
    assert sum(remark == SHORT for remark, _, _ in notes) == n_short


@pytest.mark.slow
@given(st.data())
def test_a_row_that_a_loose_quote_swallowed_is_counted(data: st.DataObject) -> None:
    n = data.draw(st.integers(7, 40))
    loose = data.draw(st.integers(5, n - 1))
    kinds = data.draw(st.lists(st.sampled_from(range(4)), min_size=n, max_size=n))
    with_note = data.draw(st.booleans())
    tail = ",x" if with_note else ""
    titles = ["Soup", '"Soup, hot"', '5"', '"Salt, pepper, oil\nmix, and, serve\n"']
    lines = [f"{i},{i}.png,{titles[kind]}{tail}" for i, kind in enumerate(kinds)]
    lines[loose] = f'{loose},{loose}.png,"Soup{tail}'
    header = "id,image,title" + (",note" if with_note else "")
    found, _ = read("\n".join([header, *lines]) + "\n")
    assert len(found) == n
    (broken,) = [row for row in found if isinstance(row, Broken)]
    line = 2 + sum(text.count("\n") + 1 for text in lines[:loose])
    assert (broken.line, broken.reason, found.index(broken)) == (line, LOOSE, loose)
    assert [row["id"] for row in found if row is not broken] == [
        str(i) for i in range(n) if i != loose
    ]


texts_of_lines = st.lists(
    st.lists(st.sampled_from(["salt", "2 eggs", "stir", "5", "7.png", ""]), min_size=1, max_size=5),
    min_size=2,
    max_size=5,
).map(lambda lines: "\n".join(", ".join(line) for line in lines))


@given(st.lists(texts_of_lines, min_size=1, max_size=12), st.integers(0, 2))
def test_texts_of_several_lines_stay_whole(texts: list[str], n_more: int) -> None:
    header = ["id", "image", "steps", "note", "tags"][: 3 + n_more]
    full = [[str(i), f"{i}.png", text, "n", "t"][: 3 + n_more] for i, text in enumerate(texts)]
    found, notes = read(written([header, *full]))
    assert found == [dict(zip(header, row, strict=True)) for row in full] and not notes


@pytest.mark.parametrize(
    "above",
    [
        "Table 1. My dishes\n",
        "Table 1. My dishes,,\n,,\n",
        "# made by me, for you, in 2024, with love\n",
        "#\n# two of them\n\n",
    ],
)
def test_lines_above_the_column_names(above):
    found, notes = read(above + PLAIN)
    assert found == DISHES
    assert {remark for remark, _, _ in notes} == {TITLES_SKIPPED}


@pytest.mark.parametrize(
    "content",
    [
        '\ufeff"id","image","title"\n' + PLAIN.partition("\n")[2],
        "\ufeff\ufeff" + PLAIN,
        "\n\n" + PLAIN,
        PLAIN.replace("\n", "\r\r\n"),
        PLAIN[:80].replace("\n", "\r\n") + PLAIN[80:],
        PLAIN.replace("\n", ",,\n"),
        PLAIN.replace("image,", "image,").replace("\n", ',""\n', 4),
        '"sep=,"\n' + PLAIN,
        "SEP=,,,\r\n" + PLAIN,
        "sep=,\n\n" + PLAIN,
        written([NAMES, *ROWS], quoting=csv.QUOTE_ALL).replace('","', '", "'),
        written([NAMES, *ROWS], quoting=csv.QUOTE_ALL, quotechar="'"),
        PLAIN.replace("0,0.png", '="0",0.png'),
        PLAIN + ",,\n" * 3000,
        PLAIN.strip() + "\n , ,\n",
    ],
    ids=range(15),
)
def test_harmless_kinds(content):
    assert read(content) == (DISHES, [])


@pytest.mark.parametrize(
    ("delimiter", "name", "remark"),
    [
        (",", "t.csv", None),
        (",", "t.tsv", PARTED_BY),
        ("\t", "t.tsv", None),
        ("\t", "t.csv", PARTED_BY),
        (";", "t.csv", PARTED_BY),
        ("|", "t.txt", PARTED_BY),
    ],
)
def test_what_parts_cells_is_said_where_it_is_not_the_usual(delimiter, name, remark):
    found, notes = read(written([NAMES, *ROWS], delimiter=delimiter), name)
    assert found == DISHES
    assert [said.split()[0] for said, _, _ in notes] == ([remark.split()[0]] if remark else [])


def test_commas_in_names_and_numbers_part_nothing():
    header = '"Name, of dish";weight, kg;len, m'
    found, _ = read(header + "\n" + "".join(f"a{i};{i},5;3,{i}\n" for i in range(9)))
    assert found[4] == {"Name, of dish": "a4", "weight, kg": "4,5", "len, m": "3,4"}


def test_a_column_without_a_name_has_its_number():
    index, notes = read(written([["", *NAMES[1:]], *ROWS]))
    assert index[3] == {"column 1": "3", "image": "3.png", "title": "Dish 3"}
    assert [(remark, which) for remark, which, _ in notes] == [(UNNAMED, "column 1")]
    late = [[*row, "kept" if row[0] == "7" else "", ""] for row in ROWS]
    found, notes = read(written([[*NAMES, "", ""], *late]))
    assert found == [
        {**dish, "column 4": "kept"} if i == 7 else dish for i, dish in enumerate(DISHES)
    ]
    assert len(notes) == 1 and "kept" in notes[0][2]
    taken, _ = read("column 2,,a\n1,2,3\n")
    assert taken[0]["column 2"] == "1" and sorted(taken[0].values()) == ["1", "2", "3"]


def test_a_table_without_names_is_remarked():
    found, notes = read(written(ROWS))
    assert len(found) == len(ROWS) - 1, "the first line names the columns, whatever it is"
    assert [remark for remark, _, _ in notes] == [HEADLESS] and "0.png" in notes[0][2]


def test_numbers_of_rows_as_r_writes_them():
    lines = [f'"{i}","{i}.png","Dish, {i}"' for i in range(1, 9)]
    found, _ = read("\n".join(['"image","title"', *lines]))
    assert found[6] == {"column 1": "7", "image": "7.png", "title": "Dish, 7"}


def test_quotation_marks_with_a_backslash():
    lines = [f'{i},{i}.png,"A \\"good\\", hot pan {i}"' for i in range(9)]
    found, _ = read("\n".join(["id,image,title", *lines]))
    assert found[3]["title"] == 'A "good", hot pan 3'
    found, _ = read('id,path\n1,"C:\\photos\\"\n2,"C:\\a"\n')
    assert [row["path"] for row in found] == ["C:\\photos\\", "C:\\a"]


def test_excel_keeps_zeros_with_a_formula():
    found, _ = read('id,text\n="007",a ="b" c\n"=""08""",x\n')
    assert found == [{"id": "007", "text": 'a ="b" c'}, {"id": "08", "text": "x"}]


@pytest.mark.parametrize("last", ["# the end", "Source: a friend", "40 rows"])
def test_a_line_below_the_table_is_no_row(last):
    found, _ = read(PLAIN + last + "\n")
    assert found[:-1] == DISHES
    assert isinstance(found[-1], Broken) and found[-1].reason == OTHER_NUMBER


def test_halves_of_a_row_are_no_short_rows():
    """A line end without quotation marks around it."""
    more = [f"{row[0]},{row[1]},{row[2]},x" for row in ROWS]
    torn = [*more[:9], "9,9.png,Dish", "nine and more,x", *more[10:]]
    found, _ = read("\n".join(["id,image,title,note", *torn]))
    broken = [row.line for row in found if isinstance(row, Broken)]
    assert broken == [11, 12] and len(found) == len(torn)


def test_rows_in_the_middle_that_are_empty_count():
    """The rows of embeddings belong to the records by their number."""
    found, _ = read("id,image,title\n1,1.png,a\n,,\n3,3.png,c\n,,\n")
    assert [row["id"] for row in found] == ["1", "", "3"]


def test_where_all_must_be_sound_a_short_line_is_not(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("id,image,title\n1,1.png\n")
    assert InputTable(path).preview() == [{"id": "1", "image": "1.png", "title": ""}]
    with pytest.raises(DataError, match="line 2: 2 cells"):
        list(InputTable(path).records())


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"PK\x03\x04 and so on", "workbook"),
        (b"PAR1 and so on", r"name it \.parquet"),
        (b"<!DOCTYPE html><html>", "web page"),
        (b"\n <html lang='en'>", "web page"),
        (b"<?xml version='1.0'?><a/>", "is XML"),
        (b'[{"id": 1, "title": "a"}]', r"name it \.jsonl"),
        (b'{"id": 1, "title": "a"}\n' * 9, r"name it \.jsonl"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:0", "git lfs pull"),
        (b"caption\n" + b"A dog, running, fast\n" * 40, "3 cells under 1"),
        (b",,\n,,\n", "is empty"),
    ],
)
def test_what_is_no_table(tmp_path, content, reason):
    path = tmp_path / "t.csv"
    path.write_bytes(content)
    with pytest.raises(DataError, match=reason):
        list(InputTable(path).rows())


@pytest.mark.parametrize(
    ("name", "way"),
    [("t.xlsx", "CSV"), ("t.ods", "CSV"), ("t.feather", "Parquet"), ("t.zip", "unpack")],
)
def test_other_files_are_refused_with_a_way_out(tmp_path, name, way):
    path = tmp_path / name
    path.write_bytes(b"x")
    with pytest.raises(DataError, match=f"{name} .*{way}"):
        list(InputTable(path).rows())
