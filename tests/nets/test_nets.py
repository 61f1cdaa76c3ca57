"""Networks: S models in one tensor are S separate models; embedders give unit vectors."""

import math

import pytest
import torch
from torch import nn

from rivae.base.errors import ConfigError
from rivae.models.nets import MLP, EmbedderConfig, GaussianHead, Linear, build_embedder
from rivae.models.nets.layers import Dropout, fold_affine_into_input, reset_linears
from rivae.models.nets.precision import steady

S, B = 3, 7


def generators(*seeds):
    return [torch.Generator().manual_seed(seed) for seed in seeds]


def make_pair(build):
    """The stacked module of S seeds and the S modules of one seed each."""
    stacked = build(S)
    reset_linears(stacked, generators(*range(S)))
    single = []
    for seed in range(S):
        module = build(None)
        reset_linears(module, generators(seed))
        single.append(module)
    return stacked, single


@pytest.mark.parametrize(
    "build",
    [
        lambda n: Linear(5, 4, n),
        lambda n: MLP(5, (8, 6), 4, "tanh", n),
        lambda n: MLP(5, (), 4, "relu", n),
        lambda n: build_embedder((5,), 4, EmbedderConfig(hidden=(6,)), n),
    ],
    ids=["linear", "mlp", "no hidden layer", "embedder"],
)
def test_stacked_models_equal_separate_ones(build):
    stacked, single = make_pair(build)
    x = torch.randn(S, B, 5, generator=generators(9)[0])
    out = stacked(x)
    out.square().sum().backward()
    for s, module in enumerate(single):
        own = module(x[s])
        own.square().sum().backward()
        torch.testing.assert_close(out[s], own)
        for both, alone in zip(stacked.parameters(), module.parameters(), strict=True):
            torch.testing.assert_close(both[s], alone, rtol=0, atol=0)
            torch.testing.assert_close(both.grad[s], alone.grad)
        # The others' weights play no part.
        assert not torch.allclose(out[(s + 1) % S], own)


def test_linear_is_initialised_as_pytorch_does():
    layer = Linear(100, 400)
    layer.reset(generators(0))
    bound = 1 / math.sqrt(100)
    for values in (layer.weight, layer.bias):
        assert bound * 0.9 < values.abs().max() <= bound
        assert abs(values.mean()) < 0.1 * bound
    again = Linear(100, 400)
    again.reset(generators(0))
    assert torch.equal(layer.weight, again.weight)


def test_mlp_ends_in_a_linear_layer_on_its_hidden_layer():
    mlp = MLP(5, (8, 6), 4)
    reset_linears(mlp, generators(0))
    x = torch.randn(B, 5)
    expected = mlp.hidden_layer(x) @ mlp.out.weight + mlp.out.bias
    torch.testing.assert_close(mlp(x), expected)
    assert mlp.hidden_layer(x).shape == (B, 6)


@pytest.mark.parametrize(
    ("n_in", "hidden", "n_out", "lead"),
    [(6, (20,), 3, ()), (3, (9, 7), 6, ()), (6, (7, 8), 3, (2,))],
)
def test_mlp_can_be_any_affine_map(n_in, hidden, n_out, lead):
    n_models = lead[0] if lead else None
    mlp, g = MLP(n_in, hidden, n_out, n_models=n_models), torch.Generator().manual_seed(0)
    reset_linears(mlp, [g] * (n_models or 1))
    weight = torch.randn(*lead, n_in, n_out, generator=g, dtype=torch.float64)
    bias = torch.randn(*lead, n_out, generator=g, dtype=torch.float64)
    mlp.assign(weight, bias)
    x = torch.randn(*lead, 5, n_in, generator=g)
    wanted = x @ weight.float() + bias.float().unsqueeze(-2)
    torch.testing.assert_close(mlp(x), wanted, atol=1e-5, rtol=1e-5)


def test_leaky_relu_has_the_slope_of_the_paper():
    mlp = MLP(1, (1,), 1)
    with torch.no_grad():
        mlp.layers[0].weight.fill_(1.0)
        mlp.layers[0].bias.zero_()
    hidden = mlp.hidden_layer(torch.tensor([[-10.0], [10.0]]))
    torch.testing.assert_close(hidden, torch.tensor([[-2.0], [10.0]]))


# Embedders.


@pytest.mark.parametrize(("shape", "lead"), [((50,), (4,)), ((1, 8, 4), (4,)), ((1, 8, 4), (2, 4))])
def test_mlp_embedder_gives_unit_vectors(shape, lead):
    embedder = build_embedder(shape, 3, EmbedderConfig(hidden=(9,)))
    reset_linears(embedder, generators(0))
    out = embedder(torch.randn(*lead, *shape))
    assert out.shape == (*lead, 3)
    torch.testing.assert_close(out.norm(dim=-1), torch.ones(lead))


@pytest.mark.parametrize("downsample", [1, 2])
def test_conv_embedder(downsample):
    config = EmbedderConfig(kind="conv", hidden=(16,), channels=(4, 4, 8), downsample=downsample)
    embedder = build_embedder((1, 32, 32), 5, config)
    reset_linears(embedder, generators(0))
    x = torch.rand(6, 1, 32, 32)
    out = embedder(x)
    assert out.shape == (6, 5)
    torch.testing.assert_close(out.norm(dim=-1), torch.ones(6))
    torch.testing.assert_close(embedder(x.reshape(2, 3, 1, 32, 32)), out.reshape(2, 3, 5))
    side = 32 // downsample // 8
    assert embedder.head.layers[0].weight.shape == (8 * side * side, 16)


