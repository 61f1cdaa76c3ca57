"""Whether a user's own picture is of the kind that a model was trained on.

A network may map a picture of another world into the midst of its embeddings: by the distance there
the digits take sprites and most photographs for digits, while statistics of the pictures themselves
(colours, edges, contrast) tell nearly all apart (``benchmarks/results/familiarity.md``). So those
are compared, by the distance to the fifth nearest training picture. The limit is the 99th
percentile of held-out validation pictures.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.functional import interpolate

from rivae.data.base import PairedDataset
from rivae.data.features.sources.statistics import Reduced, plain_statistics
from rivae.retrieval.indexes.brute_force import NumpyIndex

N_TRAIN, N_HELD_OUT = 1_000, 300
SIDE, N_COMPONENTS, NEIGHBOURS = 64, 60, 5


class Familiarity:
    """The training pictures of a data set, to compare others with; read-only once made.

    Args:
        data: its query view holds pictures (channels, height, width) or their features, and it
            takes uploads.
        random_state: seed of the pictures that are compared.
    """

    def __init__(self, data: PairedDataset, random_state: int = 0) -> None:
        rng = np.random.default_rng(random_state)
        train = rng.permutation(data.splits["train"])[:N_TRAIN]
        held_out = rng.permutation(data.splits["validation"])[:N_HELD_OUT]
        training = statistics(data.x1.batch(train))
        self._reduction = Reduced.fit(training, N_COMPONENTS)
        self._index = NumpyIndex(self._reduction(training).astype(np.float64))
        self._limit = 1.0
        # As uploads, which lose a little on their way: what that changes is not strange.
        side = 0 if data.shows_whole else 1
        again = torch.cat([data.from_upload(data.picture(int(i), side)) for i in held_out])
        self._limit = float(np.quantile(self.strangeness(again), 0.99)) or 1.0

    def strangeness(self, x1: Tensor) -> NDArray[np.float64]:
        """(n,) distance of pictures (n, *x1.shape) to the training pictures, in units of what 99 %
        of validation pictures, uploaded, stay below.
        """
        points = self._reduction(statistics(x1)).astype(np.float64)
        _, sq_distances = self._index.search(points, NEIGHBOURS)
        return np.sqrt(sq_distances[:, -1]) / self._limit


def statistics(x1: Tensor) -> NDArray[np.float32]:
    """Colours, edges and contrast of pictures (n, C, H, W) with one or three channels, (n, 660);
    features of pictures (n, D) say more than these and stay as they are.
    """
    if x1.dim() == 2:
        return x1.float().numpy()
    pictures = interpolate(x1.float(), (SIDE, SIDE), mode="bilinear", antialias=True)
    if pictures.shape[1] != 3:
        pictures = pictures.mean(1, keepdim=True).expand(-1, 3, -1, -1)
    parts = [plain_statistics(part).numpy() for part in torch.split(pictures.clamp(0, 1), 64)]
    return np.concatenate(parts)


@lru_cache(maxsize=2)
def familiarity_of(data: PairedDataset) -> Familiarity | None:
    """What uploads to this data set are compared with, some seconds the first time; None where the
    query view is no picture or there are too few.
    """
    enough = min(len(data.splits["train"]), len(data.splits["validation"])) > NEIGHBOURS
    has_pictures = data.accepts_upload and len(data.x1.shape) in (1, 3)
    return Familiarity(data) if has_pictures and enough else None
