"""Probabilistic CCA: against scikit-learn, a generalised eigenproblem, EM and perturbations."""

import math

import numpy as np
import pytest
import scipy.linalg
import torch
from sklearn.cross_decomposition import CCA

from rivae.base.errors import DataError
from rivae.models.pcca import MAX_CORRELATION, fit_pcca

N = 1500


def linear_pairs(p1=5, p2=4, d=2, seed=0, n=N):
    """Rows of the model itself: two shared factors of unlike strength, correlated noise."""
    g = torch.Generator().manual_seed(seed)

    def normal(*shape):
        return torch.randn(*shape, generator=g, dtype=torch.float64)

    z = normal(n, d) * torch.tensor([1.5, 0.7, 0.4], dtype=torch.float64)[:d]
    views = []
    for p in (p1, p2):
        views.append(z @ normal(d, p) + normal(n, p) @ normal(p, p) + 3 * normal(p))
    return views


PHI1, PHI2 = linear_pairs()


def parameters(fit):
    means = (fit.mean1, fit.mean2)
    loadings = (fit.loading(1), fit.loading(2))
    return means, loadings, (fit.noise(1), fit.noise(2))


def mean_log_likelihood(phi1, phi2, means, loadings, noises):
    """Mean over rows of log P(phi1, phi2), in nats; () float64.

    Takes the parameters themselves, so that any others can be compared with the fit. ``noises`` are
    Psi_1 (p1, p1) and Psi_2 (p2, p2); the joint covariance must be positive definite.
    """
    w1, w2 = loadings
    first = torch.cat([w1 @ w1.T + noises[0], w1 @ w2.T], 1)
    second = torch.cat([w2 @ w1.T, w2 @ w2.T + noises[1]], 1)
    factor = torch.linalg.cholesky(torch.cat([first, second], 0))
    rows = torch.cat([phi1.double() - means[0], phi2.double() - means[1]], 1)
    whitened_rows = torch.linalg.solve_triangular(factor, rows.T, upper=False)
    log_det = 2 * factor.diagonal().log().sum()
    constant = rows.shape[1] * math.log(2 * math.pi)
    return -0.5 * ((whitened_rows**2).sum(0).mean() + log_det + constant)


def eigenproblem(phi1, phi2):
    """Canonical correlations as generalised eigenvalues of [[0, S12], [S21, 0]]."""
    p = phi1.shape[1]
    s = np.cov(np.hstack([phi1, phi2]), rowvar=False)
    a, b = s.copy(), np.zeros_like(s)
    a[:p, :p], a[p:, p:] = 0, 0
    b[:p, :p], b[p:, p:] = s[:p, :p], s[p:, p:]
    return scipy.linalg.eigh(a, b, eigvals_only=True)[::-1][: min(p, len(s) - p)]


@pytest.mark.parametrize(("p1", "p2", "d"), [(5, 4, 2), (3, 6, 3), (4, 4, 4), (2, 2, 1)])
def test_correlations_are_those_of_a_generalised_eigenproblem(p1, p2, d):
    phi1, phi2 = linear_pairs(p1, p2, 2, seed=p1)
    fit = fit_pcca(phi1, phi2, d)
    np.testing.assert_allclose(fit.correlations, eigenproblem(phi1, phi2)[:d], atol=1e-10)
    for directions, covariance in (
        (fit.directions1, fit.covariance1),
        (fit.directions2, fit.covariance2),
    ):
        torch.testing.assert_close(
            directions.T @ covariance @ directions, torch.eye(len(covariance)).double()
        )


def test_directions_are_those_of_scikit_learn():
    fit = fit_pcca(PHI1, PHI2, 2)
    reference = CCA(2, scale=False, max_iter=5000, tol=1e-10).fit(PHI1.numpy(), PHI2.numpy())
    scores = reference.transform(PHI1.numpy(), PHI2.numpy())
    ours = (
        ((PHI1 - fit.mean1) @ fit.directions1[:, :2]).numpy(),
        ((PHI2 - fit.mean2) @ fit.directions2[:, :2]).numpy(),
    )
    for mine, theirs in zip(ours, scores, strict=True):
        for k in range(2):
            assert abs(np.corrcoef(mine[:, k], theirs[:, k])[0, 1]) > 1 - 1e-7


# Maximum likelihood.


def test_no_perturbation_is_more_likely():
    fit = fit_pcca(PHI1, PHI2, 2)
    means, loadings, noises = parameters(fit)
    best = mean_log_likelihood(PHI1, PHI2, means, loadings, noises)
    g = torch.Generator().manual_seed(1)

    def moved(x, scale):
        return x + scale * torch.randn(x.shape, generator=g, dtype=x.dtype)

    for scale in (1e-1, 1e-2, 1e-3):
        for _ in range(20):
            for part in range(3):
                changed = [means, loadings, noises]
                changed[part] = tuple(moved(x, scale) for x in changed[part])
                if part == 2:  # of a factor, so that the noise stays a covariance
                    factors = [moved(torch.linalg.cholesky(x), scale) for x in noises]
                    changed[2] = tuple(x @ x.T for x in factors)
                assert mean_log_likelihood(PHI1, PHI2, *changed) < best


def test_the_gradient_of_the_likelihood_vanishes():
    means, loadings, noises = parameters(fit_pcca(PHI1, PHI2, 2))
    free = [x.clone().requires_grad_() for x in (*means, *loadings, *noises)]
    mean_log_likelihood(PHI1, PHI2, free[:2], free[2:4], free[4:]).backward()
    for x in free:
        torch.testing.assert_close(x.grad, torch.zeros_like(x), atol=1e-9, rtol=0)
    # The check can fail: an unlike split of P between the views is no worse, another P is.
    scaled = [(1.01 * w).clone().requires_grad_() for w in loadings]
    mean_log_likelihood(PHI1, PHI2, means, scaled, noises).backward()
    assert scaled[0].grad.abs().max() > 1e-4


