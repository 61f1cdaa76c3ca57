"""Where labels are kept: the database that ``RIVAE_LABELS`` names, or ``labels/labels.db``."""

from __future__ import annotations

import os

from rivae.labels.store import LabelStore

VARIABLE = "RIVAE_LABELS"
DEFAULT = "labels/labels.db"


def labels_url() -> str:
    """A file of the working folder, a path, or the URL of a database (see ``LabelStore``)."""
    return os.environ.get(VARIABLE) or DEFAULT


def open_labels() -> LabelStore:
    """The store of labels; LabelError when it cannot be opened."""
    return LabelStore(labels_url())
