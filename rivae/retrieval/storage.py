"""Indexes and latents of a model, kept on disk: with keys made from everything they depend on."""

from __future__ import annotations

import hashlib
import json
import math
import zipfile
import zlib
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import IO

import numpy as np
import torch

from rivae.base.errors import DataError
from rivae.base.files import reserve, write_atomic_with, write_cache, write_json
from rivae.base.scratch import scratch_folder
from rivae.retrieval.base import Floats, Index, Ints, Singles
from rivae.retrieval.exact import NumpyIndex
from rivae.retrieval.turned import TurnedPoints, turn_points
from rivae.retrieval.two_stage import TwoStageIndex

SCHEMA = 2
LARGE = 50_000  # items; below, one query takes numpy well under a millisecond
_PARTS = ("lead", "rest", "centre", "axes", "order", "boxes", "twins")
_CHUNK = 1 << 26  # bytes of a checksum at once
_HEADER = 128  # bytes of a .npy file before its numbers

Read = Callable[[Ints], Floats]


def build_index(n: int, read: Read, *, large_above: int = LARGE) -> Index:
    """The exact index in memory for ``n`` points: all of them in float64, above ``large_above``
    in two stages.

    Args:
        read: gives the points (len(positions), m) of positions.
    """
    if n <= large_above:
        return NumpyIndex(read(np.arange(n)))
    made = turn_points(n, read, lambda _, shape: np.empty(shape, np.float32))
    return TwoStageIndex(made)


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


def _checksum(array: np.ndarray) -> int:
    """CRC-32 of an array's bytes: finds damage, and reads a file once."""
    flat = array.reshape(-1).view(np.uint8)
    total = 0
    for start in range(0, len(flat), _CHUNK):
        total = zlib.crc32(flat[start : start + _CHUNK].data, total)
    return total


def save_index(folder: Path, key: str, n: int, read: Read, *, large_above: int = LARGE) -> Index:
    """Build an index of ``n`` points into files of ``folder`` and open it; see ``build_index``.

    Raises:
        OSError: the folder cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    index: Index
    if n <= large_above:
        index = NumpyIndex(read(np.arange(n)))
        parts = {"points": index.rows(np.arange(n))}
        write_atomic_with(_file(folder, key, "points"), partial(_save, parts["points"]))
    else:
        with scratch_folder(BUILDING, folder) as place:
            made = turn_points(n, read, partial(_in_file, place))
            parts = {name: getattr(made, name) for name in _PARTS}
            for name, part in parts.items():
                kept = place / f"{name}.npy"
                if isinstance(part, np.memmap):
                    part.flush()
                else:
                    np.save(kept, part, allow_pickle=False)
                kept.replace(_file(folder, key, name))
            index = TwoStageIndex(made)
    sums = {name: _checksum(np.ascontiguousarray(part)) for name, part in parts.items()}
    write_json(folder / f"index-{key}.json", {"schema": SCHEMA, "key": key, "parts": sums})
    return index


BUILDING = ".index-"  # a folder in which an index is built; it is not used any more when it is done


def _file(folder: Path, key: str, part: str) -> Path:
    return folder / f"index-{key}-{part}.npy"


def _save(array: Floats, stream: IO[bytes]) -> None:
    np.save(stream, array, allow_pickle=False)


def _in_file(folder: Path, name: str, shape: tuple[int, ...]) -> Singles:
    path = folder / f"{name}.npy"
    reserve(path, 4 * math.prod(shape) + _HEADER)
    return np.lib.format.open_memmap(path, mode="w+", dtype=np.float32, shape=shape)


def open_index(folder: Path, key: str) -> Index | None:
    """The index saved under ``key``; None when none was saved.

    Large ones are mapped into memory, not read: all processes share one copy.

    Raises:
        DataError: if the files are damaged, of another version or belong to another key.
    """
    head_path = folder / f"index-{key}.json"
    if not head_path.exists():
        return None
    fix = f"delete {head_path.name} and index-{key}-*.npy, they are made again"
    try:
        head = json.loads(head_path.read_text(encoding="utf-8"))
        known = {"schema": SCHEMA, "key": key, "parts": head["parts"]}
        if head != known or sorted(head["parts"]) not in (["points"], sorted(_PARTS)):
            raise ValueError("it describes another index")
        parts = {
            name: np.asarray(np.load(_file(folder, key, name), allow_pickle=False, mmap_mode="r"))
            for name in head["parts"]
        }
        damaged = [name for name, part in parts.items() if _checksum(part) != head["parts"][name]]
        if damaged:
            raise ValueError(f"the checksum of {damaged[0]} does not match")
        if "points" in parts:
            return NumpyIndex(np.array(parts["points"], dtype=np.float64))
        return TwoStageIndex(TurnedPoints(**{name: parts[name] for name in _PARTS}))
    except (OSError, ValueError, EOFError, KeyError, TypeError, AttributeError) as error:
        raise DataError(f"{head_path} cannot be read as an index ({error}): {fix}") from error


def kept_index(
    folder: Path | None,
    key: Callable[[], str],
    n: int,
    read: Read,
    *,
    large_above: int = LARGE,
) -> Index:
    """The index saved under ``key``; built and saved if it is missing or damaged.

    Args:
        folder: where to keep it; nothing is kept with None, or where it cannot be written.
        key: called only with a folder.
        n, read: see ``build_index``.
    """
    if folder is None:
        return build_index(n, read, large_above=large_above)
    name = key()
    with suppress(DataError):
        index = open_index(folder, name)
        if index is not None:
            return index
    with suppress(OSError):
        return save_index(folder, name, n, read, large_above=large_above)
    return build_index(n, read, large_above=large_above)


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


def kept_array(
    folder: Path | None,
    name: str,
    key: Callable[[], str],
    shape: tuple[int, ...],
    make: Callable[[], Singles],
) -> Singles:
    """Numbers of ``shape`` about a model and its items: mapped from ``folder``, else made and kept.

    Args:
        folder, key: as of ``kept_latents``.
        name: what they are; the beginning of the file's name.
    """
    if folder is None:
        return make()
    path = folder / f"{name}-{key()}.npy"
    with suppress(OSError, ValueError, EOFError):
        kept = np.load(path, allow_pickle=False, mmap_mode="r")
        if kept.shape == shape and kept.dtype == np.float32 and np.isfinite(kept).all():
            return np.asarray(kept)
    made = np.asarray(make(), dtype=np.float32)
    write_cache(path, lambda stream: np.save(stream, made, allow_pickle=False))
    return made
