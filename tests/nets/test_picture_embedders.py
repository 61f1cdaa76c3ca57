"""Residual embedders of pictures: shapes, normalisation in and out of training, weight files."""

import pytest
import torch
from safetensors.torch import save_file

from rivae.base.errors import ConfigError
from rivae.models.nets import EmbedderConfig, build_embedder
from rivae.models.nets.layers import reset_linears
from rivae.models.nets.precision import steady
from rivae.models.nets.resnets import MEAN, STD
from rivae.models.nets.weight_files import read_weights

SMALL = EmbedderConfig(kind="small-resnet", channels=(4, 6, 8), hidden=(9,))
LARGE = EmbedderConfig(kind="resnet50-attention", hidden=())


def rng(seed=0):
    return torch.Generator().manual_seed(seed)


def build(config, shape=(3, 32, 32), seed=0):
    embedder = build_embedder(shape, 5, config)
    reset_linears(embedder, [rng(seed)])
    return embedder


@pytest.fixture(scope="module")
def large():
    return build(LARGE, (3, 64, 64)).eval()


@pytest.mark.parametrize("shape", [(3, 32, 32), (1, 16, 24)])
def test_small_resnet_gives_unit_vectors(shape):
    embedder = build(SMALL, shape)
    x = torch.rand(6, *shape, generator=rng())
    out = embedder(x)
    assert out.shape == (6, 5)
    torch.testing.assert_close(out.norm(dim=-1), torch.ones(6))
    embedder.eval()
    torch.testing.assert_close(embedder(x.reshape(2, 3, *shape)), embedder(x).reshape(2, 3, 5))
    embedder(x).sum().backward()
    assert all(p.grad.abs().sum() > 0 for p in embedder.parameters())


def test_a_batch_counts_while_training_and_never_after():
    embedder = build(SMALL)
    x = torch.rand(8, 3, 32, 32, generator=rng())
    assert not torch.allclose(embedder(x)[:4], embedder(x[:4]), atol=1e-4)
    before = {k: v.clone() for k, v in embedder.named_buffers()}
    with steady(embedder):
        torch.testing.assert_close(embedder(x)[:4], embedder(x[:4]))
        assert all(torch.equal(v, before[k]) for k, v in embedder.named_buffers())
    assert embedder.training and embedder.stem[1].training
    embedder.eval()
    torch.testing.assert_close(embedder(x)[:4], embedder(x[:4]))
    again = build(SMALL, seed=3)
    again.load_state_dict(embedder.state_dict())
    assert torch.equal(again.eval()(x), embedder(x))


def test_random_changes_of_pictures_only_while_training():
    embedder = build(SMALL.model_copy(update={"augment": 0.5}))
    embedder.augment.generators = [rng()]
    x = torch.rand(8, 3, 32, 32, generator=rng())
    assert not torch.allclose(embedder(x), embedder(x), atol=1e-4)
    with steady(embedder):
        assert torch.equal(embedder(x), embedder(x))


def test_seeds_decide_the_weights():
    first, again, other = (build(SMALL, seed=seed) for seed in (0, 0, 1))
    for name, value in first.named_parameters():
        assert torch.equal(value, again.get_parameter(name))
        if not name.startswith(("stem.1", "blocks.0.norm")) and value.dim() > 1:
            assert not torch.equal(value, other.get_parameter(name))


def test_resnet50_has_the_layers_of_torchvision(large):
    names = {k for k in large.state_dict() if not k.startswith(("attention.", "head."))}
    assert len(names) == 318 and "layer4.0.downsample.1.running_var" in names
    trunk = [p for n, p in large.named_parameters() if not n.startswith(("attention.", "head."))]
    assert sum(p.numel() for p in trunk) == 23_508_032  # 25,557,032 less the last layer


def test_resnet50_on_small_grey_and_large_pictures(large):
    x = torch.rand(2, 3, 64, 64, generator=rng())
    out = large(x)
    torch.testing.assert_close(out.norm(dim=-1), torch.ones(2))
    seen = []
    handle = large.attention.register_forward_hook(lambda _, inputs, __: seen.append(inputs[0]))
    large(torch.rand(1, 3, 224, 224, generator=rng()))
    handle.remove()
    assert seen[0].shape == (1, 512, 28, 28)
    with torch.no_grad():
        grey = build(LARGE, (1, 64, 64)).eval()
        torch.testing.assert_close(grey(x[:, :1]), large(x[:, :1].expand(-1, 3, -1, -1)))


