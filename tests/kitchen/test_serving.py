"""The description of a dish that the renderer and the writer share."""

from __future__ import annotations

import json
from dataclasses import asdict

import numpy as np
import pytest

from rivae.data.food_factors import FACTOR_NAMES, N_LEVELS
from rivae.data.kitchen import make_dish
from rivae.data.kitchen.serving import order_of, serve

# The kinds that a factor may change beside amounts.
MAY_CHANGE = {
    "longishness": {"vessel", "savory", "baked", "toppings"},
    "dessert": {"taste", "base", "liquid", "leaf", "grain", "syrup", "fruits", "baked", "toppings"},
}


@pytest.mark.parametrize("factor", FACTOR_NAMES)
def test_a_factor_changes_its_own_kinds_only(factor: str) -> None:
    rng = np.random.default_rng(len(factor))
    seen = set()
    for index in rng.integers(0, 10_000, 40):
        dish = make_dish(int(rng.integers(1000)), int(index))
        before = asdict(serve(dish))
        for level in range(N_LEVELS):
            after = asdict(serve(dish.with_codes(**{factor: level})))
            seen |= {kind for kind in before if before[kind] != after[kind]}
    assert seen == MAY_CHANGE.get(factor, set())


def test_an_order_is_json_and_says_levels_and_kinds() -> None:
    rng = np.random.default_rng(5)
    for index in rng.integers(0, 10_000, 20):
        dish = make_dish(3, int(index))
        order = order_of(dish, "x")
        assert json.loads(json.dumps(order))["codes"] == dict(
            zip(FACTOR_NAMES, dish.codes, strict=True)
        )
        assert order == order_of(dish, "x")
        assert set(asdict(serve(dish))) <= set(order)
        if dish.code("longishness") > 2:
            assert "egg" not in order["savory"]
