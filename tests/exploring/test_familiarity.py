"""Pictures of another world are told from those that a model was trained on."""

import numpy as np
import pytest
import torch
from PIL import Image

from rivae.data import load_dataset
from rivae.exploring.familiarity import Familiarity, familiarity_of, statistics


@pytest.fixture(scope="module")
def sprites():
    return load_dataset("sprites")


@pytest.fixture(scope="module")
def known(sprites):
    return Familiarity(sprites)


def test_held_out_pictures_are_familiar_and_others_are_not(sprites, known):
    test = sprites.splits["test"][:100]
    own = torch.cat([sprites.from_upload(sprites.picture(int(i), 1)) for i in test])
    assert (known.strangeness(own) < 1).mean() > 0.9
    noise = np.random.default_rng(0).integers(0, 255, (64, 64, 3), dtype=np.uint8)
    ramp = np.tile(np.linspace(0, 255, 64).astype(np.uint8), (64, 1))
    for strange in (Image.fromarray(noise), Image.fromarray(ramp)):
        assert known.strangeness(sprites.from_upload(strange))[0] > 1


def test_the_same_seed_compares_with_the_same_pictures(sprites, known):
    x1 = sprites.x1.batch(sprites.splits["test"][:5])
    np.testing.assert_array_equal(known.strangeness(x1), Familiarity(sprites).strangeness(x1))


def test_grey_and_colour_are_described_by_as_many_numbers():
    grey = torch.rand(3, 1, 20, 12)
    assert statistics(grey).shape == statistics(torch.rand(2, 3, 80, 80))[:1].repeat(3, 0).shape
    np.testing.assert_allclose(statistics(grey), statistics(grey.expand(-1, 3, -1, -1)), atol=1e-5)


def test_what_is_no_picture_is_compared_with_nothing():
    assert familiarity_of(load_dataset("synth", n_pairs=100)) is None
