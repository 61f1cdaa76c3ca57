"""Weighted word counts: what they hold, and that they are kept only where they fit."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from rivae.base.errors import DataError
from rivae.data.base import Recipe
from rivae.data.words_view import cached_words, fit_words, recipe_text

TEXTS = ["Red lentil soup", "red BEANS", "Crème brûlée", "soup soup soup of beans", "12 3/4"] * 20
TRAIN = np.arange(60)


def test_rows_have_one_length_over_the_training_vocabulary():
    view = fit_words(TEXTS, TRAIN, 100, 100)
    assert view.vocabulary == ("beans", "brûlée", "crème", "lentil", "of", "red", "soup")
    rows = view.batch(np.arange(10).reshape(2, 5))
    assert rows.shape == (2, 5, 7) and rows.dtype == torch.float32
    torch.testing.assert_close(rows.norm(dim=-1)[0] ** 2, torch.tensor([7.0, 7, 7, 7, 0]))
    # "red" is more frequent than "lentil" and therefore weighs less.
    assert rows[0, 0, 5] < rows[0, 0, 3]


def test_words_of_other_rows_do_not_enter():
    texts = [*TEXTS[:60], *(["unseen words"] * 40)]
    view = fit_words(texts, TRAIN, 100, 100)
    assert "unseen" not in view.vocabulary
    assert float(view.batch([99]).abs().sum()) == 0


def test_the_most_frequent_words_are_kept():
    assert fit_words(TEXTS, TRAIN, 100, 3).vocabulary == ("beans", "red", "soup")


def test_texts_without_words_are_refused():
    with pytest.raises(DataError, match="hold no words"):
        fit_words(["1 2 3"] * 40, np.arange(30), 40, 10)
    with pytest.raises(DataError, match="5 texts where 6"):
        fit_words(TEXTS[:5], np.arange(3), 6, 10)
    with pytest.raises(DataError, match="no word occurs in enough"):
        fit_words([f"w{chr(97 + i)}x" for i in range(26)], np.arange(20), 26, 10)


def test_the_kept_view_is_the_same_and_a_damaged_one_is_made_anew(tmp_path):
    made = cached_words(tmp_path, TEXTS, TRAIN, 100, 50)
    kept = cached_words(tmp_path, iter(()), TRAIN, 100, 50)
    assert kept.vocabulary == made.vocabulary
    torch.testing.assert_close(kept.batch(range(100)), made.batch(range(100)), rtol=0, atol=0)
    (path,) = tmp_path.iterdir()
    other = cached_words(tmp_path, TEXTS, np.arange(50), 100, 50)
    assert not np.array_equal(other.data, made.data)
    path.write_bytes(path.read_bytes()[:200])
    again = cached_words(tmp_path, TEXTS, TRAIN, 100, 50)
    assert again.vocabulary == made.vocabulary


def test_a_recipe_is_one_text():
    recipe = Recipe("1", "Soup", ("water", "salt"), ("Stir.",))
    assert recipe_text(recipe) == "Soup\nwater\nsalt\nStir."
