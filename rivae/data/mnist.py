"""Split-MNIST: left and right halves of MNIST digits, from the four idx files (paper, Sec. 5.3).

60,000 training and 10,000 test digits, views of 28 x 14 pixels in [0, 1]; retrieval searches 2,000
test digits. The factor is the digit. "Standard split" leaves the validation rows open: here 5,000
training digits drawn by seed. Rows 0 .. 59,999 are the training file, the rest the test file.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rivae.data import checks, mnist_download
from rivae.data.base import PairedDataset
from rivae.data.halves import Halves
from rivae.data.idx import read_idx
from rivae.data.mnist_download import download
from rivae.errors import DataError

__all__ = ["download", "load"]

FOLDER_VARIABLE = "RIVAE_MNIST"


def load(
    folder: str | None = None,
    download: bool = False,
    n_validation: int = 5000,
    split_seed: int = 0,
) -> PairedDataset:
    """Read MNIST from ``folder``.

    Args:
        folder: holds the four idx files, gzipped or not; None takes the environment variable
            RIVAE_MNIST.
        download: fetch files that are missing in ``folder`` first; every file is checked against
            the SHA-256 of the original.
        n_validation: training digits set aside for validation.
        split_seed: draw of the validation digits.

    Returns:
        Views of shape (1, 28, 14) in [0, 1], factors (N, 1): the digit.

    Raises:
        ConfigError: for a setting out of range.
        DataError: for a folder or file that is missing, broken or of another kind.
    """
    seed = checks.seed("split_seed", split_seed)
    named = checks.optional_path("folder", folder)
    place = named or checks.optional_path(FOLDER_VARIABLE, os.environ.get(FOLDER_VARIABLE))
    if place is None:
        raise DataError(
            "split-mnist needs the folder with the four MNIST idx files: give the setting "
            f"'folder' or set {FOLDER_VARIABLE} (add download=true to fetch them)"
        )
    if download:
        mnist_download.download(place)
    elif not place.is_dir():
        raise DataError(f"{place} is no folder: name the one with the MNIST idx files")
    train_images, train_labels = _part(place, "train")
    test_images, test_labels = _part(place, "t10k")
    n_train, n_test = len(train_labels), len(test_labels)
    n_validation = checks.whole_number("n_validation", n_validation, 1, n_train - 1)

    order = np.random.default_rng(seed).permutation(n_train).astype(np.int64)
    splits = {
        "train": np.sort(order[n_validation:]),
        "validation": np.sort(order[:n_validation]),
        "test": n_train + np.arange(n_test, dtype=np.int64),
    }
    return Halves(
        name="split-mnist",
        settings={
            "folder": str(named) if named else None,
            "download": bool(download),
            "n_validation": n_validation,
            "split_seed": seed,
        },
        images=np.concatenate([train_images, test_images]),
        labels=np.concatenate([train_labels, test_labels]).astype(np.int64),
        white=255,
        ink_box=20,
        centring="mass",
        splits=splits,
        search_size=min(2000, n_test),
    )


def shapes(
    folder: Any, download: Any, n_validation: Any, split_seed: Any
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Of items of both views; nothing is read or fetched. ConfigError as ``load``."""
    checks.optional_path("folder", folder)
    checks.whole_number("n_validation", n_validation, 1, 10**6)
    checks.seed("split_seed", split_seed)
    return (1, 28, 14), (1, 28, 14)


def _part(folder: Path, part: str) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """Images (n, 28, 28) and labels (n,) of "train" or "t10k"."""
    image_file = _find(folder, f"{part}-images-idx3-ubyte")
    label_file = _find(folder, f"{part}-labels-idx1-ubyte")
    images, labels = read_idx(image_file, 3), read_idx(label_file, 1)
    if images.shape[1:] != (28, 28):
        raise DataError(f"{image_file} holds pictures of {images.shape[1:]} pixels, not (28, 28)")
    if len(images) != len(labels):
        raise DataError(
            f"{image_file} holds {len(images)} pictures but {label_file.name} {len(labels)} labels"
        )
    if len(labels) < 2:
        raise DataError(f"{label_file} holds {len(labels)} labels: too few to train or test on")
    if labels.max() > 9:
        raise DataError(
            f"{label_file} holds the label {labels.max()}: labels must be digits 0 to 9"
        )
    return images, labels


def _find(folder: Path, name: str) -> Path:
    """The file under one of its usual names: gzipped or not, with '-' or '.' before 'idx'."""
    for candidate in (f"{name}.gz", name):
        for spelling in (candidate, candidate.replace("-idx", ".idx")):
            if (folder / spelling).is_file():
                return folder / spelling
    known = ", ".join(mnist_download.FILES)
    raise DataError(f"{folder} holds no {name}.gz: it needs {known}")
