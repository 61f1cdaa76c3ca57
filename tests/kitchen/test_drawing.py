"""Pictures: repeatable, all different, and every level of every factor can be seen."""

import hashlib
import itertools

import numpy as np
import pytest
from PIL import Image

from rivae.data.food_factors import FACTOR_NAMES, N_LEVELS
from rivae.data.kitchen import draw, make_dish
from rivae.data.kitchen.containers import container

SEED, N = 3, 6


def pixels(dish, side=64):
    picture = draw(dish).resize((side, side), Image.Resampling.BOX)
    return np.asarray(picture).astype(int)


def row(name, index, **codes):
    """One dish with factor ``name`` at its five levels, at 64 pixels."""
    dish = make_dish(SEED, index).with_codes(**codes)
    return [pixels(dish.with_codes(**{name: k})) for k in range(N_LEVELS)]


def test_a_picture_is_128_pixels_of_colour_and_repeatable():
    picture = draw(make_dish(0, 0))
    assert picture.size == (128, 128) and picture.mode == "RGB"
    assert picture.tobytes() == draw(make_dish(0, 0)).tobytes()


def test_no_two_pictures_are_equal():
    digests = {hashlib.sha256(draw(make_dish(0, i)).tobytes()).digest() for i in range(40)}
    assert len(digests) == 40


@pytest.mark.slow
@pytest.mark.parametrize("name", FACTOR_NAMES)
def test_neighbouring_levels_differ_at_64_pixels(name):
    for index in range(N):
        levels = row(name, index)
        for below, above in itertools.pairwise(levels):
            assert (np.abs(above - below).max(2) > 24).sum() >= 5


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in FACTOR_NAMES if name != "longishness"])
def test_a_picture_moves_away_from_the_first_level(name):
    for index in range(N):
        levels = row(name, index)
        distance = [np.abs(level - levels[0]).mean() for level in levels]
        assert np.all(np.diff(distance) > 0)


def monotone(measure, name, **codes):
    """The measure of 64-pixel pictures, averaged over dishes, rises with every level."""
    values = np.array([[measure(level) for level in row(name, i, **codes)] for i in range(N)])
    return bool(np.all(np.diff(values.mean(0)) > 0))


def is_green(p):
    return ((p[..., 1] > p[..., 0] + 25) & (p[..., 1] > p[..., 2] + 25)).sum()


def is_water_blue(p):
    return ((p[..., 2] > 200) & (p[..., 2] > p[..., 0] + 50) & (p[..., 1] > 160)).sum()


def is_syrup(p):
    return ((p[..., 0] > 170) & (p[..., 1] > 70) & (p[..., 1] < 140) & (p[..., 2] < 60)).sum()


def is_golden(p):
    return ((p[..., 0] > p[..., 2] + 70) & (p[..., 0] > p[..., 1])).sum()


@pytest.mark.slow
def test_more_of_a_factor_is_more_of_its_colour():
    assert monotone(is_green, "greenness")
    assert monotone(is_syrup, "stickiness")
    # On a pale dish, so that nothing but crust is golden.
    pale = {"dessert": 4, "grains": 0, "stickiness": 0, "fruit": 0, "wateriness": 0}
    assert monotone(is_golden, "baked", **pale)


def test_more_water_is_more_drops_on_a_table_that_is_not_blue():
    dishes = [make_dish(SEED, i) for i in range(60)]
    warm = [d for d in dishes if d.camera.table in ("walnut", "pine", "sand", "peach")]
    warm = [d.with_codes(fruit=0) for d in warm if d.camera.ware not in ("blue", "lavender")][:4]
    assert len(warm) == 4
    values = [
        [is_water_blue(pixels(d.with_codes(wateriness=k), 128)) for k in range(N_LEVELS)]
        for d in warm
    ]
    assert np.all(np.diff(np.mean(values, 0)) > 0)


def test_a_longer_container_is_longer():
    shapes = [container(code, 1.0) for code in range(N_LEVELS)]
    ratios = [(c.foot_y - c.top + c.b) / (2 * c.body) for c in shapes]
    assert np.all(np.diff(ratios) > 0.2)
    assert all(c.top - c.b > 16 and c.foot_y < 144 for c in shapes)


def test_nothing_but_greens_is_green():
    for index in range(N):
        dish = make_dish(SEED, index).with_codes(greenness=0)
        assert is_green(pixels(dish)) <= 3
