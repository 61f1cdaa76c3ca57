"""Residual networks for pictures (He et al. 2016): a small one for a CPU, and the paper's ResNet50.

The layers of ResNet50 have the names of torchvision, so that its weight files fit. torchvision
itself is not needed: next to the CPU build of PyTorch its published package cannot be imported.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn

from rivae.base.errors import ConfigError
from rivae.models.nets.pictures import PictureEmbedder, SeededConv
from rivae.models.nets.weight_files import read_weights

if TYPE_CHECKING:
    from rivae.models.nets.settings import EmbedderConfig

# Of ResNet50.
MEAN, STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)  # of ImageNet, per colour
BLOCKS, WIDTHS, EXPANSION = (3, 4, 6, 3), (64, 128, 256, 512), 4
SMALLEST = 32  # pixels: a map of one place at the end
ATTENTION_LEVEL = 2  # after layer2 the map has an eighth of the side: 28 of 224


class ResidualBlock(nn.Module):
    """Two 3 x 3 convolutions with batch normalisation and a 1 x 1 shortcut (He et al. 2016).

    The map is halved by the first convolution, and by averaging in the shortcut.
    """

    def __init__(self, n_in: int, n_out: int) -> None:
        super().__init__()
        self.conv1 = SeededConv(n_in, n_out, 3, 2, bias=False)
        self.norm1 = nn.BatchNorm2d(n_out)
        self.conv2 = SeededConv(n_out, n_out, 3, 1, bias=False)
        self.norm2 = nn.BatchNorm2d(n_out)
        self.short = nn.Sequential(
            nn.AvgPool2d(2), SeededConv(n_in, n_out, 1, 1, bias=False), nn.BatchNorm2d(n_out)
        )

    def forward(self, x: Tensor) -> Tensor:
        inner = self.norm1(self.conv1(x)).relu()
        out: Tensor = (self.norm2(self.conv2(inner)) + self.short(x)).relu()
        return out


class SmallResNet(PictureEmbedder):
    """A convolution of stride 2, residual blocks of stride 2, the mean over the map, the head.

    ``channels`` are the widths of the first convolution and of every block.
    """

    def __init__(self, shape: tuple[int, ...], dim_v: int, config: EmbedderConfig) -> None:
        super().__init__(shape, config)
        widths = config.channels
        if not widths:
            raise ConfigError("small-resnet needs at least one width: set channels")
        if any(side % 2 ** len(widths) for side in self.shape[1:]):
            raise ConfigError(
                f"pictures of {self.shape[1]} x {self.shape[2]} cannot be halved {len(widths)} "
                "times: give fewer channels or another image_size"
            )
        self.stem = nn.Sequential(
            SeededConv(self.shape[0], widths[0], 4, 2, bias=False),
            nn.BatchNorm2d(widths[0]),
            nn.ReLU(),
        )
        self.blocks = nn.Sequential(*(ResidualBlock(a, b) for a, b in pairwise(widths)))
        self.add_head(widths[-1], dim_v, config)

    def features(self, x: Tensor) -> Tensor:
        """The last feature map, averaged over its places."""
        return self.blocks(self.stem(x)).mean((-2, -1))


class Bottleneck(nn.Module):
    """1 x 1, 3 x 3 (with the stride) and 1 x 1 convolutions, and a shortcut."""

    def __init__(self, n_in: int, width: int, stride: int) -> None:
        super().__init__()
        n_out = EXPANSION * width
        self.conv1 = SeededConv(n_in, width, 1, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(width)
        self.conv2 = SeededConv(width, width, 3, stride, bias=False)
        self.bn2 = nn.BatchNorm2d(width)
        self.conv3 = SeededConv(width, n_out, 1, 1, bias=False)
        self.bn3 = nn.BatchNorm2d(n_out)
        self.downsample: nn.Module | None = None
        if stride > 1 or n_in != n_out:
            self.downsample = nn.Sequential(
                SeededConv(n_in, n_out, 1, stride, bias=False), nn.BatchNorm2d(n_out)
            )

    def forward(self, x: Tensor) -> Tensor:
        inner = self.bn1(self.conv1(x)).relu()
        inner = self.bn3(self.conv3(self.bn2(self.conv2(inner)).relu()))
        out: Tensor = (inner + (x if self.downsample is None else self.downsample(x))).relu()
        return out


class SpatialAttention(nn.Module):
    """A factor from 0 to 2 for every place of a feature map (B, C, H, W).

    The paper names the module and its place only. The factors start at 1, so that trained
    features behind it stay what they are.
    """

    def __init__(self, n_channels: int) -> None:
        super().__init__()
        self.inner = SeededConv(n_channels, n_channels // 8, 1, 1)
        self.weight = nn.Parameter(torch.zeros(1, n_channels // 8, 1, 1))

    def factors(self, x: Tensor) -> Tensor:
        """(B, 1, H, W)."""
        return 2 * (self.inner(x).relu() * self.weight).sum(1, keepdim=True).sigmoid()

    def forward(self, x: Tensor) -> Tensor:
        return x * self.factors(x)


class ResNet50Attention(PictureEmbedder):
    """ResNet50 without its last layer, attention behind ``layer2``, then the head."""

    mean: Tensor
    std: Tensor

    def __init__(self, shape: tuple[int, ...], dim_v: int, config: EmbedderConfig) -> None:
        super().__init__(shape, config)
        if self.shape[0] not in (1, 3) or min(self.shape[1:]) < SMALLEST:
            raise ConfigError(
                f"resnet50-attention needs grey or coloured pictures of at least {SMALLEST} "
                f"pixels, these have shape {self.shape}: raise image_size or choose another kind"
            )
        self.weights = config.weights
        self.conv1 = SeededConv(3, 64, 7, 2, bias=False)
        self.bn1 = nn.BatchNorm2d(64)
        n_in = 64
        for level, (n_blocks, width) in enumerate(zip(BLOCKS, WIDTHS, strict=True), start=1):
            blocks = []
            for i in range(n_blocks):
                blocks.append(Bottleneck(n_in, width, 2 if i == 0 and level > 1 else 1))
                n_in = EXPANSION * width
            setattr(self, f"layer{level}", nn.Sequential(*blocks))
        self.attention = SpatialAttention(EXPANSION * WIDTHS[ATTENTION_LEVEL - 1])
        self.add_head(n_in, dim_v, config)
        self.register_buffer("mean", torch.tensor(MEAN).reshape(3, 1, 1), persistent=False)
        self.register_buffer("std", torch.tensor(STD).reshape(3, 1, 1), persistent=False)

    def features(self, x: Tensor) -> Tensor:
        """The last feature map, averaged over its places; (B, 2048)."""
        x = (x - self.mean) / self.std  # a grey picture becomes three equal colours
        x = nn.functional.max_pool2d(self.bn1(self.conv1(x)).relu(), 3, 2, 1)
        for level in range(1, len(BLOCKS) + 1):
            x = getattr(self, f"layer{level}")(x)
            if level == ATTENTION_LEVEL:
                x = self.attention(x)
        return x.mean((-2, -1))

    def load_weights(self) -> None:
        """Load the file ``weights`` if one is named; its last layer is skipped.

        Raises:
            ConfigError: when it is missing, foreign or does not fit.
        """
        if self.weights is None:
            return
        expected_tensors = {
            name: value
            for name, value in self.state_dict().items()
            if not name.startswith(("attention.", "head."))
        }
        self.load_state_dict(read_weights(self.weights, expected_tensors, skip="fc."), strict=False)
