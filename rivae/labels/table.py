"""The current labels of data rows, as a table and as a cube: annotators x items x factors.

The table has one row per annotator, item and factor: columns ``annotator`` (text), ``item`` (a data
row), ``factor`` (an id) and ``level``: 1 to 5, halfway between two where the annotator is unsure,
NaN where they cannot tell or the factor does not apply. The store names items by key; here they are
data rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from rivae.base.errors import DataError
from rivae.data.base import PairedDataset
from rivae.labels.events import Kind, item_key, item_key_of
from rivae.labels.store import LabelStore
from rivae.retrieval.base import Floats, Ints

COLUMNS = ("annotator", "item", "factor", "level")
LEVELS = (1, 2, 3, 4, 5)
RANGES = (1.5, 2.5, 3.5, 4.5)  # unsure between two levels


def keys_by_row(data: PairedDataset, rows: ArrayLike) -> dict[int, str]:
    """The item key of every data row in ``rows`` (any shape, repetitions allowed), ascending."""
    unique_rows = np.unique(np.asarray(rows, dtype=np.int64))
    return {int(i): item_key_of(data, int(i)) for i in unique_rows}


def rows_by_key(data: PairedDataset) -> dict[str, int]:
    """The data row of every item key."""
    return {item_key(data.key_name, name): row for row, name in enumerate(data.item_ids())}


def label_table(
    store: LabelStore, data: PairedDataset, rows: ArrayLike, kind: Kind = "label"
) -> pd.DataFrame:
    """The current labels of some items.

    Args:
        rows: data rows, for instance those that a run needs.
        kind: "label", "repeat" or "adjudication".

    Returns:
        Columns ``annotator``, ``item`` (data row), ``factor`` and ``level``, sorted by the first
        three.
    """
    row_of = {key: row for row, key in keys_by_row(data, rows).items()}
    return level_table(store.levels(kind, items=row_of), row_of)


def level_table(
    levels: Iterable[tuple[str, str, str, float | None]], row_of: Mapping[str, int]
) -> pd.DataFrame:
    """The table of what ``LabelStore.levels`` returned; ``row_of`` is the data row by item key."""
    rows = [
        (annotator, row_of[item], factor, np.nan if level is None else float(level))
        for annotator, item, factor, level in levels
    ]
    rows.sort(key=lambda row: row[:3])
    table = pd.DataFrame(rows, columns=list(COLUMNS))
    return table.astype({"item": np.int64, "level": np.float64})


def check_labels(labels: pd.DataFrame) -> pd.DataFrame:
    """The four columns, items as integers and levels as floats; of one type in an empty table,
    too, so that it can be merged.

    Raises:
        DataError: a column is missing, a level is none of 1 to 5 and no range of two, or an
            annotator has two levels for one item and factor.
    """
    missing = [name for name in COLUMNS if name not in labels]
    if missing:
        raise DataError(f"a table of labels needs a column '{missing[0]}': add it")
    table = labels[list(COLUMNS)].astype({"annotator": object, "factor": object})
    try:
        table["item"] = table["item"].astype(np.int64)
        table["level"] = table["level"].astype(np.float64)
    except (TypeError, ValueError):
        raise DataError("items must be integers and levels 1 to 5 or empty: correct them") from None
    if not (table["level"].isna() | table["level"].isin((*LEVELS, *RANGES))).all():
        raise DataError(
            "a level must be 1, 2, 3, 4 or 5, halfway between two of them where somebody is "
            "unsure, or empty for 'cannot tell'"
        )
    twice = table.duplicated(["annotator", "item", "factor"])
    if twice.any():
        row = table[twice].iloc[0]
        raise DataError(
            f"{row['annotator']} has two levels of {row['factor']} for item {row['item']}: keep "
            "the current one"
        )
    return table


def sure_labels(labels: pd.DataFrame) -> pd.DataFrame:
    """The labels with one level: without ranges, "cannot tell" and "not applicable"."""
    return labels[labels["level"].isin(LEVELS)]


def rating_cube(
    labels: pd.DataFrame, items: ArrayLike, factors: Sequence[str]
) -> tuple[tuple[str, ...], Floats]:
    """The annotators, sorted, and their levels (A, N, K), NaN where one is missing.

    Labels of other items and other factors are left out.

    Args:
        labels: see the module.
        items: (N,) sorted data rows.
        factors: K ids.

    Raises:
        DataError: as ``check_labels``.
    """
    rows = np.asarray(items, dtype=np.int64)
    table = check_labels(labels)
    table = table[table["item"].isin(rows) & table["factor"].isin(list(factors))]
    annotators = tuple(sorted(str(name) for name in table["annotator"].unique()))
    cube = np.full((len(annotators), len(rows), len(factors)), np.nan)
    if len(table):
        place = (
            pd.Index(annotators).get_indexer(pd.Index(table["annotator"].astype(str))),
            np.searchsorted(rows, table["item"].to_numpy()),
            pd.Index(list(factors)).get_indexer(pd.Index(table["factor"])),
        )
        cube[place] = table["level"].to_numpy()
    return annotators, cube


def consensus(
    cube: Floats, weights: ArrayLike | None = None, how: Literal["median", "mean"] = "median"
) -> Floats:
    """The level over annotators (N, K) of a cube (A, N, K); NaN where there is none.

    The median stays constant where most annotators saw no change. The mean turns every slip into a
    small variation, which |corr| along a path counts in full. For regression the mean is as good.

    Args:
        weights: (A,) how often each annotator counts (integers), once by default.
        how: "median" (halfway between the middle two of an even number) or "mean".
    """
    if weights is not None:
        cube = np.repeat(cube, np.asarray(weights, dtype=np.int64), axis=0)
    out = np.full(cube.shape[1:], np.nan)
    has_level = ~np.isnan(cube).all(axis=0) if len(cube) else np.zeros(out.shape, dtype=np.bool_)
    middle = np.nanmedian if how == "median" else np.nanmean
    out[has_level] = middle(cube[:, has_level], axis=0)
    return out


def labelled_items(labels: pd.DataFrame) -> Ints:
    """The items with at least one level, sorted."""
    table = check_labels(labels).dropna(subset="level")
    return np.unique(table["item"].to_numpy()).astype(np.int64)


def adjudicated(labels: pd.DataFrame, verdicts: pd.DataFrame) -> pd.DataFrame:
    """The labels, with every annotator's level replaced where there is a verdict.

    So the verdict counts whichever annotators a bootstrap draws. An item that only has a verdict is
    added. Agreement is measured without verdicts.

    Args:
        labels, verdicts: tables, see the module; the last of several verdicts counts.
    """
    keys = ["item", "factor"]
    labels = check_labels(labels)
    last = verdicts[list(COLUMNS)].drop_duplicates(keys, keep="last")
    final = check_labels(last)
    both = labels.merge(
        final[[*keys, "level"]], on=keys, how="left", suffixes=("", "_said"), indicator=True
    )
    both["level"] = both["level"].where(both["_merge"] == "left_only", both["level_said"])
    places = pd.MultiIndex.from_frame(labels[keys])
    new = final[~pd.MultiIndex.from_frame(final[keys]).isin(places)]
    return pd.concat([both[list(COLUMNS)], new], ignore_index=True)
