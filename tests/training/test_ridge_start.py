"""A start in closed form: what training begins with, and what it must not lose."""

import numpy as np
import pytest
import torch

from rivae.base.files import write_atomic
from rivae.data import load_dataset
from rivae.jobs.launch import make_config, resume, train
from rivae.models import pair_components
from rivae.models.ridge_cca import fit_ridge_cca
from rivae.runs import Run
from rivae.runs.refinement import kept_scores
from rivae.training.validation import validation_scores
from tests.training.tiny import ALWAYS, RIDGE, SYNTH, files_of, short, tiny_config

BEST = {"select": "best"}
LINEAR = {"kind": "mlp", "hidden": [], "activation": "relu"}


def trained(tmp_path, name="run", method="rivae", seed=0, **settings):
    config = tiny_config(name, method, seed=seed, training=BEST, **settings)
    return train([config], tmp_path)[0]


def test_the_embedders_are_the_closed_form(tmp_path):
    run = trained(tmp_path, **RIDGE, joint_epochs=0, axes="as trained")
    data, method = load_dataset("synth", **SYNTH), run.load_method()
    splits = data.splits
    fit = fit_ridge_cca((data.x1, data.x2), splits["train"], splits["validation"], 3)
    rows = splits["test"]
    images = (method.embed_query(data.x1.batch(rows)), method.embed_target(data.x2.batch(rows)))
    for view, weight, bias, image in zip(
        (data.x1, data.x2), fit.weights, fit.biases, images, strict=True
    ):
        v = view.batch(rows).double().numpy() @ weight + bias
        unit = torch.from_numpy(v / np.linalg.norm(v, axis=1, keepdims=True)).float()
        torch.testing.assert_close(image.detach(), unit, atol=2e-4, rtol=1e-3)
    first = run.metrics()[0]
    assert first["stage"] == "ridge-cca" and first["objective"] < 0
    assert first["ridge 1"] == fit.ridges[0] and first["power"] == fit.power


class Summed:
    """Counts the shards that are summed, and stops after some."""

    def __init__(self, monkeypatch):
        self.n, self.most, self._sum = 0, 10**9, pair_components._Summing.__call__
        monkeypatch.setattr(pair_components._Summing, "__call__", self)

    def __get__(self, summing, owner):
        return lambda rows: self.of(summing, rows)

    def of(self, summing, rows):
        if self.n >= self.most:
            raise KeyboardInterrupt
        self.n += 1
        return self._sum(summing, rows)


@pytest.mark.parametrize("damage", ["", "half a file", "other pivots"])
def test_a_fit_that_is_stopped_goes_on_with_its_sums(tmp_path, monkeypatch, damage):
    monkeypatch.setattr(pair_components, "SHARD", 50)
    monkeypatch.setattr(pair_components, "KEEP_S", 0.0)
    summed = Summed(monkeypatch)
    settings = {**short("rivae"), **RIDGE}
    configs = [
        make_config(
            "synth",
            "rivae",
            name=name,
            dataset_settings={"n_pairs": 1500},
            method_settings=settings,
            training=ALWAYS,
        )
        for name in ("whole", "stopped")
    ]
    (whole,) = train(configs[:1], tmp_path)
    n_shards = summed.n
    run = Run(tmp_path / "stopped")
    for most in (3, 5):
        summed.n, summed.most = 0, most
        with pytest.raises(KeyboardInterrupt):
            resume([run]) if run.path.exists() else train(configs[1:], tmp_path)
    (kept,) = (run.path / "cache").glob("sums-*")
    if damage == "half a file":
        write_atomic(kept, kept.read_bytes()[:-200])
    if damage == "other pivots":
        with np.load(kept) as arrays:
            other = [arrays[f"arr_{k}"] + (k == 1) for k in range(len(arrays.files))]
        np.savez(kept, *other)
    summed.n, summed.most = 0, 10**9
    resume([run])
    assert summed.n == (n_shards if damage else n_shards - 8)
    mine, its = files_of(run), files_of(whole)
    assert mine["model.safetensors"] == its["model.safetensors"]
    assert mine.get("alignment.json") == its.get("alignment.json")
    assert not any((run.path / "cache").glob("sums-*"))


def test_no_epoch_after_it_makes_the_run_worse(tmp_path):
    """At a rate that ruins the model, the start is what is kept."""
    data = load_dataset("synth", **SYNTH)
    still = trained(tmp_path, "still", **RIDGE, joint_epochs=0, axes="as trained")
    ruined = trained(tmp_path, "ruined", **RIDGE, joint_learning_rate=0.9, axes="as trained")
    scores = [validation_scores(run.load_method(), data)["score"] for run in (still, ruined)]
    rows = [row["validation"]["score"] for row in ruined.metrics() if "validation" in row]
    assert min(rows[-3:]) < scores[0]
    assert scores[1] == pytest.approx(max(scores[0], *rows), abs=1e-6)


def test_every_seed_starts_alike_also_stacked(tmp_path):
    configs = [tiny_config(f"s{s}", seed=s, training=BEST, **RIDGE) for s in (0, 1)]
    runs = train(configs, tmp_path)
    firsts = [run.metrics()[0]["objective"] for run in runs]
    assert firsts[0] == firsts[1]


@pytest.mark.parametrize("method", ["rbi-vae", "bi-vae-on-v", "dcca", "info-nce", "info-nce-ica"])
def test_other_methods_start_near_it(tmp_path, method):
    """What the first stage after the closed form begins with retrieves far above chance."""
    own = {"init": "ridge-cca", "embedder": LINEAR, "embedder2": LINEAR}
    if method == "dcca":
        own |= {"g_hidden": [8]}
    run = trained(tmp_path, method=method, **own)
    assert run.metrics()[0]["stage"] == "ridge-cca"
    data = load_dataset("synth", **SYNTH)
    score = validation_scores(run.load_method(), data)["score"]
    # Also of a start whose heads were ready only after the epoch of the closed form.
    assert score == pytest.approx(kept_scores(run)["score"], abs=1e-6)
    n = len(data.splits["validation"])
    chance = sum(1 / k for k in range(1, n + 1)) / n
    assert score > 1.5 * chance
