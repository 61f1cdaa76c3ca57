"""The contrastive start forgets what is private, and what it unfolds outlives a kill."""

import numpy as np
import pytest
import torch

from rivae.base.errors import DataError
from rivae.jobs.launch import resume, train
from rivae.models.contrast_start import StepStage
from rivae.models.registry import build_method
from rivae.models.stages import Batch, Noise, Stage
from rivae.runs import Run
from rivae.training import Trainer, TrainingJob, starts
from rivae.training.starts import StartFile, read_shares
from rivae.training.unfolding import unfold
from tests.training.tiny import StopAfter, contrast_settings, linear_r2, tiny_config

MLP = {"kind": "mlp", "hidden": [64], "activation": "relu"}


def built(**changes):
    settings = {**tiny_config(**contrast_settings()).method.settings, **changes}
    return build_method("rivae", settings, (50,), (50,), [0])


def batch_of(x1, x2, stage="contrast"):
    noise = Noise([torch.Generator().manual_seed(0)], stacked=False)
    return Batch(stage=stage, progress=0.0, noise=noise, x1=x1, x2=x2)


@pytest.mark.parametrize(
    ("n", "batch", "steps", "epochs", "each"),
    [(100, 16, 13, 3, 6), (100, 16, 12, 2, 6), (10_000, 16, 13, 1, 13), (5, 16, 3, 3, 1)],
)
def test_a_length_in_steps_is_few_epochs_of_many_rows(n, batch, steps, epochs, each):
    stage = StepStage("any", 1, 1e-3, batch, steps=steps)
    assert (stage.over(n).epochs, stage.epoch_steps(n)) == (epochs, each)
    assert Stage("any", 7, 1e-3, batch).over(n).epochs == 7


def test_its_embeddings_are_wide_and_those_of_the_model_stay_as_they_are():
    method = built()
    x = torch.randn(6, 50, generator=torch.Generator().manual_seed(1))
    before = method.embed_query(x)
    v1, v2 = method.start.contrast_embeddings(x, x)
    assert v1.shape == v2.shape == (6, 8)
    assert torch.allclose(v1.norm(dim=-1), torch.ones(6))
    assert torch.equal(method.embed_query(x), before) and before.shape == (6, method.dim_v)


def test_it_trains_all_of_the_embedders_but_the_layers_that_it_replaces():
    method = built()
    x = torch.randn(8, 50, generator=torch.Generator().manual_seed(1))
    method.loss(batch_of(x, x.flip(-1)))["objective"].backward()
    (group,) = method.param_groups("contrast")
    assert all(p.grad is not None for p in group.parameters)
    trained = {id(p) for p in group.parameters}
    for embedder in (method.embedder1, method.embedder2):
        assert all(p.grad is None and id(p) not in trained for p in embedder.head.out.parameters())


@pytest.mark.slow
def test_it_keeps_what_both_sides_share_and_forgets_the_rest():
    rng = np.random.default_rng(0)
    shared, private = rng.uniform(-1, 1, (1200, 2)), rng.uniform(-1, 1, (1200, 2, 2))
    turns = [np.linalg.qr(rng.standard_normal((50, 50)))[0][:4] for _ in range(2)]
    x1, x2 = (
        torch.from_numpy(np.tanh(np.column_stack([shared, 2 * private[:, k]]) @ turn)).float()
        for k, turn in enumerate(turns)
    )
    method = built(contrast={"dim": 32, "batch_size": 128}, embedder=MLP)
    (group,) = method.param_groups("contrast")
    optimiser = torch.optim.Adam(group.parameters, lr=2e-3)
    order = torch.Generator().manual_seed(0)
    for _ in range(250):
        rows = torch.randint(len(x1), (128,), generator=order)
        optimiser.zero_grad()
        method.loss(batch_of(x1[rows], x2[rows]))["objective"].backward()
        optimiser.step()
    with torch.inference_mode():
        found = unfold(torch.cat(method.start.contrast_embeddings(x1, x2), -1).numpy(), 2)
    assert found.n_axes == 2
    assert linear_r2(found.axes, shared).min() > 0.9
    assert linear_r2(found.axes, private.reshape(len(private), -1)).max() < 0.05


