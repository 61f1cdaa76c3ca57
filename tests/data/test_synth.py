import numpy as np
import pytest
from scipy import stats

from rivae.base.errors import ConfigError
from rivae.data import item_shapes, load_dataset
from rivae.data.sets.synth import ACTIVATIONS, DISTRIBUTIONS, MixingNetwork


def views(**settings):
    data = load_dataset("synth", **settings)
    return data.x1.tensor.numpy(), data.x2.tensor.numpy()


def test_sizes_of_the_paper():
    data = load_dataset("synth")
    assert len(data) == 3000
    assert data.x1.shape == data.x2.shape == (50,)
    assert [len(data.splits[s]) for s in ("train", "validation", "test")] == [1000, 1000, 1000]
    assert [spec.role for spec in data.factor_specs] == ["shared", "shared", "private1", "private2"]
    assert data.search_size == 1000


@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_factors_are_standardised_and_of_the_named_shape(name):
    f = load_dataset("synth", n_pairs=20_000, factor_distribution=name).factors
    np.testing.assert_allclose(f.mean(0), 0, atol=0.03)
    np.testing.assert_allclose(f.std(0), 1, atol=0.03)
    assert np.abs(np.corrcoef(f.T) - np.eye(4)).max() < 0.03
    excess = {"gaussian": 0.0, "uniform": -1.2, "laplace": 3.0}[name]
    np.testing.assert_allclose(stats.kurtosis(f.ravel()), excess, atol=0.3)


def test_a_view_ignores_the_private_factor_of_the_other():
    data = load_dataset("synth", n_pairs=300)
    rng = np.random.default_rng(0)
    g1, g2 = (MixingNetwork(r, 50, "tanh") for r in rng.spawn(2))
    np.testing.assert_allclose(data.x1.tensor, g1(data.factors[:, [0, 1, 2]]), atol=1e-5)
    np.testing.assert_allclose(data.x2.tensor, g2(data.factors[:, [0, 1, 3]]), atol=1e-5)
    assert not np.allclose(g1.w1, g2.w1)


def test_each_seed_moves_only_its_own_part():
    base = load_dataset("synth", n_pairs=60)
    other_g = load_dataset("synth", n_pairs=60, g_seed=1)
    other_factors = load_dataset("synth", n_pairs=60, factor_seed=1)
    other_split = load_dataset("synth", n_pairs=60, split_seed=1)
    np.testing.assert_array_equal(base.factors, other_g.factors)
    assert not np.allclose(base.x1.tensor, other_g.x1.tensor)
    assert not np.allclose(base.factors, other_factors.factors)
    np.testing.assert_array_equal(base.x1.tensor, other_split.x1.tensor)
    assert not np.array_equal(base.splits["test"], other_split.splits["test"])


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_mixing_is_nonlinear_unsaturated_and_one_to_one(activation):
    f = np.random.default_rng(1).standard_normal((4000, 3))
    g = MixingNetwork(np.random.default_rng(2), 50, activation)
    x = g(f)
    assert 0.4 < x.var(0).mean() < 2.5
    design = np.column_stack([f, np.ones(len(f))])
    residual = x - design @ np.linalg.lstsq(design, x, rcond=None)[0]
    assert 0.01 < residual.var() / x.var() < 0.6  # truly nonlinear, yet not chaotic
    if activation == "tanh":
        assert (np.abs(f @ g.w1 + g.b1) > 3).mean() < 0.05  # few saturated units
    # one-to-one: the hidden layer can be read back exactly through W2 (50 x 50, invertible)
    hidden = np.linalg.solve(g.w2.T, x.T).T
    expected = ACTIVATIONS[activation](f @ g.w1 + g.b1)
    np.testing.assert_allclose(hidden, expected, atol=1e-8)
    assert np.linalg.matrix_rank(g.w1) == 3


def test_noise_has_the_named_size_and_leaves_the_rest_alone():
    clean, noisy = views(noise=0.0), views(noise=0.2)
    for a, b in zip(clean, noisy, strict=True):
        assert abs((b - a).std() - 0.2) < 0.005


def test_more_pairs_keep_the_first_ones():
    few, many = load_dataset("synth", n_pairs=60), load_dataset("synth", n_pairs=90)
    np.testing.assert_array_equal(few.factors, many.factors[:60])
    np.testing.assert_array_equal(few.x1.tensor, many.x1.tensor[:60])


@pytest.mark.parametrize(
    "settings",
    [
        {"n_pairs": 3},
        {"n_pairs": "many"},
        {"n_pairs": float("nan")},
        {"factor_distribution": "cauchy"},
        {"g_activation": "relu"},
        {"g_width": 2},
        {"g_seed": -1},
        {"noise": -0.5},
        {"noise": True},
        {"colour": "red"},
    ],
)
def test_a_bad_setting_is_named(settings):
    with pytest.raises(ConfigError, match=next(iter(settings))):
        load_dataset("synth", **settings)


def test_the_picture_shows_the_values():
    data = load_dataset("synth", n_pairs=60)
    first = np.asarray(data.picture(0, 1))
    assert first.shape == (96, 160, 3)
    values = data.x1.tensor[0].numpy()
    column = 5 + int((np.argmax(values) + 0.5) * 3)  # 150 pixels for 50 values
    red, _, blue = (int(c) for c in first[85, column])
    assert red > blue + 30  # the largest value is red in the strip
    assert not np.array_equal(first, np.asarray(data.picture(0, 2)))


@pytest.mark.parametrize("name", ["synth", "synth-modulated"])
def test_settings_that_ask_for_too_much_together_are_refused_before_anything_is_made(
    name, monkeypatch
):
    monkeypatch.setattr(MixingNetwork, "__init__", None)
    with pytest.raises(ConfigError, match="n_pairs x g_width is 4,096,000,000: choose fewer"):
        load_dataset(name, n_pairs=1_000_000, g_width=4096)
    assert item_shapes(name, {"n_pairs": 1_000_000}) == ((50,), (50,))


def test_many_items_are_made_in_blocks(monkeypatch):
    whole = views(n_pairs=300, noise=0.1)
    monkeypatch.setattr("rivae.data.sets.synth.HIDDEN_AT_ONCE", 50 * 64)
    for one, other in zip(whole, views(n_pairs=300, noise=0.1), strict=True):
        np.testing.assert_allclose(one, other, atol=1e-6)
