"""Bi-VAE: exact where its model is linear, unchanged by new axes, alone as in a batch."""

import math

import pytest
import torch

from rivae.base.errors import ConfigError
from rivae.data import load_dataset
from rivae.jobs.launch import resume, train
from rivae.models.gaussians import DiagonalGaussian, product_of_experts
from rivae.models.losses import kl_diagonal
from rivae.models.nets.autoencoders import ConvDecoder, SeededConvTranspose
from rivae.models.presets import trains_as_batch
from rivae.models.registry import build_method
from rivae.models.stages import Batch, Noise
from rivae.retrieval.exact_path import exact_change_points
from rivae.retrieval.retriever import Retriever
from rivae.runs import Run
from tests.training.tiny import StopAfter, files_of, first_batch, tiny_config

D1, D2, ETA = 5, 4, 0.7
CONV = {"network": "conv", "hidden": [24], "channels": [6, 8, 10], "downsample": 2}
KINDS = {
    "linear": {"network": "linear"},
    "mlp": {"network": "mlp", "hidden": [12, 9]},
    "conv": {**CONV, "n_components": 3},
}
SHAPES = {"linear": (7,), "mlp": (7,), "conv": (1, 16, 16)}


def generator(seed):
    return torch.Generator().manual_seed(seed)


def build(kind, seed=0, **settings):
    shape = SHAPES[kind]
    return build_method("bi-vae", {**KINDS[kind], **settings}, shape, shape, [seed])


def batch_of(x1, x2, seed=0):
    return Batch("bi-vae", 0.0, Noise([generator(seed)], stacked=False), x1=x1, x2=x2)


# The product of experts.


@pytest.mark.parametrize("prior", [True, False])
def test_product_of_experts_is_the_normalised_product_of_densities(prior):
    experts = [
        (torch.tensor([[0.8]]), torch.tensor([[-0.5]])),
        (torch.tensor([[-1.1]]), torch.tensor([[0.9]])),
    ]
    z = torch.linspace(-12, 12, 200_001, dtype=torch.float64)
    log_density = -0.5 * z**2 if prior else torch.zeros_like(z)
    for mu, log_var in experts:
        log_density = log_density - 0.5 * (z - mu.item()) ** 2 / math.exp(log_var.item())
    weight = log_density.exp() / log_density.exp().sum()
    mean = (weight * z).sum()
    variance = (weight * (z - mean) ** 2).sum()
    mu, log_var = product_of_experts(experts, prior)
    assert mu.item() == pytest.approx(mean.item(), abs=1e-6)
    assert log_var.exp().item() == pytest.approx(variance.item(), rel=1e-6)


def test_one_expert_with_the_prior_is_its_posterior():
    mu, log_var = torch.randn(3, 2, generator=generator(0)), torch.zeros(3, 2)
    both = product_of_experts([(mu, log_var)], True)
    torch.testing.assert_close(both[0], mu / 2)
    torch.testing.assert_close(both[1], torch.full((3, 2), math.log(0.5)))


# The linear Gaussian model, whose likelihood is known.


def linear_gaussian(**settings):
    """A linear Bi-VAE whose experts are exact: x_i = z W_i + b_i + noise, W_i W_i' diagonal."""
    settings = {"network": "linear", "n_components": 2, "eta": ETA, "eta_form": "fixed", **settings}
    method = build_method("bi-vae", settings, (D1,), (D2,)).double()
    pairs = ((method.encoder1, method.decoder1), (method.encoder2, method.decoder2))
    for i, (encoder, decoder) in enumerate(pairs):
        dim = decoder.out.bias.shape[0]
        rows = torch.linalg.qr(torch.randn(dim, 2, generator=generator(i), dtype=torch.float64))[0]
        weight = rows.T * torch.tensor([[1.3], [0.6 + i]], dtype=torch.float64)
        bias = torch.randn(dim, generator=generator(7 + i), dtype=torch.float64)
        with torch.no_grad():
            decoder.out.weight.copy_(weight)
            decoder.out.bias.copy_(bias)
            strength = (weight**2).sum(1)
            encoder.out.weight.zero_()
            encoder.out.weight[:, :2] = weight.T / strength
            encoder.out.bias[:2] = -bias @ weight.T / strength
            encoder.out.bias[2:] = torch.log(ETA**2 / strength)
    return method


