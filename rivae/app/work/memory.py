"""Gives memory that this process does not use any more back to the system.

What pages computed is freed, but glibc keeps the pieces for later and the process looks as large as
its largest moment: hundreds of MB after some exports. Asked to, it gives whole free pages back.
"""

from __future__ import annotations

import ctypes
import threading
from functools import cache
from typing import Any

EVERY_S = 20.0


@cache
def _trim() -> Any:
    """glibc's ``malloc_trim``; None elsewhere."""
    try:
        return getattr(ctypes.CDLL(None), "malloc_trim", None)
    except (OSError, TypeError):  # TypeError: Windows has no library without a name
        return None


def give_back() -> bool:
    """Give free pages back; False where the system's library has no way to. Takes some ms, in which
    other threads go on until they need memory.
    """
    trim = _trim()
    if trim is not None:
        trim(ctypes.c_size_t(0))
    return trim is not None


def keep_giving_back(stop: threading.Event) -> None:
    """``give_back`` now and then until ``stop`` is set."""
    while not stop.wait(EVERY_S) and give_back():
        pass
