"""Sprites-hard: each setting does what it says and nothing else."""

import colorsys

import numpy as np
import pytest

from rivae.data import load_dataset
from rivae.data.sets.sprites import SCALES, all_latents, render
from rivae.data.sets.sprites_hard import Settings, _private_factors, _render, _shown

pytestmark = pytest.mark.slow  # 33 data sets are drawn
SMALL = {"n_pairs": 1500}
CONDITIONS = {
    "background": {"background": 0.6},
    "distractor": {"distractor": True},
    "texture": {"texture": 0.5},
    "noise": {"noise": 0.2},
    "hue": {"hue": True},
    "shapes": {"n_shapes": 3},
}


def load(**settings):
    return load_dataset("sprites-hard", **{**SMALL, **settings})


def pixels(data, side):
    return (data.x1, data.x2)[side - 1].tensor.numpy()


@pytest.fixture(scope="module")
def plain():
    return load()


def column(data, name):
    return data.factors[:, [spec.name for spec in data.factor_specs].index(name)]


def test_the_first_shapes_are_those_of_dsprites():
    latents = all_latents()[::37]
    scale, x, y = SCALES[latents[:, 0]], latents[:, 1] / 31, latents[:, 2] / 31
    rng = np.random.default_rng(0)
    private, noise = _private_factors(rng, len(latents))
    kind = np.zeros(len(latents), int)
    for view, shape in ((1, "square"), (2, "ellipse")):
        drawn = _render(view, scale, x, y, kind, private, Settings(), noise)[:, 0]
        assert np.array_equal(drawn // 255, render(shape, scale, latents[:, 1], latents[:, 2]))


@pytest.mark.parametrize("name", CONDITIONS)
def test_a_condition_moves_no_shape_and_is_seen_in_every_picture(plain, name):
    data = load(**CONDITIONS[name])
    assert np.array_equal(data.factors[:, :3], plain.factors)
    assert all(np.array_equal(data.splits[s], plain.splits[s]) for s in data.splits)
    changed = [(pixels(data, side) != pixels(plain, side)).any((1, 2, 3)).mean() for side in (1, 2)]
    assert min(changed) > (0.6 if name == "shapes" else 0.95)  # a third keep the first class
    if name in ("background", "distractor", "texture"):
        for side in (1, 2):
            assert (pixels(data, side)[pixels(plain, side) == 255] == 255).all()


def test_private_factors_belong_to_their_view_and_to_nothing_else():
    data = load(background=0.6, distractor=True, texture=0.5, hue=True)
    roles = {spec.name: spec.role for spec in data.factor_specs}
    assert [name for name, role in roles.items() if role == "shared"] == [
        "scale",
        "X position",
        "Y position",
    ]
    assert {role for name, role in roles.items() if name.endswith(" 1")} == {"private1"}
    assert {role for name, role in roles.items() if name.endswith(" 2")} == {"private2"}
    between = np.corrcoef(data.factors.T) - np.eye(len(roles))
    assert np.abs(between).max() < 0.1


@pytest.mark.parametrize("name", ["plain", *CONDITIONS])
def test_a_picture_follows_the_private_factors_that_the_truth_names_and_no_other(name):
    settings = Settings(**CONDITIONS.get(name, {}))
    rng = np.random.default_rng(0)
    scale, x, y = np.full((3, 40), 0.5)
    kind = np.zeros(40, int)
    private, _ = _private_factors(rng, 40)

    def drawn(values):
        return _render(1, scale, x, y, kind, values, settings, np.random.default_rng(1))

    usual = drawn(private)
    for factor, values in private.items():
        moved = (drawn({**private, factor: 1 - values}) != usual).any((1, 2, 3)).mean()
        seen = factor in _shown(settings) or (factor == "phase" and settings.texture > 0)
        assert moved > 0.9 if seen else moved == 0, factor


# Each private factor is read off the pictures of its view.


@pytest.mark.parametrize("side", [1, 2])
def test_the_background_is_the_level_that_the_factor_says(side):
    data = load(background=0.6)
    corner = pixels(data, side)[:, 0, 0, 0] / 255
    assert np.abs(corner - 0.6 * column(data, f"background {side}")).max() < 0.003


@pytest.mark.parametrize("side", [1, 2])
def test_the_ring_is_where_the_factors_say(side):
    data = load(distractor=True, n_pairs=300)
    ring = np.isin(pixels(data, side)[:, 0], (178, 179))
    free = ring.sum((1, 2)) >= 70  # not behind the shape
    assert free.mean() > 0.5
    for name, axis in (("X", 1), ("Y", 2)):
        centre = np.array([np.nonzero(r.any(axis - 1))[0].mean() + 0.5 for r in ring[free]])
        assert np.abs((centre - 8) / 48 - column(data, f"ring {name} {side}")[free]).max() < 0.03


@pytest.mark.parametrize("side", [1, 2])
def test_the_hue_is_the_factors(side):
    data = load(hue=True, n_pairs=200)
    colours = pixels(data, side).max((2, 3)) / 255  # of the shape, on black
    hues = np.array([colorsys.rgb_to_hsv(*colour)[0] for colour in colours])
    assert np.abs(hues / 0.7 - column(data, f"hue {side}")).max() < 0.01


@pytest.mark.parametrize("side", [1, 2])
def test_the_stripes_have_the_direction_of_the_factor(side):
    data = load(texture=0.5, n_pairs=200)
    values = pixels(data, side)[:, 0].astype(float)
    values[values == 255] = np.nan
    down, across = (np.nanmean(np.diff(values, axis=axis) ** 2, axis=(1, 2)) for axis in (1, 2))
    angle = np.arctan2(np.sqrt(down), np.sqrt(across))
    assert np.abs(angle / (np.pi / 2) - column(data, f"stripes {side}")).max() < 0.05


@pytest.mark.parametrize("wanted", [-0.5, 0.0, 0.3, 0.9])
def test_positions_have_the_correlation_and_stay_uniform(wanted):
    data = load(n_pairs=6000, correlation=wanted)
    x, y = column(data, "X position"), column(data, "Y position")
    assert np.corrcoef(x, y)[0, 1] == pytest.approx(wanted, abs=0.04)
    for values in (x, y):
        assert np.histogram(values, 10, (0, 1))[0] == pytest.approx(600, abs=100)


def test_a_hole_is_empty_and_the_rest_is_not():
    data = load(hole=0.5)
    place = np.abs(data.factors[:, 1:3] - 0.5)
    assert place.max(axis=1).min() >= 0.25
    assert len(data) == SMALL["n_pairs"] and (place.max(axis=1) > 0.45).mean() > 0.15


def test_uneven_positions_grow_rare_and_stay_independent():
    data = load(n_pairs=6000, uneven=0.9)
    x, y = column(data, "X position"), column(data, "Y position")
    counts = np.histogram(x, 5, (0, 1))[0]
    assert (np.diff(counts) < 0).all() and counts[0] > 4 * counts[-1]
    assert abs(np.corrcoef(x, y)[0, 1]) < 0.04


@pytest.mark.parametrize("n", [2, 3])
def test_classes_are_shared_and_equally_frequent(n):
    data = load(n_shapes=n)
    spec = data.factor_specs[3]
    assert (spec.name, spec.kind, spec.role) == ("shape", "categorical", "shared")
    assert len(spec.levels) == n
    counts = np.bincount(data.factors[:, 3].astype(int), minlength=n)
    assert counts == pytest.approx(1500 / n, abs=80)


def test_a_bar_is_higher_than_wide():
    data = load(n_shapes=3)
    big = (data.factors[:, 3] == 2) & (data.factors[:, 0] > 0.9)
    first = pixels(data, 1)[big][0, 0] > 0
    assert first.any(1).sum() > 2 * first.any(0).sum()


def test_all_conditions_at_once_differ_by_seed_only():
    everything = {
        "background": 0.6,
        "distractor": True,
        "texture": 0.4,
        "noise": 0.1,
        "hue": True,
        "correlation": 0.6,
        "hole": 0.4,
        "uneven": 0.5,
        "n_shapes": 3,
        "n_pairs": 300,
    }
    first, again, other = (load(**everything, seed=seed) for seed in (1, 1, 2))
    assert first.x1.shape == (3, 64, 64)
    assert np.array_equal(pixels(first, 1), pixels(again, 1))
    assert np.array_equal(pixels(first, 2), pixels(again, 2))
    assert not np.array_equal(pixels(first, 1), pixels(other, 1))
    assert first.picture(3, 0).size == (128, 64) and first.picture(3, 1).mode == "RGB"
