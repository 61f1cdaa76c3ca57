"""How sure the axes of a run are, from its folder: read, measured once, and kept.

Only a contrastive start that kept the coordinates of all its fits can say it; other runs have no
certainty. See ``rivae.metrics.certainty`` for the measure.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
from pydantic import BaseModel, ConfigDict

from rivae.errors import DataError, RivaeError
from rivae.files import write_cache
from rivae.installed import cache_folder
from rivae.metrics.certainty import VERSION, AxisCertainty, axis_certainty
from rivae.reading.documents import read_form
from rivae.reading.weights import load_weights, read_header
from rivae.retrieval.base import Floats
from rivae.retrieval.retriever import Retriever
from rivae.runs import Run

FITS = "fits"  # a tensor of ``Run.unfolded``, (K, n, d): the n training pairs by each of K fits
NO_FITS = (
    "How sure the axes are is not known: no independent fits of enough pairs were kept with this "
    "run. Train one with init=contrast to see it."
)
MAX_KEPT = 2**20

Certainty = tuple[AxisCertainty, ...]


class _Kept(BaseModel):
    """What is kept in the run's cache."""

    model_config = ConfigDict(extra="forbid")

    axes: Certainty


def has_fits(run: Run) -> bool:
    """Whether the run has a trained model and the coordinates of independent fits."""
    try:
        return run.ready and len(read_header(run.unfolded).shapes.get(FITS, ())) == 3
    except (RivaeError, OSError):
        return False


def kept_certainty(run: Run) -> Certainty | None:
    """What ``certainty_of`` found before; None where it has to be measured."""
    try:
        return read_form(
            _Kept, _kept_in(run), MAX_KEPT, too_large="", foreign="", unreadable=""
        ).axes
    except (RivaeError, OSError):
        return None


def certainty_of(run: Run, retriever: Retriever) -> Certainty:
    """How sure each axis of the run is, () where nothing can say it.

    Measured on the training rows of ``Retriever.reference_latents``, then kept in the run's cache.
    """
    if not has_fits(run):
        return ()
    if (known := kept_certainty(run)) is not None:
        return known
    train, rows = retriever.data.splits["train"], retriever.reference_rows
    fits = read_fits(run.unfolded, len(train))
    if fits is None:
        return ()
    try:
        found = axis_certainty(
            retriever.reference_latents()[0], fits[:, np.flatnonzero(np.isin(train, rows))]
        )
    except DataError:
        found = ()
    document = _Kept(axes=found).model_dump_json().encode()
    write_cache(_kept_in(run), lambda stream: stream.write(document))
    return found


def read_fits(path: Path, n: int) -> Floats | None:
    """The coordinates (K, n, d) of n training pairs by independent fits; None where they were not
    kept, are damaged, or are of other data.
    """
    try:
        fits = load_weights(path).get(FITS)
    except (RivaeError, OSError):
        return None
    if fits is None or fits.ndim != 3 or fits.shape[1] != n or 0 in fits.shape:
        return None
    return np.asarray(fits.double().numpy())


def _kept_in(run: Run) -> Path:
    """The file of what was measured: another one for other weights, fits or ways to measure."""
    stat = run.unfolded.stat()
    made_of = f"{VERSION} {run.model_key} {stat.st_mtime_ns} {stat.st_size}"
    digest = hashlib.blake2b(made_of.encode(), digest_size=16).hexdigest()
    return cache_folder(run.path) / f"certainty-{digest}.json"
