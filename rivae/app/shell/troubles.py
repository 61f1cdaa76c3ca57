"""Why runs cannot be opened, for lists that mark them."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING

import streamlit as st

if TYPE_CHECKING:
    from rivae.runs import Run

NOTED_S = 60.0
SEEN_S = 10.0  # so old a look at a run is new enough for a list
MAX_NOTED = 1000
_noted: dict[Path, tuple[float, str]] = {}


def trouble(run: Run) -> str:
    """Why a run cannot be opened, in one sentence: see ``rivae.runs.opening.trouble``, or what came
    up when somebody tried within the last minute; "" where nothing is known against it.
    """
    when, why = _noted.get(run.path, (0.0, ""))
    recent = why if time.monotonic() - when < NOTED_S else ""
    period = int(time.monotonic() // SEEN_S)  # no `ttl`: see `cache._resolved`
    return _seen(os.fsencode(run.path), period, run) or recent


def note(run: Run, why: str) -> None:
    """Note that a run did not open although nothing was known against it, or "" that it did."""
    _noted.pop(run.path, None)
    if why:
        _noted[run.path] = time.monotonic(), why
        while len(_noted) > MAX_NOTED:
            del _noted[next(iter(_noted))]


# Asked for on every rerun and of every run.
@st.cache_resource(max_entries=1000, show_spinner=False)
def _seen(path: bytes, period: int, _run: Run) -> str:
    from rivae.runs import opening

    return opening.trouble(_run)
