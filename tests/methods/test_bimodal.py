"""The bimodal model on V against torch.distributions: likelihood, posteriors, bounds, scores."""

import pytest
import torch
from torch.distributions import Independent, MultivariateNormal, Normal, kl_divergence

from rivae.base.errors import ConfigError
from rivae.models.bimodal import (
    BimodalTerms,
    BimodalVAE,
    LinearGaussian,
    build_bimodal_model,
)
from rivae.models.gaussians import (
    DiagonalGaussian,
    FullGaussian,
    all_log_densities,
    lifted_items,
    lifted_score,
    log_density_constant,
    natural_parameters,
)
from rivae.models.losses import log_density
from rivae.models.nets.layers import reset_linears
from rivae.models.registry import method_config
from rivae.models.stages import Noise

B, D, LATENT, S = 7, 4, 2, 3


def noise_of(*seeds):
    return Noise([torch.Generator().manual_seed(s) for s in seeds], stacked=len(seeds) > 1)


def normal(*shape, seed=0):
    return torch.randn(*shape, dtype=torch.float64, generator=torch.Generator().manual_seed(seed))


def fresh_model(seeds=(0,), stacked=False, **settings):
    """A bimodal model in float64 as training starts it."""
    model = build_bimodal_model(
        D, LATENT, BimodalTerms(**settings), len(seeds) if stacked else None
    )
    reset_linears(model, [torch.Generator().manual_seed(s) for s in seeds])
    return model.double()


def model_of(seeds=(0,), stacked=False, **settings):
    """A bimodal model in float64 whose log variances are all different."""
    model = fresh_model(seeds, stacked, **settings)
    with torch.no_grad():
        for i, raw in enumerate((model.raw_log_var1, model.raw_log_var2)):
            for s, seed in enumerate(seeds):
                (raw[s] if stacked else raw).copy_(normal(D, seed=100 * i + seed))
    return model


def joint_normal(model):
    """P(z, v1, v2) of a linear model, written out: (mean, covariance) in that order."""
    w = torch.cat([model.decoder1.weight, model.decoder2.weight], -1)  # (d, 2D)
    noise = torch.cat([model.bounded(model.raw_log_var1), model.bounded(model.raw_log_var2)]).exp()
    eye = torch.eye(LATENT, dtype=w.dtype)
    covariance = torch.cat(
        [torch.cat([eye, w], 1), torch.cat([w.T, w.T @ w + torch.diag(noise)], 1)], 0
    )
    mean = torch.cat([torch.zeros(LATENT), model.decoder1.bias, model.decoder2.bias])
    return mean.to(w.dtype), covariance


def conditioned(mean, covariance, v, columns):
    """Mean (B, d) and covariance (d, d) of z given the observed ``columns``."""
    gain = covariance[:LATENT, columns] @ torch.linalg.inv(covariance[columns][:, columns])
    return (v - mean[columns]) @ gain.T, covariance[:LATENT, :LATENT] - gain @ covariance[
        columns, :LATENT
    ]


ONE = torch.arange(LATENT, LATENT + D)
BOTH = torch.arange(LATENT, LATENT + 2 * D)


# The linear Gaussian form.


def test_the_likelihood_is_that_of_the_joint_normal():
    model = model_of()
    mean, covariance = joint_normal(model)
    v1, v2 = normal(B, D, seed=1), normal(B, D, seed=2)
    pair = MultivariateNormal(mean[BOTH], covariance[BOTH][:, BOTH])
    both = pair.log_prob(torch.cat([v1, v2], 1))
    torch.testing.assert_close(model.log_likelihood(v1, v2), both)
    alone = MultivariateNormal(mean[ONE], covariance[ONE][:, ONE]).log_prob(v1)
    torch.testing.assert_close(model.log_likelihood(v1), alone)
    objective, terms = model.fit_terms(v1, v2, noise_of(0))
    torch.testing.assert_close(objective, -both.mean())
    torch.testing.assert_close(terms["prediction"], -(both - alone).mean())


