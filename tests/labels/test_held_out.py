"""Gains on items that the alignment did not see."""

import numpy as np
import pytest

from rivae.base.errors import ConfigError, DataError
from rivae.labels.align import align_axes
from rivae.labels.derive import align_and_judge, factor_gains, held_out_split
from tests.labels.test_align import NAMES, world


def test_the_gain_of_turned_axes_is_seen_on_other_items():
    mu, levels = world(n=1200)
    alignment, gains = align_and_judge(mu, mu[:120], levels[:120], NAMES)
    z = mu @ alignment.change.matrix
    assert [g.factor for g in gains] == list(NAMES) and all(g.n == 36 for g in gains)
    assert len({g.axis_before for g in gains}) == 3
    for k, gain in enumerate(gains):
        assert gain.after > gain.before + 0.05 and gain.r2_after > gain.r2_before + 0.1
        true = np.corrcoef(z[120:, k], levels[120:, k])[0, 1]
        assert gain.after == pytest.approx(true, abs=0.06)
        assert gain.r2_after == pytest.approx(true**2, abs=0.1)


def test_nothing_is_gained_from_noise():
    mu, _ = world(n=400)
    noise = np.random.default_rng(1).integers(1, 6, size=(400, 3)).astype(float)
    fit, rest = np.arange(60), np.arange(60, 400)
    found = align_axes(mu, mu[fit], noise[fit], NAMES)
    gains = factor_gains(found, (mu[fit], noise[fit]), (mu[rest], noise[rest]))
    assert all(abs(g.after) < 0.2 and g.r2_after < 0.05 for g in gains)


def test_few_labels_are_not_split():
    mu, levels = world()
    alignment, gains = align_and_judge(mu, mu[:8], levels[:8], NAMES)
    assert gains == [] and alignment.n_labels == (8, 8, 8)


def test_the_split():
    fit, rest = held_out_split(10, 0.3, 1)
    assert sorted([*fit, *rest]) == list(range(10)) and len(rest) == 3
    with pytest.raises(ConfigError, match="nothing to fit"):
        held_out_split(1)
    mu, levels = world()
    found = align_axes(mu, mu[:50], levels[:50], NAMES)
    with pytest.raises(DataError, match="do not differ"):
        factor_gains(found, (mu[:50], levels[:50]), (mu[50:60], np.full((10, 3), 2.0)))
