"""Suggested items lower the posterior variance most, and steer clear of oddities."""

import numpy as np
import pytest

from rivae.errors import ConfigError, DataError
from rivae.labels.suggest import suggest_items, variance_drop


def posterior(x, noise=1.0):
    x = np.column_stack([np.ones(len(x)), x])
    return np.linalg.inv(np.eye(x.shape[1]) + x.T @ x / noise)


@pytest.fixture
def mu():
    z = np.random.default_rng(0).normal(size=(400, 4)) * [1, 5, 0.1, 2]
    z -= z.mean(axis=0)
    return z @ np.linalg.inv(np.linalg.cholesky(np.cov(z.T)).T)  # white as it is


def test_the_variance_drop_is_the_real_one(mu):
    x = np.column_stack([np.ones(3), mu[:3]])
    before = posterior(mu[10:20], 0.7)
    drops = variance_drop(before, x, 0.7)
    for i in range(3):
        after = np.linalg.inv(np.linalg.inv(before) + np.outer(x[i], x[i]) / 0.7)
        assert drops[i] == pytest.approx(np.trace(before) - np.trace(after))


def test_the_first_is_the_best_of_all(mu):
    chosen = suggest_items(mu, mu, mu[:20], 1, max_radius=None)
    traces = [np.trace(posterior(np.vstack([mu[:20], row]))) for row in mu]
    assert chosen[0] == int(np.argmin(traces))


def test_they_beat_random_items_and_are_distinct(mu):
    chosen = suggest_items(mu, mu, mu[:0], 20)
    assert len(set(chosen.tolist())) == 20
    assert np.array_equal(chosen, suggest_items(mu, mu, mu[:0], 20))
    rng = np.random.default_rng(1)
    chance = [np.trace(posterior(mu[rng.permutation(400)[:20]])) for _ in range(50)]
    assert np.trace(posterior(mu[chosen])) < min(chance)


def test_what_is_known_already_is_not_asked(mu):
    one_sided = mu.copy()
    one_sided[:, 1:] *= 0.01  # many labels that vary along the first axis alone
    chosen = suggest_items(mu, mu, one_sided, 5, max_radius=None)
    share = (mu[chosen, 0] ** 2).sum() / (mu[chosen] ** 2).sum()
    assert share < 0.1


def test_an_oddity_is_passed_over_while_others_are_left(mu):
    candidates = np.vstack([mu[:10], np.full((1, 4), 50.0)])
    assert 10 in suggest_items(mu, candidates, mu[:0], 3, max_radius=None)
    assert 10 not in suggest_items(mu, candidates, mu[:0], 3)
    assert 10 in suggest_items(mu, candidates, mu[:0], 11)


def test_refusals(mu):
    with pytest.raises(ConfigError, match="1 to 400 items"):
        suggest_items(mu, mu, mu[:0], 401)
    with pytest.raises(ConfigError, match="do not fit"):
        suggest_items(mu, mu[:, :2], mu[:0], 1)
    with pytest.raises(DataError, match="not finite"):
        suggest_items(mu, mu * np.nan, mu[:0], 1)