def exact_log_likelihood(method, x1, x2):
    """log P of (x1, x2), x1 and x2, each the sum over dimensions for one pair (D,)."""
    parts = {"both": torch.cat([x1, x2]), "one": x1, "two": x2}
    decoders = {"one": [method.decoder1], "two": [method.decoder2]}
    decoders["both"] = [method.decoder1, method.decoder2]
    out = {}
    for name, x in parts.items():
        weight = torch.cat([d.out.weight for d in decoders[name]], 1).detach()
        bias = torch.cat([d.out.bias for d in decoders[name]]).detach()
        covariance = weight.T @ weight + ETA**2 * torch.eye(len(x), dtype=torch.float64)
        normal = torch.distributions.MultivariateNormal(bias, covariance)
        out[name] = normal.log_prob(x).item()
    return out


def elbos(method, x1, x2, n=50_000):
    terms = method.loss(batch_of(x1.expand(n, -1), x2.expand(n, -1)))
    joint = terms["reconstruction_1"] + terms["reconstruction_2"] + terms["kl"]
    assert terms["objective"].item() == pytest.approx(
        (joint + terms["single_1"] + terms["single_2"]).item() / (D1 + D2)
    )
    return {
        "both": -joint.item(),
        "one": -terms["single_1"].item(),
        "two": -terms["single_2"].item(),
    }


X1 = torch.randn(D1, generator=generator(3), dtype=torch.float64)
X2 = torch.randn(D2, generator=generator(4), dtype=torch.float64)


def test_with_exact_experts_all_three_elbos_are_the_log_likelihoods():
    method = linear_gaussian()
    exact = exact_log_likelihood(method, X1, X2)
    for name, value in elbos(method, X1, X2).items():
        assert value == pytest.approx(exact[name], abs=0.03), name


def posteriors(method):
    one = method._expert(method.encoder1, X1[None])
    two = method._expert(method.encoder2, X2[None])
    return {
        "both": method._posterior(one, two),
        "one": method._posterior(one),
        "two": method._posterior(two),
    }


@pytest.mark.parametrize("change", ["wrong experts", "no prior expert"])
def test_the_elbo_falls_short_by_the_divergence_from_the_true_posterior(change):
    exact, true = linear_gaussian(), posteriors(linear_gaussian())
    method = linear_gaussian(prior_expert=change != "no prior expert")
    if change == "wrong experts":
        with torch.no_grad():
            method.encoder1.out.bias += 0.4
            method.encoder2.out.bias -= 0.3
    log_likelihood, q = exact_log_likelihood(exact, X1, X2), posteriors(method)
    for name, value in elbos(method, X1, X2).items():
        p = true[name]
        gap = kl_diagonal(q[name].mean, q[name].log_var, p.mean, p.log_var).item()
        assert gap > 0.01
        assert value == pytest.approx(log_likelihood[name] - gap, abs=0.03), name


def test_the_posterior_mean_is_that_of_the_linear_gaussian_model():
    method = linear_gaussian()
    weight = torch.cat([method.decoder1.out.weight, method.decoder2.out.weight], 1).detach()
    bias = torch.cat([method.decoder1.out.bias, method.decoder2.out.bias]).detach()
    precision = weight @ weight.T / ETA**2 + torch.eye(2, dtype=torch.float64)
    mean = torch.linalg.solve(precision, weight @ (torch.cat([X1, X2]) - bias) / ETA**2)
    torch.testing.assert_close(method.encode_pair(X1[None], X2[None])[0], mean)


def test_learned_eta_settles_at_the_root_mean_squared_error():
    method = build_method("bi-vae", {"network": "linear", "eta": 2.0}, (D1,), (D2,))
    x1, x2 = (torch.randn(300, d, generator=generator(d)) for d in (D1, D2))
    optimiser = torch.optim.Adam([method.log_eta], 0.05)
    for _ in range(120):
        optimiser.zero_grad()
        terms = method.loss(batch_of(x1, x2))
        terms["objective"].backward()
        optimiser.step()
    # At the optimum |x - f|^2 / (2 eta^2) = D / 2 on average, over the joint and the single z.
    with torch.no_grad():
        etas = method.log_eta.exp()
        joint = terms["reconstruction_1"]
        single = terms["single_1"] - method._kl(DiagonalGaussian(*method.encode_v(x1)))
    constant = D1 * (etas[0].log() + 0.5 * math.log(2 * math.pi))
    assert ((joint + single) / 2 - constant).item() == pytest.approx(D1 / 2, rel=0.02)
    assert etas.shape == (2,) and (etas < 2).all()


