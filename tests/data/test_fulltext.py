"""Full-text search: every word, the best first, what matched; an index is made once."""

import shutil
import threading
import unicodedata

import numpy as np
import pytest

from rivae.data import load_dataset
from rivae.data.fulltext import TextIndex, index_path, store_index, text_index
from rivae.data.search_words import MAX_WORDS
from rivae.data.store import PairStore
from rivae.exploring.catalogue import Catalogue

TEXTS = [
    ("Baked Apple Crème", "two apples · sugar"),
    ("Tomato soup", "four tomatoes · one apple · salt · pepper · a long simmer in a wide pot"),
    ("Bread", "flour · water · baking powder"),
    ('O\'Neil "quoted" <b>pie</b>', "NEAR OR AND NOT * : ( ) ^ - apple:pie"),
]


@pytest.fixture(scope="module")
def index():
    return TextIndex.build(TEXTS)


@pytest.mark.parametrize(
    ("words", "rows"),
    [
        ("apple", [0, 1, 3]),
        ("APPLES", [0, 1, 3]),
        ("apple tomato", [1]),
        ("creme", [0]),
        ("bak", [0, 2]),
        ("baked", [0, 2]),
        ("tom sou", [1]),
        ("nothing", []),
        ("!?", []),
        ("", []),
        ('"', []),
        ('apple" OR "bread', []),
        ("or", [3]),
        ("NOT", [3]),
        ("neil's quoted", []),
        ("neil quoted", [3]),
        ("apple:pie", [3]),
    ],
)
def test_every_word_is_wanted_and_none_is_a_command(index, words, rows):
    assert index.rows(words).tolist() == rows
    assert sorted(hit.row for hit in index.best(words, 9, lambda row: True)) == rows


SCRIPTS = [
    ("आलू दाल", "तेल"),
    ("आला दिल", ""),
    ("Crème brûlée", "Straße"),
    ("ข้าวผัดกุ้ง", "ใส่น้ำตาลลงในหม้อ"),
    ("鶏肉のバター焼き", "じゃがいもを茹でて、玉ねぎを炒める。ﾊﾟﾝ300g"),
    ("西红柿炒鸡蛋", "将土豆切成小块"),
    ("שָׁלוֹם", "مُحَمَّد"),
    ("Ёжик ΛΌΓΟΣ", "ＡＢＣ"),
    ("고기를 볶아", "물 2컵"),
]


@pytest.mark.parametrize(
    ("words", "rows"),
    [
        ("आलू", [0]),
        ("दाल", [0]),
        ("आल", [0, 1]),  # the beginning of both
        ("creme", [2]),
        ("CRÈME", [2]),
        ("cre\u0300me", [2]),
        ("strasse", [2]),
        ("straße", [2]),
        ("ข้าว", [3]),
        ("ขาว", []),  # white is no rice
        ("กุ้ง น้ำตาล", [3]),
        ("バター", [4]),
        ("ハター", []),
        ("玉ねぎ バター", [4]),
        ("きバ", []),
        ("パン", [4]),
        ("300g", [4]),
        ("土豆", [5]),
        ("豆土", []),
        ("蛋", [5]),
        ("שלום", [6]),
        ("שָׁלוֹם", [6]),
        ("محمد", [6]),
        ("ежик", [7]),
        ("ЁЖИК", [7]),
        ("λογος", [7]),
        ("abc", [7]),
        ("고기", [8]),
        (unicodedata.normalize("NFD", "고기"), [8]),
        ("물", [8]),
        ("あ" * 10_000, []),
    ],
)
def test_words_of_all_scripts_are_found_with_and_without_optional_marks(words, rows):
    index = TextIndex.build(SCRIPTS)
    assert index.rows(words).tolist() == rows
    assert sorted(hit.row for hit in index.best(words, 9, lambda row: True)) == rows


def test_what_matched_is_marked_in_all_scripts_and_the_texts_are_as_written():
    index = TextIndex.build(SCRIPTS)
    (hit,) = index.best("バター", 1, lambda row: True)
    assert hit.title == (("鶏肉の", False), ("バター", True), ("焼き", False))
    (hit,) = index.best("土豆", 1, lambda row: True)
    assert hit.snippet == (("将", False), ("土豆", True), ("切成小块", False))
    (hit,) = index.best("creme", 1, lambda row: True)
    assert hit.title == (("Crème", True), (" brûlée", False))
    (hit,) = index.best("आलू", 1, lambda row: True)
    assert hit.title == (("आलू", True), (" दाल", False))


