"""Both losses of deep CCA: linear CCA is their optimum, and no batch breaks them."""

import numpy as np
import pytest
import torch

from rivae.models.cca_losses import canonical_correlations, covariance, eckart_young_terms
from tests.methods.test_pcca import eigenproblem, linear_pairs

X1, X2 = linear_pairs(6, 5, 3, seed=2, n=2000)
TRUE = eigenproblem(X1.numpy(), X2.numpy())


def canonical_loss(phi1, phi2, regulariser):
    """As DCCA has it."""
    return -canonical_correlations(phi1, phi2, regulariser).sum(-1).to(phi1.dtype)


def eckart_young_loss(phi1, phi2):
    """As DCCA has it; at best minus the sum of rho^2."""
    reward, penalty = eckart_young_terms(phi1, phi2)
    return penalty - 2 * reward


def train_linear(loss, d, batch_size, steps, learning_rate):
    """Linear maps (p, d) of both views, trained by Adam with a rate that falls to zero."""
    g = torch.Generator().manual_seed(0)
    maps = [torch.randn(x.shape[1], d, generator=g, dtype=x.dtype) * 0.1 for x in (X1, X2)]
    maps = [m.requires_grad_() for m in maps]
    optimiser = torch.optim.Adam(maps, learning_rate)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, steps)
    for _ in range(steps):
        rows = torch.randperm(len(X1), generator=g)[:batch_size]
        optimiser.zero_grad()
        loss(X1[rows] @ maps[0], X2[rows] @ maps[1]).backward()
        optimiser.step()
        schedule.step()
    return [X1 @ maps[0].detach(), X2 @ maps[1].detach()]


@pytest.mark.slow
def test_the_canonical_loss_reaches_linear_cca():
    phi = train_linear(lambda a, b: canonical_loss(a, b, 1e-6), 2, len(X1), 500, 0.05)
    np.testing.assert_allclose(canonical_correlations(*phi, 1e-9), TRUE[:2], atol=2e-3)
    assert canonical_loss(*phi, 1e-9) == pytest.approx(-TRUE[:2].sum(), abs=2e-3)


@pytest.mark.slow
def test_the_eckart_young_loss_reaches_linear_cca():
    phi = train_linear(eckart_young_loss, 2, len(X1), 800, 0.05)
    np.testing.assert_allclose(canonical_correlations(*phi, 1e-9), TRUE[:2], atol=2e-3)
    # At the optimum (S11 + S22) / 2 = P up to a rotation, and the loss is minus its squared norm.
    pooled = (covariance(phi[0], phi[0]) + covariance(phi[1], phi[1])) / 2
    np.testing.assert_allclose(torch.linalg.eigvalsh(pooled).flip(0), TRUE[:2], atol=1e-2)
    expected = -(covariance(phi[0], phi[1]).diagonal().sum() * 2 - (pooled**2).sum())
    assert float(expected) == pytest.approx(-(TRUE[:2] ** 2).sum(), abs=1e-2)


@pytest.mark.slow
def test_the_eckart_young_loss_reaches_linear_cca_from_small_batches():
    phi = train_linear(eckart_young_loss, 2, 32, 1500, 0.02)
    np.testing.assert_allclose(canonical_correlations(*phi, 1e-9), TRUE[:2], atol=0.02)


def test_small_batches_leave_the_eckart_young_loss_unbiased_and_the_canonical_one_not():
    phi = [X1[:, :3], X2[:, :3]]
    g = torch.Generator().manual_seed(4)
    rows = torch.stack([torch.randperm(len(X1), generator=g)[:8] for _ in range(20_000)])
    batches = [x[rows] for x in phi]  # 20,000 batches of 8 as one stack
    reward, penalty = eckart_young_terms(*batches)
    s = [covariance(a, b) for a, b in ((phi[0], phi[1]), (phi[0], phi[0]), (phi[1], phi[1]))]
    population = float((((s[1] + s[2]) / 2) ** 2).sum())
    error = float(penalty.std()) / len(rows) ** 0.5
    assert abs(float(penalty.mean()) - population) < 4 * error
    error = float(reward.std()) / len(rows) ** 0.5
    assert abs(float(reward.mean()) - float(s[0].diagonal().sum())) < 4 * error
    naive = sum(covariance(x, x) for x in batches) / 2
    assert float((naive**2).sum((-1, -2)).mean()) > 1.2 * population
    small = canonical_correlations(batches[0][:500], batches[1][:500], 1e-9).sum(-1).mean()
    assert small > canonical_correlations(*phi, 1e-9).sum() + 0.5


def test_correlations_are_those_of_cca_and_shrink_with_the_regulariser():
    np.testing.assert_allclose(canonical_correlations(X1, X2, 1e-12), TRUE, atol=1e-9)
    values = [float(canonical_correlations(X1, X2, r).sum()) for r in (1e-9, 0.1, 10.0)]
    assert values[0] > values[1] > values[2] > 0


def test_the_gradient_is_right_and_equal_correlations_do_no_harm():
    a, b = X1[:12, :2].clone().requires_grad_(), X2[:12, :2].clone().requires_grad_()
    assert torch.autograd.gradcheck(lambda x, y: canonical_loss(x, y, 1e-3), (a, b))
    # Two equal correlations: eigenvectors, and derivatives through them, would be undefined.
    square = torch.tensor([[1.0, 0], [-1, 0], [0, 1], [0, -1]], dtype=torch.float64)
    one, two = square.clone().requires_grad_(), (0.5 * square).requires_grad_()
    rho = canonical_correlations(one, two, 1e-2)
    torch.testing.assert_close(rho[0], rho[1], atol=1e-12, rtol=0)
    canonical_loss(one, two, 1e-2).backward()
    assert one.grad.isfinite().all()


def test_a_stack_gives_what_each_model_gives_alone():
    pairs = [linear_pairs(3, 3, 2, seed=s, n=40) for s in range(4)]
    stacked = [torch.stack(views) for views in zip(*pairs, strict=True)]
    for loss in (lambda a, b: canonical_loss(a, b, 1e-3), eckart_young_loss):
        alone = torch.stack([loss(*pair) for pair in pairs])
        torch.testing.assert_close(loss(*stacked), alone)


def test_a_diverged_model_gets_nan_and_its_neighbours_their_gradient():
    a, b = (x[:60].reshape(3, 20, -1)[..., :2].clone() for x in (X1, X2))
    a[1, 0, 0] = float("inf")
    a.requires_grad_()
    loss = canonical_loss(a, b, 1e-3)
    assert loss.isnan().tolist() == [False, True, False]
    loss.sum().backward()
    assert a.grad[0].isfinite().all() and a.grad[2].abs().sum() > 0


@pytest.mark.parametrize("scale", [0.0, 1e-20, 1e15])
def test_features_of_any_size_have_correlations(scale):
    a = (X1[:30, :2] * scale).float()
    a = torch.cat([a, a[:, :1]], 1)  # and a repeated one
    rho = canonical_correlations(a, X2[:30, :3].float(), 1e-4)
    assert rho.isfinite().all() and (rho >= 0).all() and (rho < 1).all()
