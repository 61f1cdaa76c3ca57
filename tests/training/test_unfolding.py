"""Axes are read off a curled sheet: as many as it has, straight, and the same every time."""

import numpy as np
import pytest

from rivae.base.errors import ConfigError
from rivae.training import unfolding
from rivae.training.independence import bent
from rivae.training.smooth_start import conformal_isomap
from rivae.training.unfolding import unfold
from tests.training.tiny import linear_r2


def curled_slab(n=1500, seed=0, short=0.5, dim=64):
    """Three uniform factors (n, 3), the last with a ``short`` side, and the slab that they span,
    curled up in ``dim`` dimensions as a contrastive fit does it: unit vectors (n, dim) whose
    cosines fall with the distance.
    """
    rng = np.random.default_rng(seed)
    f = rng.uniform(size=(n, 3))
    waves = rng.standard_normal((dim, 3)) * [2.0, 2.0, 2.0 * short]
    rows = np.cos(f @ waves.T + rng.uniform(0, 2 * np.pi, dim))
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32), f


def matched(axes, truth):
    """The best |correlation| of every factor with one axis."""
    return np.abs(np.corrcoef(axes.T, truth.T)[: axes.shape[1], axes.shape[1] :]).max(axis=0)


@pytest.mark.slow
def test_a_short_side_is_found_behind_the_overtones_of_a_long_one():
    rows, f = curled_slab(2000, short=0.2)
    found = unfold(rows, 3)
    # What is to be beaten: the three longest directions along the sheet.
    assert linear_r2(conformal_isomap(rows, 3, conformal=False), f)[2] < 0.5
    assert linear_r2(found.axes, f).min() > 0.8
    assert matched(found.axes, f).min() > 0.88
    assert found.axes.mean(0) == pytest.approx(0, abs=1e-9)
    assert found.axes.std(0) == pytest.approx(1)


@pytest.mark.slow
@pytest.mark.parametrize("asked", [1, 5])
def test_the_number_of_axes_does_not_depend_on_how_many_are_asked_for(asked):
    found = unfold(curled_slab()[0], asked)
    assert found.n_axes == 3
    assert found.axes.shape == (1500, asked)


@pytest.mark.slow
def test_axes_beyond_those_that_were_found_leave_them_as_they_are():
    rows, _ = curled_slab()
    few, many = unfold(rows, 3).axes, unfold(rows, 6).axes
    assert many[:, :3] == pytest.approx(few)
    assert np.abs(np.corrcoef(many.T)[3:, :3]).max() < 0.1
    assert np.corrcoef(many.T)[3:, 3:] == pytest.approx(np.eye(3), abs=1e-9)


@pytest.mark.slow
def test_axes_are_bent_until_they_are_independent_at_right_angles():
    rng = np.random.default_rng(1)
    f = rng.uniform(-1, 1, size=(2000, 2))
    axes = f.copy()
    axes[:, 1] = f[:, 1] * (1 + 0.4 * f[:, 0]) + 0.2 * f[:, 0] ** 2
    assert linear_r2(axes, f)[1] < 0.95
    assert linear_r2(bent(axes, f), f).min() > 0.98


@pytest.mark.slow
def test_separate_pieces_are_tied_together():
    rows, _ = curled_slab(600)
    apart = np.concatenate([rows, rows + 0.5, rows - 0.5])
    found = unfold(apart, 4)
    assert found.pieces == 3
    place = np.repeat([0.0, 1.0, -1.0], 600)[:, None]
    assert linear_r2(found.axes, place) > 0.8
    assert found.axes.std(0) == pytest.approx(1)


@pytest.mark.slow
def test_equal_rows_are_neighbours():
    rows, _ = curled_slab(150)
    found = unfold(np.repeat(rows, 12, axis=0), 3)
    assert np.isfinite(found.axes).all()


@pytest.mark.slow
def test_more_rows_are_placed_next_to_some():
    rows, f = curled_slab(3000)
    found = unfold(rows[:1200], 3)
    axes = unfolding.placed(rows, rows[:1200], found.axes)
    assert linear_r2(axes, f).min() > 0.93


@pytest.mark.slow
def test_the_same_rows_give_the_same_axes():
    rows, _ = curled_slab(400)
    assert np.array_equal(unfold(rows, 2, 3).axes, unfold(rows, 2, 3).axes)


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        (np.zeros((200, 3), np.float32), "at one point"),
        (np.eye(9, dtype=np.float32), "too few"),
    ],
)
def test_rows_that_cannot_be_unfolded(rows, reason):
    with pytest.raises(ConfigError, match=reason):
        unfold(rows, 2)
