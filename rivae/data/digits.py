"""Split-Digits: left and right halves of scikit-learn's bundled 8 x 8 digits, no download.

A small stand-in for Split-MNIST (paper, Sec. 5.3): 1,797 pairs, views of 8 x 4 pixels in [0, 1].
The factor is the digit.
"""

from __future__ import annotations

import numpy as np

from rivae.data import checks
from rivae.data.base import PairedDataset, random_split
from rivae.data.halves import Halves


def load(
    split_seed: int = 0, fractions: tuple[float, float, float] = (0.7, 0.1, 0.2)
) -> PairedDataset:
    """Split the digits that come with scikit-learn.

    Args:
        split_seed: draw of the split.
        fractions: shares of train, validation and test.

    Returns:
        Views of shape (1, 8, 4) in [0, 1], factors (1797, 1): the digit.

    Raises:
        ConfigError: for a setting out of range.
    """
    from sklearn.datasets import load_digits  # slow to import, needed by this data set only

    shares = checks.fractions(fractions)
    seed = checks.seed("split_seed", split_seed)
    bunch = load_digits()
    splits = random_split(len(bunch.target), shares, seed)
    return Halves(
        name="split-digits",
        settings={"split_seed": seed, "fractions": list(shares)},
        images=bunch.images.astype(np.uint8),
        labels=bunch.target.astype(np.int64),
        white=16,
        ink_box=8,
        centring="box",
        splits=splits,
        search_size=min(1000, len(splits["test"])),
    )