def em_step(loadings, noises):
    """One step of Bach and Jordan's EM for centred rows, with block-diagonal noise."""
    rows = torch.cat([PHI1 - PHI1.mean(0), PHI2 - PHI2.mean(0)], 1)
    s = rows.T @ rows / len(rows)
    w = torch.cat(loadings)
    psi = torch.block_diag(*noises)
    gain = torch.linalg.solve(w @ w.T + psi, w).T  # E[z|phi] = gain phi
    second = torch.eye(w.shape[1]).double() - gain @ w + gain @ s @ gain.T
    w = torch.linalg.solve(second, gain @ s).T
    residual = s - w @ gain @ s
    p = len(noises[0])
    return (w[:p], w[p:]), (residual[:p, :p], residual[p:, p:])


def test_em_stays_at_the_closed_form_and_arrives_there():
    fit = fit_pcca(PHI1, PHI2, 2)
    means, loadings, noises = parameters(fit)
    best = mean_log_likelihood(PHI1, PHI2, means, loadings, noises)
    after = em_step(loadings, noises)
    for old, new in zip((*loadings, *noises), (*after[0], *after[1]), strict=True):
        torch.testing.assert_close(new, old, atol=1e-9, rtol=0)
    g = torch.Generator().manual_seed(3)
    w = tuple(torch.randn(x.shape, generator=g, dtype=x.dtype) for x in loadings)
    psi = tuple(torch.eye(len(x)).double() for x in noises)
    likelihoods = []
    for _ in range(600):
        w, psi = em_step(w, psi)
        likelihoods.append(float(mean_log_likelihood(PHI1, PHI2, means, w, psi)))
    assert likelihoods[0] < best - 0.1
    assert (np.diff(likelihoods) > -1e-12).all()
    assert likelihoods[-1] == pytest.approx(float(best), abs=1e-6)


# What the fit gives.


@pytest.mark.parametrize("d", [1, 2, 4])
def test_posteriors_are_those_of_a_joint_gaussian(d):
    fit = fit_pcca(PHI1, PHI2, d)
    means, loadings, noises = parameters(fit)
    eye = torch.eye(d).double()
    for view, w, psi, mean, rows in zip((1, 2), loadings, noises, means, (PHI1, PHI2), strict=True):
        gain = torch.linalg.solve(w @ w.T + psi, w)
        weight, bias, covariance = fit.posterior(view)
        torch.testing.assert_close(rows @ weight + bias, (rows - mean) @ gain)
        torch.testing.assert_close(covariance, eye - gain.T @ w)
    w, psi = torch.cat(loadings), torch.block_diag(*noises)
    gain = torch.linalg.solve(w @ w.T + psi, w)
    weight1, weight2, bias, covariance = fit.posterior_of_pair()
    both = torch.cat([PHI1 - means[0], PHI2 - means[1]], 1)
    torch.testing.assert_close(PHI1 @ weight1 + PHI2 @ weight2 + bias, both @ gain)
    torch.testing.assert_close(covariance, eye - gain.T @ w)


@pytest.mark.parametrize("d", [1, 4])
def test_whitening_is_a_square_root_of_the_inverse_noise(d):
    fit = fit_pcca(PHI1, PHI2, d)
    for view in (1, 2):
        k = fit.whitening(view)
        torch.testing.assert_close(k @ k.T, torch.linalg.inv(fit.noise(view)))


def test_another_basis_of_a_view_changes_nothing_that_is_inferred():
    g = torch.Generator().manual_seed(5)
    turn = torch.randn(5, 5, generator=g, dtype=torch.float64)
    fit, other = fit_pcca(PHI1, PHI2, 2), fit_pcca(PHI1 @ turn + 7, PHI2, 2)
    torch.testing.assert_close(fit.correlations, other.correlations)
    mean = PHI1 @ fit.posterior(1)[0] + fit.posterior(1)[1]
    turned = (PHI1 @ turn + 7) @ other.posterior(1)[0] + other.posterior(1)[1]
    torch.testing.assert_close(mean.abs(), turned.abs())


# Edges.


def test_views_that_determine_each_other_keep_a_little_noise():
    fit = fit_pcca(PHI1[:, :3], PHI1[:, :3] * 2 + 1, 3)
    assert fit.correlations.tolist() == [MAX_CORRELATION] * 3
    for view in (1, 2):
        assert torch.linalg.eigvalsh(fit.noise(view))[0] > 0
        assert fit.whitening(view).isfinite().all()


def test_float32_features_are_computed_in_float64():
    fit = fit_pcca(PHI1.float(), PHI2.float(), 2)
    assert fit.correlations.dtype == torch.float64
    torch.testing.assert_close(
        fit.correlations, fit_pcca(PHI1, PHI2, 2).correlations, atol=1e-6, rtol=0
    )


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        (lambda x: x * torch.tensor([1.0, 0, 1, 1]), "view 2 is constant or repeats others"),
        (lambda x: torch.cat([x[:, :3], x[:, :1] - x[:, 1:2]], 1), "repeats others, so CCA has no"),
        (lambda x: torch.zeros_like(x), "view 2 is constant"),
        (lambda x: x / 0.0, "view 2 are infinite or NaN"),
    ],
    ids=["constant", "repeated", "all constant", "infinite"],
)
def test_degenerate_features_are_refused_in_one_sentence(spoil, reason):
    with pytest.raises(DataError, match=reason) as caught:
        fit_pcca(PHI1, spoil(PHI2), 2)
    assert "\n" not in str(caught.value)
