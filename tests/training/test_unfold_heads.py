"""The heads' start from Isomap coordinates of v2."""

import numpy as np
import pytest
import torch
from sklearn.decomposition import PCA

from rivae.errors import ConfigError
from rivae.launch import make_config, train
from rivae.training.smooth_start import unfolded_coordinates


def curved_sheet(n=800, seed=0):
    """Gaussian (n, 2) on most of a cylinder's wall in R^4, so that a projection folds it."""
    f = np.random.default_rng(seed).standard_normal((n, 2))
    angle = 0.9 * f[:, 0]
    v = np.stack([np.sin(angle), np.cos(angle), 0.8 * f[:, 1], 0 * angle], axis=1)
    return f, torch.from_numpy(v).float()


def linear_r2(z, f):
    design = np.c_[z, np.ones(len(z))]
    left = f - design @ np.linalg.lstsq(design, f, rcond=None)[0]
    return 1 - (left**2).sum(axis=0) / ((f - f.mean(axis=0)) ** 2).sum(axis=0)


def test_a_rolled_sheet_is_unrolled():
    f, v2 = curved_sheet()
    folded = PCA(2).fit_transform(v2.numpy())
    assert linear_r2(folded, f).min() < 0.9
    assert linear_r2(unfolded_coordinates(v2, 2, 8, 0).numpy(), f).min() > 0.95


def test_neighbours_are_doubled_until_the_sheet_hangs_together():
    _, v2 = curved_sheet(200)
    apart = torch.cat([v2, v2[:12] + 3.0])
    assert unfolded_coordinates(apart, 2, 3, 0).shape == (212, 2)
    with pytest.raises(ConfigError, match=r"too few|separate"):
        unfolded_coordinates(torch.cat([v2, v2 + 1000.0]), 2, 3, 0)


def test_the_stage_brings_the_heads_to_the_coordinates(tmp_path):
    config = make_config(
        "synth",
        name="unfolded",
        dataset_settings={"n_pairs": 600},
        method_settings={
            "init_epochs": 60,
            "unfold_epochs": 60,
            "ivae_epochs": 0,
            "joint_epochs": 0,
            "axes": "as trained",
        },
    )
    (run,) = train([config], tmp_path)
    rows = [row for row in run.metrics() if row["stage"] == "unfold-heads"]
    assert rows[-1]["decoded"] < 0.5 * rows[0]["decoded"]
    assert rows[-1]["prior"] < rows[0]["prior"] - 0.5
    assert rows[-1]["posterior"] < rows[0]["posterior"] - 0.5
    data, method = run.load_dataset(), run.load_method()
    train_rows = data.splits["train"]
    with torch.inference_mode():
        x1, x2 = data.x1.batch(train_rows), data.x2.batch(train_rows)
        z, v2 = method.encode_pair(x1, x2).numpy(), method.embed_target(x2).clone()
    assert linear_r2(unfolded_coordinates(v2, 2, 10, 0).numpy(), z).min() > 0.8
