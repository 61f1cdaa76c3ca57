"""Texts as word numbers: what a row holds, which words count, what is kept on the disk."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from rivae.base.errors import DataError
from rivae.data.base import Recipe
from rivae.data.tokens import LENGTH, SECTIONS, UNKNOWN, cached_tokens

RECIPES = [
    Recipe("0", "Red lentil soup", ("2 cups water", "red lentils"), ("Stir.", "Serve the soup!")),
    Recipe("1", "Crème brûlée", ("cream",), ()),
    Recipe("2", "", ("water " * 100,), ("stir " * 300,)),
    Recipe("3", "12 3/4", (), ()),
] * 20
TRAIN = np.arange(60)


def view_of(folder, recipes=None, n=80, max_words=100, train=TRAIN):
    return cached_tokens(folder, lambda: iter(recipes or RECIPES), train, n, max_words)


def words(view, i):
    """The words of item ``i`` by section; "?" is an unknown one."""
    known = ("", "?", *view.vocabulary)
    sections = np.split(view.numbers[i], np.cumsum(SECTIONS)[:-1])
    return [[known[k] for k in section if k] for section in sections]


def test_a_row_holds_title_ingredients_and_instructions_in_order(tmp_path):
    view = view_of(tmp_path)
    assert words(view, 0) == [
        ["red", "lentil", "soup"],
        ["cups", "water", "red", "lentils"],
        ["stir", "serve", "the", "soup"],
    ]
    assert words(view, 1) == [["crème", "brûlée"], ["cream"], []]
    assert [len(part) for part in words(view, 2)] == [0, SECTIONS[1], SECTIONS[2]]
    assert words(view, 3) == [[], [], []]


def test_rows_are_served_as_whole_floats(tmp_path):
    view = view_of(tmp_path)
    assert view.shape == (LENGTH,) and len(view) == 80 and view.sections == SECTIONS
    rows = view.batch(np.arange(8).reshape(2, 4))
    assert rows.shape == (2, 4, LENGTH) and rows.dtype == torch.float32
    np.testing.assert_array_equal(rows.reshape(8, -1).numpy(), view.numbers[:8])


def test_the_vocabulary_is_that_of_the_training_rows_most_frequent_first(tmp_path):
    recipes = [*RECIPES[:60], *([Recipe("x", "unseen words", ("water",), ())] * 20)]
    view = view_of(tmp_path / "a", recipes)
    assert view.vocabulary[:2] == ("stir", "water") and "unseen" not in view.vocabulary
    assert words(view, 70) == [["?", "?"], ["water"], []]
    few = view_of(tmp_path / "b", max_words=2)
    assert few.vocabulary == ("stir", "water")
    assert set(np.unique(few.numbers)) == {0, UNKNOWN, 2, 3}


def test_numbers_are_mapped_from_the_disk_and_made_once(tmp_path):
    made = view_of(tmp_path)
    assert isinstance(made.numbers, np.memmap)
    kept = cached_tokens(tmp_path, lambda: iter(()), TRAIN, 80, 100)
    assert kept.vocabulary == made.vocabulary
    np.testing.assert_array_equal(kept.numbers, made.numbers)
    assert view_of(tmp_path, train=np.arange(59)).vocabulary  # other rows, another file
    assert len(list(tmp_path.glob("tokens-*.npy"))) == 2


@pytest.mark.parametrize("damage", ["short", "foreign numbers", "no vocabulary", "not JSON"])
def test_what_does_not_fit_is_made_anew(tmp_path, damage):
    made = view_of(tmp_path)
    (path,), (vocabulary,) = tmp_path.glob("tokens-*.npy"), tmp_path.glob("tokens-*.json")
    before = np.array(made.numbers)
    if damage == "short":
        path.write_bytes(path.read_bytes()[:5000])
    elif damage == "foreign numbers":
        np.save(path, np.full_like(before, 60_000))
    elif damage == "no vocabulary":
        vocabulary.unlink()
    else:
        vocabulary.write_text('{"a": 1}')
    np.testing.assert_array_equal(view_of(tmp_path).numbers, before)


def test_a_folder_that_cannot_be_written_costs_only_time(tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("")
    view = view_of(blocked / "cache")
    assert not isinstance(view.numbers, np.memmap)
    np.testing.assert_array_equal(view.numbers, view_of(tmp_path).numbers)


def test_texts_without_common_words_are_refused(tmp_path):
    with pytest.raises(DataError, match="no word occurs in enough"):
        view_of(tmp_path, [Recipe("0", "1 2", (), ())] * 80)
    with pytest.raises(DataError, match="80 texts where 81"):
        view_of(tmp_path, n=81)


def test_sentences_are_the_known_words_of_a_section(tmp_path):
    view = view_of(tmp_path, max_words=2)
    assert list(view.sentences(np.array([0, 3]))) == [
        [],
        ["water"],
        ["stir"],
        [],
        [],
        [],
    ]
