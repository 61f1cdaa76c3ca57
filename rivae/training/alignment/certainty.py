"""How sure the axes of a run are, from its folder: read, measured once, and kept.

Only a contrastive start that kept the coordinates of all its fits can say it; other runs have no
certainty. See ``rivae.metrics.certainty`` for the measure.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import BaseModel, ConfigDict

from rivae.base.arrays import Floats, Ints
from rivae.base.errors import DataError, RivaeError
from rivae.base.files import write_cache
from rivae.base.installed import cache_folder
from rivae.base.reading.documents import read_own_form
from rivae.base.reading.weights import load_weights, read_header
from rivae.data.base import PairedDataset
from rivae.metrics.certainty import MAX_ROWS, VERSION, AxisCertainty, axis_certainty
from rivae.retrieval.model import LatentModel
from rivae.runs import Run
from rivae.training.alignment.registry import STEPS

# Tensors of ``Run.unfolded``: the coordinates (K, m, d) of training pairs by each of K fits, and
# which pairs these are (m,); all of them where that is missing.
FITS, ROWS = "fits", "rows"
NO_FITS = (
    "How sure the axes are is not known: no independent fits of enough pairs were kept with this "
    "run. Train one with init=contrast to see it."
)
MAX_KEPT = 2**20
# A file may come from a stranger: more would keep the machine busy for long.
MAX_FITS, MAX_AXES = 20, 128

Certainty = tuple[AxisCertainty, ...]


class _Kept(BaseModel):
    """What is kept in the run's cache."""

    model_config = ConfigDict(extra="forbid")

    axes: Certainty


def has_fits(run: Run) -> bool:
    """Whether the run has a trained model and the coordinates of independent fits of its axes."""
    try:
        stat = run.unfolded.stat()
        if not run.ready or picks(run.config.method.settings):
            return False
        return _shape(run.unfolded, stat.st_mtime_ns, stat.st_size) is not None
    except (RivaeError, OSError):
        return False


def picks(settings: Mapping[str, Any]) -> bool:
    """Whether more than their independence has picked the axes, which is all that fits confirm."""
    step = str(settings.get("axes"))
    return step in STEPS and STEPS[step].picks


@lru_cache(maxsize=256)  # pages ask at every rerun
def _shape(path: Path, mtime_ns: int, size: int) -> tuple[int, int, int] | None:
    """K, m and d of the fits in a file; None where it has none that can be used."""
    try:
        shape = read_header(path).shapes.get(FITS, ())
    except (RivaeError, OSError):
        return None
    if len(shape) != 3 or 0 in shape or shape[0] > MAX_FITS or shape[2] > MAX_AXES:
        return None
    return shape[0], shape[1], shape[2]


def kept_certainty(run: Run) -> Certainty | None:
    """What ``certainty_of`` found before; None where it has to be measured."""
    try:
        return read_own_form(_Kept, _kept_in(run), MAX_KEPT).axes
    except (RivaeError, OSError):
        return None


def certainty_of(run: Run, model: LatentModel, data: PairedDataset) -> Certainty:
    """How sure each axis of the run is, () where nothing can say it; kept in the run's cache."""
    if not has_fits(run):
        return ()
    if (certainty := kept_certainty(run)) is not None:
        return certainty
    train = data.splits["train"]
    fits_file = read_fits(run.unfolded, len(train))
    if fits_file is None:
        return ()
    fits, rows = fits_file
    if len(rows) > MAX_ROWS:
        some = np.sort(np.random.default_rng(0).choice(len(rows), MAX_ROWS, replace=False))
        fits, rows = fits[:, some], rows[some]
    try:
        axes = axis_certainty(model.encode(data.x1, train[rows])[0], fits)
    except DataError:
        axes = ()
    document = _Kept(axes=axes).model_dump_json().encode()
    write_cache(_kept_in(run), lambda stream: stream.write(document))
    return axes


def read_fits(path: Path, n: int) -> tuple[Floats, Ints] | None:
    """The coordinates (K, m, d) that independent fits gave some of n training pairs, and which of
    them (m,); None where they were not kept, are damaged, or are of other data.
    """
    try:
        stat = path.stat()
        shape = _shape(path, stat.st_mtime_ns, stat.st_size)
        tensors = load_weights(path) if shape else {}
    except (RivaeError, OSError):
        return None
    if shape is None:
        return None
    fits, rows = tensors[FITS].double().numpy(), np.arange(n)
    if ROWS in tensors:
        rows = tensors[ROWS].long().numpy()
    in_order = rows.shape == (shape[1],) and (np.diff(rows) > 0).all()
    return (fits, rows) if in_order and rows[0] >= 0 and rows[-1] < n else None


def _kept_in(run: Run) -> Path:
    """The file of what was measured: another one for other weights, fits or ways to measure."""
    stat = run.unfolded.stat()
    made_of = f"{VERSION} {run.shown_key} {stat.st_mtime_ns} {stat.st_size}"
    digest = hashlib.blake2b(made_of.encode(), digest_size=16).hexdigest()
    return cache_folder(run.path) / f"certainty-{digest}.json"
