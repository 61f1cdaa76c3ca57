"""The recipe embedder: its recurrence, what padding may not do, word vectors and their gradient."""

import copy

import numpy as np
import pytest
import torch
from torch import nn
from torch.func import jvp

from rivae.base.errors import ConfigError
from rivae.data.tokens import LENGTH, SECTIONS
from rivae.models.nets import EmbedderConfig, EmbedderPair, build_embedder, build_embedders
from rivae.models.nets.layers import reset_linears
from rivae.models.nets.precision import steady
from rivae.models.nets.recipe_rnn import BiGRU, perturbable

SMALL = {"kind": "recipe-rnn", "n_words": 20, "word_dim": 6, "rnn_size": 5, "hidden": (7,)}


def rng(seed=0):
    return torch.Generator().manual_seed(seed)


def embedder_of(seed=0, **changes):
    embedder = build_embedder((LENGTH,), 4, EmbedderConfig(**{**SMALL, **changes}))
    reset_linears(embedder, [rng(seed)])
    return embedder


def texts(*lengths, seed=0):
    """Word numbers (B, L) whose three sections have the given lengths."""
    x = torch.zeros(len(lengths), LENGTH)
    for row, each in zip(x, lengths, strict=True):
        for part, n in zip(row.split(SECTIONS), each, strict=True):
            part[:n] = torch.randint(2, 22, (n,), generator=rng(seed + n))
    return x


def test_the_recurrence_is_that_of_pytorch():
    own, theirs = BiGRU(3, 5), nn.GRU(3, 5, batch_first=True, bidirectional=True)
    own.reset([rng()])
    with torch.no_grad():
        for d, suffix in enumerate(("", "_reverse")):
            theirs.get_parameter(f"weight_ih_l0{suffix}").copy_(own.weight_in[d].T)
            theirs.get_parameter(f"weight_hh_l0{suffix}").copy_(own.weight_hidden[d].T)
            theirs.get_parameter(f"bias_ih_l0{suffix}").copy_(own.bias_in[d, 0])
            theirs.get_parameter(f"bias_hh_l0{suffix}").copy_(own.bias_hidden[d, 0])
    x, lengths = torch.randn(6, 9, 3, generator=rng()), torch.tensor([4, 9, 1, 9, 2, 7])
    packed = nn.utils.rnn.pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
    expected = torch.cat(list(theirs(packed)[1]), -1)
    torch.testing.assert_close(own(x, lengths), expected)
    both = own(x, torch.tensor([4, 9, 0, 9, 2, 7]))
    torch.testing.assert_close(both[[0, 1, 3, 4, 5]], expected[[0, 1, 3, 4, 5]])
    assert not both[2].any() and not own(x, torch.zeros(6, dtype=torch.long)).any()


def test_all_steps_at_once_are_the_steps_one_by_one():
    """What a card runs, beside what a CPU does: states and every gradient."""
    rnn = BiGRU(3, 5)
    rnn.reset([rng()])
    lengths = torch.tensor([4, 9, 0, 9, 2, 7])

    def states_and_gradients(run):
        x = torch.randn(6, 9, 3, generator=rng()).requires_grad_()
        rnn.zero_grad()
        out = run(x, lengths)
        (out * torch.randn(out.shape, generator=rng(1))).sum().backward()
        return [out, x.grad, *(p.grad.clone() for p in rnn.parameters())]

    at_once, by_steps = states_and_gradients(rnn.at_once), states_and_gradients(rnn.by_steps)
    assert not at_once[0][2].any() and at_once[0][1].all()
    torch.testing.assert_close(at_once, by_steps)
    with torch.autocast("cpu", torch.bfloat16):
        x = torch.randn(6, 9, 3, generator=rng())
        assert torch.equal(rnn.at_once(x, lengths), at_once[0])


