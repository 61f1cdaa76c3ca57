"""RBi-VAE and Bi-VAE on V: who is updated by what, exact retrieval and axes, training."""

import math

import numpy as np
import pytest
import torch

from rivae.data import dataset_names, load_dataset
from rivae.jobs.launch import resume, train
from rivae.models.methods.rbi_vae import (
    Discriminator,
    discriminator_loss,
    permuted,
    total_correlation,
)
from rivae.models.nets.layers import reset_linears
from rivae.models.presets import find_preset
from rivae.models.registry import build_method, method_config
from rivae.models.stages import Noise
from rivae.retrieval.retriever import Retriever
from rivae.runs import Run
from tests.retrieval.small import small_data
from tests.training.test_stacked import assert_same_models
from tests.training.tiny import SYNTH, StopAfter, files_of, first_batch, tiny_config

BY_Z = {"form": "non-linear", "variance": "by z", "model_hidden": [6]}
FORMS = {"linear": {}, "constant": {"form": "non-linear"}, "by z": BY_Z}


@pytest.fixture(scope="module")
def data():
    return load_dataset("synth", **SYNTH)


def noise_of(*seeds):
    return Noise([torch.Generator().manual_seed(s) for s in seeds], stacked=len(seeds) > 1)


def discriminator_of(*seeds, hidden=(32, 32)):
    made = Discriminator(2, hidden, len(seeds) if len(seeds) > 1 else None)
    reset_linears(made, [torch.Generator().manual_seed(seed) for seed in seeds])
    return made


# The total correlation.


def test_permuted_dimensions_keep_their_values_and_lose_their_rows():
    z = torch.randn(3, 40, 2, generator=torch.Generator().manual_seed(0))
    out = permuted(z, noise_of(0, 1, 2))
    torch.testing.assert_close(out.sort(-2).values, z.sort(-2).values, rtol=0, atol=0)
    together = (out[..., 0:1] == z[..., 0].unsqueeze(-2)).float().argmax(-1)
    partner = z[..., 1].gather(-1, together)
    assert (partner != out[..., 1]).float().mean() > 0.8
    for s in range(3):
        assert torch.equal(out[s], permuted(z[s], noise_of(s)))


@pytest.mark.slow
@pytest.mark.parametrize("rho", [0.0, 0.9])
def test_the_estimate_approaches_the_known_total_correlation(rho):
    generator = torch.Generator().manual_seed(1)
    root = torch.linalg.cholesky(torch.tensor([[1.0, rho], [rho, 1.0]]))
    made, noise = discriminator_of(0), noise_of(2)
    optimiser = torch.optim.Adam(made.parameters(), 3e-3)
    for _ in range(400):
        z = torch.randn(512, 2, generator=generator) @ root.T
        optimiser.zero_grad()
        discriminator_loss(made, z, noise).backward()
        optimiser.step()
    z = torch.randn(20_000, 2, generator=generator) @ root.T
    with torch.no_grad():
        found, loss = float(total_correlation(made, z)), float(discriminator_loss(made, z, noise))
    true = -0.5 * math.log(1 - rho**2)  # .83 at rho = .9
    assert found == pytest.approx(true, abs=0.15 if rho else 0.03)
    assert loss == pytest.approx(math.log(2), abs=0.01) if not rho else loss < 0.6


def test_one_objective_holds_both_losses_without_mixing_them():
    made = discriminator_of(0, 1)
    z = torch.randn(2, 50, 2, generator=torch.Generator().manual_seed(3), requires_grad=True)

    def gradients(loss):
        z.grad = None
        made.zero_grad()
        loss.sum().backward()
        own = [torch.zeros(1) if p.grad is None else p.grad.clone() for p in made.parameters()]
        return None if z.grad is None else z.grad.clone(), own

    of_z, nothing = gradients(total_correlation(made, z))
    assert of_z.abs().sum() > 0 and all(g.abs().sum() == 0 for g in nothing)
    none, own = gradients(discriminator_loss(made, z, noise_of(4, 5)))
    assert none is None and all(g.abs().sum() > 0 for g in own)
    both_z, both = gradients(
        10 * total_correlation(made, z) + discriminator_loss(made, z, noise_of(4, 5))
    )
    torch.testing.assert_close(both_z, 10 * of_z)
    for one, other in zip(both, own, strict=True):
        assert torch.equal(one, other)


