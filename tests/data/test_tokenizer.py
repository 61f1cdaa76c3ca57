"""Words of all scripts: none loses a mark, none is cut, and texts without spaces have words too."""

from __future__ import annotations

import functools
import re
import unicodedata

import numpy as np
import pytest
import regex
from hypothesis import example, given
from hypothesis import strategies as st

from rivae.base.errors import DataError
from rivae.data import segmenting
from rivae.data.base import Recipe
from rivae.data.segmenting import CHARACTERS, INSTALL
from rivae.data.tokenizer import (
    _BEYOND,
    FIRST,
    NEWEST,
    TOKEN,
    Tokenizer,
    caseless,
    cut,
    is_plain,
    newest,
)
from rivae.data.tokens import cached_tokens
from rivae.data.words_view import fit_words
from rivae.exploring.words.ingredients import MAX_NAME, parse_line
from rivae.exploring.words.item_words import _plain_words

_SPACED = (
    "Latin Greek Cyrillic Armenian Georgian Hebrew Arabic Syriac Thaana Devanagari Bengali "
    "Gurmukhi Gujarati Oriya Tamil Telugu Kannada Malayalam Sinhala Ethiopic Hangul Mongolian "
    "Cherokee Tibetan Adlam"
)
SPACED = _SPACED.split()
UNSPACED = ["Han", "Hiragana", "Katakana", "Thai", "Lao", "Khmer", "Myanmar"]
PLAIN = Tokenizer(NEWEST, CHARACTERS)


@functools.cache  # not while tests are collected: it looks at every character there is
def letters_of(script: str, also: str = "") -> str:
    """A script's letters (and marks), as far as Python's Unicode and ours know them alike."""
    wanted = regex.compile(rf"[\p{{L}}{also}]")
    of_script = regex.compile(rf"\p{{Script={script}}}")
    found = [
        chr(c)
        for c in range(0x30000)
        if of_script.match(chr(c))
        and wanted.match(chr(c))
        and unicodedata.category(chr(c))[0] in "LM"
    ]
    return "".join(found[:4000])


@st.composite
def words(draw, scripts=SPACED):
    """A word of one script: a letter, and what may follow it."""
    script = draw(st.sampled_from(scripts))
    first = draw(st.sampled_from(letters_of(script)))
    return first + draw(st.text(letters_of(script, r"\p{M}"), min_size=1, max_size=8))


def is_whole(word: str) -> bool:
    """Whether casefolding leaves only letters and marks, two or more of them."""
    return regex.fullmatch(r"[\p{L}\p{M}]{2,}", caseless(word)) is not None


@pytest.mark.slow
@given(st.lists(words(), min_size=1, max_size=6), st.sampled_from([" ", ", ", "\n", " 2 "]))
@example(["आलू", "दाल", "हल्दी", "चावल"], " ")
@example(["bò", "bơ", "bó"], " ")
def test_every_word_survives_whole(drawn, between):
    drawn = [word for word in drawn if is_whole(word)]
    text = between.join(drawn)
    expected = [unicodedata.normalize("NFC", caseless(word)) for word in drawn]
    assert newest().words(text) == PLAIN.words(text) == expected
    assert newest().words(unicodedata.normalize("NFD", text)) == expected


@given(words())
def test_a_word_is_the_same_in_vocabulary_names_and_item_words(word):
    if not is_whole(word):
        return
    name = caseless(word)
    texts = [f"{word} pie"] * 20
    assert set(fit_words(texts, np.arange(10), 20, 50).vocabulary) == {name, "pie"}
    assert _plain_words([word, "pie"]) == (name, "pie")
    if not name.isascii():  # English rules know "cup"
        assert parse_line(f"2 cups {word}") == (name,)
        assert parse_line(unicodedata.normalize("NFD", f"2 cups {word}")) == (name,)


@pytest.mark.slow
@given(st.lists(words(UNSPACED), min_size=1, max_size=4).map("".join))
def test_texts_without_spaces_lose_nothing(text):
    text = caseless(text)
    for rules in (newest(), PLAIN):
        found = rules.words(text)
        assert "".join(found) == regex.sub(r"[^\p{L}\p{M}]", "", text)
        assert not any(regex.match(r"\p{M}", word) for word in found[1:])


@pytest.mark.slow
@given(st.text(max_size=40))
@example("½cup 2cups a1b x_1")
@example("1️⃣Preheat ❤️love")
def test_words_are_letters_and_marks_and_hold_no_case(text):
    for word in newest().words(text):
        assert regex.fullmatch(r"[\p{L}\p{M}]+", word)
        assert unicodedata.is_normalized("NFC", word)
        assert regex.search(r"\p{L}", word)


