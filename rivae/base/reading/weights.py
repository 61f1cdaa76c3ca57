"""Safetensors files: their header is checked before any tensor is in memory."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rivae.base.errors import DataError
from rivae.base.reading.documents import parse_json
from rivae.base.reading.regular import open_regular

if TYPE_CHECKING:
    import torch

Shape = tuple[int, ...]

MAX_BYTES = 4 * 2**30
MAX_HEADER = 32 * 2**20
MAX_TENSORS = 20_000
MAX_DIMS = 16
# Bits of a number of each type.
TYPES = {
    "BOOL": 8,
    "U8": 8,
    "I8": 8,
    "F8_E5M2": 8,
    "F8_E4M3": 8,
    "I16": 16,
    "U16": 16,
    "F16": 16,
    "BF16": 16,
    "I32": 32,
    "U32": 32,
    "F32": 32,
    "I64": 64,
    "U64": 64,
    "F64": 64,
    "C64": 64,
}


@dataclass(frozen=True, slots=True)
class Header:
    """Types and shapes of the tensors by name, and the texts stored with them."""

    types: Mapping[str, str]
    shapes: Mapping[str, Shape]
    metadata: Mapping[str, str]


def read_header(path: Path, max_bytes: int = MAX_BYTES) -> Header:
    """The header of a file, without reading its tensors.

    Raises:
        DataError: it is larger than ``max_bytes``, not safetensors, or its tensors do not fill it.
        OSError: it cannot be read (``open_regular``).
    """
    with open_regular(path) as stream:
        size = stream.seek(0, 2)
        if size > max_bytes:
            raise DataError(f"{path.name} is larger than {max_bytes:,} bytes")
        stream.seek(0)
        length = int.from_bytes(stream.read(8), "little")
        if size < 8 or length > min(MAX_HEADER, size - 8):
            raise DataError(f"{path.name} holds no weights")
        text = stream.read(length)
    try:
        value = parse_json(text)
    except DataError:
        value = None
    if not isinstance(value, dict):
        raise DataError(f"{path.name} holds no weights")
    metadata = value.pop("__metadata__", {})
    if not isinstance(metadata, dict) or any(not isinstance(v, str) for v in metadata.values()):
        raise DataError(f"{path.name} holds no weights")
    if len(value) > MAX_TENSORS:
        raise DataError(f"{path.name} holds more than {MAX_TENSORS:,} tensors")
    types, shapes, n_filled = dict[str, str](), dict[str, Shape](), 0
    for name, entry in value.items():
        types[name], shapes[name], n_bytes = _entry(path, entry)
        n_filled += n_bytes
    # Were tensors to share bytes, a small file could become any number of them.
    if n_filled != size - 8 - length:
        raise DataError(f"{path.name} is cut off, or its tensors do not fill it")
    return Header(types, shapes, metadata)


def load_weights(
    path: Path, expected: Mapping[str, torch.Tensor] | None = None, max_bytes: int = MAX_BYTES
) -> dict[str, torch.Tensor]:
    """The tensors of a file by name.

    Args:
        expected: exactly these names and shapes have to be there (their values do not matter);
            None takes what ``read_header`` takes.

    Raises:
        DataError: as ``read_header``, or it holds other tensors than ``expected``.
        OSError: it cannot be read.
    """
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    shapes = read_header(path, max_bytes).shapes
    if expected is not None:
        expected_shapes = {name: tuple(value.shape) for name, value in expected.items()}
        if shapes != expected_shapes:
            raise DataError(f"{path.name} holds the weights of another model")
    try:
        return load_file(str(path))
    except (SafetensorError, RuntimeError, ValueError, KeyError):
        raise DataError(f"{path.name} holds no weights that can be read") from None


def _entry(path: Path, entry: Any) -> tuple[str, Shape, int]:
    """Type, shape and bytes of one tensor."""
    wrong = DataError(f"{path.name} holds no weights")
    if not isinstance(entry, dict):
        raise wrong
    kind, shape = str(entry.get("dtype")), _counts(entry.get("shape"), MAX_DIMS)
    place = _counts(entry.get("data_offsets"), 2)
    if kind not in TYPES or shape is None or place is None or len(place) != 2:
        raise wrong
    n_bytes = math.prod(shape) * TYPES[kind] // 8
    if place[1] - place[0] != n_bytes:
        raise wrong
    return kind, shape, n_bytes


def _counts(value: Any, most: int) -> tuple[int, ...] | None:
    if not isinstance(value, list) or len(value) > most:
        return None
    counts = tuple(n for n in value if type(n) is int and 0 <= n < 2**48)
    return counts if len(counts) == len(value) else None
