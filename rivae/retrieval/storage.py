"""Indexes and latents of a model, kept on disk: with keys made from everything they depend on."""

from __future__ import annotations

import hashlib
import json
import zipfile
import zlib
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
import torch

from rivae.base.arrays import Floats, Ints, Singles
from rivae.base.errors import ConfigError, DataError
from rivae.base.files import write_cache, write_json
from rivae.base.scratch import resumed_folder, scratch_folder
from rivae.retrieval.base import Allocate, Index, KeptIndex, Read
from rivae.retrieval.reading import in_parts
from rivae.retrieval.registry import INDEXES
from rivae.retrieval.room import Files, Memory

SCHEMA = 2
# Files of before a head named its index. The kinds of this package keep their files under the key
# alone, others have their name beside it.
_UNNAMED = ("brute-force", "two-stage")
_CHUNK = 1 << 26  # bytes of a checksum at once


def build_index(kind: type[KeptIndex], n: int, read: Read) -> Index:
    """An exact index in memory of ``n`` points; ``read`` gives the points of positions."""
    return kind.open(kind.build(n, read, Memory()))


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


def save_index(folder: Path, key: str, kind: type[KeptIndex], n: int, read: Read) -> Index:
    """Build an index of ``n`` points into files of ``folder`` and open it; see ``KeptIndex.build``.

    A build that was stopped or killed resumes, unless another process is at it.

    Raises:
        OSError: the folder cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    name = _name(kind, key)
    with _building(folder, name) as place:
        files = Files(place, name)
        arrays = dict(kind.build(n, read, files))
        if sorted(arrays) != sorted(kind.parts):
            raise ConfigError(f"the index '{kind.name}' built other arrays than its parts")
        for part, array in arrays.items():
            files.put(part, array, folder / f"{name}-{part}.npy")
        index = kind.open(arrays)
    sums = {part: _checksum(np.ascontiguousarray(array)) for part, array in arrays.items()}
    head = {"schema": SCHEMA, "key": key, "index": kind.name, "parts": sums}
    write_json(folder / f"{name}.json", head)
    return index


BUILDING = ".index-"  # a folder in which an index is built


def _building(folder: Path, name: str) -> AbstractContextManager[Path]:
    """A folder for the files of an index until they are whole."""
    return resumed_folder(folder, name, lambda: scratch_folder(BUILDING, folder))


def _name(kind: type[KeptIndex], key: str) -> str:
    """How the files of an index begin."""
    return f"index-{key}" + ("" if kind.name in _UNNAMED else f"-{quote(kind.name, safe='')}")


def open_index(folder: Path, key: str, kind: type[KeptIndex]) -> Index | None:
    """The index of this kind saved under ``key``; None when none was saved. The kinds of this
    package find the same items, so either opens what the other saved.

    Large ones are mapped into memory, not read: all processes share one copy.

    Raises:
        DataError: if the files are damaged, of another version or belong to another key.
    """
    name = _name(kind, key)
    head_path = folder / f"{name}.json"
    if not head_path.exists():
        return None
    fix = f"delete {head_path.name} and {name}-*.npy, they are made again"
    try:
        head = json.loads(head_path.read_text(encoding="utf-8"))
        kind = _kind_of(head, kind)
        expected_head = {"schema": SCHEMA, "key": key, "index": kind.name, "parts": head["parts"]}
        if {"index": kind.name, **head} != expected_head:
            raise ValueError("it describes another index")
        arrays = {
            part: np.asarray(
                np.load(folder / f"{name}-{part}.npy", allow_pickle=False, mmap_mode="r")
            )
            for part in kind.parts
        }
        sums = head["parts"]
        damaged_parts = [part for part, array in arrays.items() if _checksum(array) != sums[part]]
        if damaged_parts:
            raise ValueError(f"the checksum of {damaged_parts[0]} does not match")
        return kind.open(arrays)
    except (OSError, ValueError, EOFError, KeyError, TypeError, AttributeError) as error:
        raise DataError(f"{head_path} cannot be read as an index ({error}): {fix}") from error


def _kind_of(head: dict[str, Any], asked: type[KeptIndex]) -> type[KeptIndex]:
    """The kind that a head describes: ``asked``, or another one of this package.

    Raises:
        ValueError: it describes another one.
    """
    kinds = [INDEXES[name] for name in _UNNAMED] if asked.name in _UNNAMED else [asked]
    parts = sorted(head["parts"])
    for kind in kinds:
        if head.get("index", kind.name) == kind.name and parts == sorted(kind.parts):
            return kind
    raise ValueError("it describes another index")


def kept_index(
    folder: Path | None, key: Callable[[], str], kind: type[KeptIndex], n: int, read: Read
) -> Index:
    """The index saved under ``key``; built and saved if it is missing or damaged.

    Args:
        folder: where to keep it; nothing is kept with None, or where it cannot be written.
        key: called only with a folder.
        kind, n, read: see ``save_index``.
    """
    if folder is None:
        return build_index(kind, n, read)
    name = key()
    with suppress(DataError):
        index = open_index(folder, name, kind)
        if index is not None:
            return index
    with suppress(OSError):
        return save_index(folder, name, kind, n, read)
    return build_index(kind, n, read)


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
    path = kept_path(folder, key())
    if (latents := _read(path, shape)) is not None:
        return latents
    mu, log_var = make()
    write_cache(path, lambda stream: np.savez(stream, mu=mu, log_var=log_var))
    return mu, log_var


def kept_path(folder: Path, key: str) -> Path:
    """The file of ``kept_latents``."""
    return folder / f"latents-{key}.npz"


def _read(path: Path, shape: tuple[int, int]) -> tuple[Floats, Floats] | None:
    """What was kept; None when it is missing or damaged (then it is computed again)."""
    try:
        with np.load(path, allow_pickle=False) as file:
            mu, log_var = file["mu"], file["log_var"]
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
    if (kept := _mapped(path, shape)) is not None:
        return kept
    new_array = np.asarray(make(), dtype=np.float32)
    write_cache(path, lambda stream: np.save(stream, new_array, allow_pickle=False))
    return new_array


def kept_rows(
    folder: Path | None, name: str, key: Callable[[], str], shape: tuple[int, int], read: Read
) -> Singles:
    """As ``kept_array``, of very many rows: read in parts (see ``in_parts``); where that was
    stopped or killed, it resumes.

    Args:
        read: gives the numbers (len(positions), m) of positions.
    """
    if folder is None:
        return _read_all(Memory(), name, shape, read)
    stem = f"{name}-{key()}"
    path = folder / f"{stem}.npy"
    if (kept := _mapped(path, shape)) is not None:
        return kept
    with suppress(OSError):
        folder.mkdir(exist_ok=True)
        with _building(folder, stem) as place:
            files = Files(place, stem)
            new_rows = _read_all(files, name, shape, read)
            files.put(name, new_rows, path)
        return np.asarray(new_rows)
    return _read_all(Memory(), name, shape, read)


def _read_all(allocate: Allocate, name: str, shape: tuple[int, int], read: Read) -> Singles:
    rows: Singles = allocate(name, shape)
    for part, numbers in in_parts(len(rows), read, shape[1], allocate.n_done()):
        rows[part] = numbers
        allocate.note(int(part[-1]) + 1)
    return rows


def _mapped(path: Path, shape: tuple[int, ...]) -> Singles | None:
    """The finite numbers of ``shape`` in a file; None where there are none."""
    with suppress(OSError, ValueError, EOFError):
        array = np.load(path, allow_pickle=False, mmap_mode="r")
        if array.shape == shape and array.dtype == np.float32 and np.isfinite(array).all():
            return np.asarray(array)
    return None
