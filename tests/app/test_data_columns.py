"""The columns of a table on the Data page: what becomes of them is said."""

from __future__ import annotations

import json

import pytest

from rivae.app.data import importing
from rivae.app.data import page_keys as data_keys
from rivae.data.store import PairStore, list_stores
from tests.app.data_fixture import data_files, filled
from tests.waiting import over


@pytest.fixture
def files(tmp_path, monkeypatch):
    with data_files(tmp_path, monkeypatch) as folder:
        yield folder


def test_columns_are_guessed_and_the_first_records_shown(app, files):
    page = filled(app, files)
    page.calm()
    chosen = {s.label: s.value for s in page.at.selectbox}
    assert chosen["Picture"] == "photo" and chosen["Title"] == "name"
    assert chosen["Instructions"] == "steps" and chosen["Tags"] == "–"
    assert len(page.at.dataframe[0].value) == 5


@pytest.mark.parametrize(
    ("encoding", "title"),
    [
        ("utf-8", "Grandma’s “best” – 5 € pie…"),
        ("cp1252", "Grandma’s “best” – 5 € pie…"),
        ("cp1250", "Pierogi z kapustą i śledź"),
        ("utf-16", "肉じゃが"),
        ("cp932", "チーズ入りハンバーグ、玉ねぎ"),
    ],
)
def test_the_encoding_of_a_table_is_found(app, files, encoding, title):
    lines = ["photo,name", *(f"{i}.png,{title}" for i in range(40))]
    (files / "dishes.csv").write_bytes("\n".join(lines).encode(encoding))
    page = filled(app, files)
    page.calm()
    (chosen,) = [s for s in page.at.selectbox if str(s.key).startswith(data_keys.ENCODING)]
    assert chosen.value == encoding and page.at.dataframe[0].value["name"][0] == title
    said = any(title in c.value.replace("\\", "") for c in page.at.caption)
    assert said == (encoding != "utf-8")
    if encoding == "cp1252":
        chosen.set_value("mac-roman").run()
        page.calm()
        shown = page.at.dataframe[0].value["name"][0]
        assert shown != title and shown.startswith("Grandma")


def columns_said(page):
    return page.words.replace("\\", "")


def factors(page):
    return next(m for m in page.at.multiselect if m.key.startswith(data_keys.FACTORS))


@pytest.mark.slow
def test_what_becomes_of_the_columns_is_said_before_the_import_and_after(app, files):
    page = filled(app, files)
    assert "picture ← photo" in columns_said(page) and "not used: depth" in columns_said(page)
    factors(page).set_value(["depth"]).run()
    before = columns_said(page)
    assert "factor depth, levels 0–3" in before and "not used" not in before
    phrases = ("picture ← photo", "title ← name", "factor depth, levels 0–3")
    page.at.button(key="data_check").click().run()
    over(importing.newest())
    page.at.run()
    page.calm()
    after = page.words.replace("\\", "")
    assert all(phrase in before and phrase in after for phrase in phrases)


def test_a_factor_that_cannot_be_one_is_said_before_the_import(app, files):
    lines = (files / "dishes.csv").read_text().splitlines()
    (files / "dishes.csv").write_text("\n".join([*lines[:3], lines[3][:-1], *lines[4:]]))
    page = filled(app, files)
    factors(page).set_value(["depth"]).run()
    page.calm()
    (said,) = [c.value for c in page.at.caption if "not used" in c.value]
    assert "factor depth" not in said and said.count("depth") == 2, "not used, and why"


@pytest.mark.slow
def test_columns_that_appear_late_can_be_chosen_and_count(app, files):
    records = [{"photo": f"{i % 40}.png", "name": f"Plate {i}"} for i in range(250)]
    records[-1] |= {"tags": ["late"], "heat": 3, "title": "late"}
    table = files / "late.jsonl"
    table.write_text("\n".join(map(json.dumps, records)))
    page = filled(app, files)
    page.at.text_input(key="data_table").set_value(str(table)).run()
    page.calm()
    chosen = {s.label: s.value for s in page.at.selectbox}
    assert chosen["Tags"] == "tags" and chosen["Title"] == "name"
    assert "heat" in factors(page).options
    page.at.button(key="data_import").click().run()
    over(importing.newest())
    (folder,) = list_stores()
    assert PairStore(folder).recipe(249).tags == ("late",)
