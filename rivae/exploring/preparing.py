"""What a run on very many items needs before its first search: computed once, kept, with progress.

Embedding and projecting a million items takes a while. So it is done in a process of its own where
somebody can watch and stop it, and a run that is ready opens in a second or two.
"""

from __future__ import annotations

import hashlib
import os
from functools import partial
from pathlib import Path

from rivae.base.config import Asks, Rows
from rivae.base.errors import RivaeError, RunError
from rivae.base.files import write_json
from rivae.base.installed import cache_folder
from rivae.base.progress import Progress, part
from rivae.data.sets.pairs import PAIRS
from rivae.data.store import Manifest, find_store
from rivae.exploring.explorer import Explorer
from rivae.exploring.words.item_words import has_texts, item_tags, item_words
from rivae.retrieval.indexes.brute_force import LARGE
from rivae.runs import Run

NOT_KEPT = "the run's folder cannot be written: make it writable, so that its items are kept"
_RULES = 4  # changes with what is kept


def needs_preparing(run: Run, rows: Rows, asks: Asks) -> bool:
    """Whether a trained run on many items has not been prepared yet.

    Answers without opening the data. Where nothing can be kept the answer is no: the run is then
    opened as a small one is.
    """
    try:
        if not run.ready or n_items(run) <= LARGE:
            return False
        mark = _mark(run, rows, asks)
    except RivaeError:
        return False  # opening it says what is wrong
    place = mark.parent if mark.parent.exists() else mark.parent.parent
    return not mark.exists() and os.access(place, os.W_OK)


def n_items(run: Run) -> int:
    """The number of items of an import, all of them; 0 for the built-in data sets, which are small.

    Raises:
        RivaeError: the import is gone or damaged.
    """
    dataset = run.config.dataset
    store = dataset.settings.get("store") if dataset.name == PAIRS else None
    return Manifest.read(find_store(str(store))).n_items if store else 0


def prepare(run: Run, rows: Rows, asks: Asks, progress: Progress) -> int:
    """Compute and keep what ``needs_preparing`` asks for; the workers of a cluster embed the items
    where one is named (``on_cluster``).

    Args:
        progress: takes what is being done, and the share done.

    Returns:
        The number of items that are searched.

    Raises:
        RivaeError: the run or its data cannot be read, or nothing can be kept.
    """
    # The shares are what it takes for ten million items.
    progress("opening the data and the model", 0.0)
    tell = partial(part(progress, 0.0, 0.4), "embedding the items")
    explorer = Explorer.open(run, rows, asks=asks, progress=tell)
    progress("measuring the axes", 0.4)
    explorer.prepare()
    explorer.retriever.item_latents(
        partial(part(progress, 0.4, 0.6), "placing the items on the map")
    )
    if has_texts(explorer.data):
        tell = partial(part(progress, 0.6, 1.0), "reading the words of the items")
        item_words(explorer.data, tell)  # kept with the data, as the tags are
        item_tags(explorer.data)
    explorer.title(0)
    explorer.thumbnail(0)
    mark = _mark(run, rows, asks)
    try:
        write_json(mark, {"items": len(explorer.search_rows)})
    except OSError as error:
        raise RunError(NOT_KEPT) from error
    return len(explorer.search_rows)


def _mark(run: Run, rows: Rows, asks: Asks) -> Path:
    """A file that is there once all is kept, named by the model."""
    key = f"{run.shown_key}/{rows}/{asks}/{_RULES}"
    digest = hashlib.blake2b(key.encode(), digest_size=8).hexdigest()
    return cache_folder(run.path) / f"prepared-{digest}.json"