def test_unit_vectors_of_any_batch():
    embedder = embedder_of()
    x = texts((3, 20, 50), (0, 0, 0), (16, 80, 200), (1, 0, 2))
    out = embedder(x)
    assert out.shape == (4, 4)
    torch.testing.assert_close(out.norm(dim=-1), torch.ones(4))
    torch.testing.assert_close(embedder(x.reshape(2, 2, LENGTH)), out.reshape(2, 2, 4))


def test_padding_and_neighbours_have_no_influence():
    embedder = embedder_of().double().eval()
    x = texts((3, 5, 7), (16, 80, 200), (2, 0, 1))
    together = embedder(x)
    torch.testing.assert_close(embedder(x[:1]), together[:1])
    torch.testing.assert_close(embedder(x.flip(0)), together.flip(0))
    vectors = embedder.word_vectors(x)
    noisy = vectors + 100.0 * (x == 0).unsqueeze(-1)  # only where there is no word
    torch.testing.assert_close(embedder.from_vectors(noisy, x), together)
    assert not torch.allclose(embedder.from_vectors(vectors + 0.1, x), together)


def test_every_section_and_the_order_of_words_count():
    embedder = embedder_of().eval()
    x = texts((3, 5, 7))
    before = embedder(x)
    for start in (0, SECTIONS[0], SECTIONS[0] + SECTIONS[1]):
        changed = x.clone()
        changed[0, start : start + 3] = torch.tensor([5.0, 9.0, 13.0])
        swapped = changed.clone()
        swapped[0, start : start + 3] = torch.tensor([13.0, 9.0, 5.0])
        assert not torch.allclose(embedder(changed), before, atol=1e-4)
        assert not torch.allclose(embedder(changed), embedder(swapped), atol=1e-4)


def test_the_gradient_reaches_the_words_that_occur_and_no_others():
    embedder = embedder_of()
    x = texts((2, 3, 4))
    embedder(x).sum().backward()
    touched = embedder.words.weight.grad.abs().sum(1).nonzero().flatten()
    assert set(touched.tolist()) == set(x.unique().long().tolist()) - {0}
    assert all(p.grad.abs().sum() > 0 for p in embedder.parameters())


def test_seeds_decide_the_weights():
    first, again, other = (embedder_of(seed).state_dict() for seed in (0, 0, 1))
    assert all(torch.equal(first[key], again[key]) for key in first)
    assert all(not torch.equal(first[key], other[key]) for key in first)
    assert not first["words.weight"][0].any()


def test_word_vectors_are_taken_over_where_there_are_some():
    embedder = embedder_of()
    before = embedder.words.weight.detach().clone()
    vectors = np.zeros((15, 6), dtype=np.float32)
    vectors[[3, 7]] = 1.5
    embedder.start_from(vectors)
    after = embedder.words.weight.detach()
    assert (after[[3, 7]] == 1.5).all()
    rest = [i for i in range(22) if i not in (3, 7)]
    assert torch.equal(after[rest], before[rest])
    embedder.check_room(20)
    with pytest.raises(ConfigError, match="21 words, recipe-rnn has room for 20: set its n_words"):
        embedder.check_room(21)


def test_bfloat16_only_while_training():
    embedder = embedder_of(rnn_size=32)
    x = texts((3, 5, 7), (16, 80, 200))
    exact = embedder(x)
    embedder.autocast = True
    rounded = embedder(x)
    assert rounded.dtype == torch.float32
    assert 1e-5 < (rounded - exact).abs().max() < 0.1
    rounded.sum().backward()
    with steady(embedder):
        assert torch.equal(embedder(x), exact)
    assert torch.equal(embedder.eval()(x), exact)


def test_dropout_acts_while_training():
    embedder = embedder_of(dropout=0.5)
    embedder.dropout.generators = [rng()]
    x = texts((3, 5, 7))
    assert not torch.equal(embedder(x), embedder(x))
    with steady(embedder):
        assert torch.equal(embedder(x), embedder(x))


