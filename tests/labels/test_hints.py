"""Levels guessed from tags: by hand on a few items, then on imported pairs with and without."""

import json

import numpy as np
import pytest

from rivae.data import load_dataset
from rivae.exploring.words.tags import TAG_FILE, TagMap
from rivae.labels.hints import tag_levels, tag_suggestions

LIGHT = TagMap.model_validate(
    {
        "version": 1,
        "factors": {
            "greenness": {"high": ["leafy", "herby", "green"], "low": ["brown", "white"]},
            "fruit": {"high": ["berries"]},
        },
    }
)


@pytest.mark.parametrize(
    ("tags", "level"),
    [
        (("leafy",), 5),
        (("leafy", "herby", "green"), 5),
        (("brown", "white", "easy"), 1),
        (("leafy", "brown"), 3),
        (("leafy", "herby", "brown"), 4),  # 1/3 high
        (("leafy", "brown", "white"), 2),
        (("leafy", "herby", "green", "brown"), 4),  # halves go away from the middle
        (("leafy", "leafy", "leafy", "brown"), 3),  # a tag given twice counts once
        (("easy",), None),
        ((), None),
    ],
)
def test_the_share_of_high_tags_is_a_level(tags, level):
    found = tag_levels(LIGHT, [tags], ["greenness"])
    assert found.shape == (1, 1)
    assert np.array_equal(found[0, 0], np.nan if level is None else level, equal_nan=True)


def test_both_ends_are_treated_alike():
    """With the ends of a factor exchanged every level is 6 minus what it was."""
    swapped = LIGHT.model_dump()
    group = swapped["factors"]["greenness"]
    group["high"], group["low"] = group["low"], group["high"]
    rng = np.random.default_rng(0)
    names = ["leafy", "herby", "green", "brown", "white"]
    tags = [tuple(rng.permutation(names)[: rng.integers(1, 6)]) for _ in range(200)]
    one = tag_levels(LIGHT, tags, ["greenness"])
    other = tag_levels(TagMap.model_validate(swapped), tags, ["greenness"])
    assert np.array_equal(one, 6 - other)
    assert set(one[:, 0]) == {1, 2, 3, 4, 5}


def test_columns_follow_the_asked_factors_and_own_ones_stay_empty():
    found = tag_levels(LIGHT, [("leafy", "berries"), ("brown",)], ["spice", "fruit", "greenness"])
    assert np.array_equal(found, [[np.nan, 5, 5], [np.nan, np.nan, 1]], equal_nan=True)
    assert tag_levels(LIGHT, [], ["fruit"]).shape == (0, 1)


@pytest.fixture
def bars(small_store):
    yield load_dataset("pairs", store=str(small_store), image_size=16)
    (small_store / TAG_FILE).unlink(missing_ok=True)


def test_suggestions_are_a_character_per_row(bars, small_store):
    factors = {"greenness": {"high": ["bright"], "low": ["dark"]}}
    (small_store / TAG_FILE).write_text(json.dumps({"version": 1, "factors": factors}))
    lights = bars.factors[:, 0].astype(int)
    rows = [int(np.flatnonzero(lights == level)[0]) for level in (4, 0, 2, 4)]
    rows.append(rows[0])  # a hidden repeat
    assert tag_suggestions(bars, rows, ("spice", "greenness")) == (".....", "51.55")


def test_tags_that_the_mapping_does_not_know_suggest_nothing(bars, small_store):
    assert tag_suggestions(bars, [0, 1, 2], ("greenness", "fruit")) == ("...", "...")
    (small_store / TAG_FILE).write_text("{not json")  # then the shipped one
    assert tag_suggestions(bars, [0], ("greenness",)) == (".",)


def test_data_without_tags_have_none():
    assert tag_suggestions(load_dataset("synth", n_pairs=240), [0, 1], ("greenness",)) is None


def test_the_kitchens_guesses_go_with_the_true_levels_but_are_not_them():
    kitchen = load_dataset("kitchen")
    names = [spec.name for spec in kitchen.factor_specs]
    found = tag_suggestions(kitchen, range(600), names)
    assert found is not None and len(found) == len(names)
    for k, said in enumerate(found):
        known = np.array([c != "." for c in said])
        if not known.any():
            continue  # the kitchen has factors beyond the eight
        guess = np.array([int(c) for c in said if c != "."])
        true = kitchen.factors[:600][known, k] + 1
        assert 0.3 < np.corrcoef(guess, true)[0, 1] < 0.95, names[k]
