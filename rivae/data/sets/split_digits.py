"""Split-Digits: left and right halves of scikit-learn's bundled 8 x 8 digits, no download.

A small stand-in for Split-MNIST (paper, Sec. 5.3): 1,797 pairs, views of 8 x 4 pixels in [0, 1].
The factor is the digit.
"""

from __future__ import annotations

import gzip
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rivae.data.base import PairedDataset, Shape, random_split
from rivae.data.dataset import Dataset
from rivae.data.halves import Halves
from rivae.data.settings import DatasetSettings, Fractions, SplitSeed


class Settings(DatasetSettings):
    """Settings of Split-Digits."""

    split_seed: SplitSeed = 0
    fractions: Fractions = (0.7, 0.1, 0.2)


def load(settings: Settings) -> PairedDataset:
    """Load the digits of scikit-learn and cut them in halves.

    Returns:
        Views of shape (1, 8, 4) in [0, 1], factors (1797, 1): the digit.
    """
    pixels, digit = _bundled_digits()
    splits = random_split(len(digit), settings.fractions, settings.split_seed)
    return Halves(
        name="split-digits",
        settings=settings.kept(),
        images=pixels,
        labels=digit,
        white=16,
        ink_box=8,
        centring="box",
        splits=splits,
        search_size=min(1000, len(splits["test"])),
    )


def _bundled_digits() -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """The pictures (1797, 8, 8) in 0 .. 16 and their digits (1797,), as ``load_digits`` returns.

    Its file is read without scikit-learn, whose import takes longer than all else on a first visit.
    """
    package = find_spec("sklearn")
    assert package is not None and package.origin is not None
    with gzip.open(
        Path(package.origin).parent / "datasets" / "data" / "digits.csv.gz", "rt"
    ) as file:
        table = np.loadtxt(file, delimiter=",", dtype=np.int64)
    return table[:, :-1].reshape(-1, 8, 8).astype(np.uint8), table[:, -1].copy()


def shapes(settings: Settings) -> tuple[Shape, Shape]:
    """Of items of both views, without reading any."""
    return (1, 8, 4), (1, 8, 4)


DATASET = Dataset(
    name="split-digits",
    title="Split digits",
    blurb="Left and right halves of digits: which right half fits?",
    description=__doc__,
    settings=Settings,
    load=load,
    shapes=shapes,
)
