"""Several seeds as one batch: the same models as one by one, resumed together."""

import pytest
import torch

from rivae.base.config import RunConfig
from rivae.base.errors import ConfigError, RunError
from rivae.jobs.launch import resume, train
from rivae.runs import Run
from rivae.training.models import clip_gradients, join_models, take_model
from tests.training.tiny import (
    StopAfter,
    contrast_settings,
    files_of,
    smooth_settings,
    tiny_config,
)

SEEDS = (5, 0, 9)
CASES = {
    "rivae": {},
    "rivae, smooth": {**smooth_settings(), "ask_both_ways": True},
    "rivae, contrast": contrast_settings(),
    "cos-sim-lvm": {"method": "cos-sim-lvm"},
    "dropout": {"dataset": "split-digits"},
}


def configs_of(**changes):
    return [tiny_config(f"s{seed}", seed=seed, **changes) for seed in SEEDS]


def with_dataset(config, **settings):
    """The same run on another draw of the data."""
    raw = config.model_dump()
    raw["dataset"]["settings"] = {**raw["dataset"]["settings"], **settings}
    return RunConfig.model_validate(raw)


def assert_same_models(stacked, alone):
    for one, other in zip(stacked, alone, strict=True):
        assert one.config == other.config
        for row, expected in zip(one.metrics(), other.metrics(), strict=True):
            assert row["stage"] == expected["stage"] and row["epoch"] == expected["epoch"]
            assert row["objective"] == pytest.approx(expected["objective"], rel=1e-4)
        models = [run.load_method() for run in (one, other)]
        x1 = one.load_dataset().x1.batch(range(40))
        mu = [model.encode(x1)[0] for model in models]
        torch.testing.assert_close(mu[0], mu[1], rtol=1e-4, atol=1e-3)  # of axes from -10 to 10
        if models[0].asks_both_ways:
            mu = [
                model.encode_target(one.load_dataset().x2.batch(range(40)))[0] for model in models
            ]
            torch.testing.assert_close(mu[0], mu[1], rtol=1e-4, atol=1e-3)


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_a_batch_gives_the_models_that_single_runs_give(name, tmp_path):
    # No axes: FastICA may order two near-equal directions the other way round.
    configs = configs_of(**{**CASES[name], "axes": "scaled"})
    stacked = train(configs, tmp_path / "stacked")
    alone = [train([config], tmp_path / "alone")[0] for config in configs]
    assert_same_models(stacked, alone)
    weights = [run.load_method().state_dict()["decoder.out.weight"] for run in stacked]
    assert not torch.allclose(weights[0], weights[1], atol=1e-2)


@pytest.mark.slow
def test_seeds_on_different_draws_of_the_data(tmp_path):
    configs = [with_dataset(config, g_seed=i) for i, config in enumerate(configs_of())]
    stacked = train(configs, tmp_path / "stacked")
    alone = [train([config], tmp_path / "alone")[0] for config in configs]
    assert_same_models(stacked, alone)


@pytest.mark.slow
def test_a_stopped_batch_goes_on_to_the_same_bytes(tmp_path):
    configs = configs_of()
    whole = [files_of(run) for run in train(configs, tmp_path / "whole")]
    for stop in (2, 4, 8):
        root = tmp_path / str(stop)
        with pytest.raises(KeyboardInterrupt):
            train(configs, root, StopAfter(stop))
        runs = [Run(root / config.name) for config in configs]
        assert [run.status.state for run in runs] == ["interrupted"] * 3
        assert runs[0].status.batch == ["s5", "s0", "s9"]
        # Naming one of them brings its batch along, in the batch's own order.
        done = resume([runs[1]])
        assert [run.id for run in done] == ["s5", "s0", "s9"]
        assert [files_of(run) for run in runs] == whole


@pytest.mark.slow
def test_a_batch_that_lost_a_member_goes_on_without_it(tmp_path):
    import shutil

    configs = configs_of()
    with pytest.raises(KeyboardInterrupt):
        train(configs, tmp_path, StopAfter(3))
    shutil.rmtree(tmp_path / "s0")
    done = resume([Run(tmp_path / "s9")])
    assert [run.id for run in done] == ["s5", "s9"]
    assert all(run.status.state == "finished" for run in done)
    with pytest.raises(RunError, match="already finished"):
        resume(done)


@pytest.mark.slow
def test_one_diverging_seed_does_not_harm_the_others(tmp_path, monkeypatch):
    from rivae.models.methods.rivae import RIVAE

    loss = RIVAE.loss

    def poisoned(self, batch):
        terms = loss(self, batch)
        if batch.stage == "joint" and terms["objective"].dim():
            poison = torch.tensor([0.0, float("nan"), 0.0])
            terms["objective"] = terms["objective"] + poison * terms["retrieval"]
        return terms

    monkeypatch.setattr(RIVAE, "loss", poisoned)
    runs = train(configs_of(), tmp_path / "poisoned")
    monkeypatch.undo()
    assert [run.status.state for run in runs] == ["finished", "failed", "finished"]
    assert runs[1].status.message.startswith("the loss became nan in epoch 6 (joint): lower the")
    assert not runs[1].ready
    healthy = train(configs_of(), tmp_path / "healthy")
    for i in (0, 2):
        assert files_of(runs[i]) == files_of(healthy[i])


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda c: tiny_config("b", ivae_epochs=1), "share all settings but the seed"),
        (lambda c: with_dataset(tiny_config("b"), n_pairs=300), "equally many training pairs"),
        (lambda c: tiny_config("b", dataset="split-digits"), "share all settings"),
    ],
)
def test_what_cannot_be_one_batch_is_refused_and_leaves_no_folder(change, reason, tmp_path):
    config = tiny_config("a")
    with pytest.raises(ConfigError, match=reason):
        train([config, change(config)], tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_patience_trains_one_by_one(tmp_path):
    configs = configs_of(training={"patience": 2})
    with pytest.raises(ConfigError, match="patience stop at different epochs: train them one by"):
        train(configs, tmp_path)
    assert list(tmp_path.iterdir()) == []


# Slices of stacked states.


def test_models_are_taken_out_and_joined_again():
    state = {"w": torch.randn(3, 4, 5), "c": torch.randn(3)}
    parts = [take_model(state, s) for s in range(3)]
    assert parts[1]["w"].shape == (4, 5) and parts[1]["c"].shape == ()
    joined = join_models(parts, stacked=True)
    assert all(torch.equal(joined[key], state[key]) for key in state)
    assert take_model(state, None) == state and join_models([state], stacked=False) is state


def test_each_model_is_clipped_by_its_own_norm():
    parameters = [torch.nn.Parameter(torch.zeros(2, 3)), torch.nn.Parameter(torch.zeros(2))]
    parameters[0].grad = torch.tensor([[3.0, 0, 0], [0.1, 0, 0]])
    parameters[1].grad = torch.tensor([4.0, 0.2])
    norms = clip_gradients(parameters, 1.0, stacked=True)
    torch.testing.assert_close(norms, torch.tensor([5.0, 0.05**0.5]))
    torch.testing.assert_close(parameters[0].grad, torch.tensor([[0.6, 0, 0], [0.1, 0, 0]]))
    torch.testing.assert_close(parameters[1].grad, torch.tensor([0.8, 0.2]))
    alone = [torch.nn.Parameter(torch.zeros(3)), torch.nn.Parameter(torch.zeros(()))]
    alone[0].grad, alone[1].grad = torch.tensor([3.0, 0, 0]), torch.tensor(4.0)
    clip_gradients(alone, 1.0, stacked=False)
    torch.testing.assert_close(alone[0].grad, parameters[0].grad[0])
