"""Random changes of pictures: only while training, from the given generator, within bounds."""

from __future__ import annotations

import torch

from rivae.models.nets.pictures import Augment


def pictures(n=6, channels=3):
    return torch.rand(n, channels, 16, 16, generator=torch.Generator().manual_seed(0))


def layer(strength, seed=1):
    made = Augment(strength)
    made.generators = [torch.Generator().manual_seed(seed)]
    return made


def test_nothing_happens_at_strength_0_or_outside_training():
    x = pictures()
    assert layer(0.0)(x) is x
    assert layer(1.0).eval()(x) is x


def test_the_same_generator_gives_the_same_pictures():
    x = pictures()
    one, two, other = layer(0.7)(x), layer(0.7)(x), layer(0.7, seed=2)(x)
    assert torch.equal(one, two) and not torch.equal(one, other)
    assert one.shape == x.shape


def test_every_picture_is_changed_in_its_own_way():
    x = pictures(1).expand(8, -1, -1, -1)
    out = layer(0.7)(x)
    assert len({tuple(p.flatten().tolist()) for p in out}) == 8


def test_a_plain_picture_keeps_its_place_and_changes_its_light_only():
    x = torch.full((32, 1, 8, 8), 0.5)
    out = layer(1.0)(x)
    assert torch.allclose(out, out[:, :1, :1, :1].expand_as(out), atol=1e-6)
    assert 0.39 < out.min() < 0.45 and 0.55 < out.max() < 0.61


def test_half_of_the_pictures_are_mirrored():
    x = torch.zeros(200, 3, 8, 8)
    x[..., :4] = 1.0
    out = layer(0.01)(x)
    mirrored = (out[:, 0, :, 0].mean(-1) < out[:, 0, :, -1].mean(-1)).float().mean()
    assert 0.4 < mirrored < 0.6
