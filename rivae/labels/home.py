"""Where labels are kept: the database that ``RIVAE_LABELS`` names, or ``labels/labels.db``."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from rivae.labels.events import OLD_IMPORT
from rivae.labels.store import LabelStore

VARIABLE = "RIVAE_LABELS"
DEFAULT = "labels/labels.db"
READ_ONLY = (
    "these labels were made by an older version and can only be read here: open them once where "
    "they can be written, so that those of imports are found"
)


def labels_url() -> str:
    """A file of the working folder, a path, or the URL of a database (see ``LabelStore``)."""
    return os.environ.get(VARIABLE) or DEFAULT


def labels_are_kept() -> bool:
    """Whether there is a store that needs not be made first; of a server's this is not known."""
    url = labels_url()
    return "://" in url or Path(url).is_file()


def open_labels(url: str = "", tell: Callable[[str], None] | None = None) -> LabelStore:
    """The store of labels; labels made before imports were told apart get the name of theirs.

    Args:
        url: another place than ``labels_url()``.
        tell: called with a sentence about every kind of label for which that could not be done.

    Raises:
        LabelError: it cannot be opened.
    """
    store = LabelStore(url or labels_url())
    try:
        if store.has_items(OLD_IMPORT):
            from rivae.labels.old_keys import rename_old_keys  # brings PyTorch

            left = (READ_ONLY,) if store.read_only else rename_old_keys(store).left
            for sentence in left:
                (tell or _nobody)(sentence)
    except BaseException:
        store.close()
        raise
    return store


def _nobody(sentence: str) -> None:
    """Nobody is told."""