@pytest.mark.parametrize("columns", [ONE, BOTH], ids=["Q(z|v1)", "Q(z|v1,v2)"])
def test_posteriors_are_those_of_the_joint_normal(columns):
    model = model_of()
    v1, v2 = normal(B, D, seed=1), normal(B, D, seed=2)
    alone = columns is ONE
    q = model.query_posterior(v1) if alone else model.pair_posterior(v1, v2)
    v = v1 if alone else torch.cat([v1, v2], 1)
    mean, covariance = conditioned(*joint_normal(model), v, columns)
    torch.testing.assert_close(q.mean, mean)
    torch.testing.assert_close(q.covariance, covariance)


@pytest.mark.slow
def test_training_finds_a_known_linear_model():
    """Maximum likelihood reaches the entropy of the data from every start, not a local optimum."""
    mean, covariance = joint_normal(model_of(seeds=(3,)))
    pair = MultivariateNormal(mean[BOTH], covariance[BOTH][:, BOTH])
    factor = torch.linalg.cholesky(pair.covariance_matrix)
    v = (mean[BOTH] + normal(1000, 2 * D, seed=5) @ factor.T).detach()
    seeds = tuple(range(6))
    rows = v.expand(len(seeds), -1, -1)
    models = fresh_model(seeds, stacked=True)
    optimiser = torch.optim.Adam(models.parameters(), 0.02)
    for _ in range(400):
        optimiser.zero_grad()
        objective = models.fit_terms(rows[..., :D], rows[..., D:], noise_of(*seeds))[0]
        objective.sum().backward()
        optimiser.step()
    gaps = objective.detach() + pair.log_prob(v).mean()
    # About 32 parameters gain 32 / 2n = .016 nats on the data they were fitted to.
    assert (gaps > -0.04).all() and (gaps < 0.02).all()


# The non-linear form.


def test_the_joint_and_both_single_elbos():
    model = model_of(form="non-linear", model_hidden=(6,), prior_expert=False)
    v1, v2 = normal(B, D, seed=1), normal(B, D, seed=2)
    objective, terms = model.fit_terms(v1, v2, noise_of(7))
    torch.testing.assert_close(objective, sum(terms.values()))
    assert len(terms) == 6
    noise, total = noise_of(7), 0.0
    experts = [model.encoder1(v1), model.encoder2(v2)]
    precisions = [(-log_var).exp() for _, log_var in experts]
    product = DiagonalGaussian(
        sum(p * mu for p, (mu, _) in zip(precisions, experts, strict=True)) / sum(precisions),
        -sum(precisions).log(),
    )
    observed = [(0, v1, model.decoder1, model.raw_log_var1)]
    observed.append((1, v2, model.decoder2, model.raw_log_var2))
    for q, seen in (
        (product, (0, 1)),
        (DiagonalGaussian(*experts[0]), (0,)),
        (DiagonalGaussian(*experts[1]), (1,)),
    ):
        z = q.sample(noise)
        for i, v, decoder, raw in observed:
            if i in seen:
                spread = (0.5 * model.bounded(raw)).exp()
                total = total - Independent(Normal(decoder(z), spread), 1).log_prob(v).mean()
        prior = Normal(torch.zeros_like(z), 1.0)
        total = total + kl_divergence(Normal(q.mean, (0.5 * q.log_var).exp()), prior).sum(1).mean()
    torch.testing.assert_close(objective, total)


