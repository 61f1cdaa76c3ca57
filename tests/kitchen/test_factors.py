"""The factors of a kitchen: uniform, independent, the same however many dishes are made."""

import numpy as np
import pytest

from rivae.base.errors import ConfigError
from rivae.data.food_factors import FACTOR_LABELS, FACTOR_NAMES, FOOD_FACTORS, N_LEVELS
from rivae.data.kitchen import draw_factors, make_dish, partition


def test_eight_ordinal_factors_with_five_names_each():
    assert len(FOOD_FACTORS) == 8 and set(FACTOR_LABELS) == set(FACTOR_NAMES)
    for spec in FOOD_FACTORS:
        assert spec.kind == "ordinal" and spec.role == "shared"
        assert len(set(spec.levels)) == N_LEVELS


def test_levels_are_uniform_and_independent():
    codes = draw_factors(3000)
    assert codes.shape == (3000, 8) and codes.min() == 0 and codes.max() == N_LEVELS - 1
    counts = np.stack([(codes == level).mean(0) for level in range(N_LEVELS)])
    assert np.abs(counts - 1 / N_LEVELS).max() < 0.04
    correlation = np.corrcoef(codes.T) - np.eye(8)
    assert np.abs(correlation).max() < 0.07


def test_item_i_is_independent_of_the_number_of_items():
    assert np.array_equal(draw_factors(40, 3), draw_factors(90, 3)[:40])
    assert make_dish(3, 7) == make_dish(3, 7)
    assert tuple(draw_factors(8, 3)[7]) == make_dish(3, 7).codes


def test_dishes_and_seeds_differ():
    assert make_dish(0, 1) != make_dish(0, 2)
    assert not np.array_equal(draw_factors(20, 0), draw_factors(20, 1))
    cameras = [make_dish(0, i).camera for i in range(40)]
    assert len(set(cameras)) == 40 and len({camera.ware for camera in cameras}) > 5
    assert len({make_dish(0, i).wording for i in range(40)}) > 15


def test_a_factor_can_be_changed_alone():
    dish = make_dish(0, 0)
    changed = dish.with_codes(fruit=4, baked=0)
    assert changed.code("fruit") == 4 and changed.code("baked") == 0
    assert changed.camera == dish.camera and changed.wording == dish.wording
    others = [name for name in FACTOR_NAMES if name not in ("fruit", "baked")]
    assert [changed.code(name) for name in others] == [dish.code(name) for name in others]


@pytest.mark.parametrize("codes", [{"fruit": 5}, {"fruit": -1}, {"spice": 1}])
def test_a_wrong_factor_or_code_is_refused(codes):
    with pytest.raises(ConfigError, match="codes 0 to 4"):
        make_dish(0, 0).with_codes(**codes)


def test_every_twenty_dishes_are_split_70_15_15():
    parts = [partition(5, i) for i in range(60)]
    for start in (0, 20, 40):
        block = parts[start : start + 20]
        assert [block.count(p) for p in ("train", "val", "test")] == [14, 3, 3]
    assert parts[:20] != parts[20:40]
