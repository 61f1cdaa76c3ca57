"""Checks of the settings that a user or a run's config.json hands to a data set."""

from __future__ import annotations

import math
from collections.abc import Iterable
from pathlib import Path

from rivae.errors import ConfigError


def whole_number(name: str, value: object, low: int, high: int) -> int:
    """``value`` as int when it is a whole number in [low, high]; ConfigError otherwise."""
    number = value if isinstance(value, int | float) and not isinstance(value, bool) else math.nan
    if not low <= number <= high or number != int(number):
        raise ConfigError(f"{name} must be a whole number from {low} to {high}, got {_said(value)}")
    return int(number)


# Signals are made through n x width numbers: a second or two of one core.
MAX_HIDDEN = 2**26


def hidden_units(n: int, width: int) -> int:
    """``width`` of a network that ``n`` items go through; ConfigError where that is too much."""
    if n * width > MAX_HIDDEN:
        raise ConfigError(
            f"n_pairs x g_width is {n * width:,}: choose fewer pairs or a smaller g_width, at most "
            f"{MAX_HIDDEN:,} together"
        )
    return width


def real_number(name: str, value: object, low: float, high: float) -> float:
    """``value`` as float when it is a number in [low, high]; ConfigError otherwise."""
    number = value if isinstance(value, int | float) and not isinstance(value, bool) else math.nan
    if not low <= number <= high:
        raise ConfigError(f"{name} must be a number from {low:g} to {high:g}, got {_said(value)}")
    return float(number)


def choice(name: str, value: object, options: Iterable[str]) -> str:
    """``value`` when it is one of ``options``; ConfigError otherwise."""
    known = tuple(options)
    if not isinstance(value, str) or value not in known:
        raise ConfigError(f"{name} must be one of {', '.join(known)}, got {_said(value)}")
    return value


def seed(name: str, value: object) -> int:
    """``value`` as a random seed in [0, 2**32)."""
    return whole_number(name, value, 0, 2**32 - 1)


def fractions(value: object) -> tuple[float, float, float]:
    """Train / validation / test shares: three positive numbers that sum to 1."""
    if isinstance(value, list | tuple) and len(value) == 3:
        shares = [real_number("fractions", v, 0.0, 1.0) for v in value]
        if min(shares) > 0 and abs(sum(shares) - 1) < 1e-9:
            return shares[0], shares[1], shares[2]
    raise ConfigError(f"fractions must be three positive numbers that sum to 1, got {_said(value)}")


def _said(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 100 else f"{text[:99]}…"


def optional_path(name: str, value: object) -> Path | None:
    """``value`` as an absolute path, "~" expanded; None when it is None or empty."""
    if value is None or value == "":
        return None
    if not isinstance(value, str | Path) or "\0" in str(value):
        raise ConfigError(f"{name} must be a path, got {_said(value)}")
    try:
        return Path(value).expanduser().absolute()
    except RuntimeError as error:
        raise ConfigError(f"{name} names an unknown home folder: {_said(value)}") from error
