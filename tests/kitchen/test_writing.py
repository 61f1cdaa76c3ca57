"""Texts: derived from the factors with varied words, and readable without being given away."""

import json
import re

import numpy as np
import pytest

from rivae.data.food_factors import FACTOR_NAMES, N_LEVELS
from rivae.data.kitchen import draw_factors, make_dish, write
from rivae.data.kitchen.factors import Wording
from rivae.data.kitchen.pantry import (
    COUNTED,
    DESSERT,
    SAVORY,
    SHELVES,
    SPARING,
    STAPLES,
    VESSELS,
    spell,
)
from rivae.data.kitchen.writing import HIGH, LOW

SHELF_NAMES = sorted(SHELVES)


def all_names():
    names = [word for shelf in SHELVES.values() for word in shelf.all]
    return [*names, *SAVORY, *DESSERT, *STAPLES]


def text_of(recipe):
    return " ".join((recipe.title, *recipe.ingredients, *recipe.instructions))


def test_a_few_hundred_words_each_on_one_shelf():
    names = all_names()
    assert len(names) > 280 and len(set(names)) == len(names)
    assert set(names) >= SPARING | COUNTED
    vessels = [word for words in VESSELS for word in words]
    assert len(set(vessels)) == len(vessels) and not set(vessels) & set(names)


def test_recipes_have_the_size_that_the_paper_keeps():
    for i in range(400):
        written = write(make_dish(0, i))
        recipe = written.recipe
        assert recipe.title and recipe.tags
        assert 1 <= len(recipe.ingredients) <= 20 and 1 <= len(recipe.instructions) <= 20
        assert len(written.names) == len(recipe.ingredients)
        assert len(set(recipe.tags)) == len(recipe.tags)
        for part in (recipe.title, *recipe.ingredients, *recipe.instructions):
            assert part == part.strip() and "  " not in part and "{" not in part


def test_texts_are_repeatable_and_all_different():
    texts = [text_of(write(make_dish(2, i)).recipe) for i in range(300)]
    assert texts[:30] == [text_of(write(make_dish(2, i)).recipe) for i in range(30)]
    assert len(set(texts)) == 300


def test_names_stand_in_their_lines_and_heads_have_none():
    heads = 0
    for i in range(200):
        written = write(make_dish(0, i))
        for line, name in zip(written.recipe.ingredients, written.names, strict=True):
            if name:
                assert name in line and name in all_names() and line[0] in "0123456789½¼¾⅓⅔"
            else:
                heads += 1
                assert line.endswith(":")
    assert heads > 20


@pytest.mark.parametrize("name", SHELF_NAMES)
def test_more_of_a_factor_is_more_of_its_words(name):
    words = set(SHELVES[name].all)
    counts = np.zeros((60, N_LEVELS))
    for i in range(60):
        for k in range(N_LEVELS):
            names = write(make_dish(4, i).with_codes(**{name: k})).names
            counts[i, k] = len(words & set(names))
    assert np.all(counts[:, 0] == 0) and np.all(counts[:, 1:] >= 1)
    assert np.all(np.diff(counts.mean(0)) > 0.3)


def test_dessert_goes_from_savory_words_to_sweet_ones():
    savory, sweet = np.zeros(N_LEVELS), np.zeros(N_LEVELS)
    for i in range(40):
        for k in range(N_LEVELS):
            names = set(write(make_dish(4, i).with_codes(dessert=k)).names)
            savory[k] += len(names & set(SAVORY))
            sweet[k] += len(names & set(DESSERT))
    assert np.all(np.diff(savory) < 0) and np.all(np.diff(sweet) > 0)
    assert sweet[0] == 0 and savory[4] == 0


def test_the_container_is_told():
    for i in range(40):
        for k in range(N_LEVELS):
            recipe = write(make_dish(4, i).with_codes(longishness=k)).recipe
            assert any(vessel in recipe.instructions[-1] for vessel in VESSELS[k])


def test_a_factor_leaves_the_other_words_alone():
    for i in range(20):
        dish = make_dish(0, i)
        greens = set(SHELVES["greenness"].all)
        low, high = (write(dish.with_codes(greenness=k)) for k in (0, 4))
        assert set(low.names) - {""} - set(STAPLES) <= set(high.names)
        assert set(high.names) - set(low.names) <= greens | {""}


def wording(**changes):
    plain = {"style": "plain", "fraction": "1/2", "units": "long", "heads": False}
    return Wording(**{**plain, "shuffled": False, **changes})


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, "2 1/2 tablespoons"),
        ({"fraction": "½"}, "2½ tablespoons"),
        ({"units": "short"}, "2 1/2 tbsp"),
        ({"fraction": "½", "units": "short"}, "2½ tbsp"),
    ],
)
def test_amounts_are_spelled_as_people_do(changes, expected):
    assert spell("2 1/2 tablespoons", wording(**changes)) == expected
    assert spell("3", wording(**changes)) == "3"


@pytest.mark.slow
def test_tags_follow_the_factors(repo_root):
    path = repo_root / "assets" / "factors" / "foodcom_tags.json"
    groups = json.loads(path.read_text())["factors"]
    for name, tags in HIGH.items():
        assert set(tags) <= set(groups[name]["high"])
    for name, tags in LOW.items():
        assert set(tags) <= set(groups[name]["low"])
    for name, tags in HIGH.items():
        shares = [
            np.mean(
                [
                    tag in write(make_dish(1, i).with_codes(**{name: k})).recipe.tags
                    for i in range(40)
                    for tag in tags[:1]
                ]
            )
            for k in (0, 2, 4)
        ]
        assert shares[0] < shares[1] < shares[2]


@pytest.mark.slow
def test_words_recover_every_factor_but_no_word_alone_does():
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.linear_model import Ridge
    from sklearn.metrics import r2_score

    n, n_train = 700, 520
    codes = draw_factors(n, 1).astype(float)
    texts = [text_of(write(make_dish(1, i)).recipe) for i in range(n)]
    counts = CountVectorizer().fit_transform(texts)
    predicted = Ridge(3.0).fit(counts[:n_train], codes[:n_train]).predict(counts[n_train:])
    scores = r2_score(codes[n_train:], predicted, multioutput="raw_values")
    assert dict(zip(FACTOR_NAMES, scores > 0.6, strict=True)) == dict.fromkeys(FACTOR_NAMES, True)
    dense = counts.toarray().astype(float)
    dense = (dense - dense.mean(0)) / np.maximum(dense.std(0), 1e-9)
    alone = (dense.T @ ((codes - codes.mean(0)) / codes.std(0)) / n) ** 2
    assert alone.max() < 0.75


def test_styles_differ():
    endings = {}
    for i in range(120):
        dish = make_dish(0, i)
        steps = write(dish).recipe.instructions
        endings.setdefault(dish.wording.style, []).append(steps[-1][-1])
    assert set(endings) == {"plain", "chatty", "terse"}
    assert "." not in endings["terse"] and set(endings["plain"]) == {"."}
    assert re.search(r"[a-z]", "".join(endings["terse"]))
