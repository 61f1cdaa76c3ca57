"""Loss terms against torch.distributions, hand-made scores and limits."""

import math

import pytest
import torch
from torch.distributions import Independent, Normal, kl_divergence

from rivae.models.losses import (
    aggregated_prior_kl,
    embedder_regulariser,
    gaussian_log_likelihood,
    geometric,
    kl_diagonal,
    mismatch_scores,
    negative_elbo,
    retrieval_loss,
    squared_distances,
)
from rivae.models.nets.share import Share
from rivae.models.registry import build_method
from rivae.models.stages import Batch, Noise

S, B, D = 2, 6, 4


def noise_of(*seeds, stacked=False):
    return Noise([torch.Generator().manual_seed(seed) for seed in seeds], stacked)


def gaussian(seed, scale=1.0):
    g = torch.Generator().manual_seed(seed)
    return torch.randn(S, B, D, generator=g), scale * torch.randn(S, B, D, generator=g)


def test_kl_of_diagonal_gaussians():
    (mu_q, log_var_q), (mu_p, log_var_p) = gaussian(0), gaussian(1)
    q = Independent(Normal(mu_q, (0.5 * log_var_q).exp()), 1)
    p = Independent(Normal(mu_p, (0.5 * log_var_p).exp()), 1)
    torch.testing.assert_close(kl_diagonal(mu_q, log_var_q, mu_p, log_var_p), kl_divergence(q, p))
    torch.testing.assert_close(kl_diagonal(mu_q, log_var_q, mu_q, log_var_q), torch.zeros(S, B))


def test_gaussian_log_likelihood():
    v, mean = gaussian(0)
    expected = Independent(Normal(mean, torch.full_like(mean, 0.3)), 1).log_prob(v)
    torch.testing.assert_close(gaussian_log_likelihood(v, mean, 0.3), expected)


def test_negative_elbo_is_the_printed_bound():
    q, p, (v2, decoded) = gaussian(0), gaussian(1), gaussian(2)
    reconstruction, kl = negative_elbo(v2, decoded, q, p, 0.2)
    assert reconstruction.shape == kl.shape == (S,)
    torch.testing.assert_close(reconstruction, -gaussian_log_likelihood(v2, decoded, 0.2).mean(-1))
    torch.testing.assert_close(kl, kl_diagonal(*q, *p).mean(-1))


def test_squared_distances():
    a, b = gaussian(0)
    expected = ((a.unsqueeze(-2) - b.unsqueeze(-3)) ** 2).sum(-1)
    torch.testing.assert_close(squared_distances(a, b), expected)


# Mismatches.


def numbered(*lead):
    """Scores whose value names their row and column: 100 row + column."""
    rows = torch.arange(B)
    return (100.0 * rows[:, None] + rows).expand(*lead, B, B)


@pytest.mark.parametrize("n_mismatches", [1, 3, B - 1, None, 50])
@pytest.mark.parametrize("stacked", [False, True])
def test_mismatches_are_different_items_and_never_the_match(n_mismatches, stacked):
    scores = numbered(S) if stacked else numbered()
    noise = noise_of(*range(S), stacked=True) if stacked else noise_of(0)
    k = min(n_mismatches or B - 1, B - 1)
    seen = set()
    for _ in range(20):
        picked = mismatch_scores(scores, n_mismatches, noise)
        assert picked.shape == (*scores.shape[:-1], k)
        for model in picked.reshape(-1, B, k).tolist():
            for row, values in enumerate(model):
                columns = [int(value) - 100 * row for value in values]
                assert all(0 <= column < B and column != row for column in columns)
                assert len(set(columns)) == k
                seen.update((row, column) for column in columns)
    assert len(seen) == B * (B - 1)  # every mismatch has its turn


def test_stacked_models_draw_the_mismatches_they_would_draw_alone():
    both = mismatch_scores(numbered(S), 2, noise_of(0, 1, stacked=True))
    for s in range(S):
        assert torch.equal(both[s], mismatch_scores(numbered(), 2, noise_of(s)))


def test_hinge_of_hand_made_scores():
    scores = torch.tensor([[2.0, 1.5, -3.0], [0.0, 0.0, 0.4], [9.0, 0.0, 1.0]])
    # margin 1: row 0: .5, 0; row 1: 1, 1.4; row 2: 9, 0
    loss = retrieval_loss(scores, None, "hinge", 1.0, noise_of(0))
    torch.testing.assert_close(loss, torch.tensor((0.5 + 0 + 1 + 1.4 + 9 + 0) / 6))
    assert retrieval_loss(5 * torch.eye(4), None, "hinge", 1.0, noise_of(0)) == 0


def test_softmax_is_the_cross_entropy_of_the_match():
    scores, _ = gaussian(3)
    scores = scores @ scores.transpose(-1, -2)
    loss = retrieval_loss(scores, None, "softmax", 0.0, noise_of(0))
    targets = torch.arange(B)
    for s in range(S):
        torch.testing.assert_close(loss[s], torch.nn.functional.cross_entropy(scores[s], targets))


# L_Reg.


def bent(x):
    """A curved map with a known Jacobian; (..., 3) to (..., 2)."""
    a, b, c = x.unbind(-1)
    return torch.stack([torch.sin(a) + b**2, c * a], -1)


def jacobian_times(x, direction):
    return torch.stack(
        [
            torch.autograd.functional.jvp(bent, row, vector)[1]
            for row, vector in zip(x, direction, strict=True)
        ]
    )


def regulariser(form, magnitude, c, x, seed=0):
    return embedder_regulariser(bent, x, c, form, magnitude, noise_of(seed), 1)