@given(st.text(st.characters(max_codepoint=0x27BF).filter(lambda c: not _BEYOND.match(c))))
@example("½cup don’t “Soup” x² ①abc Ⓐbc")
def test_plain_texts_are_read_alike_in_both_ways(text):
    assert is_plain(text)
    both = PLAIN.words(f"{text} é")
    assert PLAIN.words(text) == both
    # As ever in English.
    if text.isascii():
        assert both == re.findall(TOKEN, text.lower()) == Tokenizer(FIRST).words(text)


def test_what_is_between_letters_and_is_not_shown_divides_no_word():
    assert PLAIN.words("می\u200cخواهم co\xadop \u202bسلام\u202c") == ["میخواهم", "coop", "سلام"]
    assert PLAIN.words("l'eau don't well-known e\u200d\u0301te") == [
        "eau",
        "don",
        "well",
        "known",
        "éte",
    ]


def test_case_is_folded():
    assert PLAIN.words("Straße STRASSE ΛΌΓΟΣ λόγος İzmir") == [
        *("strasse", "strasse", "λόγοσ", "λόγοσ", "i̇zmir")
    ]


def test_one_character_suffices_where_it_is_a_word():
    assert PLAIN.words("물 2컵") == ["물", "컵"]
    assert PLAIN.words("盐2克") == ["盐", "克"]
    assert PLAIN.words("バター、人々") == ["バ", "ター", "人々"]
    assert PLAIN.words("ข้าว") == ["ข้", "า", "ว"]
    assert PLAIN.words("a é न दो") == ["दो"]


@pytest.mark.skipif(segmenting.installed() == CHARACTERS, reason="without icu4py")
@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("バター ごま油 パン粉 じゃがいも", "バター ごま油 パン粉 じゃがいも"),
        ("鶏肉のバター焼き300g、Tシャツ", "鶏肉 の バター 焼き シャツ"),
        ("西红柿炒鸡蛋", "西红柿 炒 鸡蛋"),
        ("ข้าวผัดกุ้ง", "ข้าว ผัด กุ้ง"),
        ("ເຂົ້າໜຽວແລະລາບ", "ເຂົ້າ ໜຽວ ແລະ ລາບ"),
        ("បាយសាច់ជ្រូក", "បាយ សាច់ ជ្រូក"),
        ("မုန့်ဟင်းခါးနဲ့ထမင်း", "မုန့်ဟင်းခါး နဲ့ ထမင်း"),
    ],
)
def test_texts_without_spaces_have_words(text, found):
    assert newest().words(text) == found.split()


def test_what_is_not_installed_is_said_and_named(monkeypatch, repo_root):
    rules = Tokenizer(NEWEST, "ICU 1")
    assert rules.words("crème आलू 물") == ["crème", "आलू", "물"]
    for here in (CHARACTERS, "ICU 2"):
        monkeypatch.setattr(segmenting, "installed", lambda here=here: here)
        with pytest.raises(DataError, match=r"ICU 1.*pip install") as refused:
            rules.words("バター")
        assert (here in str(refused.value)) == (here != CHARACTERS)
    assert INSTALL in (repo_root / "requirements.txt").read_text().splitlines()


def test_an_import_hears_of_texts_without_spaces(monkeypatch):
    assert not segmenting.remarks("2 cups 大根, and many more words of English around it")
    assert not segmenting.remarks("आलू crème")
    (japanese,) = segmenting.remarks("大根おろし")
    (thai,) = segmenting.remarks("ข้าวผัด with rice")
    assert japanese != thai and segmenting.installed() in japanese
    monkeypatch.setattr(segmenting, "installed", lambda: CHARACTERS)
    assert CHARACTERS in segmenting.remarks("大根")[0] and "icu4py" in segmenting.remarks("大根")[0]


def test_no_letter_without_spaces_is_overlooked():
    letters = [chr(c) for c in range(0x110000) if segmenting._ANY.match(chr(c))]
    assert len(letters) > 90_000
    assert all(map(segmenting.is_unspaced, letters)) and not any(map(is_plain, letters))


def test_word_numbers_know_the_same_words(tmp_path):
    recipes = [Recipe("0", "आलू バター", ("phở bò",), ())] * 20
    view = cached_tokens(tmp_path, lambda: iter(recipes), np.arange(10), 20, 50)
    assert {"आलू", "phở", "bò"} <= set(view.vocabulary)
    assert view.known.rules == newest()


def test_a_cut_never_takes_a_mark_from_its_letter():
    assert cut("आलू", 3) == "आलू" and cut("आलू", 2) == "आ" and cut("ab", 1) == "a"
    (name,) = parse_line("चा" * 100)
    assert len(name) == MAX_NAME
    (name,) = parse_line("x" + "चा" * 100)
    assert len(name) == MAX_NAME - 1


def test_the_words_of_the_first_rules_stay_as_they_were():
    rules = Tokenizer(FIRST)
    assert rules.words("Crème आलू バター bò 물 ข้าว 2cups don't") == [
        *("creme", "आल", "ハター", "bo", unicodedata.normalize("NFD", "물"), "ขาว", "don")
    ]
    assert rules.key == TOKEN, "files that were kept are found again"
