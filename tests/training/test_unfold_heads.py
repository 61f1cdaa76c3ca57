"""The heads' start from Isomap coordinates of v2, or from principal components."""

import numpy as np
import pytest
import torch
from sklearn.decomposition import PCA

from rivae.base.errors import ConfigError
from rivae.jobs.launch import make_config, train
from rivae.training.smooth_start import unfolded_coordinates
from tests.training.tiny import linear_r2, tiny_config


def curved_sheet(n=800, seed=0):
    """Gaussian (n, 2) on most of a cylinder's wall in R^4, so that a projection folds it."""
    f = np.random.default_rng(seed).standard_normal((n, 2))
    angle = 0.9 * f[:, 0]
    v = np.stack([np.sin(angle), np.cos(angle), 0.8 * f[:, 1], 0 * angle], axis=1)
    return f, torch.from_numpy(v).float()


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


@pytest.mark.slow
def test_the_stage_brings_the_heads_to_the_coordinates(tmp_path):
    config = make_config(
        "synth",
        name="unfolded",
        dataset_settings={"n_pairs": 600},
        method_settings={
            "init": "cos-sim-lvm",
            "anchor": None,
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


def test_heads_start_as_the_components_of_both_embeddings(tmp_path):
    start = {"ivae_epochs": 1, "learning_rate": 1e-12, "joint_epochs": 0, "axes": "as trained"}
    config = tiny_config(head_start="components", ask_both_ways=True, **start)
    (run,) = train([config], tmp_path)
    data, method = run.load_dataset(), run.load_method()
    rows = data.splits["train"]
    x1, x2 = data.x1.batch(rows), data.x2.batch(rows)
    with torch.inference_mode():
        v1, v2 = method.embeddings(x1, x2)
        z1, z2, both = method.encode(x1)[0], method.encode_target(x2)[0], method.encode_pair(x1, x2)
        f1, f2 = method.decode(z1), method.decode(z2)
    centred1, centred2 = v1 - v1.mean(0), v2 - v2.mean(0)
    plane = PCA(2).fit(torch.cat([centred1, centred2]).numpy()).components_
    plane = torch.from_numpy(plane.T @ plane)
    torch.testing.assert_close(f1, v2.mean(0) + centred1 @ plane, atol=1e-5, rtol=0)
    torch.testing.assert_close(f2, v2.mean(0) + centred2 @ plane, atol=1e-5, rtol=0)
    torch.testing.assert_close(both, (z1 + z2) / 2, atol=1e-4, rtol=0)
    torch.testing.assert_close((z1.var(0) + z2.var(0)) / 2, torch.ones(2), atol=1e-3, rtol=0)


def test_heads_that_cannot_hold_components_say_so():
    with pytest.raises(ConfigError, match="at least 4 units: widen head_hidden"):
        tiny_config(head_start="components", head_hidden=[3])
    with pytest.raises(ConfigError, match="2 dimensions have no 3 components: raise dim_v"):
        tiny_config(head_start="components", n_components=3, dim_v=2)
    unfolded = tiny_config(head_start="components", head_hidden=[3], unfold_epochs=5)
    assert unfolded.method.settings["unfold_epochs"] == 5, "heads that unfold need no such width"