# Settings.


def test_weights_of_the_elbos_do_what_they_say():
    x1, x2 = (torch.randn(20, 7, generator=generator(i)) for i in (1, 2))
    full = build("mlp").loss(batch_of(x1, x2))
    none = build("mlp", lambda_single=0).loss(batch_of(x1, x2))
    assert set(full) - set(none) == {"single_1", "single_2"}
    joint = full["reconstruction_1"] + full["reconstruction_2"] + full["kl"]
    torch.testing.assert_close(none["objective"], joint / 14)
    without_kl = build("mlp", beta=0.0, lambda_single=0).loss(batch_of(x1, x2))
    torch.testing.assert_close(without_kl["objective"], (joint - full["kl"]) / 14)


def test_a_fixed_eta_is_not_trained():
    learned, fixed = build("mlp"), build("mlp", eta_form="fixed")
    assert "log_eta" in dict(learned.named_parameters())
    assert "log_eta" not in dict(fixed.named_parameters())
    assert "log_eta" in fixed.state_dict()


# Axes.


@pytest.mark.parametrize("kind", KINDS)
def test_new_axes_are_exact_everywhere_and_twice(kind):
    method = build(kind).double().eval()
    d = method.n_components
    x1, x2 = (torch.rand(6, *SHAPES[kind], generator=generator(i)).double() for i in (1, 2))
    with torch.no_grad():
        old = method.encode(x1), method.encode_pair(x1, x2), method.decode(method.encode(x1)[0])
        objective = method.loss(batch_of(x1, x2))["objective"]
        total, shift = torch.eye(d).double(), torch.zeros(d).double()
        for seed in (5, 6):
            matrix = torch.randn(d, d, generator=generator(seed)).double()
            offset = torch.randn(d, generator=generator(seed + 9)).double()
            method.apply_affine(matrix, offset)
            total, shift = total @ matrix, shift @ matrix + offset
        mu, log_var = method.encode(x1)
        torch.testing.assert_close(mu, old[0][0] @ total + shift)
        torch.testing.assert_close(log_var.exp(), old[0][1].exp() @ total**2)
        torch.testing.assert_close(method.encode_pair(x1, x2), old[1] @ total + shift)
        torch.testing.assert_close(method.decode(mu), old[2])
        torch.testing.assert_close(method.loss(batch_of(x1, x2))["objective"], objective)


# Convolutions.


@pytest.mark.parametrize("shape", [(1, 64, 64), (2, 28, 14), (1, 16, 9)])
def test_the_decoder_gives_pictures_of_the_right_shape(shape):
    settings = {"network": "conv", "hidden": [16], "channels": [4, 5, 6], "n_components": 3}
    method = build_method("bi-vae", settings, shape, shape)
    x = torch.rand(2, *shape)
    assert method.dim_v == math.prod(shape)
    assert method.embed_target(x).shape == (2, method.dim_v)
    assert torch.equal(method.embed_target(x).reshape(x.shape), x)
    assert method.decode(torch.randn(2, 3)).shape == (2, method.dim_v)
    weight, bias = method.output_layer()
    assert torch.equal(weight, torch.eye(method.dim_v)) and not bias.any()


def test_pictures_are_averaged_first():
    method = build("conv")
    x = torch.rand(3, 1, 16, 16)
    squares = x.reshape(3, 1, 8, 2, 8, 2).mean((3, 5)).flatten(1)
    torch.testing.assert_close(method.embed_query(x), squares)
    assert method.dim_v == 64


def test_transposed_convolutions_start_with_outputs_of_the_size_of_their_inputs():
    layer = SeededConvTranspose((32, 8, 8), (1, 16, 16))
    layer.reset([generator(0)])
    assert layer.weight.abs().max() <= 1 / math.sqrt(128)
    out = layer(torch.randn(200, 32, 8, 8, generator=generator(1)))
    assert 0.3 < out.std() < 1.0


