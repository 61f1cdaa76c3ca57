"""Split-MNIST: left and right halves of MNIST digits, from the four idx files (paper, Sec. 5.3).

60,000 training and 10,000 test digits, views of 28 x 14 pixels in [0, 1]; retrieval searches 2,000
test digits. The factor is the digit. "Standard split" leaves the validation rows open: here 5,000
training digits drawn by seed. Rows 0 .. 59,999 are the training file, the rest the test file.
"""

from __future__ import annotations

import gzip
import hashlib
import os
import struct
import urllib.parse
import urllib.request
import zlib
from collections.abc import Sequence
from functools import lru_cache
from http.client import HTTPException
from pathlib import Path
from typing import IO

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from rivae.base.errors import ConfigError, DataError
from rivae.base.files import write_atomic
from rivae.base.paths import variable_path
from rivae.base.reading.contents import Written, content_hash, written
from rivae.base.reading.regular import open_regular
from rivae.data.base import PairedDataset, Shape
from rivae.data.dataset import Dataset
from rivae.data.halves import Halves
from rivae.data.settings import DatasetSettings, HostPath, Seed, optional_path

__all__ = ["download", "load"]

FOLDER_VARIABLE = "RIVAE_MNIST"
_UINT8 = 0x08
MAX_BYTES = 256 << 20  # MNIST's largest file unpacks to 47 MB

# The SHA-256 of the original files.
FILES = {
    "train-images-idx3-ubyte.gz": (
        "440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609"
    ),
    "train-labels-idx1-ubyte.gz": (
        "3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c"
    ),
    "t10k-images-idx3-ubyte.gz": (
        "8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6"
    ),
    "t10k-labels-idx1-ubyte.gz": (
        "f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6"
    ),
}
# Public copies, tried in this order; RIVAE_MNIST_MIRRORS (separated by spaces) replaces them.
MIRRORS = (
    "https://ossci-datasets.s3.amazonaws.com/mnist/",
    "https://storage.googleapis.com/cvdf-datasets/mnist/",
)
MIRROR_VARIABLE = "RIVAE_MNIST_MIRRORS"
_MAX_PACKED = 16 << 20  # the largest file has 9.9 MB
_TIMEOUT_S = 30.0


class Settings(DatasetSettings):
    """Settings of Split-MNIST."""

    folder: HostPath = Field(
        default=None,
        title="Folder",
        description="holds the four idx files, gzipped or not; if empty, RIVAE_MNIST is used",
    )
    download: bool = Field(
        default=False,
        title="Download",
        description="fetch files that are missing in the folder first, and check them",
    )
    n_validation: int = Field(
        default=5000,
        ge=1,
        le=1_000_000,
        title="Validation digits",
        description="training digits set aside for validation",
    )
    split_seed: Seed = Field(
        default=0, title="Split seed", description="draw of the validation digits"
    )


def load(settings: Settings) -> PairedDataset:
    """Read MNIST from its folder.

    Returns:
        Views of shape (1, 28, 14) in [0, 1], factors (N, 1): the digit.

    Raises:
        ConfigError: for more validation digits than there are training digits.
        DataError: for a folder or file that is missing, broken or of another kind.
    """
    place = _place(settings)
    if settings.download:
        download(place)
    train_images, train_labels = _part(place, "train")
    test_images, test_labels = _part(place, "t10k")
    n_train, n_test = len(train_labels), len(test_labels)
    n_validation = settings.n_validation
    if n_validation >= n_train:
        raise ConfigError(
            f"n_validation is {n_validation}, but there are {n_train} training digits: choose fewer"
        )

    order = np.random.default_rng(settings.split_seed).permutation(n_train).astype(np.int64)
    splits = {
        "train": np.sort(order[n_validation:]),
        "validation": np.sort(order[:n_validation]),
        "test": n_train + np.arange(n_test, dtype=np.int64),
    }
    return Halves(
        name="split-mnist",
        settings=settings.kept(),
        images=np.concatenate([train_images, test_images]),
        labels=np.concatenate([train_labels, test_labels]).astype(np.int64),
        white=255,
        ink_box=20,
        centring="mass",
        splits=splits,
        search_size=min(2000, n_test),
    )


def _place(settings: Settings) -> Path:
    place = optional_path(FOLDER_VARIABLE, settings.folder or variable_path(FOLDER_VARIABLE))
    if place is None:
        raise DataError(
            "split-mnist needs the folder with the four MNIST idx files: give the setting "
            f"'folder' or set {FOLDER_VARIABLE} (add download=true to fetch them)"
        )
    if not settings.download and not place.is_dir():
        raise DataError(f"{place} is not a folder: name the one with the MNIST idx files")
    return place


def content(settings: Settings) -> str:
    """A hash of the digits and their labels, whether the files are gzipped or not.

    Raises:
        DataError: as ``load``.
    """
    place = _place(settings)
    kinds = ("images-idx3-ubyte", "labels-idx1-ubyte")
    paths = tuple(_find(place, f"{part}-{kind}") for part in ("train", "t10k") for kind in kinds)
    return _content(paths, tuple(map(written, paths)))