def test_the_total_correlation_falls_along_its_gradient():
    """The model is moved towards independence, not away from it."""
    made, noise = discriminator_of(0), noise_of(2)
    base = torch.randn(2000, 2, generator=torch.Generator().manual_seed(1))
    mix = torch.tensor([[1.0, 0.8], [0.0, 0.6]], requires_grad=True)
    optimiser = torch.optim.Adam(made.parameters(), 3e-3)
    for _ in range(200):
        optimiser.zero_grad()
        discriminator_loss(made, base @ mix, noise).backward()
        optimiser.step()
    mix.grad = None
    total_correlation(made, base @ mix).backward()
    after = (mix - 0.05 * mix.grad).detach()
    correlations = [float(torch.corrcoef((base @ m).T)[0, 1]) for m in (mix.detach(), after)]
    assert correlations[1] < correlations[0] - 0.005


# Who is updated by what (eq. supp_obj_joint).


def parts_with_gradient(data, term, stage_name="joint", **settings):
    """Names of the parts of RBi-VAE that a term of its loss moves."""
    settings = {"init": "none", "discriminator_hidden": [8, 8], "n_mismatches": None, **settings}
    method = build_method("rbi-vae", settings, (50,), (50,)).train()
    stage = {stage.name: stage for stage in method.stages()}[stage_name]
    terms = method.loss(first_batch(method, data, stage, torch.Generator().manual_seed(0)))
    terms[term].backward()
    return {
        ".".join(name.split(".")[:2]) if name.startswith("model") else name.split(".")[0]
        for name, p in method.named_parameters()
        if p.grad is not None and p.grad.abs().sum() > 0
    }


MODEL = {"model.decoder1", "model.decoder2", "model.raw_log_var1", "model.raw_log_var2"}
ENCODERS = {"model.encoder1", "model.encoder2"}
SPREADS = {"model.spread1", "model.spread2"}


@pytest.mark.parametrize("stage", ["bi-vae", "joint"])
def test_the_likelihood_and_the_total_correlation_train_the_model_alone(data, stage):
    assert parts_with_gradient(data, "likelihood", stage) == MODEL
    assert parts_with_gradient(data, "total correlation", stage) == MODEL
    assert parts_with_gradient(data, "discriminator", stage) == {"discriminator"}


def test_the_bounds_train_the_vae_alone(data):
    form = {"form": "non-linear", "variance": "by z"}
    assert parts_with_gradient(data, "kl", **form) == ENCODERS
    found = parts_with_gradient(data, "reconstruction", **form)
    assert found == MODEL | ENCODERS | SPREADS
    assert parts_with_gradient(data, "total correlation", **form) == ENCODERS


@pytest.mark.parametrize("loss", ["hinge", "softmax"])
def test_retrieval_trains_the_model_and_the_embedders(data, loss):
    found = parts_with_gradient(data, "retrieval", loss_form=loss, margin=5.0)
    assert found == {"embedder1", "embedder2"} | MODEL


@pytest.mark.parametrize("expectation", ["sample", "mean"])
def test_the_query_of_retrieval_has_not_seen_the_item(data, expectation):
    """Q(z|v1), not Q(z|v1,v2): the encoder of v2 takes no part."""
    form = {"form": "non-linear", "expectation": expectation}
    found = parts_with_gradient(data, "retrieval", **form)
    own = {"model.encoder1", "model.decoder2", "model.raw_log_var2"}
    assert found == {"embedder1", "embedder2"} | own


@pytest.mark.parametrize("form", ["ratio", "jvp"])
def test_the_regulariser_trains_e2_and_c_only(data, form):
    assert parts_with_gradient(data, "regulariser", reg_form=form) == {"embedder2", "c"}


def test_the_objective_is_the_weighted_sum_of_its_terms(data):
    settings = {"init": "none", "gamma": 3.0, "lambda_retr": 0.7, "lambda_reg": 0.2}
    method = build_method("rbi-vae", settings, (50,), (50,)).train()
    terms = method.loss(first_batch(method, data, method.stages()[-1], torch.Generator()))
    expected = terms["likelihood"] + 3 * terms["total correlation"] + terms["discriminator"]
    expected = expected + 0.7 * terms["retrieval"] + 0.2 * terms["regulariser"]
    torch.testing.assert_close(terms["objective"], expected)


