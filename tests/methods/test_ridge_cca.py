"""Ridge CCA against textbooks, other computations, and as a start of methods."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from rivae.base.errors import DataError
from rivae.data.base import TensorView
from rivae.models import pair_components, ridge_cca
from rivae.models.nets.layers import MLP
from rivae.models.registry import build_method
from rivae.models.ridge_cca import fit_ridge_cca, mean_reciprocal_rank


class Blocks(TensorView):
    """A view of several sources."""

    blocks = ()


def pairs(n, d1, d2, shared, seed):
    """Two views (n, d1) and (n, d2) of ``shared`` common numbers, and noise."""
    rng = np.random.default_rng(seed)
    common = rng.normal(size=(n, shared))
    x1 = common @ rng.normal(size=(shared, d1)) + rng.normal(size=(n, d1)) + 3
    x2 = common @ rng.normal(size=(shared, d2)) + rng.normal(size=(n, d2)) - 1
    return torch.from_numpy(x1).float(), torch.from_numpy(x2).float()


def fit(x1, x2, n_train, d, view=TensorView):
    rows = np.arange(len(x1))
    return fit_ridge_cca((view(x1), view(x2)), rows[:n_train], rows[n_train:], d)


def by_definition(x1, x2, found, n_train):
    """U, rho, V of the formula of the docstring, in float64 and with a matrix root."""
    a, b = (x[:n_train].double().numpy() for x in (x1, x2))
    a, b = a - a.mean(0), b - b.mean(0)
    a, b = a / np.sqrt((a**2).mean()), b / np.sqrt((b**2).mean())
    roots = []
    for x, ridge in zip((a, b), found.ridges, strict=True):
        values, vectors = np.linalg.eigh(x.T @ x / len(x) + ridge * np.eye(x.shape[1]))
        roots.append(vectors / np.sqrt(values) @ vectors.T)
    u, rho, _ = np.linalg.svd(roots[0] @ (a.T @ b / len(a)) @ roots[1])
    d = len(found.correlations)
    return a @ roots[0] @ u[:, :d] * rho[:d] ** found.power, rho[:d]


@pytest.mark.parametrize("n_train", [12, 300])  # fewer and more pairs than numbers
def test_it_is_the_formula(n_train):
    x1, x2 = pairs(n_train + 50, 20, 15, 3, 0)
    found = fit(x1, x2, n_train, 4)
    image, rho = by_definition(x1, x2, found, n_train)
    ours = x1[:n_train].double().numpy() @ found.weights[0] + found.biases[0]
    assert np.allclose(found.correlations, rho, atol=1e-4)
    signs = np.sign((ours * image).sum(0))
    assert np.allclose(ours, image * signs, atol=2e-3 * np.abs(image).max())


@given(st.integers(30, 60), st.integers(2, 8), st.integers(2, 8), st.integers(0, 99))
@settings(max_examples=25, deadline=None)
def test_sums_and_rows_give_the_same(n, d1, d2, seed):
    """Of as many pairs, the two ways to the principal components agree."""
    x1, x2 = pairs(n, d1, d2, 2, seed)
    views, rows = (TensorView(x1), TensorView(x2)), np.arange(n)
    (few, cross1), (many, cross2) = (
        way(views, rows, lambda share: None)
        for way in (pair_components._from_rows, pair_components._from_moments)
    )
    for a, b in zip(few, many, strict=True):
        assert np.allclose(a.mean, b.mean, atol=1e-5)
        assert np.allclose(a.variances, b.variances, rtol=1e-3, atol=1e-4)
    assert np.allclose(np.linalg.svd(cross1)[1], np.linalg.svd(cross2)[1], atol=1e-3)


def test_no_ridge_or_power_next_to_the_chosen_ones_is_better(monkeypatch):
    x1, x2 = pairs(400, 30, 25, 4, 1)
    best = fit(x1, x2, 60, 4)
    views, rows = (TensorView(x1), TensorView(x2)), np.arange(60)
    scores = {}
    for ridges in (best.ridges, *ridge_cca._neighbours(best.ridges)):
        monkeypatch.setattr(ridge_cca, "FIRST", ridges)
        own = fit_ridge_cca(views, rows, rows[:0], 4)  # without validation rows: of power 1
        assert own.ridges == ridges and np.isnan(own.score)
        v1, v2 = (
            x[60:].double().numpy() @ weight + bias
            for x, weight, bias in zip((x1, x2), own.weights, own.biases, strict=True)
        )
        for power in ridge_cca.POWERS:
            again = own.correlations ** (power - 1)
            scores[ridges, power] = mean_reciprocal_rank(v1 * again, v2 * again)
    assert len(scores) > 8
    assert best.score == pytest.approx(max(scores.values()), abs=1e-6)
    assert scores[best.ridges, best.power] == pytest.approx(best.score, abs=1e-6)
    twice = fit(x1, x2, 60, 4)
    assert np.array_equal(twice.weights[0], best.weights[0])


def test_blocks_count_alike_whatever_their_unit():
    x1, x2 = pairs(300, 12, 9, 3, 2)
    loud = x1.clone()
    loud[:, 4:] *= 1000
    views = [Blocks(x) for x in (x1, loud)]
    rows = np.arange(300)
    for view in views:
        view.blocks = (4, 8)
    quiet, scaled = (
        fit_ridge_cca((view, TensorView(x2)), rows[:250], rows[250:], 3) for view in views
    )
    assert np.allclose(quiet.correlations, scaled.correlations, atol=1e-3)
    assert quiet.score == pytest.approx(scaled.score, abs=0.02)
    for view in views:
        view.blocks = ()
    one = fit_ridge_cca((views[1], TensorView(x2)), rows[:250], rows[250:], 3)
    assert not np.allclose(one.correlations, quiet.correlations, atol=1e-3)


def test_more_components_than_correlations():
    x1, x2 = pairs(40, 3, 2, 1, 3)
    found = fit(x1, x2, 30, 6)
    assert found.weights[0].shape == (3, 6) and found.weights[1].shape == (2, 6)
    assert not found.correlations[2:].any() and not found.weights[0][:, 2:].any()


def test_bad_pairs_are_one_sentence():
    x1, x2 = pairs(40, 3, 2, 1, 3)
    with pytest.raises(DataError, match="all items of one view are the same"):
        fit(torch.ones(40, 3), x2, 30, 2)
    with pytest.raises(DataError, match="at least 2"):
        fit(x1, x2, 1, 2)


def test_the_mean_reciprocal_rank_counts_ties_as_found_last():
    v = np.eye(4)
    assert mean_reciprocal_rank(v, v) == 1.0
    assert mean_reciprocal_rank(np.ones((4, 2)), np.ones((4, 2))) == 0.25


def test_an_exception_of_the_watch_ends_the_fit():
    def stop(share):
        raise KeyboardInterrupt

    x1, x2 = pairs(40, 3, 2, 1, 3)
    views, rows = (TensorView(x1), TensorView(x2)), np.arange(40)
    with pytest.raises(KeyboardInterrupt):
        fit_ridge_cca(views, rows, rows[:0], 2, stop)


@pytest.mark.parametrize("hidden", [(), (9,), (8, 20)])
@pytest.mark.parametrize("name", ["relu", "leaky-relu"])
def test_layers_compute_a_linear_map(hidden, name):
    net = MLP(7, hidden, 4, name)
    for parameter in net.parameters():
        torch.nn.init.normal_(parameter)
    weight, bias, x = torch.randn(7, 4), torch.randn(4), torch.randn(5, 7)
    net.assign(weight, bias)
    assert torch.allclose(net(x), x @ weight + bias, atol=1e-4)


@pytest.mark.parametrize(
    "name", ["rivae", "rbi-vae", "bi-vae-on-v", "dcca", "info-nce", "info-nce-ica", "cos-sim"]
)
def test_every_method_on_embeddings_can_start_so(name):
    wide = {"kind": "mlp", "hidden": [], "activation": "relu"}
    method = build_method(name, {"init": "ridge-cca", "embedder": wide, "dim_v": 12}, (6,), (5,))
    assert method.start.is_model
    assert method.stages()[0].name == "ridge-cca"


@pytest.mark.parametrize(
    ("embedder", "why"),
    [
        ({"kind": "conv"}, "embedder of kind conv"),
        ({"kind": "mlp", "hidden": [5], "activation": "relu"}, "units or more"),
        ({"kind": "mlp", "hidden": [50], "activation": "tanh"}, "relu or leaky-relu"),
    ],
)
def test_what_cannot_be_linear_is_refused_in_one_sentence(embedder, why):
    from rivae.base.errors import ConfigError

    settings_ = {"init": "ridge-cca", "embedder": embedder, "dim_v": 3}
    with pytest.raises(ConfigError, match=why):
        build_method("rivae", settings_, (3, 64, 64), (5,))
