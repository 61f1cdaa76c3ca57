"""DCCA: what its closed form makes of trained features, alone, stacked and resumed."""

import numpy as np
import pytest
import torch

from rivae.base.errors import ConfigError, DataError, RunError
from rivae.data import load_dataset
from rivae.jobs.launch import resume, train
from rivae.models.methods.dcca import DCCA
from rivae.models.pcca import fit_pcca
from rivae.models.registry import build_method
from rivae.models.stages import Batch, Noise
from rivae.retrieval.retriever import Retriever
from rivae.runs import Run
from rivae.training.judging import finish_closed_form
from tests.training.test_stacked import assert_same_models
from tests.training.tiny import StopAfter, files_of, tiny_config

DATA = load_dataset("synth", n_pairs=600)
TRAIN, TEST = DATA.splits["train"], DATA.splits["test"]
SETTINGS = {"n_components": 2, "dim_v": 3, "embedder": {"kind": "mlp", "hidden": (12,)}}


def fitted(seed=0, **changes):
    method = build_method("dcca", {**SETTINGS, **changes}, (50,), (50,), [seed]).eval()
    finish_closed_form(method, DATA, seed)
    return method


def features(method, rows):
    """phi1 and phi2 of data rows, straight from the networks."""
    with torch.no_grad():
        phi1 = method.g1(method.embedder1(DATA.x1.batch(rows)))
        phi2 = method.g2(method.embedder2(DATA.x2.batch(rows)))
    return phi1.double(), phi2.double()


@pytest.fixture(scope="module")
def method():
    return fitted()


@pytest.fixture(scope="module")
def fit(method):
    return fit_pcca(*features(method, TRAIN), 2)


def test_before_the_first_fit_z_is_phi():
    method = build_method("dcca", SETTINGS, (50,), (50,)).eval()
    phi1, phi2 = features(method, TEST[:5])
    mu, log_var = method.encode(DATA.x1.batch(TEST[:5]))
    torch.testing.assert_close(mu.double(), phi1)
    assert torch.equal(log_var, torch.zeros(5, 2))
    torch.testing.assert_close(method.embed_target(DATA.x2.batch(TEST[:5])).double(), phi2)
    assert torch.equal(method.decode(mu), mu)


def test_z_is_the_posterior_given_the_query(method, fit):
    phi1, _ = features(method, TEST)
    w, psi = fit.loading(1), fit.noise(1)
    gain = torch.linalg.solve(w @ w.T + psi, w)
    mu, log_var = method.encode(DATA.x1.batch(TEST))
    torch.testing.assert_close(mu.double(), (phi1 - fit.mean1) @ gain, atol=1e-5, rtol=1e-4)
    variance = (torch.eye(2) - gain.T @ w).diagonal().expand(len(TEST), 2)
    torch.testing.assert_close(log_var.exp().double(), variance, atol=1e-6, rtol=1e-4)


def test_z_of_a_pair_is_the_posterior_given_both(method, fit):
    both = torch.cat(
        [a - m for a, m in zip(features(method, TEST), (fit.mean1, fit.mean2), strict=True)], 1
    )
    w = torch.cat([fit.loading(1), fit.loading(2)])
    psi = torch.block_diag(fit.noise(1), fit.noise(2))
    expected = both @ torch.linalg.solve(w @ w.T + psi, w)
    z = method.encode_pair(DATA.x1.batch(TEST), DATA.x2.batch(TEST))
    torch.testing.assert_close(z.double(), expected, atol=1e-5, rtol=1e-4)


def test_the_score_is_the_log_likelihood_of_the_target_given_z(method, fit):
    z = torch.randn(6, 2, generator=torch.Generator().manual_seed(0)).double()
    _, phi2 = features(method, TEST[:40])
    mean = z @ fit.loading(2).T + fit.mean2
    likelihood = torch.stack(
        [torch.distributions.MultivariateNormal(m, fit.noise(2)).log_prob(phi2) for m in mean]
    )
    targets = method.embed_target(DATA.x2.batch(TEST[:40]))
    squared = ((method.decode(z.float())[:, None] - targets) ** 2).sum(-1)
    score = method.score(z.float(), squared).double()
    constant = (likelihood - score).mean()
    torch.testing.assert_close(score + constant, likelihood, atol=1e-4, rtol=1e-4)


