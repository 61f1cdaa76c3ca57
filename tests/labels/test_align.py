"""Axes from labels: factors found, the rest orthogonal and white, few labels, honest refusals."""

import numpy as np
import pytest

from rivae.base.errors import ConfigError, DataError
from rivae.labels.align import align_axes

NAMES = ("a", "b", "c")


def world(n=600, d=5, k=3, seed=0, turned=True):
    """mu (n, d), levels 1 to 5 (n, k); factors are directions of mu, one per axis unless turned."""
    rng = np.random.default_rng(seed)
    white = rng.uniform(-1.7, 1.7, size=(n, d))
    levels = np.clip(np.round(3 + 1.2 * white[:, :k] + 0.3 * rng.normal(size=(n, k))), 1, 5)
    mixing = rng.normal(size=(d, d)) + np.eye(d) if turned else np.diag(np.arange(1.0, d + 1))
    return white @ mixing + rng.normal(size=d), levels


def aligned(mu, levels, rows, **rest):
    found = align_axes(mu, mu[rows], levels[rows], NAMES, **rest)
    return found, mu @ found.change.matrix + found.change.offset


def own_correlations(z, levels):
    return np.array([np.corrcoef(z[:, k], levels[:, k])[0, 1] for k in range(levels.shape[1])])


def test_axis_k_is_factor_k_and_grows_with_it():
    mu, levels = world()
    found, z = aligned(mu, levels, np.arange(100))
    before = np.abs(np.corrcoef(mu.T, levels.T)[:5, 5:])
    assert before.max(axis=0).min() < 0.85
    assert (own_correlations(z[100:], levels[100:]) > 0.93).all()
    assert found.n_labels == (100,) * 3 and min(found.cv_r2) > 0.85
    low, high = np.percentile(z, [0.5, 99.5], axis=0)
    np.testing.assert_allclose([low, high], [[-10] * 5, [10] * 5], atol=1e-9)


def test_the_rest_is_orthogonal_and_the_change_is_invertible():
    mu, levels = world()
    found, z = aligned(mu, levels, np.arange(60))
    table = np.corrcoef(z.T)
    np.testing.assert_allclose(table[:3, 3:], 0, atol=1e-9)
    np.testing.assert_allclose(table[3:, 3:], np.eye(2), atol=1e-9)
    assert np.linalg.cond(found.change.matrix) < 1e4
    back = (z - found.change.offset) @ np.linalg.inv(found.change.matrix)
    np.testing.assert_allclose(back, mu, atol=1e-9)


def test_near_axes_need_few_labels():
    mu, levels = world(turned=False, d=8)
    found, z = aligned(mu, levels[:, [2, 0, 1]], np.arange(10))
    assert found.start == "existing axes"
    assert (own_correlations(z[10:], levels[10:][:, [2, 0, 1]]) > 0.9).all()


def test_more_labels_serve_better():
    scores = {n: [] for n in (10, 30, 200)}
    for seed in range(4):
        mu, levels = world(seed=seed, d=8)
        for n, kept in scores.items():
            _, z = aligned(mu, levels, np.arange(n))
            kept.append(own_correlations(z[200:], levels[200:]).mean())
    means = [np.mean(kept) for kept in scores.values()]
    assert means == sorted(means) and means[-1] > 0.94 > means[0] + 0.1


def test_missing_labels_are_left_out_and_the_answer_is_repeatable():
    mu, levels = world()
    holes = levels.copy()
    holes[::3, 0] = np.nan
    found, z = aligned(mu, holes, np.arange(90))
    assert found.n_labels == (60, 90, 90)
    assert (own_correlations(z[90:], levels[90:]) > 0.9).all()
    again, _ = aligned(mu, holes, np.arange(90))
    assert np.array_equal(found.change.matrix, again.change.matrix)


def test_an_empty_dimension_is_survived():
    mu, levels = world()
    mu[:, 4] = 2.0
    found, z = aligned(mu, levels, np.arange(100))
    assert np.isfinite(z).all() and np.isfinite(found.change.matrix).all()


def test_as_many_factors_as_axes():
    mu, levels = world(d=3)
    _, z = aligned(mu, levels, np.arange(50))
    assert (own_correlations(z, levels) > 0.9).all()


@pytest.mark.parametrize(
    ("change", "error", "sentence"),
    [
        (lambda y: np.where(np.arange(600)[:, None] < 4, y, np.nan), DataError, "a has 4 labels"),
        (lambda y: np.full_like(y, 2), DataError, "all labels of a are equal"),
        (lambda y: y[:, :2], ConfigError, "do not fit"),
        (lambda y: np.repeat(y[:, :1], 3, axis=1), DataError, "same labels"),
    ],
)
def test_labels_that_cannot_serve(change, error, sentence):
    mu, levels = world()
    with pytest.raises(error, match=sentence):
        align_axes(mu, mu, change(levels), NAMES)
    with pytest.raises(ConfigError, match="1 to 5 factors"):
        align_axes(mu, mu, levels, tuple("abcdef"))
