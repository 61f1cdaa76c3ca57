"""What the reader of tables took for what stands in the report of the import."""

from __future__ import annotations

from rivae.base.reading.csv_rows import LOOSE, SHORT, UNNAMED
from rivae.base.reading.encodings import TWICE_ENCODED
from rivae.base.reading.tables import READ_AS_CP1252
from rivae.data.importing.plan import Plan
from rivae.data.importing.session import run_import
from rivae.data.store import PairStore

QUOTES = "Grandma’s “best” – 5 € pie…"


def take(tmp_path, pictures, content: bytes, **more):
    table = tmp_path / "table.csv"
    table.write_bytes(content)
    plan = Plan(table=table, images=(pictures,), name="mine", root=tmp_path / "data", **more)
    dry = run_import(plan.source(), plan.settings(), dry_run=True)
    report = run_import(plan.source(), plan.settings())
    assert report == dry
    return report, PairStore(tmp_path / "data" / "mine")


def test_remarks_of_the_reader(tmp_path, pictures):
    lines = [f"{i},{i}.jpg,Dish {i},a,," for i in range(40)]
    lines[3], lines[5] = "3,3.jpg,Dish 3", "5,5.jpg,CrÃ¨me"
    lines[8], lines[9] = '8,8.jpg,"Best pie,a', '9,9.jpg,5" pan",a,kept'
    report, store = take(
        tmp_path, pictures, "\n".join(["id,image,title,note,", *lines]).encode(), factors=("note",)
    )
    assert (report.read, report.taken, report.left_out) == (40, 39, {LOOSE: 1})
    assert report.notes[SHORT] == 2 and report.notes[TWICE_ENCODED] == 1
    assert "column 5" in report.examples[UNNAMED][0]
    assert "Ã¨ for è" in report.examples[TWICE_ENCODED][0]
    assert "line 10" in report.examples[LOOSE][0]
    assert [store.title(i) for i in (3, 5, 8)] == ["Dish 3", "CrÃ¨me", '5" pan"']


def test_latin_1_never_gives_control_characters(tmp_path, pictures):
    lines = [f"{i},{i}.jpg,{QUOTES} {i}" for i in range(40)]
    content = "\n".join(["id,image,title", *lines]).encode("cp1252")
    report, store = take(tmp_path, pictures, content, encoding="latin-1")
    assert report.notes[READ_AS_CP1252] == 1 and QUOTES in report.examples[READ_AS_CP1252][0]
    assert store.title(7) == f"{QUOTES} 7"