def test_two_changes_of_axes_keep_the_whole_covariance_and_the_pair(method):
    turned = fitted()
    z = method.encode_pair(DATA.x1.batch(TEST[:9]), DATA.x2.batch(TEST[:9]))
    first = torch.tensor([[0.8, 0.6], [-0.6, 0.8]])
    offset = torch.tensor([1.0, -2.0])
    turned.apply_affine(first, offset)
    turned.apply_affine(3 * first, offset)
    matrix, total = 3 * first @ first, 3 * offset @ first + offset
    after = turned.encode_pair(DATA.x1.batch(TEST[:9]), DATA.x2.batch(TEST[:9]))
    torch.testing.assert_close(after, z @ matrix + total)
    expected = matrix.T @ method.covariance @ matrix
    torch.testing.assert_close(turned.covariance, expected)
    torch.testing.assert_close(
        turned.encode(DATA.x1.batch(TEST[:1]))[1][0], expected.diagonal().log()
    )


def test_a_second_fit_starts_from_the_features_and_not_from_the_first_fit():
    once, twice = fitted(), fitted()
    finish_closed_form(twice, DATA, 0)
    assert all(torch.equal(v, twice.state_dict()[k]) for k, v in once.state_dict().items())


def test_the_fit_touches_nothing_that_is_trained():
    fresh = build_method("dcca", SETTINGS, (50,), (50,), [0])
    for (name, old), (_, new) in zip(
        fresh.named_parameters(), fitted().named_parameters(), strict=True
    ):
        assert torch.equal(old, new), name


# Widths, and what is refused.


def test_phi_and_not_v_is_searched():
    method = fitted(n_components=5, dim_v=3)
    assert method.dim_v == method.n_components == 5
    retriever = Retriever(method, DATA, TEST)
    assert retriever.decode(np.zeros((1, 5))).shape == (1, 5)


def test_collapsed_features_have_no_solution():
    method = build_method("dcca", SETTINGS, (50,), (50,))
    with torch.no_grad():
        method.g2.out.weight[:, 1] = 0
    with pytest.raises(DataError, match="feature of view 2 is constant or repeats others"):
        finish_closed_form(method, DATA, 0)


def test_a_run_whose_features_collapse_fails_with_its_reason(tmp_path, monkeypatch):
    loss = DCCA.loss

    def collapsing(self, batch):
        with torch.no_grad():
            self.g1.out.weight.zero_()
        return loss(self, batch)

    monkeypatch.setattr(DCCA, "loss", collapsing)
    config = tiny_config(method="dcca", init="none", regulariser=1e3)
    with pytest.raises(RunError, match="constant"):
        train([config], tmp_path)
    assert Run(tmp_path / "run").status.state == "failed"


@pytest.mark.parametrize(
    ("changes", "least"),
    [
        ({"batch_size": 8, "n_components": 4}, 10),
        ({"joint_batch_size": 3, "loss_form": "eckart-young"}, 4),
    ],
)
def test_batches_too_small_for_a_correlation_are_refused(changes, least):
    with pytest.raises(ConfigError, match=f"raise joint_batch_size to at least {least}"):
        build_method("dcca", {**SETTINGS, **changes}, (50,), (50,))


# Training.


