"""Conditions on items: words, tags and factors in one line."""

import unicodedata

import numpy as np
import pytest

from rivae.base.errors import ConfigError
from rivae.data import load_dataset
from rivae.data.base import FactorSpec
from rivae.data.conditions import read_conditions, suggestions
from rivae.exploring.catalogue import Catalogue

LEVELS = ("none", "some", "some more", "much")
SPECS = (
    FactorSpec("fruit", "ordinal", levels=LEVELS),
    FactorSpec("X position", "continuous"),
    FactorSpec("position", "continuous"),
    FactorSpec("shape", "categorical", levels=("2 dots", "heart")),
)


@pytest.fixture(scope="module")
def kitchen():
    return Catalogue(load_dataset("kitchen"))


@pytest.mark.parametrize(
    ("text", "column", "values", "holds"),
    [
        ("fruit >= 3", 0, [1, 2, 3], [0, 1, 1]),
        ("FRUIT≥3", 0, [1, 2, 3], [0, 1, 1]),
        ("fruit<2", 0, [0, 1], [1, 0]),
        ("fruit = some", 0, [0, 1, 2], [0, 1, 0]),
        ("fruit > some more", 0, [1, 2, 3], [0, 0, 1]),
        ("X position <= −0.5", 1, [-0.6, -0.5, 0.5], [1, 1, 0]),
        ("position = .5", 2, [0.5], None),
        ("position = 0.5", 2, [0.44, 0.46, 0.54, 0.56], [0, 1, 1, 0]),
        ("position=0.50", 2, [0.46, 0.499], [0, 1]),
        ("shape = heart", 3, [0, 1], [0, 1]),
        ("shape = 2 dots", 3, [0, 1], [1, 0]),
        ("fruit > 1", 0, [np.nan, 1], [0, 1]),
    ],
)
def test_factors_are_compared(text, column, values, holds):
    if holds is None:
        with pytest.raises(ConfigError, match="a number"):
            read_conditions(text, SPECS)
        return
    (condition,) = read_conditions(text, SPECS).factors
    assert condition.factor == column
    assert condition.holds(np.array(values, dtype=float)).tolist() == [bool(h) for h in holds]


@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_marks_belong_to_the_words_of_names_and_levels(form):
    specs = (
        FactorSpec("épicé", "ordinal", levels=("peu", "très")),
        FactorSpec("लू", "categorical", levels=("द", "दा")),
    )
    text = unicodedata.normalize(form, "crème épicé = très #Pâtes लू = दा")
    found = read_conditions(text, specs)
    assert [(c.factor, c.value) for c in found.factors] == [(0, 1), (1, 1)]
    assert found.words == "crème" and found.tags == ("pâtes",)
    with pytest.raises(ConfigError):
        read_conditions("आलू = दा", specs)
    with pytest.raises(ConfigError):
        read_conditions("लू = दि", specs)


def test_words_tags_and_factors_stand_in_any_order():
    found = read_conditions("lemon fruit>2 #Main-Dish curry X position < 1 sour", SPECS)
    assert found.words == "lemon curry sour" and found.tags == ("main-dish",)
    assert [c.factor for c in found.factors] == [0, 1]
    assert read_conditions("jackfruit", SPECS).words == "jackfruit"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("friut > 3", "fruit"),
        ("jackfruit > 3", "fruit"),
        ("fruit >", "1 to 4"),
        ("fruit > 5", "some more"),
        ("fruit = somewhat", "some more"),
        ("shape > heart", "shape = "),
        ("shape = 1", "heart"),
        ("> 3", "fruit"),
    ],
)
def test_what_cannot_be_read_is_said(text, says):
    with pytest.raises(ConfigError, match=says):
        read_conditions(text, SPECS)


def test_every_suggestion_is_understood_and_leaves_some_items(kitchen):
    offered = kitchen.suggested_conditions
    assert {text[0] == "#" for text in offered} == {True, False}
    for text in offered:
        assert 0 < len(kitchen.find(text)) < len(kitchen.search_rows)
    assert suggestions(SPECS, ["Main dish"])[-2:] == ["shape = heart", "#main-dish"]


def test_items_are_found_by_all_conditions_at_once(kitchen):
    k = [spec.name for spec in kitchen.data.factor_specs].index("fruit")
    found = kitchen.find("lemon #easy fruit >= 4")
    assert len(found)
    for row in found:
        recipe = kitchen.data.recipe(int(row))
        assert kitchen.data.factors[row, k] >= 3 and "easy" in recipe.tags
        assert "lemon" in f"{recipe.title} {kitchen.data.text(int(row))}".casefold()
    alone = [set(kitchen.find(text)) for text in ("lemon", "#easy", "fruit >= 4")]
    assert set(found) == set.intersection(*alone)


def test_a_tag_that_no_item_has_is_said(kitchen):
    with pytest.raises(ConfigError, match="#nosuch"):
        kitchen.find("#nosuch")
    with pytest.raises(ConfigError, match="the tag #soup: use #soups-stews"):
        kitchen.find("#soup")


def test_without_factors_no_factor_can_be_asked_for(kitchen):
    with pytest.raises(ConfigError, match="there is none"):
        read_conditions("fruit > 3", ())