def test_the_discriminator_has_its_own_rate_in_every_stage():
    settings = {"init": "none", "learning_rate": 0.01, "joint_learning_rate": 0.002}
    method = build_method("rbi-vae", {**settings, "discriminator_rate": 5e-4}, (50,), (50,))
    own = {id(p) for p in method.discriminator.parameters()}
    for stage in method.stages():
        first = method.param_groups(stage.name)[0]
        assert {id(p) for p in first.parameters} == own
        assert first.scale * stage.learning_rate == pytest.approx(5e-4)


def test_without_a_total_correlation_there_is_no_discriminator():
    for settings in ({"gamma": 0}, {"n_components": 1}):
        method = build_method("rbi-vae", {"init": "none", **settings}, (50,), (50,))
        assert method.discriminator is None
    hidden = build_method("rbi-vae", {}, (50,), (50,)).discriminator.layers
    assert [layer.weight.shape[1] for layer in hidden] == [300] * 6


def test_weights_of_nan_give_a_loss_of_nan_and_no_error(data):
    method = build_method("rbi-vae", {"init": "none"}, (50,), (50,)).train()
    with torch.no_grad():
        method.model.decoder1.weight.fill_(float("nan"))
    terms = method.loss(first_batch(method, data, method.stages()[-1], torch.Generator()))
    assert terms["objective"].isnan()


# Retrieval and axes.


def searched(form, seed=4):
    """A method in one of the three forms on small data, its axes moved and log variances mixed."""
    pairs = small_data(n=200)
    settings = {"n_components": 3, "dim_v": 6, "embedder": {"kind": "mlp", "hidden": [12]}}
    method = build_method(
        "bi-vae-on-v", {**settings, **FORMS[form]}, pairs.x1.shape, pairs.x2.shape, (seed,)
    )
    g = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        method.model.raw_log_var2.copy_(torch.randn(6, generator=g))
        method.model.output2().weight.mul_(3.0)  # fresh decoders hardly move with z
    method.apply_affine(torch.randn(3, 3, generator=g), torch.randn(3, generator=g))
    return method.eval(), pairs


