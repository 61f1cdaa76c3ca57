"""Labels of a store as the table that the measures take: by data row instead of by item key."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from rivae.data.base import PairedDataset
from rivae.labels.events import Kind, item_key, item_key_of
from rivae.labels.store import LabelStore
from rivae.labels.table import COLUMNS


def keys_by_row(data: PairedDataset, rows: ArrayLike) -> dict[int, str]:
    """The item key of every data row in ``rows`` (any shape, repetitions allowed), ascending."""
    wanted = np.unique(np.asarray(rows, dtype=np.int64))
    return {int(i): item_key_of(data, int(i)) for i in wanted}


def rows_by_key(data: PairedDataset) -> dict[str, int]:
    """The data row of every item key."""
    return {item_key(data.key_name, name): row for row, name in enumerate(data.item_ids())}


def label_table(
    store: LabelStore, data: PairedDataset, rows: ArrayLike, kind: Kind = "label"
) -> pd.DataFrame:
    """What is current for some items, as ``table.check_labels`` takes it.

    Args:
        rows: the data rows that are asked for, for instance those a run needs.
        kind: "label", or "repeat" and "adjudication" for theirs.

    Returns:
        Columns ``annotator``, ``item`` (data row), ``factor`` and ``level`` (1.0 to 5.0, NaN for
        "cannot tell"), sorted by the first three.
    """
    row_of = {key: row for row, key in keys_by_row(data, rows).items()}
    found: list[tuple[str, int, str, float]] = [
        (annotator, row_of[item], factor, np.nan if level is None else float(level))
        for annotator, item, factor, level in store.levels(kind, items=row_of)
    ]
    found.sort(key=lambda row: row[:3])
    table = pd.DataFrame(found, columns=list(COLUMNS))
    return table.astype({"item": np.int64, "level": np.float64})