def test_an_index_of_an_older_version_is_made_again(small_store, tmp_path):
    folder = shutil.copytree(small_store, tmp_path / "own")
    (folder / "cache").mkdir(exist_ok=True)
    for path in (folder / "cache").glob("texts-*.sqlite"):
        path.unlink()
    (folder / "cache" / "texts-2.sqlite").write_bytes(b"of before")
    store_index(PairStore(folder)).close()
    assert index_path(folder).is_file() and index_path(folder).name != "texts-2.sqlite"


def test_a_title_counts_more_and_what_matched_is_marked(index):
    first, *rest = index.best("apple", 9, lambda row: True)
    assert first.row == 0 and len(rest) == 2
    assert first.title == (("Baked ", False), ("Apple", True), (" Crème", False))
    assert ("apples", True) in first.snippet
    soup = next(hit for hit in rest if hit.row == 1)
    assert soup.title == (("Tomato soup", False),) and ("apple", True) in soup.snippet
    assert "".join(text for text, _ in rest[-1].title + rest[0].title).count("<b>") <= 1
    assert [hit.row for hit in index.best("apple", 9, lambda row: row != 0)] == [
        hit.row for hit in rest
    ]
    assert len(index.best("apple", 1, lambda row: True)) == 1


def test_of_very_many_the_whole_words_of_a_title_come_first(monkeypatch):
    index = TextIndex.build(
        [
            ("Bread", "with an apple"),
            ("Applesauce bread", "plain"),
            ("Salt", "on bread and applesauce"),
            ("Bread of apples", "an apple"),
            ("Apple bread", "apple"),
        ]
    )
    monkeypatch.setattr("rivae.data.fulltext.MAX_RANKED", 4)
    found = index.best("bread apple", 9, lambda row: row != 3)
    assert [hit.row for hit in found] == [4, 1, 0, 2]
    assert found[0].title == (("Apple", True), (" ", False), ("bread", True))
    ranked = index.best("salt", 9, lambda row: True)
    assert [hit.row for hit in ranked] == [2], "few are ranked as ever"


def test_a_text_can_mark_nothing_itself():
    (hit,) = TextIndex.build([("a \x02forged\x03 pie", "")]).best("pie", 1, lambda row: True)
    assert hit.title == (("a forged ", False), ("pie", True))


def test_a_long_question_is_cut(index):
    assert index.rows("apple " * MAX_WORDS + "bread").tolist() == [0, 1, 3]
    assert len(index.rows("x" * 100_000)) == 0


def test_several_threads_ask_at_once(index):
    found = []
    threads = [
        threading.Thread(target=lambda: found.append(index.rows("apple").tolist()))
        for _ in range(16)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [[0, 1, 3]] * 16


def test_imported_texts_are_indexed_once_into_a_file(small_store, tmp_path):
    folder = shutil.copytree(small_store, tmp_path / "own")
    shutil.rmtree(folder / "cache", ignore_errors=True)
    data = load_dataset("pairs", store=str(folder), image_size=16)
    rows = text_index(data).rows("bright upper")
    truth = [
        i
        for i in range(len(data))
        if "bright" in data.title(i)
        and any("upper" in step for step in data.recipe(i).instructions)
    ]
    assert rows.tolist() == truth and len(truth)
    (file,) = (folder / "cache").glob("texts-*.sqlite")
    before = file.stat().st_mtime_ns
    assert text_index(data).rows("bright upper").tolist() == truth
    assert file.stat().st_mtime_ns == before
    for broken in (b"", b"junk" * 1000, file.read_bytes()[:5000]):
        file.write_bytes(broken)
        assert text_index(data).rows("bright upper").tolist() == truth
    with pytest.MonkeyPatch.context() as patch:
        file.unlink()
        patch.setattr("rivae.data.fulltext.cache_folder", lambda path: tmp_path / "no" / "such")
        assert text_index(data).rows("bright upper").tolist() == truth


def test_a_catalogue_finds_among_what_it_searches():
    catalogue = Catalogue(load_dataset("split-digits"))
    hits = catalogue.best("digit 7", 5)
    assert len(hits) == 5 and {hit.row for hit in hits} <= set(catalogue.search_rows.tolist())
    row = int(catalogue.search_rows[3])
    numbered = catalogue.best(f" {row} ", 5)
    assert numbered[0].row == row and [hit.row for hit in numbered].count(row) == 1
    outside = next(i for i in range(len(catalogue.data)) if i not in catalogue.search_rows)
    assert all(hit.row != outside for hit in catalogue.best(str(outside), 5))
    for odd in ("-1", "9" * 40, "１２", "0x1"):
        assert np.isin([hit.row for hit in catalogue.best(odd, 5)], catalogue.search_rows).all()
