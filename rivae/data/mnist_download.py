"""Fetches the four MNIST files, each checked against the SHA-256 of the original."""

from __future__ import annotations

import hashlib
import os
import tempfile
import urllib.parse
import urllib.request
from collections.abc import Sequence
from http.client import HTTPException
from pathlib import Path

from rivae.errors import DataError

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
_MAX_BYTES = 16 << 20  # the largest file has 9.9 MB
_TIMEOUT_S = 30.0


def download(folder: str | Path, mirrors: Sequence[str] | None = None) -> list[Path]:
    """Fetch the files that ``folder`` lacks; files that are there and right are left alone.

    Args:
        folder: made when missing.
        mirrors: addresses of folders with the files (http, https or file); None takes
            RIVAE_MNIST_MIRRORS, or else the built-in list.

    Returns:
        The four paths.

    Raises:
        DataError: when a file can be had from no mirror; says why for each of them.
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
                data = answer.read(_MAX_BYTES + 1)
        except (OSError, HTTPException, ValueError) as error:
            reasons.append(f"{mirror}: {getattr(error, 'reason', None) or error}")
            continue
        if hashlib.sha256(data).hexdigest() != digest:
            reasons.append(f"{mirror}: not the original file (wrong checksum)")
            continue
        _save(path, data)
        return
    raise DataError(
        f"{path.name} could not be downloaded ({'; '.join(reasons) or 'no mirror given'}): put the "
        f"four MNIST files into {path.parent} yourself, or name a mirror in {MIRROR_VARIABLE}"
    )


def _save(path: Path, data: bytes) -> None:
    """Write beside the target and rename, so that no half file is ever under the final name."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=path.name, suffix=".part")
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
        Path(name).replace(path)
    except OSError:
        Path(name).unlink(missing_ok=True)
        raise