@pytest.mark.slow
def test_the_posterior_does_not_collapse_onto_the_prior():
    """Every start uses both latent dimensions, from 200 steps on a curved surface."""
    generator = torch.Generator().manual_seed(0)
    z = torch.randn(300, LATENT, generator=generator, dtype=torch.float64)
    v = torch.nn.functional.normalize(torch.cat([torch.tanh(z), 0.4 + 0 * z], 1), dim=-1)
    seeds = tuple(range(4))
    models = fresh_model(seeds, stacked=True, form="non-linear", model_hidden=(10,))
    optimiser, noise = torch.optim.Adam(models.parameters(), 0.02), noise_of(*seeds)
    rows = v.expand(len(seeds), -1, -1)
    for _ in range(200):
        optimiser.zero_grad()
        objective, terms = models.fit_terms(rows, rows, noise)
        objective.sum().backward()
        optimiser.step()
    used = 1 - models.pair_posterior(rows, rows).log_var.exp().mean(-2)  # (S, d), 0 = the prior
    assert (used > 0.8).all() and (terms["kl"] > 2).all()


def test_the_prior_expert_is_a_switch():
    v1 = normal(B, D, seed=1)
    with_prior = model_of(form="non-linear").query_posterior(v1)
    without = model_of(form="non-linear", prior_expert=False).query_posterior(v1)
    torch.testing.assert_close((-with_prior.log_var).exp(), (-without.log_var).exp() + 1)
    shrunk = without.mean * (with_prior.log_var - without.log_var).exp()
    torch.testing.assert_close(with_prior.mean, shrunk)


def test_hidden_layers_and_forms_are_those_asked_for():
    assert isinstance(model_of(), LinearGaussian)
    for hidden in ((10,), (10, 10, 10)):
        model = model_of(form="non-linear", model_hidden=hidden)
        assert isinstance(model, BimodalVAE)
        for net in (model.encoder1.mu, model.encoder2.log_var, model.decoder1, model.decoder2):
            assert len(net.layers) == len(hidden)


# Both.


@pytest.mark.parametrize(
    "settings", [{}, {"form": "non-linear"}, {"form": "non-linear", "variance": "by z"}]
)
def test_stacked_models_are_the_models_alone(settings):
    seeds = (2, 0, 5)
    stacked = model_of(seeds, stacked=True, **settings)
    v1, v2, z = normal(S, B, D, seed=1), normal(S, B, D, seed=2), normal(S, B, LATENT, seed=3)
    whole = stacked.fit_terms(v1, v2, noise_of(*seeds))
    scores = stacked.all_scores(z, v2)
    samples = stacked.pair_posterior(v1, v2).sample(noise_of(*seeds))
    for s, seed in enumerate(seeds):
        alone = model_of((seed,), **settings)
        objective, terms = alone.fit_terms(v1[s], v2[s], noise_of(seed))
        torch.testing.assert_close(whole[0][s], objective)
        for name, value in terms.items():
            torch.testing.assert_close(whole[1][name][s], value)
        torch.testing.assert_close(scores[s], alone.all_scores(z[s], v2[s]))
        one = alone.pair_posterior(v1[s], v2[s]).sample(noise_of(seed))
        torch.testing.assert_close(samples[s], one)


def test_log_variances_stay_within_their_range_and_can_leave_a_bound():
    model = model_of(log_var_range=(-3.0, 1.0))
    far = torch.tensor([-50.0, 0.0, 50.0])
    torch.testing.assert_close(model.bounded(far), torch.tensor([-3.0, -1.0, 1.0]))
    with torch.no_grad():
        model.raw_log_var1.fill_(-8.0)
        model.decoder1.weight.zero_()
    v1 = 2 * normal(B, D, seed=1)
    (-model.log_likelihood(v1).mean()).backward()
    assert (model.raw_log_var1.grad < 0).all()  # the data are wider than the model: it widens


def test_scores_are_log_densities():
    for settings in ({}, {"form": "non-linear", "variance": "by z"}):
        model = model_of(**settings)
        z, v2 = normal(5, LATENT, seed=1), normal(B, D, seed=2)
        spread = (0.5 * model.log_var2(z)).exp().expand(5, D)
        expected = Independent(Normal(model.mean2(z)[:, None], spread[:, None]), 1).log_prob(v2)
        torch.testing.assert_close(model.all_scores(z, v2), expected)
        if settings:
            assert spread.std(0).min() > 1e-3  # it does depend on z


