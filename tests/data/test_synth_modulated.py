"""Synth-modulated: what the query fixes, and what it leaves open."""

import numpy as np
import pytest
from scipy.stats import kstest

from rivae.base.errors import ConfigError
from rivae.data import load_dataset
from rivae.data.sets.synth_modulated import log_density
from rivae.retrieval.base import ranks_of_targets, recall_at_k


@pytest.fixture(scope="module")
def data():
    return load_dataset("synth-modulated", n_pairs=6000)


def test_shared_factors_are_gaussian_around_what_the_query_fixes(data):
    assert data.query_fixes == "distribution"
    f = data.factors
    noise = (f[:, :2] - f[:, 2:4]) / np.exp(f[:, 4:6])
    for column in noise.T:
        assert kstest(column, "norm").pvalue > 1e-3
    assert abs(np.corrcoef(np.concatenate([noise, f[:, 2:]], axis=1).T) - np.eye(8)).max() < 0.06
    np.testing.assert_allclose(f[:, :2].std(axis=0), 1.0, atol=0.05)


def test_spreads_fill_their_range(data):
    scale = data.factors[:, 4:6]
    assert np.ptp(scale, axis=0) == pytest.approx(np.log(0.5 / 0.03), rel=0.01)


def test_each_view_depends_on_its_own_factors_only():
    one = load_dataset("synth-modulated", n_pairs=300)
    other = load_dataset("synth-modulated", n_pairs=300, mean_scale=0.0)
    # The query's spread, noise and private factors are the same draws, only the means left.
    np.testing.assert_array_equal(one.factors[:, 6:], other.factors[:, 6:])
    assert np.abs(other.factors[:, 2:4]).max() == 0


def test_the_true_density_beats_the_mean_alone(data):
    rows = data.splits["test"]
    targets = np.arange(len(rows))
    with_spread = ranks_of_targets(-log_density(data, rows, rows), targets)
    mean, shared = data.factors[rows, 2:4], data.factors[rows, :2]
    by_mean = ranks_of_targets(((mean[:, None] - shared[None]) ** 2).sum(axis=2), targets)
    assert recall_at_k(by_mean, 1) < recall_at_k(with_spread, 1) < 0.6


def test_more_pairs_append_rows():
    few, more = (load_dataset("synth-modulated", n_pairs=n) for n in (60, 90))
    np.testing.assert_array_equal(few.factors, more.factors[:60])


def test_settings_out_of_range():
    with pytest.raises(ConfigError, match="spread_high"):
        load_dataset("synth-modulated", spread_low=0.5, spread_high=0.1)