def test_pictures_are_normalised_as_imagenet(large):
    seen = []
    handle = large.conv1.register_forward_hook(lambda _, inputs, __: seen.append(inputs[0]))
    large(torch.tensor(MEAN).reshape(1, 3, 1, 1).expand(1, 3, 64, 64))
    large((torch.tensor(MEAN) + torch.tensor(STD)).reshape(1, 3, 1, 1).expand(1, 3, 64, 64))
    handle.remove()
    torch.testing.assert_close(seen[0], torch.zeros(1, 3, 64, 64))
    torch.testing.assert_close(seen[1], torch.ones(1, 3, 64, 64))
    assert "mean" not in large.state_dict()


def test_attention_starts_at_one_and_weighs_places(large):
    x = torch.randn(2, 512, 8, 8, generator=rng())
    attention = large.attention
    torch.testing.assert_close(attention(x), x)
    with torch.no_grad():
        attention.weight.normal_(generator=rng())
        factors = attention.factors(x)
        torch.testing.assert_close(attention(x), x * factors)
        attention.weight.zero_()
    assert factors.shape == (2, 1, 8, 8) and factors.std() > 0.01
    assert factors.min() > 0 and factors.max() < 2
    large.zero_grad()
    attention(x).sum().backward()
    assert attention.weight.grad.abs().sum() > 0


@pytest.mark.slow
def test_weights_of_a_file_replace_the_random_ones(tmp_path, large):
    path = tmp_path / "resnet50.safetensors"
    theirs = {
        k: v.clone() for k, v in large.state_dict().items() if not k.startswith(("att", "head"))
    }
    theirs |= {"fc.weight": torch.zeros(1000, 2048), "fc.bias": torch.zeros(1000)}
    save_file(theirs, path)
    other = build(LARGE.model_copy(update={"weights": str(path)}), (3, 64, 64), seed=1).eval()
    head = other.head.out.weight.clone()
    assert not torch.equal(other.conv1.weight, large.conv1.weight)
    other.load_weights()
    assert torch.equal(other.conv1.weight, large.conv1.weight)
    assert torch.equal(other.head.out.weight, head)
    x = torch.rand(2, 3, 64, 64, generator=rng())
    torch.testing.assert_close(other.features(x), large.features(x))


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ({"a": torch.zeros(2)}, "another network: it lacks 'b'"),
        ({"a": torch.zeros(2), "b": torch.ones(3), "c": torch.ones(1)}, "it has 'c', which is"),
        ({"a": torch.zeros(3), "b": torch.ones(3)}, r"'a' has shape \(3,\), not \(2,\)"),
        ({"a": torch.tensor([0, torch.nan]), "b": torch.ones(3)}, "'a' holds NaN"),
        (b"junk", "holds no weights: name a .safetensors file"),
        (None, "No such file"),
    ],
)
def test_foreign_weight_files_are_named(tmp_path, content, reason):
    path = tmp_path / "weights.safetensors"
    if isinstance(content, bytes):
        path.write_bytes(content)
    elif content is not None:
        save_file(content, path)
    expected = {"a": torch.zeros(2), "b": torch.zeros(3), "n.num_batches_tracked": torch.tensor(0)}
    with pytest.raises(ConfigError, match=reason) as caught:
        read_weights(str(path), expected, skip="fc.")
    assert "\n" not in str(caught.value)


def test_a_pickle_is_never_opened_and_the_way_out_is_named(tmp_path, monkeypatch):
    path = tmp_path / "weights.pth"
    torch.save({"a": torch.ones(2)}, path)
    monkeypatch.setattr(torch, "load", None)
    with pytest.raises(ConfigError, match=r"is a pickle.*safetensors.torch.save_file\(torch.load"):
        read_weights(str(path), {"a": torch.zeros(2)})


def test_counts_of_batches_may_be_missing(tmp_path):
    path = tmp_path / "weights.safetensors"
    save_file({"a": torch.ones(2, dtype=torch.float16), "fc.x": torch.ones(1)}, path)
    expected = {"a": torch.zeros(2), "n.num_batches_tracked": torch.tensor(0)}
    found = read_weights(str(path), expected, skip="fc.")
    assert list(found) == ["a"] and found["a"].dtype == torch.float32


@pytest.mark.parametrize(
    ("config", "shape", "n_models", "reason"),
    [
        (SMALL, (50,), None, "kind small-resnet needs pictures"),
        (SMALL, (3, 32, 32), 2, "kind small-resnet train one seed at a time"),
        (SMALL, (3, 20, 20), None, "20 x 20 cannot be halved 3 times"),
        (SMALL.model_copy(update={"channels": ()}), (3, 32, 32), None, "at least one width"),
        (LARGE, (3, 64, 64), 2, "one seed at a time"),
        (LARGE, (3, 16, 16), None, "at least 32 pixels"),
        (LARGE, (2, 64, 64), None, "grey or coloured"),
    ],
)
def test_what_cannot_be_built_is_refused(config, shape, n_models, reason):
    with pytest.raises(ConfigError, match=reason):
        build_embedder(shape, 5, config, n_models)