def test_jvp_is_the_directional_derivative():
    x = torch.randn(B, 3, dtype=torch.float64, generator=torch.Generator().manual_seed(5))
    direction = noise_of(0).normal_like(x)
    direction = direction / direction.norm(dim=-1, keepdim=True)
    change = jacobian_times(x, direction).norm(dim=-1)
    c = torch.tensor(0.7, dtype=torch.float64)
    expected = ((change - c) ** 2).mean()
    torch.testing.assert_close(regulariser("jvp", 1.0, c, x), expected)


def test_jvp_is_the_limit_of_the_ratio():
    x = torch.randn(B, 3, dtype=torch.float64, generator=torch.Generator().manual_seed(5))
    c = torch.tensor(0.7, dtype=torch.float64)
    limit = regulariser("jvp", 1.0, c, x)
    gaps = [abs(float(regulariser("ratio", m, c, x) - limit)) for m in (1e-2, 1e-3, 1e-4)]
    assert gaps[0] > gaps[1] > gaps[2] and gaps[2] < 1e-4


def test_ratio_is_literal_in_units_of_eps():
    x = torch.randn(B, 3, dtype=torch.float64, generator=torch.Generator().manual_seed(5))
    c, magnitude = torch.tensor(0.7, dtype=torch.float64), 0.05
    literal = regulariser("literal", magnitude, magnitude * c, x)
    torch.testing.assert_close(regulariser("ratio", magnitude, c, x), literal / magnitude**2)


@pytest.mark.parametrize("form", ["literal", "ratio", "jvp"])
def test_the_regulariser_of_a_constant_embedder_is_c_squared_and_finite(form):
    weight = torch.zeros(3, 2, requires_grad=True)
    c = torch.tensor(0.5, requires_grad=True)
    value = embedder_regulariser(
        lambda x: x @ weight, torch.ones(B, 3), c, form, 1e-3, noise_of(0), 1
    )
    torch.testing.assert_close(value, torch.tensor(0.25), rtol=1e-4, atol=1e-5)
    value.backward()
    assert torch.isfinite(weight.grad).all() and torch.isfinite(c.grad)


def test_the_direction_of_a_picture_is_one_unit_vector():
    seen = []

    def embed(x):
        seen.append(x)
        return x.flatten(-3)

    x = torch.rand(S, B, 1, 8, 4)
    noise = noise_of(0, 1, stacked=True)
    value = embedder_regulariser(embed, x, torch.zeros(S), "literal", 0.01, noise, 3)
    norms = (seen[0] - x).flatten(-3).norm(dim=-1)
    torch.testing.assert_close(norms, torch.full((S, B), 0.01), rtol=1e-3, atol=1e-6)
    torch.testing.assert_close(value, torch.full((S,), 1e-4), rtol=1e-3, atol=1e-7)


# The rest.


def test_aggregated_prior_kl_is_zero_at_the_standard_normal():
    mu = torch.tensor([[-1.0, 1.0], [1.0, -1.0]]) * math.sqrt(0.75)  # s.d. sqrt(.75) around 0
    log_var = torch.full((2, 2), math.log(0.25))
    torch.testing.assert_close(aggregated_prior_kl(mu, log_var), torch.tensor(0.0))
    assert aggregated_prior_kl(mu + 1, log_var) == pytest.approx(1.0)  # half a unit an axis
    narrow = kl_diagonal(*(torch.tensor([v, v]) for v in (0.0, math.log(1e-2), 0.0, 0.0)))
    torch.testing.assert_close(
        aggregated_prior_kl(torch.zeros(5, 2), torch.full((5, 2), math.log(1e-2))), narrow
    )


def test_geometric_runs_in_equal_ratios():
    assert geometric(1.0, 0.01, 0.0) == 1.0
    assert geometric(1.0, 0.01, 0.5) == pytest.approx(0.1)
    assert geometric(1.0, 0.01, 2.0) == pytest.approx(0.01)


def test_noise_of_one_model_does_not_depend_on_the_others():
    both = noise_of(3, 4, stacked=True)
    x = torch.zeros(2, B, D)
    normal, whole = both.normal_like(x), both.integers(10, (5,))
    for s, seed in enumerate((3, 4)):
        alone = noise_of(seed)
        assert torch.equal(normal[s], alone.normal_like(x[s]))
        assert torch.equal(whole[s], alone.integers(10, (5,)))


@pytest.mark.parametrize("size", [1, 2, 3])
def test_every_third_row_is_the_same_in_any_number_of_processes(size):
    shares = [Share(rank, size) for rank in range(size)]
    for share in shares:
        share.start(11)
    rows = torch.arange(11)
    kept = []
    for share in shares:
        chosen, thinned = share.every(3)
        kept.append(share.own(rows)[chosen])
        assert thinned.whole_shape(kept[-1].shape) == (4,)
    assert torch.cat(kept).tolist() == [0, 3, 6, 9]


def test_the_regulariser_is_estimated_on_every_nth_pair():
    """Rows that are left out make no difference."""
    torch.manual_seed(0)
    rows = [torch.randn(8, 6) for _ in range(2)]
    other = rows[1].clone()
    other[1::2] = 0.0
    values = []
    for x2 in (rows[1], other):
        settings = {"init": "none", "reg_form": "jvp", "reg_every": 2, "n_components": 2}
        model = build_method("rivae", settings, (6,), (6,), [0])
        batch = Batch("joint", 0.0, noise_of(0), x1=rows[0], x2=x2)
        values.append(model.loss(batch)["regulariser"])
    assert torch.equal(*values)
