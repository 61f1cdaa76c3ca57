"""Colour profiles (ICC) that tests draw, and what their colours are in sRGB, counted by hand."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

# Red, green and blue as XYZ under D50.
P3 = ((0.5151, 0.2412, -0.0011), (0.2919, 0.6922, 0.0419), (0.1572, 0.0666, 0.7841))
ADOBE = ((0.60974, 0.31111, 0.01947), (0.20528, 0.62567, 0.06087), (0.14919, 0.06322, 0.74457))
PROPHOTO = ((0.79767, 0.28804, 0.0), (0.13519, 0.71188, 0.0), (0.03134, 0.00009, 0.82491))
SRGB = ((0.43607, 0.22249, 0.01392), (0.38515, 0.71687, 0.09708), (0.14307, 0.06061, 0.71410))
_WHITE = (0.9642, 1.0, 0.8249)


def srgb_curve() -> list[float]:
    """Light for each of 1,024 values of sRGB."""
    v = np.linspace(0, 1, 1024)
    return list(np.where(v <= 0.04045, v / 12.92, ((v + 0.055) / 1.055) ** 2.4))


def matrix_profile(primaries: Sequence[Sequence[float]], curve: float | list[float]) -> bytes:
    """Of a screen or a phone."""
    tags = {k + b"XYZ": _xyz(*v) for k, v in zip((b"r", b"g", b"b"), primaries, strict=True)}
    return _profile(
        b"RGB ", b"XYZ ", tags | dict.fromkeys((b"rTRC", b"gTRC", b"bTRC"), _curve(curve))
    )


def grey_profile(curve: float) -> bytes:
    return _profile(b"GRAY", b"XYZ ", {b"kTRC": _curve(curve)})


def ink_profile(lab_of: Callable[[Sequence[int]], Sequence[float]]) -> bytes:
    """Of a printer, with the Lab colour of each mixture of full inks (0 or 1 of C, M, Y and K)."""
    grid = np.array(np.meshgrid(*[(0, 1)] * 4, indexing="ij")).reshape(4, -1).T
    cells = b""
    for inks in grid:
        lightness, a, b = lab_of(inks)
        cells += bytes((round(lightness * 2.55), round(a + 128), round(b + 128)))
    ramp = bytes(range(256))
    table = b"mft1\0\0\0\0" + bytes((4, 3, 2, 0))
    table += struct.pack(">9i", *(65_536 * int(i in (0, 4, 8)) for i in range(9)))
    return _profile(b"CMYK", b"Lab ", {b"A2B0": table + 4 * ramp + cells + 3 * ramp}, b"prtr")


def as_srgb(colours: ArrayLike, primaries: Sequence[Sequence[float]], gamma: float) -> NDArray:
    """Values 0 to 255 of a profile as values of sRGB."""
    light = (np.asarray(colours, dtype=float) / 255) ** gamma
    linear = (light @ np.array(primaries) @ np.linalg.inv(SRGB)).clip(0, 1)
    return 255 * np.where(
        linear <= 0.0031308, 12.92 * linear, 1.055 * np.maximum(linear, 1e-9) ** (1 / 2.4) - 0.055
    )


def _xyz(*values: float) -> bytes:
    return b"XYZ \0\0\0\0" + struct.pack(">3i", *(round(65_536 * v) for v in values))


def _curve(curve: float | list[float]) -> bytes:
    if isinstance(curve, float):
        return b"curv\0\0\0\0" + struct.pack(">IH", 1, round(256 * curve))
    numbers = [round(65_535 * v) for v in curve]
    return b"curv\0\0\0\0" + struct.pack(f">I{len(numbers)}H", len(numbers), *numbers)


def _profile(space: bytes, pcs: bytes, tags: dict[bytes, bytes], kind: bytes = b"mntr") -> bytes:
    name = b"desc\0\0\0\0" + struct.pack(">I", 2) + b"p\0" + bytes(78)
    tags = {b"desc": name, b"cprt": b"text\0\0\0\0none\0", b"wtpt": _xyz(*_WHITE)} | tags
    table, content, start = b"", b"", 132 + 12 * len(tags)
    for key, value in tags.items():
        table += key + struct.pack(">II", start + len(content), len(value))
        content += value + bytes(-len(value) % 4)
    head = struct.pack(">I4xI", start + len(content), 0x02100000) + kind + space + pcs
    head += struct.pack(">6H", 2020, 1, 1, 0, 0, 0) + b"acsp" + bytes(28) + _xyz(*_WHITE)[8:]
    return head + bytes(128 - len(head)) + struct.pack(">I", len(tags)) + table + content
