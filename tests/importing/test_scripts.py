"""Tables in any script: what they say is searched, counted and named as it was written."""

from __future__ import annotations

import csv
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rivae.data import load_dataset, segmenting
from rivae.data.fulltext import store_index
from rivae.data.importing import ImportSettings, PairsImport, run_import
from rivae.data.importing.mapping import make_mapping
from rivae.data.segmenting import remarks
from rivae.data.store import PairStore
from rivae.data.tokenizer import caseless, newest
from rivae.exploring.words.item_words import item_words
from tests.data.test_tokenizer import is_whole, words

N = 40
COLUMNS = ["id", "title", "ingredients"]


def imported(root: Path, texts: list[str]):
    """A table whose rows have these titles and ingredients in turn, and the report."""
    path = root / "t.csv"
    with path.open("w", newline="", encoding="utf-8") as stream:
        csv.writer(stream).writerows(
            [COLUMNS, *([str(i), texts[i % len(texts)], texts[i % len(texts)]] for i in range(N))]
        )
    source = PairsImport(path, [], make_mapping(COLUMNS, {}, needs_picture=False))
    return run_import(source, ImportSettings("mine", root=root / "data"))


@pytest.mark.slow
@settings(max_examples=12)
@given(st.lists(words().filter(is_whole), min_size=4, max_size=4, unique_by=caseless))
def test_words_of_a_table_are_the_words_of_its_pages(drawn):
    drawn = [word for word in drawn if not word.isascii()] or ["आलू"]
    with tempfile.TemporaryDirectory() as folder:
        report = imported(Path(folder), drawn)
        assert not [note for note in report.notes if note in remarks("大根")]
        data = load_dataset("pairs", store=f"{folder}/data/mine", image_size=16)
        expected = {caseless(word) for word in drawn}
        assert set(data.x2.vocabulary) == expected
        assert {word for found in item_words(data).sets for word in found} == expected
        index = store_index(PairStore(Path(folder) / "data" / "mine"))
        for i, word in enumerate(drawn):
            assert i in index.rows(word), word
        index.close()


def test_a_report_says_how_texts_without_spaces_were_split(tmp_path, monkeypatch):
    report = imported(tmp_path, ["バター", "ข้าวผัด", "दाल", "soup"])
    japanese, thai = remarks("バター")[0], remarks("ข้าว")[0]
    assert report.notes[japanese] == report.notes[thai] == N // 4
    data = load_dataset("pairs", store=str(tmp_path / "data" / "mine"))
    assert {"दाल", "soup", *newest().words("バター ข้าวผัด")} == set(data.x2.vocabulary)
    monkeypatch.setattr(segmenting, "installed", lambda: segmenting.CHARACTERS)
    other = load_dataset("pairs", store=str(tmp_path / "data" / "mine"))
    assert {"दाल", "soup", *newest().words("バター ข้าวผัด")} == set(other.x2.vocabulary)
    if data.vocabulary.segmenter != segmenting.CHARACTERS:
        assert "バター" in data.x2.vocabulary and "バター" not in other.x2.vocabulary


@pytest.mark.parametrize("text", ["Tomato soup", "Crème brûlée", "दाल"])
def test_nothing_is_said_of_texts_with_spaces(tmp_path, text):
    assert not imported(tmp_path, [text]).notes