@pytest.mark.parametrize("form", FORMS)
def test_items_are_ranked_by_log_p_of_v2_given_z(form):
    method, pairs = searched(form)
    retriever = Retriever(method, pairs, np.arange(len(pairs)))
    z = 20 * torch.randn(30, 3, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    found = retriever.search(z.numpy(), len(pairs))
    double = retriever.model._double
    with torch.no_grad():
        v2 = method.embedder2(pairs.x2.batch(range(len(pairs)))).double()
        direct = double.model.all_scores(double.from_axes(z), v2)
    ordered = direct.gather(1, torch.from_numpy(found.ids)).numpy()
    if form == "by z":  # log P itself, constant and all
        np.testing.assert_allclose(found.scores, ordered, rtol=1e-9, atol=1e-9)
        assert direct.argsort(1, descending=True).tolist() == found.ids.tolist()
    else:  # up to one constant, and to the rounding of the items to float32
        shift, rounding = found.scores - ordered, 1e-6 * np.abs(ordered).max()
        np.testing.assert_allclose(shift, shift.mean(), rtol=0, atol=rounding)
        assert (np.diff(ordered, axis=1) <= rounding).all()
    assert len(np.unique(found.ids[:, 0])) > 3


@pytest.mark.parametrize("form", FORMS)
def test_new_axes_keep_every_density(form):
    method, pairs = searched(form)
    v1 = method.embed_query(pairs.x1.batch(range(9))).double()
    method.double()
    g = torch.Generator().manual_seed(8)
    inner = method.model.query_posterior(v1)
    before = method.encode_v(v1)[0]
    z = torch.randn(5, 3, dtype=torch.float64, generator=g)
    decoded, scores = method.decode(z), method.score(z, torch.ones(5, 2))
    total, point = method.to_axes.weight.clone(), z
    for _ in range(2):  # also a second change
        matrix = torch.randn(3, 3, dtype=torch.float64, generator=g)
        offset = torch.randn(3, dtype=torch.float64, generator=g)
        method.apply_affine(matrix, offset)
        before, point, total = before @ matrix + offset, point @ matrix + offset, total @ matrix
    mean, log_var = method.encode_v(v1)
    torch.testing.assert_close(mean, before)
    covariance = getattr(inner, "covariance", None)
    rows = [covariance] * 9 if covariance is not None else map(torch.diag, inner.log_var.exp())
    exact = torch.stack([(total.T @ c @ total).diagonal() for c in rows])
    torch.testing.assert_close(log_var.exp(), exact)
    torch.testing.assert_close(method.decode(point), decoded)
    torch.testing.assert_close(method.score(point, torch.ones(5, 2)), scores)


def test_the_pair_knows_more_than_the_query():
    method, pairs = searched("linear")
    x1, x2 = pairs.x1.batch(range(9)), pairs.x2.batch(range(9))
    both = method.model.pair_posterior(*method.embeddings(x1, x2))
    torch.testing.assert_close(method.encode_pair(x1, x2), method.to_axes(both.mean))
    alone = method.model.query_posterior(method.embed_query(x1)).covariance
    assert (torch.linalg.eigvalsh(alone - both.covariance) > 0).all()


# Training.


@pytest.mark.slow
@pytest.mark.parametrize(
    "form", ["linear", "by z", pytest.param("constant", marks=pytest.mark.slow(rare=True))]
)
def test_a_batch_gives_the_models_that_single_runs_give(form, tmp_path):
    configs = [tiny_config(f"s{s}", "rbi-vae", seed=s, **FORMS[form]) for s in (5, 0)]
    stacked = train(configs, tmp_path / "stacked")
    assert_same_models(stacked, [train([c], tmp_path / "alone")[0] for c in configs])
    weights = [run.load_method().state_dict()["discriminator.out.weight"] for run in stacked]
    assert not torch.allclose(weights[0], weights[1], atol=1e-2)


@pytest.mark.slow
def test_a_stopped_run_goes_on_to_the_same_bytes(tmp_path):
    whole = files_of(train([tiny_config("r", "rbi-vae")], tmp_path / "whole")[0])
    for stop in (4, 7):
        with pytest.raises(KeyboardInterrupt):
            train([tiny_config("r", "rbi-vae")], tmp_path / str(stop), StopAfter(stop))
        run = Run(tmp_path / str(stop) / "r")
        resume([run])
        assert files_of(run) == whole


def test_bi_vae_on_v_leaves_the_embedders_of_the_start(tmp_path):
    """Its embeddings are those of the Cos-Sim-LVM, whatever the model learns."""
    runs = [
        train([tiny_config(f"r{epochs}", "bi-vae-on-v", epochs=epochs)], tmp_path)[0]
        for epochs in (1, 6)
    ]
    states = [run.load_method().state_dict() for run in runs]
    for name, value in states[0].items():
        assert torch.equal(value, states[1][name]) == name.startswith(("embedder", "initialiser"))


def complete(dataset, method, preset):
    """The settings of a preset, the method's own defaults included."""
    return method_config(method, find_preset(dataset, method, preset).method).model_dump()


@pytest.mark.parametrize("preset", ["default", "paper"])
@pytest.mark.parametrize("dataset", dataset_names())
def test_presets_start_and_train_the_embedders_as_rivae_does(dataset, preset):
    theirs = complete(dataset, "rivae", preset)
    if dataset in ("sprites", "sprites-hard") and preset == "default":
        theirs |= {"init": "cos-sim-lvm", "init_epochs": 60}
    if dataset == "synth" and preset == "default":
        # RIVAE needs half of the epochs there.
        theirs |= {"init": "cos-sim-lvm", "init_epochs": 200, "joint_epochs": 500}
    joint = ("joint_epochs", "loss_form", "n_mismatches", "reg_form", "lambda_reg", "milestones")
    start = (
        "init",
        "init_epochs",
        "init_learning_rate",
        "batch_size",
        "embedder",
        "embedder2",
        "cos_sim",
        "head_hidden",
        "dim_v",
        "learning_rate",
    )
    for method, keys in (("rbi-vae", start + joint), ("bi-vae-on-v", start)):
        ours = complete(dataset, method, preset)
        assert {k: ours[k] for k in keys} == {k: theirs[k] for k in keys}
