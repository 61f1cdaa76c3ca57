"""Which rows of a view are meant: by their numbers, a mask, or a part of the table of all items."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rivae.base.arrays import refuse_masked
from rivae.base.errors import ConfigError
from rivae.notebook.pairs import ROW, has_plain_labels

NO_PART = (
    "these are no rows of view.items as it is: choose some with view.items[...], or give their "
    "numbers, as in view.ids"
)


def numbered(table: pd.DataFrame, reserved_names: Sequence[str] = ()) -> pd.DataFrame:
    """The table with the numbers of its rows as index, and labels of its own as first columns.

    Args:
        reserved_names: names that these columns do not get.
    """
    if has_plain_labels(table):
        return table.rename_axis(index=ROW)
    # An index that has our name already is not one of ours.
    index_name = "row" if ROW in table.index.names else ROW
    several = table.index.nlevels > 1
    names: list[Any] = []
    for level, label in enumerate(table.index.names):
        name = label if label is not None else f"label {level + 1}" if several else "label"
        while name in table.columns or name in names or name in reserved_names:
            name = f"{name} (label)"
        names.append(name)
    return table.reset_index(names=names).rename_axis(index=index_name)


def rows_of(selection: Any, items: pd.DataFrame, are_numbers: bool) -> NDArray[np.int64]:
    """The numbers of the rows that are chosen, as they were given.

    Args:
        selection: row numbers; a mask with a place for each row; or a part of ``items``: some of
            its rows, of one of its columns, or of its index, or a mask that was made of it.
        items: the table of all items, see ``numbered``.
        are_numbers: whether labels without a name can only be row numbers.

    Raises:
        ConfigError: it is not clear which rows are meant, or there are no such rows.
    """
    if isinstance(selection, pd.DataFrame | pd.Series | pd.Index):
        return _labelled(selection, items, are_numbers)
    refuse_masked(ConfigError, rows=selection)
    values = np.asarray(selection)
    if values.dtype == bool:
        if values.shape != (len(items),):
            raise ConfigError(
                f"a mask says for each of the {len(items)} rows whether it is chosen: this one has "
                f"the shape {values.shape}"
            )
        return np.asarray(items.index[values], dtype=np.int64)
    return _known(values, items)


def _known(values: np.ndarray, items: pd.DataFrame) -> NDArray[np.int64]:
    if values.ndim > 1 or (values.size and not np.issubdtype(values.dtype, np.integer)):
        raise ConfigError(
            f"rows are a list of whole numbers, such as view.ids, not {values.dtype} {values.shape}"
        )
    strange = np.setdiff1d(values, items.index)
    if len(strange):
        raise ConfigError(f"row {strange[0]} is not in this view: choose from view.items")
    return np.atleast_1d(values).astype(np.int64)


def _labelled(
    selection: pd.DataFrame | pd.Series[Any] | pd.Index[Any], items: pd.DataFrame, are_numbers: bool
) -> NDArray[np.int64]:
    index = selection if isinstance(selection, pd.Index) else selection.index
    is_named = list(index.names) == [items.index.name]
    if not (is_named or (are_numbers and list(index.names) == [None])):
        raise ConfigError(NO_PART)
    if isinstance(selection, pd.Series) and pd.api.types.is_bool_dtype(selection.dtype):
        return _masked(selection, items)
    if len(index) and not pd.api.types.is_integer_dtype(index.dtype):
        raise ConfigError(NO_PART)
    rows = _known(index.to_numpy(), items)
    if not isinstance(selection, pd.Index):
        part = selection.to_frame() if isinstance(selection, pd.Series) else selection
        common = [name for name in part.columns if name in items.columns]
        with_columns = isinstance(selection, pd.Series) or not is_named
        if (with_columns and len(rows) and not common) or not _agree(part[common], items.loc[rows]):
            raise ConfigError(NO_PART)
    return rows


def _masked(mask: pd.Series[Any], items: pd.DataFrame) -> NDArray[np.int64]:
    if mask.isna().any() or not mask.index.is_unique or set(mask.index) != set(items.index):
        raise ConfigError(NO_PART)
    return items.index[mask.reindex(items.index).to_numpy(dtype=bool)].to_numpy(dtype=np.int64)


def _agree(part: pd.DataFrame, rows: pd.DataFrame) -> bool:
    """Whether a part of a table says of its rows what the table says."""
    return all(
        _is_same(one, other)
        for name in part.columns
        for one, other in zip(part[name], rows[name], strict=True)
    )


def _is_same(one: Any, other: Any) -> bool:
    if one is other:
        return True
    try:
        return bool(one == other) or bool(one != one and other != other)  # NaN differs from itself
    except (TypeError, ValueError):  # arrays, and what pandas calls NA
        return False