def test_word_vectors_are_what_is_perturbed_and_only_those_of_words():
    embedder = embedder_of().double().eval()
    x = texts((3, 5, 7), (16, 80, 200))
    where = perturbable(embedder, x, 1)
    assert where.point.shape == (2, LENGTH, 6) and where.n_axes == 2
    assert where.mask.squeeze(-1).sum(1).tolist() == [15, 296]
    torch.testing.assert_close(where.embed(where.point), embedder(x))
    direction = torch.randn(where.point.shape, dtype=torch.float64, generator=rng()) * where.mask
    tangent = jvp(where.embed, (where.point,), (direction,))[1]
    h = 1e-6
    moved = where.embed(where.point + h * direction) - where.embed(where.point - h * direction)
    torch.testing.assert_close(tangent, moved / (2 * h), rtol=1e-6, atol=1e-9)
    tangent.square().sum().backward()
    assert embedder.words.weight.grad.abs().sum() > 0
    plain = build_embedder((5,), 4, EmbedderConfig())
    point = torch.ones(2, 5)
    assert perturbable(plain, point, 1).point is point and perturbable(plain, point, 1).mask is None


@pytest.mark.parametrize(
    ("shape", "n_models", "reason"),
    [
        ((400,), None, "reads 296 word numbers, these items have shape .* dataset.text=tokens"),
        ((3, 8, 8), None, "reads 296 word numbers"),
        ((LENGTH,), 2, "kind recipe-rnn train one seed at a time"),
    ],
)
def test_what_cannot_be_built_is_refused(shape, n_models, reason):
    with pytest.raises(ConfigError, match=reason):
        build_embedder(shape, 4, EmbedderConfig(**SMALL), n_models)


# A layer that both embedders share.


def test_a_shared_layer_is_one_layer_in_every_copy():
    pair = EmbedderPair(
        embedder=EmbedderConfig(hidden=(7,)), embedder2=EmbedderConfig(**SMALL), shared=True
    )
    e1, e2 = build_embedders((5,), (LENGTH,), 4, pair)
    both = nn.ModuleDict({"e1": e1, "e2": e2})
    reset_linears(both, [rng()])
    assert e2.head.out is e1.head.out
    assert sum("out." in key for key in both.state_dict()) == 2  # held once: weight and bias
    twin = copy.deepcopy(both)
    assert twin["e2"].head.out is twin["e1"].head.out is not e1.head.out
    x = texts((3, 5, 7))
    torch.testing.assert_close(twin["e2"](x), e2(x))
    with torch.no_grad():
        e1.head.out.weight.mul_(-1)
        e1.head.out.bias.mul_(-1)
    torch.testing.assert_close(twin["e2"](x), -e2(x))
    e2(x).sum().backward()
    assert e1.head.out.weight.grad.abs().sum() > 0
    both.double()
    assert e2(x).dtype == torch.float64
    separate = build_embedders((5,), (LENGTH,), 4, pair.model_copy(update={"shared": False}))
    assert separate[0].head.out is not separate[1].head.out


def test_a_shared_layer_needs_equal_widths():
    pair = EmbedderPair(
        embedder=EmbedderConfig(hidden=(9,)), embedder2=EmbedderConfig(**SMALL), shared=True
    )
    with pytest.raises(ConfigError, match=r"not 9 and 7: let hidden of both end alike"):
        build_embedders((5,), (LENGTH,), 4, pair)


@pytest.mark.parametrize("n_models", [None, 2])
def test_stacked_pairs_share_as_well(n_models):
    pair = EmbedderPair(embedder=EmbedderConfig(hidden=(7,)), shared=True)
    e1, e2 = build_embedders((5,), (6,), 4, pair, n_models)
    reset_linears(nn.ModuleList([e1, e2]), [rng(s) for s in range(n_models or 1)])
    lead = () if n_models is None else (n_models,)
    assert e2(torch.randn(*lead, 3, 6)).shape == (*lead, 3, 4)
    assert e2.head.out is e1.head.out