def test_what_convolutions_cannot_do_is_refused():
    for settings, shape, reason in (
        ({**CONV, "downsample": 1}, (50,), "need pictures, these items have shape"),
        (CONV, (50,), "only pictures can be averaged"),
        (CONV, (1, 15, 16), "pictures of 15 x 16 cannot be averaged"),
        ({**CONV, "channels": [4] * 5}, (1, 16, 16), "convolutions are too many"),
    ):
        with pytest.raises(ConfigError, match=reason):
            build_method("bi-vae", settings, shape, shape)
    with pytest.raises(ConfigError, match="one seed at a time"):
        build_method("bi-vae", CONV, (1, 16, 16), (1, 16, 16), [0, 1], stacked=True)


def test_a_convolutional_decoder_is_searched_exactly_but_has_no_exact_paths():
    data = load_dataset("split-digits", fractions=[0.05, 0.05, 0.9])
    settings = {**CONV, "channels": [4, 5], "downsample": 1, "n_components": 3}
    method = build_method("bi-vae", settings, data.x1.shape, data.x2.shape)
    assert isinstance(method.decoder2, ConvDecoder)
    retriever = Retriever(method, data, data.splits["test"])
    z = torch.randn(20, 3, generator=generator(0), dtype=torch.float64).numpy()
    items = retriever.model.embed_targets(data.x2, retriever.ids)
    distances = ((items[None] - retriever.decode(z)[:, None]) ** 2).sum(-1)
    found = retriever.search(z, 5)
    assert (found.ids == retriever.ids[distances.argsort(1, kind="stable")[:, :5]]).all()
    with pytest.raises(ConfigError, match="traverse it in steps"):
        exact_change_points(retriever, z[0], 0, -1.0, 1.0)


# Training.


@pytest.mark.slow
def test_a_stopped_convolutional_run_goes_on_to_the_same_bytes(tmp_path):
    settings = {**CONV, "channels": [4, 5], "downsample": 1, "n_components": 2}
    config = tiny_config("c", "bi-vae", "split-digits", **settings, axes="independent")
    (whole,) = train([config], tmp_path / "whole")
    with pytest.raises(KeyboardInterrupt):
        train([config], tmp_path / "stopped", StopAfter(2))
    (done,) = resume([Run(tmp_path / "stopped" / "c")])
    assert files_of(done) == files_of(whole) and "alignment.json" in files_of(whole)
    assert not torch.equal(done.load_method().to_axes.weight, torch.eye(2))


def test_the_joint_step_of_a_convolutional_model_reaches_every_weight():
    data = load_dataset("split-digits", fractions=[0.05, 0.05, 0.9])
    settings = {**CONV, "channels": [4, 5], "downsample": 1}
    method = build_method("bi-vae", settings, data.x1.shape, data.x2.shape)
    method.loss(first_batch(method, data, method.stages()[0], generator(0)))["objective"].backward()
    assert all(p.grad is not None and p.grad.abs().sum() > 0 for p in method.parameters())


@pytest.mark.parametrize("kind", ["linear", "mlp"])
def test_a_batch_gives_the_models_that_single_runs_give(kind, tmp_path):
    configs = [tiny_config(f"s{seed}", "bi-vae", seed=seed, **KINDS[kind]) for seed in (4, 0)]
    assert trains_as_batch(configs[0].method.settings)
    stacked = train(configs, tmp_path / "stacked")
    alone = [train([config], tmp_path / "alone")[0] for config in configs]
    for one, other in zip(stacked, alone, strict=True):
        data = one.load_dataset()
        x1, x2 = data.x1.batch(range(40)), data.x2.batch(range(40))
        a, b = one.load_method(), other.load_method()
        torch.testing.assert_close(a.encode(x1)[0], b.encode(x1)[0], rtol=1e-4, atol=1e-3)
        pairs = a.encode_pair(x1, x2), b.encode_pair(x1, x2)
        torch.testing.assert_close(*pairs, rtol=1e-4, atol=1e-3)
        assert one.metrics()[-1]["eta_2"] == pytest.approx(other.metrics()[-1]["eta_2"], rel=1e-4)
    assert not torch.equal(*(run.load_method().log_eta for run in stacked))
    assert not trains_as_batch({**configs[0].method.settings, "network": "conv"})