def test_downsampling_averages_squares():
    config = EmbedderConfig(kind="conv", hidden=(8,), channels=(4,), downsample=2)
    embedder = build_embedder((1, 8, 8), 3, config)
    reset_linears(embedder, generators(0))
    coarse = torch.rand(2, 1, 4, 4)
    fine = coarse.repeat_interleave(2, -1).repeat_interleave(2, -2)
    swapped = fine.clone()
    swapped[..., 0, 0], swapped[..., 0, 1] = fine[..., 0, 0] + 0.1, fine[..., 0, 1] - 0.1
    torch.testing.assert_close(embedder(fine), embedder(swapped))


def test_conv_embedders_are_reproducible_and_seeded():
    config = EmbedderConfig(kind="conv", hidden=(8,), channels=(4,))
    built = []
    for seed in (0, 0, 1):
        embedder = build_embedder((1, 8, 8), 3, config)
        reset_linears(embedder, generators(seed))
        built.append(embedder.convolutions[0].weight)
    assert torch.equal(built[0], built[1]) and not torch.equal(built[0], built[2])
    assert built[0].abs().max() <= 1 / 4  # fan-in 16


@pytest.mark.parametrize(
    ("shape", "changes", "n_models", "reason"),
    [
        ((1, 8, 8), {"downsample": 3}, None, "downsample=1"),
        ((1, 8, 8), {"channels": (4,) * 4}, None, "fewer channels"),
        ((50,), {}, None, "needs pictures"),
        ((1, 8, 8), {"channels": (4,)}, 2, "one seed at a time"),
    ],
)
def test_what_cannot_be_built_is_refused(shape, changes, n_models, reason):
    config = EmbedderConfig(kind="conv", **changes)
    with pytest.raises(ConfigError, match=reason):
        build_embedder(shape, 3, config, n_models)


def test_bfloat16_only_while_training():
    embedder = build_embedder((50,), 8, EmbedderConfig(hidden=(64,)))
    reset_linears(embedder, generators(0))
    x = torch.randn(9, 50)
    exact = embedder(x)
    embedder.autocast = True
    rounded = embedder(x)
    assert rounded.dtype == torch.float32
    assert 1e-5 < (rounded - exact).abs().max() < 0.1
    assert torch.equal(embedder.eval()(x), exact)
    embedder.train()
    with steady(embedder):
        assert torch.equal(embedder(x), exact)
    assert embedder.training and embedder.autocast is True


# Dropout.


def test_dropout_masks_belong_to_the_model_not_to_its_neighbours():
    x = torch.ones(S, B, 1000)
    stacked = Dropout(0.2, S)
    stacked.generators = generators(0, 1, 2)
    out = stacked(x)
    for s in range(S):
        alone = Dropout(0.2)
        alone.generators = generators(s)
        assert torch.equal(out[s], alone(x[s]))
    assert set(out.unique().tolist()) == {0.0, 1.25}
    assert abs(float((out == 0).float().mean()) - 0.2) < 0.02
    assert torch.equal(stacked.eval()(x), x)


def test_dropout_without_generators_uses_the_global_ones():
    layer = Dropout(0.5)
    torch.manual_seed(0)
    first = layer(torch.ones(100))
    torch.manual_seed(0)
    assert torch.equal(first, layer(torch.ones(100))) and (first == 0).any()


# Gaussian heads.


def test_log_var_is_clamped_and_has_its_own_network():
    head = GaussianHead(4, (6,), 2, log_var_range=(-3.0, 2.0))
    reset_linears(head, generators(0))
    with torch.no_grad():
        head.log_var.out.bias.copy_(torch.tensor([100.0, -100.0]))
    mu, log_var = head(torch.randn(B, 4))
    torch.testing.assert_close(log_var, torch.tensor([2.0, -3.0]).expand(B, 2))
    assert mu.abs().max() < 5


@pytest.mark.parametrize("n_models", [None, 2])
def test_head_follows_an_affine_change_exactly(n_models):
    head = GaussianHead(4, (6,), 3, n_models)
    reset_linears(head, generators(*range(n_models or 1)))
    lead = () if n_models is None else (n_models,)
    matrix = torch.randn(3, 3, generator=generators(1)[0])
    offset = torch.tensor([1.0, -2.0, 0.5])
    x = torch.randn(*lead, B, 4, generator=generators(2)[0])
    mu, log_var = head(x)
    head.apply_affine(matrix, offset)
    new_mu, new_log_var = head(x)
    torch.testing.assert_close(new_mu, mu @ matrix + offset)
    # diag(M' diag(var) M)
    covariance = matrix.T @ torch.diag_embed(log_var.exp()) @ matrix
    torch.testing.assert_close(new_log_var.exp(), covariance.diagonal(dim1=-2, dim2=-1))


def test_folding_into_an_input_layer_undoes_the_change():
    layer = Linear(3, 5)
    layer.reset(generators(0))
    z = torch.randn(B, 3)
    before = layer(z)
    matrix, offset = torch.randn(3, 3, generator=generators(4)[0]), torch.randn(3)
    fold_affine_into_input(layer, matrix, offset)
    torch.testing.assert_close(layer(z @ matrix + offset), before, rtol=1e-4, atol=1e-5)


def test_widths_have_bounds():
    wide, deep, none = (10**9,), (4,) * 17, (0,)
    for wrong in ({"hidden": none}, {"hidden": wide}, {"hidden": deep}, {"channels": none}):
        with pytest.raises(ValueError, match="1 validation error"):
            EmbedderConfig(**wrong)
    assert isinstance(build_embedder((4,), 2, EmbedderConfig(hidden=(8192,))), nn.Module)
