"""Where labels are kept: the database that ``RIVAE_LABELS`` names, or ``labels/labels.db``."""

from __future__ import annotations

import os
from pathlib import Path

from rivae.labels.store import LabelStore

VARIABLE = "RIVAE_LABELS"
DEFAULT = "labels/labels.db"


def labels_url() -> str:
    """A file of the working folder, a path, or the URL of a database (see ``LabelStore``)."""
    return os.environ.get(VARIABLE) or DEFAULT


def labels_are_kept() -> bool:
    """Whether there is a store that needs not be made first; of a server's this is not known."""
    url = labels_url()
    return "://" in url or Path(url).is_file()


def open_labels() -> LabelStore:
    """The store of labels; LabelError when it cannot be opened."""
    return LabelStore(labels_url())