@lru_cache(maxsize=8)
def _content(paths: tuple[Path, ...], when: tuple[Written, ...]) -> str:
    digest = content_hash()
    for path in paths:
        digest.update(read_idx(path, 3 if "images" in path.name else 1).tobytes())
    return str(digest.hexdigest())


def shapes(settings: Settings) -> tuple[Shape, Shape]:
    """Of items of both views, without reading or downloading any."""
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
    file_names = ", ".join(FILES)
    raise DataError(f"{folder} holds no {name}.gz: it needs {file_names}")


def read_idx(path: str | Path, n_dims: int) -> NDArray[np.uint8]:
    """The uint8 array of an idx file.

    Args:
        path: the file; it counts as gzipped when its first two bytes say so.
        n_dims: 1 for labels, 3 for images.

    Raises:
        DataError: naming the file, when it is missing, of another kind, cut short or too long.
    """
    path = Path(path)
    try:
        with open_regular(path) as plain:
            is_packed = plain.read(2) == b"\x1f\x8b"
            plain.seek(0)
            if is_packed:
                with gzip.GzipFile(fileobj=plain) as stream:
                    return _read(path, stream, n_dims)
            return _read(path, plain, n_dims)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise DataError(f"{path} is cut short or damaged: {error}") from error
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror or error}") from error


def _read(path: Path, stream: IO[bytes] | gzip.GzipFile, n_dims: int) -> NDArray[np.uint8]:
    start = stream.read(4)
    if len(start) < 4:
        raise DataError(f"{path} is cut short: it has no idx header")
    magic = struct.unpack(">I", start)[0]
    expected_magic = _UINT8 << 8 | n_dims
    if magic != expected_magic:
        raise DataError(
            f"{path} is not an idx file of this kind: magic {magic}, expected {expected_magic}"
        )
    sizes = stream.read(4 * n_dims)
    if len(sizes) < 4 * n_dims:
        raise DataError(f"{path} is cut short: it has no idx header")
    shape = struct.unpack(f">{n_dims}I", sizes)
    # Python integers: the product of three hostile numbers must not wrap around.
    n_bytes = 1
    for size in shape:
        n_bytes *= size
    if n_bytes > MAX_BYTES:
        raise DataError(f"{path} states {n_bytes / 2**20:.0f} MiB of data, more than allowed here")
    # One byte more than stated, to see that nothing follows.
    data = stream.read(n_bytes + 1)
    if len(data) != n_bytes:
        n_found = "more" if len(data) > n_bytes else f"{len(data)}"
        raise DataError(f"{path} states {n_bytes} bytes of data but holds {n_found}")
    return np.frombuffer(data, np.uint8).reshape(shape)


def download(folder: str | Path, mirrors: Sequence[str] | None = None) -> list[Path]:
    """Fetch the files that ``folder`` lacks, each checked against the SHA-256 of the original.

    Files that are already there and correct are kept.

    Args:
        folder: made when missing.
        mirrors: addresses of folders with the files (http, https or file); None takes
            RIVAE_MNIST_MIRRORS, or else the built-in list.

    Returns:
        The four paths.

    Raises:
        DataError: when no mirror has a file; says why for each of them.
    """
    folder = Path(folder)
    if mirrors is None:
        mirrors = os.environ.get(MIRROR_VARIABLE, "").split() or MIRRORS
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, digest in FILES.items():
            if not _is_right(folder / name, digest):
                _fetch(folder / name, digest, mirrors)
    except OSError as error:
        raise DataError(f"MNIST cannot be saved in {folder}: {error.strerror or error}") from error
    return [folder / name for name in FILES]


def _is_right(path: Path, digest: str) -> bool:
    return path.is_file() and hashlib.sha256(path.read_bytes()).hexdigest() == digest


def _fetch(path: Path, digest: str, mirrors: Sequence[str]) -> None:
    reasons = []
    for mirror in mirrors:
        if urllib.parse.urlsplit(mirror).scheme not in ("http", "https", "file"):
            reasons.append(f"{mirror}: neither http, https nor file")
            continue
        try:
            with urllib.request.urlopen(
                mirror.rstrip("/") + "/" + path.name, timeout=_TIMEOUT_S
            ) as answer:
                data = answer.read(_MAX_PACKED + 1)
        except (OSError, HTTPException, ValueError) as error:
            reasons.append(f"{mirror}: {getattr(error, 'reason', None) or error}")
            continue
        if hashlib.sha256(data).hexdigest() != digest:
            reasons.append(f"{mirror}: not the original file (wrong checksum)")
            continue
        write_atomic(path, data)
        return
    raise DataError(
        f"{path.name} could not be downloaded ({'; '.join(reasons) or 'no mirror given'}): put the "
        f"four MNIST files into {path.parent} yourself, or name a mirror in {MIRROR_VARIABLE}"
    )


DATASET = Dataset(
    name="split-mnist",
    title="Split-MNIST",
    blurb="Left and right halves of handwritten digits: which right half fits?",
    description=__doc__,
    settings=Settings,
    load=load,
    shapes=shapes,
    content=content,
)