def test_what_was_unfolded_is_read_again_and_a_damaged_file_is_told(tmp_path):
    config = tiny_config(**contrast_settings())
    with pytest.raises(KeyboardInterrupt):
        train([config], tmp_path, StopAfter(7))  # in the stage "unfold"
    run = Run(tmp_path / config.name)
    kept = run.unfolded
    assert kept.exists() and run.status.stage == "unfold"
    kept.write_bytes(kept.read_bytes()[:-8])
    with pytest.raises(DataError, match="new name"):
        resume([run])


def test_each_fit_starts_from_other_weights_and_all_are_unfolded_together(tmp_path):
    config = tiny_config(**contrast_settings())
    with pytest.raises(KeyboardInterrupt):
        train([config], tmp_path, StopAfter(6))  # both fits are trained, the second not yet kept
    run = Run(tmp_path / config.name)
    assert set(StartFile(run.unfolded).tensors) == {"fit1"} and not read_shares(run.unfolded)
    resume([run])
    kept, n = StartFile(run.unfolded), len(run.load_dataset().splits["train"])
    d, dim_v = (run.config.method.settings[name] for name in ("n_components", "dim_v"))
    assert set(kept.tensors) == {"fits", "rows", "target", "straightened"}
    assert kept.tensors["fits"].shape == (2, n, d)
    first, second = kept.tensors["fits"]
    assert not torch.allclose(first, second)
    assert kept.target("target", n, dim_v) is not None
    assert not torch.allclose(kept.tensors["target"], kept.tensors["straightened"])
    assert len(read_shares(run.unfolded)) > d
    with pytest.raises(DataError, match="new name"):
        kept.target("target", n + 1, dim_v)


def test_of_many_rows_some_are_unfolded_and_the_others_placed(tmp_path, monkeypatch):
    monkeypatch.setattr(starts, "MAX_ROWS", 30)
    monkeypatch.setattr(starts, "COMPARED_ROWS", 20)
    (run,) = train([tiny_config(**contrast_settings())], tmp_path)
    kept, n = StartFile(run.unfolded).tensors, len(run.load_dataset().splits["train"])
    assert n > 30 and len(kept["target"]) == len(kept["straightened"]) == n
    assert kept["fits"].shape[1] == len(kept["rows"]) == len(set(kept["rows"].tolist())) == 20
    assert set(kept["rows"].tolist()) <= set(starts.unfolded_rows(n).tolist())


@pytest.mark.slow
def test_a_training_from_its_beginning_does_not_use_what_an_earlier_one_unfolded(tmp_path):
    config = tiny_config(**contrast_settings())
    (run,) = train([config], tmp_path)
    job = TrainingJob(run, run.load_dataset())
    whole = run.unfolded.read_bytes()
    run.unfolded.write_bytes(b"of another training")
    Trainer([job]).fit()
    assert run.unfolded.read_bytes() == whole


def test_embeddings_from_elsewhere_have_nothing_to_train():
    with pytest.raises(Exception, match="init=cos-sim-lvm"):
        built(embedder={"kind": "identity"}, dim_v=50)


def test_a_method_whose_v_is_narrower_than_the_embeddings_starts_from_them_as_well(tmp_path):
    settings = {**contrast_settings(), "axes": "as trained"}
    del settings["anchor"]
    config = tiny_config(method="dcca", **settings)
    (run,) = train([config], tmp_path)
    assert run.ready
    n, dim_v = len(run.load_dataset().splits["train"]), config.method.settings["dim_v"]
    assert run.load_method().dim_v < dim_v
    assert StartFile(run.unfolded).target("straightened", n, dim_v) is not None
