"""Lengths of time and sizes as a person says them."""

from __future__ import annotations

import math


def duration(seconds: float) -> str:
    """A length of time in words: "40 s", "3 min", "2 h 10 min", "3 d 4 h"."""
    if not math.isfinite(seconds):
        return "unknown"
    whole = max(round(seconds), 0)
    if whole < 90:
        return f"{whole} s"
    minutes = round(seconds / 60)
    if minutes < 90:
        return f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    if hours < 24:
        return f"{hours} h {minutes} min" if minutes else f"{hours} h"
    days, hours = divmod(round(seconds / 3600), 24)
    return f"{days} d {hours} h" if hours else f"{days} d"


def size_text(n_bytes: int) -> str:
    """A size for a person: "3.4 MB"."""
    value = float(n_bytes)
    for unit in ("bytes", "kB", "MB"):
        if value < 1000:
            digits = 0 if unit == "bytes" or value >= 100 else 1
            return f"{value:.{digits}f} {unit}"
        value /= 1000
    return f"{value:,.1f} GB"
