"""Indexes and latents of a model, kept on disk: with keys made from everything they depend on."""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

import numpy as np
import torch

from rivae.errors import DataError
from rivae.files import write_atomic_with, write_cache, write_json
from rivae.retrieval.base import Floats, Index, Ints
from rivae.retrieval.exact import NumpyIndex

SCHEMA = 1
FAISS_ABOVE = 50_000  # items; below, numpy answers one query in well under a millisecond


def build_index(points: Floats, *, faiss_above: int = FAISS_ABOVE) -> Index:
    """The exact index for ``points`` (N, m): numpy up to ``faiss_above`` items, then FAISS."""
    if len(points) > faiss_above:
        from rivae.retrieval.faiss_index import FaissIndex  # lazy: FAISS is only for large data

        return FaissIndex(points)
    return NumpyIndex(points)


def weights_digest(tensors: Iterable[tuple[str, torch.Tensor]]) -> hashlib.blake2b:
    """A model's weights, hashed once for many keys."""
    digest = hashlib.blake2b(digest_size=16)
    for name, tensor in tensors:
        array = np.ascontiguousarray(tensor.detach().cpu().numpy())
        digest.update(f"{name} {array.dtype} {array.shape}".encode())
        digest.update(array.tobytes())
    return digest


def content_key(weights: hashlib.blake2b, fingerprint: str, ids: Ints) -> str:
    """32 hex digits for a model's weights, a data set's fingerprint and the rows indexed."""
    digest = weights.copy()
    digest.update(fingerprint.encode())
    digest.update(np.ascontiguousarray(ids, dtype=np.int64).tobytes())
    return digest.hexdigest()


def _digest(points: Floats) -> str:
    return hashlib.blake2b(np.ascontiguousarray(points).tobytes(), digest_size=16).hexdigest()


def save_index(folder: Path, key: str, index: Index) -> Path:
    """Write the points of ``index`` under ``key``; returns the path of the ``.json``."""
    folder.mkdir(parents=True, exist_ok=True)
    points = np.ascontiguousarray(index.points, dtype=np.float64)
    head = {"schema": SCHEMA, "key": key, "shape": list(points.shape), "digest": _digest(points)}
    write_atomic_with(folder / f"index-{key}.npy", lambda f: np.save(f, points, allow_pickle=False))
    path = folder / f"index-{key}.json"
    write_json(path, head)
    return path


def open_index(folder: Path, key: str, *, faiss_above: int = FAISS_ABOVE) -> Index | None:
    """The index saved under ``key``; None when none was saved.

    Raises:
        DataError: if the files are damaged, of another version or belong to another key.
    """
    head_path, points_path = folder / f"index-{key}.json", folder / f"index-{key}.npy"
    if not head_path.exists():
        return None
    fix = f"delete {head_path.name} and {points_path.name}, they are made again"
    try:
        head = json.loads(head_path.read_text(encoding="utf-8"))
        points = np.load(points_path, allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        raise DataError(f"{points_path} cannot be read as an index ({error}): {fix}") from error
    expected = {"schema": SCHEMA, "key": key, "shape": list(points.shape)}
    if not isinstance(head, dict) or {k: head.get(k) for k in expected} != expected:
        raise DataError(f"{head_path} describes another index: {fix}")
    if points.dtype != np.float64 or head.get("digest") != _digest(points):
        raise DataError(f"{points_path} is damaged, its checksum does not match: {fix}")
    return build_index(points, faiss_above=faiss_above)


def kept_index(
    folder: Path | None,
    key: Callable[[], str],
    make: Callable[[], Index],
    *,
    faiss_above: int = FAISS_ABOVE,
) -> Index:
    """The index saved under ``key``; built and saved if it is missing or damaged.

    Args:
        folder: where to keep it; nothing is kept with None, or where it cannot be written.
        key: called only with a folder.
    """
    if folder is None:
        return make()
    name = key()
    with suppress(DataError):
        index = open_index(folder, name, faiss_above=faiss_above)
        if index is not None:
            return index
    index = make()
    with suppress(OSError):
        save_index(folder, name, index)
    return index


def kept_latents(
    folder: Path | None,
    key: Callable[[], str],
    shape: tuple[int, int],
    make: Callable[[], tuple[Floats, Floats]],
) -> tuple[Floats, Floats]:
    """Mean and log variance, each of ``shape`` (n, d): those in ``folder``, else computed and kept.

    Args:
        folder: where to keep it; nothing is kept with None, or where it cannot be written.
        key: names everything that they depend on (``content_key``); called only with a folder.
    """
    if folder is None:
        return make()
    path = folder / f"latents-{key()}.npz"
    if (found := _read(path, shape)) is not None:
        return found
    mu, log_var = make()
    write_cache(path, lambda stream: np.savez(stream, mu=mu, log_var=log_var))
    return mu, log_var


def _read(path: Path, shape: tuple[int, int]) -> tuple[Floats, Floats] | None:
    """What was kept; None when it is missing or damaged (then it is computed again)."""
    try:
        with np.load(path, allow_pickle=False) as kept:
            mu, log_var = kept["mu"], kept["log_var"]
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
        return None
    fits = all(a.shape == shape and a.dtype == np.float64 for a in (mu, log_var))
    return (mu, log_var) if fits and np.isfinite(mu).all() and np.isfinite(log_var).all() else None
