"""P(z|v1) of many rows, kept in a folder: a convolutional embedder takes seconds for thousands."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np

from rivae.files import write_cache
from rivae.retrieval.base import Floats


def kept_latents(
    folder: Path | None,
    key: Callable[[], str],
    shape: tuple[int, int],
    make: Callable[[], tuple[Floats, Floats]],
) -> tuple[Floats, Floats]:
    """Mean and log variance, each of ``shape`` (n, d): those in ``folder``, else made and kept.

    Args:
        folder: None keeps nothing, and one that cannot be written neither.
        key: names everything that they depend on (``content_key``); asked only with a folder.
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
    """What was kept; None when there is nothing, or it is damaged (then it is made anew)."""
    try:
        with np.load(path, allow_pickle=False) as kept:
            mu, log_var = kept["mu"], kept["log_var"]
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
        return None
    fits = all(a.shape == shape and a.dtype == np.float64 for a in (mu, log_var))
    return (mu, log_var) if fits and np.isfinite(mu).all() and np.isfinite(log_var).all() else None
