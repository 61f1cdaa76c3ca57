"""Lists as PHP writes them: ``serialize`` (WordPress keeps them so) and ``print_r``."""

from __future__ import annotations

import re

_SERIALIZED = re.compile(r'a:\d+:\{((?:(?:i:\d+|s:\d+:"[^"]*");s:\d+:"(?:[^"]|"(?!;))*";)*)\}')
_SERIAL_ENTRY = re.compile(r'(?:i:\d+|s:\d+:"([^"]*)");s:\d+:"((?:[^"]|"(?!;))*)";')
_PRINT_ENTRY = re.compile(r"\[(\d*)([^\]]*)\] => ?(.*)")


def php_list(text: str) -> list[str] | dict[str, str] | None:
    """The texts of a flat list or, where they have names, an object; None for other texts."""
    entries = _serialized(text) if text.startswith("a:") else _printed(text)
    if entries is None:
        return None
    if any(name for name, _ in entries):
        return dict(entries)
    return [value for _, value in entries]


def _serialized(text: str) -> list[tuple[str, str]] | None:
    match = _SERIALIZED.fullmatch(text)
    return _SERIAL_ENTRY.findall(match[1]) if match else None


def _printed(text: str) -> list[tuple[str, str]] | None:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if lines[:2] != ["Array", "("] or lines[-1] != ")":
        return None
    matches = [_PRINT_ENTRY.fullmatch(line) for line in lines[2:-1]]
    entries = [(match[2], match[3]) for match in matches if match]
    return entries if len(entries) == len(matches) else None
