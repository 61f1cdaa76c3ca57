"""A layout of all searched items on a plane, where neighbours of the search stay neighbours.

By PaCMAP (Wang, Huang, Rudin and Shaposhnik: Understanding how dimension reduction tools work,
JMLR 2021), from the points that are searched. It is made once and kept with the run.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rivae.base.arrays import Floats
from rivae.base.errors import ConfigError, RunError
from rivae.base.files import write_cache
from rivae.base.installed import cache_folder, how_to_install
from rivae.base.progress import Progress, silent

if TYPE_CHECKING:
    from rivae.exploring.explorer import Explorer

MAX_FITTED = 20_000  # more items are put among their neighbours of these
N_NEIGHBOURS = 5  # of an item that is put
MIN_ITEMS = 20
_RULES = 1  # changes with what is computed

Layout = NDArray[np.float32]


def can_have(explorer: Explorer) -> bool:
    """Whether the items of a run can be laid out, and the layout be kept."""
    ready = explorer.run is not None and explorer.run.ready
    return ready and len(explorer.search_rows) >= MIN_ITEMS


def kept_layout(explorer: Explorer) -> Layout | None:
    """Places (N, 2) of the searched items, each from 0 to 1; None where they are not computed."""
    if not can_have(explorer):
        return None
    try:
        layout = np.load(_path(explorer), mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError, EOFError):
        return None
    fits = layout.shape == (len(explorer.search_rows), 2) and layout.dtype == np.float32
    return layout if fits else None


def make_layout(explorer: Explorer, progress: Progress) -> Layout:
    """``kept_layout``, computed where it is not yet.

    Args:
        progress: takes what is being done, and the share done.

    Raises:
        ConfigError: PaCMAP is missing.
        RunError: the run is not trained, has too few items, or its folder cannot be written.
    """
    if (layout_before := kept_layout(explorer)) is not None:
        return layout_before
    if not can_have(explorer):
        raise RunError(f"a layout needs a trained run and at least {MIN_ITEMS} items")
    progress("reading the items", 0.0)
    index = explorer.retriever.index
    layout = lay_out(index.n_items, index.rows, progress)
    write_cache(_path(explorer), lambda stream: np.save(stream, layout, allow_pickle=False))
    if kept_layout(explorer) is None:
        raise RunError("the layout cannot be kept: make the run's folder writable")
    return layout


def lay_out(
    n: int,
    read: Callable[[NDArray[np.int64]], Floats],
    progress: Progress = silent,
    random_state: int = 0,
) -> Layout:
    """Places (n, 2) of ``n`` points, each from 0 to 1, the same for the same points.

    Of more than ``MAX_FITTED`` a random part is laid out, and the others are put at the mean place
    of their nearest neighbours there.

    Args:
        read: gives the points (len(positions), m) of positions.

    Raises:
        ConfigError: PaCMAP is missing.
    """
    try:
        from pacmap import PaCMAP
    except ImportError:
        raise ConfigError(f"a layout needs PaCMAP: run {how_to_install('app')}") from None

    part = np.sort(np.random.default_rng(random_state).permutation(n)[:MAX_FITTED])
    sample = np.ascontiguousarray(read(part), dtype=np.float32)
    progress("laying the items out", 0.1)
    neighbours = min(10, len(part) - 1)
    layout = PaCMAP(n_neighbors=neighbours, random_state=random_state).fit_transform(sample)
    places = np.empty((n, 2), dtype=np.float32)
    places[part] = layout
    if n > len(part):
        _put_others(read, sample, part, places, progress)
    low, high = places.min(axis=0), places.max(axis=0)
    return (places - low) / np.maximum(high - low, np.float32(1e-12))


def _put_others(
    read: Callable[[NDArray[np.int64]], Floats],
    sample: NDArray[np.float32],
    part: NDArray[np.int64],
    places: Layout,
    progress: Progress,
) -> None:
    import faiss

    index = faiss.IndexFlatL2(sample.shape[1])
    index.add(sample)
    others = np.setdiff1d(np.arange(len(places)), part, assume_unique=True)
    for block in np.array_split(others, max(1, len(others) // 10_000)):
        progress("putting the others among them", 0.5 + 0.5 * float(block[0]) / len(places))
        points = np.ascontiguousarray(read(block), dtype=np.float32)
        _, near = index.search(points, N_NEIGHBOURS)
        places[block] = places[part[near]].mean(axis=1)


def beside_layout(explorer: Explorer, name: str) -> Path | None:
    """The cache file of what was computed from the layout; None where there is no layout.

    Args:
        name: what it is, a word.
    """
    if kept_layout(explorer) is None:
        return None
    return _path(explorer).with_suffix(f".{name}.json")


def _path(explorer: Explorer) -> Path:
    assert explorer.run is not None
    key = f"{explorer.run.shown_key}/{explorer.rows}/{explorer.asks}/{_RULES}"
    digest = hashlib.blake2b(key.encode(), digest_size=8).hexdigest()
    return cache_folder(explorer.run.path) / f"layout-{digest}.npy"