@pytest.mark.slow
@pytest.mark.parametrize("loss_form", ["canonical", "eckart-young"])
def test_training_raises_the_correlations_of_unseen_pairs(loss_form, tmp_path):
    config = tiny_config(
        method="dcca",
        loss_form=loss_form,
        joint_batch_size=50,
        init_epochs=20,
        g_epochs=20,
        joint_epochs=30,
        training={"validate_every": 70},
    )
    (run,) = train([config], tmp_path)
    trained, data = run.load_method(), run.load_dataset()
    rows = data.splits["test"]
    x = data.x1.batch(rows), data.x2.batch(rows)
    untrained = build_method("dcca", config.method.settings, (50,), (50,), [0]).eval()
    totals = []
    for method in (untrained, trained):
        v = method.embeddings(*x)
        phi = method.g1(v[0]).detach(), method.g2(v[1]).detach()
        totals.append(float(fit_pcca(*phi, 2).correlations.sum()))
    assert totals[1] > totals[0] + 0.15
    ranks = Retriever(trained, data, rows).true_ranks(rows)
    assert np.median(ranks) < 0.4 * len(rows)  # by chance .5


@pytest.mark.parametrize("loss_form", ["canonical", "eckart-young"])
def test_a_stack_has_the_losses_and_gradients_of_its_models(loss_form):
    settings, shape = {**SETTINGS, "loss_form": loss_form}, DATA.x1.shape
    stacked = build_method("dcca", settings, shape, shape, [3, 0], stacked=True).double()
    alone = [build_method("dcca", settings, shape, shape, [seed]).double() for seed in (3, 0)]
    v = torch.randn(2, 20, 3, generator=torch.Generator().manual_seed(0)).double()
    v1, v2 = v, v + 0.3 * v.flip(0)
    noise = Noise([torch.Generator(), torch.Generator()], stacked=True)
    losses = stacked.loss(Batch("g", 0.0, noise, v1=v1, v2=v2))["objective"]
    losses.sum().backward()
    for s, one in enumerate(alone):
        loss = one.loss(Batch("g", 0.0, noise, v1=v1[s], v2=v2[s]))["objective"]
        loss.backward()
        torch.testing.assert_close(losses[s], loss)
        for name, parameter in one.g1.named_parameters():
            together = dict(stacked.g1.named_parameters())[name].grad[s]
            torch.testing.assert_close(together, parameter.grad)


@pytest.mark.slow
def test_a_stack_trains_the_models_of_single_runs(tmp_path):
    # Small steps: features of fresh networks vary by a hundredth, so at the usual rate rounding
    # errors part the paths within a few epochs.
    configs = [
        tiny_config(
            f"s{s}",
            "dcca",
            seed=s,
            learning_rate=1e-4,
            g_hidden=[10, 10, 10],
            training={"validate_every": 20},
        )
        for s in (3, 0)
    ]
    stacked = train(configs, tmp_path / "stacked")
    assert_same_models(stacked, [train([c], tmp_path / "alone")[0] for c in configs])


@pytest.mark.slow
@pytest.mark.parametrize("stop", [2, 4, 8, 9])
def test_a_stopped_run_goes_on_to_the_same_bytes(stop, tmp_path):
    configs = [tiny_config(f"s{seed}", "dcca", seed=seed) for seed in (3, 0)]
    whole = [files_of(run) for run in train(configs, tmp_path / "whole")]
    with pytest.raises(KeyboardInterrupt):
        train(configs, tmp_path / "stopped", StopAfter(stop))
    runs = resume([Run(tmp_path / "stopped" / "s3")])
    assert [files_of(run) for run in runs] == whole


@pytest.mark.slow
def test_one_diverged_seed_of_a_stack_leaves_its_neighbour(tmp_path, monkeypatch):
    loss = DCCA.loss

    def poisoned(self, batch):
        if batch.stage == "joint":
            with torch.no_grad():
                self.g1.out.weight[1] = float("inf")
        return loss(self, batch)

    configs = [tiny_config(f"s{seed}", "dcca", seed=seed) for seed in (3, 0)]
    healthy = train(configs, tmp_path / "healthy")
    monkeypatch.setattr(DCCA, "loss", poisoned)
    runs = train(configs, tmp_path / "poisoned")
    monkeypatch.undo()
    assert [run.status.state for run in runs] == ["finished", "failed"]
    assert "loss became nan" in runs[1].status.message
    assert files_of(runs[0]) == files_of(healthy[0])
