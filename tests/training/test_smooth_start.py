"""The smooth start unfolds curved sheets, says when it cannot, and repeats itself."""

import numpy as np
import pytest
import torch

from rivae.base.errors import ConfigError
from rivae.training import smooth_start
from rivae.training.smooth_start import (
    blurred_pairs,
    conformal_isomap,
    lift_to_sphere,
    smooth_target,
)
from tests.training.tiny import linear_r2


def swiss_roll(n=28):
    """A uniform n x n sheet, rolled up: rows (n*n, 3) and the sheet's own coordinates."""
    a, b = (
        g.ravel() for g in np.meshgrid(np.linspace(0, 1, n), np.linspace(0, 1, n), indexing="ij")
    )
    # The angle for which arc length grows evenly, so that the sheet is a rectangle.
    angle = np.sqrt(20.0 + 150.0 * a)
    rows = np.column_stack([angle * np.cos(angle), angle * np.sin(angle), 40 * b])
    return rows.astype(np.float32), np.column_stack([a, b])


def blobs(n=15, low=0.25, high=0.75):
    """Pictures of a round spot at n x n places: a curved sheet in pixel space."""
    y, x = np.mgrid[0:16, 0:16] / 15
    steps = np.linspace(low, high, n)
    places = np.array([(a, b) for a in steps for b in steps])
    spots = [np.exp(-((x - a) ** 2 + (y - b) ** 2) / (2 * 0.1**2)) for a, b in places]
    return np.stack(spots)[:, None].astype(np.float32), places


def test_a_rolled_sheet_is_unrolled():
    rows, truth = swiss_roll()
    coordinates = conformal_isomap(rows, 2)
    assert (linear_r2(coordinates, truth) > 0.95).all()
    # What is to be beaten: the linear coordinates do not unroll it.
    linear = np.linalg.svd(rows - rows.mean(0), full_matrices=False)[0][:, :2]
    assert linear_r2(linear, truth).min() < 0.5


def test_moving_spots_are_laid_out_by_place():
    pictures, places = blobs()
    rows = blurred_pairs(pictures, pictures, blur=1.0)
    assert (linear_r2(conformal_isomap(rows, 2), places) > 0.95).all()


def test_steps_count_relative_to_their_surroundings():
    # One curve, sampled ever more coarsely: plain distances would stretch its far end.
    t = np.linspace(0, 1, 120)
    rows = np.column_stack([np.exp(3 * t), np.zeros_like(t)]).astype(np.float32)
    assert linear_r2(conformal_isomap(rows, 1, n_neighbours=3), t[:, None])[0] > 0.99


def test_coordinates_are_white_and_the_same_every_time(monkeypatch):
    rows, _ = swiss_roll(20)
    first, again = (conformal_isomap(rows, 2, random_state=3) for _ in range(2))
    assert np.array_equal(first, again)
    np.testing.assert_allclose(first.mean(axis=0), 0, atol=1e-9)
    np.testing.assert_allclose(first.T @ first / len(first), np.eye(2), atol=1e-9)
    monkeypatch.setattr(smooth_start, "N_LANDMARKS", 60)
    fewer = conformal_isomap(rows, 2, random_state=4)
    assert linear_r2(fewer, first).min() > 0.98


def test_equal_pairs_stay_together():
    rows, truth = swiss_roll(18)
    doubled = np.concatenate([rows, rows, rows, rows])
    coordinates = conformal_isomap(doubled, 2, n_neighbours=12)
    assert np.isfinite(coordinates).all()
    assert (linear_r2(coordinates, np.concatenate([truth] * 4)) > 0.9).all()


def test_separate_groups_are_named_with_the_ways_out():
    rows, _ = swiss_roll(12)
    with pytest.raises(ConfigError, match=r"2 separate groups at 6 .*raise smooth_neighbours, or "):
        conformal_isomap(np.concatenate([rows, rows + 1000]), 2)


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        (np.zeros((30, 4), np.float32), "look the same"),
        (np.eye(5, dtype=np.float32), "5 training pairs are too few for 6 neighbours"),
    ],
)
def test_rows_that_cannot_be_unfolded(rows, reason):
    with pytest.raises(ConfigError, match=reason):
        conformal_isomap(rows, 2)


def test_blur_and_subsampling():
    pictures = np.random.default_rng(0).random((3, 1, 16, 16)).astype(np.float32)
    assert blurred_pairs(pictures, pictures, 0).shape == (3, 512)
    assert blurred_pairs(pictures, pictures, 1.5).shape == (3, 2 * 6 * 6)
    flat = pictures.reshape(3, -1)
    np.testing.assert_array_equal(blurred_pairs(flat, flat, 3)[:, :256], flat)
    blurred = blurred_pairs(pictures, pictures, 0.6)[:, :256]
    assert blurred.shape == (3, 256) and blurred.std() < 0.7 * flat.std()


# The patch of the sphere.


def test_lifted_coordinates_are_unit_vectors_that_keep_every_direction():
    coordinates = np.random.default_rng(0).normal(size=(200, 3))
    lifted = lift_to_sphere(coordinates, 6)
    assert lifted.shape == (200, 6) and lifted.dtype == torch.float32
    torch.testing.assert_close(lifted.norm(dim=1), torch.ones(200))
    flat = lifted[:, :3].double().numpy()
    assert np.linalg.norm(flat, axis=1).max() == pytest.approx(0.8)
    np.testing.assert_allclose(flat / coordinates, (flat / coordinates)[0, 0], rtol=1e-4)
    assert (lifted[:, 4:] == 0).all() and (lifted[:, 3] > 0.5).all()


def test_the_sphere_needs_one_dimension_more():
    with pytest.raises(ConfigError, match="at least 4: raise dim_v"):
        lift_to_sphere(np.zeros((5, 3)), 3)


def test_smooth_target_joins_the_steps():
    pictures, places = blobs(10)
    both = torch.from_numpy(pictures)
    target = smooth_target(both, both, 2, 5, 6, 1.0, 0)
    assert target.shape == (100, 5)
    assert (linear_r2(target[:, :2].numpy(), places) > 0.95).all()
    assert torch.equal(target, smooth_target(both, both, 2, 5, 6, 1.0, 0))