# Densities and the lift.


def test_samples_have_the_moments_of_their_posterior():
    mean, n = normal(1, LATENT, seed=1).expand(200_000, -1), 200_000
    root = normal(LATENT, LATENT, seed=2)
    full = FullGaussian(mean, root @ root.T).sample(noise_of(0))
    torch.testing.assert_close(torch.cov(full.T), root @ root.T, rtol=0.03, atol=0.03)
    torch.testing.assert_close(full.mean(0), mean[0], rtol=0, atol=0.02)
    log_var = torch.tensor([0.5, -1.0], dtype=torch.float64).expand(n, -1)
    diagonal = DiagonalGaussian(mean, log_var).sample(noise_of(0))
    torch.testing.assert_close(diagonal.var(0), log_var[0].exp(), rtol=0.02, atol=0)


def test_variances_along_new_axes_are_exact():
    matrix, mean = normal(LATENT, LATENT, seed=3), normal(B, LATENT, seed=1)
    root = normal(LATENT, LATENT, seed=2)
    covariance = root @ root.T
    exact = (matrix.T @ covariance @ matrix).diagonal().expand(B, -1)
    torch.testing.assert_close(FullGaussian(mean, covariance).variance_along(matrix), exact)
    log_var = normal(B, LATENT, seed=4)
    rows = [(matrix.T @ torch.diag(row) @ matrix).diagonal() for row in log_var.exp()]
    along = DiagonalGaussian(mean, log_var).variance_along(matrix)
    torch.testing.assert_close(along, torch.stack(rows))


def test_the_lift_gives_the_density_from_a_distance():
    v = torch.nn.functional.normalize(normal(40, D, seed=1), dim=-1)
    v[:D] = torch.eye(D, dtype=v.dtype)  # |phi|^2 at its largest
    mean, log_var = normal(9, D, seed=2), normal(9, D, seed=3) - 2
    a, p = natural_parameters(mean, log_var), lifted_items(v)
    torch.testing.assert_close((p**2).sum(-1), torch.full((40,), 2.0, dtype=p.dtype))
    distances = torch.cdist(torch.cat([a, torch.zeros(9, 1)], 1), p) ** 2
    expected = torch.stack([log_density(v, m, s) for m, s in zip(mean, log_var, strict=True)])
    found = lifted_score(a, distances) + log_density_constant(mean, log_var).unsqueeze(-1)
    torch.testing.assert_close(found, expected)
    torch.testing.assert_close(all_log_densities(v, mean, log_var), expected)


def test_items_of_float32_are_lifted_in_float64():
    v = torch.nn.functional.normalize(normal(3, D, seed=1).float(), dim=-1)
    assert lifted_items(v).dtype == torch.float64
    assert torch.equal(lifted_items(v)[:, D : 2 * D], v.double() ** 2)


# Settings.


@pytest.mark.parametrize("method", ["bi-vae-on-v", "rbi-vae"])
@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({"variance": "by z"}, "the linear model has a constant variance: set form=non-linear"),
        ({"log_var_range": (1.0, -1.0)}, "log_var_range needs -30 <= low < high <= 10"),
        ({"form": "cubic"}, "setting 'form'"),
        ({"form": "non-linear", "model_hidden": ()}, "setting 'model_hidden'"),
    ],
)
def test_wrong_settings_are_refused(method, settings, reason):
    with pytest.raises(ConfigError, match=reason):
        method_config(method, settings)


def test_fixed_embedders_have_to_come_from_somewhere():
    with pytest.raises(ConfigError, match="trains no embedder itself: set init=cos-sim-lvm"):
        method_config("bi-vae-on-v", {"init": "none"})
