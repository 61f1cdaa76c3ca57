"""Features of pictures without a trained network: statistics of colours, edges and small patches.

A network that trains from nothing on ten thousand photographs learns colours and textures, slowly.
These statistics say as much at once. Patches follow Coates, Lee and Ng (2011, "An analysis of
single-layer networks in unsupervised feature learning"): typical patches are found by k-means,
and a picture is described by how near its own patches come to them, in five regions. What is
fitted (typical patches, principal components, scales) sees training pictures only, and no text.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image
from torch import Tensor
from torch.nn.functional import avg_pool2d, unfold

from rivae.base.ahead import ahead
from rivae.base.errors import DataError
from rivae.data.base import floats
from rivae.data.features.contract import Encoder, FeatureSource
from rivae.data.store import PairStore
from rivae.data.store.pixels import NONE_READABLE, readable_picture, to_pixels
from rivae.data.store.split import store_split

NAME = "statistics"
SIDE = 64
HUES, SATURATIONS, VALUES = 12, 3, 3
CELLS, ANGLES = 4, 8  # of the edges
THUMBNAIL = 8
SCALES = 4
PATCH, N_PATCHES = 6, 256  # at half the side
MAX_FIT = 4000  # training pictures that the typical patches and the components are fitted to
PER_PICTURE = 12  # patches of one of them
COMPONENTS = (200, 300)  # of the plain statistics and of the patches
MIN_FIT = 20
PATCHES = ("mean", "white", "typical")  # in the file of what was fitted
AT_ONCE = 8  # pictures whose patches stay in a processor's cache
A = TypeVar("A")
B = TypeVar("B")


class PictureStatistics(Encoder):
    """Statistics of pictures, by typical patches and principal components that were fitted."""

    name = NAME

    def __init__(self, patches: TypicalPatches, reductions: Sequence[Reduced]) -> None:
        self._patches, self._reductions = patches, tuple(reductions)

    @classmethod
    def fit(cls, store: PairStore, random_state: int = 0) -> PictureStatistics:
        """Fitted to the training pictures of a store.

        Raises:
            DataError: there are too few of them, or none can be read.
        """
        rng = np.random.default_rng(random_state)
        rows = store_split(store)["train"]
        rows = np.sort(rng.choice(rows, min(len(rows), MAX_FIT), replace=False))
        if len(rows) < MIN_FIT:
            raise DataError(
                f"{len(rows)} training pictures are too few for statistics of them: import at "
                f"least {MIN_FIT}"
            )
        pixels, could_be_read = zip(
            *_at_once(partial(_readable_pixels, store), rows.tolist()), strict=True
        )
        if not any(could_be_read):
            raise DataError(NONE_READABLE)
        x = _floats(np.stack(pixels))
        patches = TypicalPatches.fit(_half(x), rng)
        each = _at_once(partial(_plain_and_patches, patches=patches), torch.split(x, AT_ONCE))
        parts = [torch.cat(part).numpy() for part in zip(*each, strict=True)]
        sizes = zip(parts, COMPONENTS, strict=True)
        return cls(patches, _at_once(lambda size: Reduced.fit(*size), sizes))

    @classmethod
    def restore(cls, tensors: Mapping[str, Tensor]) -> PictureStatistics:
        """As it was fitted before; see ``fitted``."""
        names = ("mean", "scale", "axes")
        reductions = [
            Reduced(*(tensors[f"{name} {k}"].numpy() for name in names))
            for k in range(len(COMPONENTS))
        ]
        return cls(TypicalPatches(*(tensors[f"patch {name}"] for name in PATCHES)), reductions)

    def fitted(self) -> dict[str, Tensor]:
        """See ``Encoder.fitted``."""
        patches = zip(PATCHES, self._patches.fitted(), strict=True)
        numbers = {f"patch {name}": value.contiguous() for name, value in patches}
        for k, part in enumerate(self._reductions):
            for name, value in (("mean", part.mean), ("scale", part.scale), ("axes", part.axes)):
                numbers[f"{name} {k}"] = torch.from_numpy(np.ascontiguousarray(value))
        return numbers

    def encode_pictures(self, batch: Sequence[Image.Image]) -> Tensor:
        """See ``Encoder.encode_pictures``."""
        x = _floats(np.stack([to_pixels(picture.convert("RGB"), SIDE) for picture in batch]))
        each = [_plain_and_patches(part, self._patches) for part in torch.split(x, AT_ONCE)]
        parts = [torch.cat(part).numpy() for part in zip(*each, strict=True)]
        blocks = [reduce(part) for reduce, part in zip(self._reductions, parts, strict=True)]
        return torch.from_numpy(np.concatenate(blocks, axis=1))


STATISTICS = FeatureSource(
    NAME,
    "Statistics",
    "colours, edges and patches of the pictures",
    lambda store, name, device: PictureStatistics.fit(store),
    restore=PictureStatistics.restore,
)


class Reduced:
    """Principal components of standardised rows, of equal weight as a whole.

    Each counts with the root of its spread, between the components as they are and whitened ones,
    whose last would be noise.

    Args:
        mean, scale: (p,) of the rows.
        axes: (p, n), the weights of the components.
    """

    def __init__(
        self, mean: NDArray[np.float32], scale: NDArray[np.float32], axes: NDArray[np.float32]
    ) -> None:
        self.mean, self.scale, self.axes = mean, scale, axes

    @classmethod
    def fit(cls, rows: NDArray[np.float32], n: int) -> Reduced:
        """``n`` components of rows (N, p), or as many as they have."""
        mean, std = rows.mean(axis=0), rows.std(axis=0) + 1e-6
        standard = (rows - mean) / std
        _, spread, axes = np.linalg.svd(standard, full_matrices=False)
        n = min(n, int((spread > 1e-4 * spread[0]).sum()) or 1)
        scale = np.sqrt(np.maximum(spread[:n], 1e-12) / math.sqrt(len(rows)))
        weights = axes[:n].T / scale / max(math.sqrt(float((scale**2).mean())), 1e-12)
        return cls(mean, std, weights)

    def __call__(self, rows: NDArray[np.float32]) -> NDArray[np.float32]:
        components: NDArray[np.float32] = ((rows - self.mean) / self.scale @ self.axes).astype("f4")
        return components


class TypicalPatches:
    """How near the patches of pictures come to typical ones, by region.

    Args:
        mean, white: (P,) and (P, P), which make patches white.
        typical: (K, P) white typical patches.
    """

    def __init__(self, mean: Tensor, white: Tensor, typical: Tensor) -> None:
        self._mean, self._white, self._typical = mean, white, typical

    @classmethod
    def fit(cls, x: Tensor, rng: np.random.Generator) -> TypicalPatches:
        """Those of pictures x (n, 3, S, S)."""
        from sklearn.cluster import MiniBatchKMeans

        windows = (x.shape[-1] - PATCH + 1) ** 2
        patch_ids = torch.from_numpy(rng.integers(0, windows, (len(x), PER_PICTURE)))
        parts = zip(torch.split(x, AT_ONCE), torch.split(patch_ids, AT_ONCE), strict=True)
        samples = _at_once(lambda part: cls._drawn(*part), parts)
        sample = _standard(torch.cat(samples)).transpose(1, 2).flatten(0, 1)
        mean = sample.mean(0)
        centred = (sample - mean).numpy().astype(np.float64)
        spread, axes = np.linalg.eigh(centred.T @ centred / len(centred))
        white = (axes / np.sqrt(np.maximum(spread, 0) + 0.1)) @ axes.T
        whitening = torch.from_numpy(white.astype(np.float32))
        fit = MiniBatchKMeans(
            min(N_PATCHES, len(sample) // 4),
            n_init=1,
            max_iter=10,
            batch_size=4096,
            random_state=int(rng.integers(2**31)),
        ).fit(((sample - mean) @ whitening).numpy())
        return cls(mean, whitening, torch.from_numpy(fit.cluster_centers_.astype(np.float32)))

    def fitted(self) -> tuple[Tensor, Tensor, Tensor]:
        """``mean``, ``white`` and ``typical``."""
        return self._mean, self._white, self._typical

    def __call__(self, x: Tensor) -> Tensor:
        """(n, 5 K): the four quarters and the middle of each picture."""
        white = self._white.T @ _standard(unfold(x, PATCH)).sub_(self._mean[:, None])
        products = self._typical @ white
        squares = white.square_().sum(1, keepdim=True) + self._typical.square().sum(1)[:, None]
        distances = products.mul_(-2).add_(squares).clamp_min_(0).sqrt_()
        # Nearer than to the average patch, or nothing.
        near = distances.sub_(distances.mean(1, keepdim=True)).neg_().clamp_min_(0)
        n = math.isqrt(near.shape[2])
        grid, half, edge = near.unflatten(2, (n, n)), n // 2, n // 4
        ends = (slice(None, half), slice(half, None))
        regions = [grid[..., a, b] for a in ends for b in ends]
        regions.append(grid[..., edge : n - edge, edge : n - edge])
        return torch.cat([region.mean((2, 3)) for region in regions], 1)

    @staticmethod
    def _drawn(x: Tensor, patch_ids: Tensor) -> Tensor:
        """The patches (n, 3 PATCH^2, k) with numbers ``patch_ids`` (n, k) of pictures x."""
        patches = unfold(x, PATCH)
        return patches.gather(2, patch_ids[:, None].expand(-1, patches.shape[1], -1))


def _standard(patches: Tensor) -> Tensor:
    """Patches (n, 3 PATCH^2, windows), each brought to mean 0 and about equal contrast."""
    centred = patches - patches.mean(1, keepdim=True)
    return centred.div_((centred.square().mean(1, keepdim=True) + 0.01).sqrt_())


def _at_once(work: Callable[[A], B], inputs: Iterable[A]) -> list[B]:
    """``work`` on each of ``inputs``, on all cores."""
    return [result() for _, result in ahead(inputs, work)]


def _plain_and_patches(x: Tensor, patches: TypicalPatches) -> tuple[Tensor, Tensor]:
    return plain_statistics(x), patches(_half(x)).sqrt()


def plain_statistics(x: Tensor) -> Tensor:
    """Colours, edges and contrast of pictures (n, 3, S, S) in [0, 1], (n, 660)."""
    n, side = len(x), x.shape[-1]
    codes, quarter = _colour_codes(x), side // 4
    middle = torch.zeros(side, side, dtype=torch.bool)
    middle[quarter:-quarter, quarter:-quarter] = True
    border = torch.ones(side, side, dtype=torch.bool)
    border[side // 5 : -(side // 5), side // 5 : -(side // 5)] = False
    n_codes = HUES * SATURATIONS * VALUES
    blocks = [
        _shares(part, n_codes).sqrt()
        for part in (codes.flatten(1), codes[:, middle], codes[:, border])
    ]
    light = x.mean(1)
    dy, dx = torch.gradient(light, dim=(1, 2))
    strength = torch.hypot(dx, dy)
    angle = (torch.atan2(dy, dx).remainder(math.pi) / math.pi * ANGLES).long().clamp(0, ANGLES - 1)
    edges = torch.zeros(n, ANGLES, side, side).scatter_(1, angle[:, None], strength[:, None])
    blocks.append(avg_pool2d(edges, side // CELLS).flatten(1))
    for _ in range(SCALES):
        centred = light - light.mean((1, 2), keepdim=True)
        blocks.append(
            torch.stack(
                [
                    light.diff(dim=1).abs().mean((1, 2)),
                    light.diff(dim=2).abs().mean((1, 2)),
                    centred.std((1, 2)),
                    (centred**3).mean((1, 2)),
                ],
                1,
            )
        )
        light = avg_pool2d(light, 2)
    blocks.append(avg_pool2d(x, side // THUMBNAIL).flatten(1))
    return torch.cat(blocks, 1)


def _colour_codes(x: Tensor) -> Tensor:
    """The number of each pixel's hue, saturation and value among the bins, (n, S, S)."""
    value, least = x.amax(1), x.amin(1)
    chroma = value - least
    r, g, b = x.unbind(1)
    safe = chroma.clamp_min(1e-6)
    hue = torch.where(
        value == r,
        ((g - b) / safe).remainder(6),
        torch.where(value == g, (b - r) / safe + 2, (r - g) / safe + 4),
    )
    hue = torch.where(chroma < 1e-6, torch.zeros_like(hue), hue / 6)
    saturation = chroma / value.clamp_min(1e-6)
    bins = [
        (share * k).long().clamp(0, k - 1)
        for share, k in ((hue, HUES), (saturation, SATURATIONS), (value, VALUES))
    ]
    return (bins[0] * SATURATIONS + bins[1]) * VALUES + bins[2]


def _shares(codes: Tensor, n_codes: int) -> Tensor:
    """The share (n, n_codes) of each code among the pixels (n, P)."""
    counts = torch.zeros(len(codes), n_codes)
    counts.scatter_add_(1, codes, torch.ones(codes.shape))
    return counts / codes.shape[1]


def _readable_pixels(store: PairStore, i: int) -> tuple[NDArray[np.uint8], bool]:
    picture, could_be_read = readable_picture(store, i)
    return to_pixels(picture, SIDE), could_be_read


def _floats(pixels: NDArray[np.uint8]) -> Tensor:
    return floats(torch.from_numpy(pixels))


def _half(x: Tensor) -> Tensor:
    return avg_pool2d(x, 2)
