"""Arrays of one's own as a data set: what a table says of the rows, and how they look."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import torch
from numpy.typing import NDArray
from PIL import Image

from rivae.base.errors import ConfigError, some_of
from rivae.base.reading.matrix_columns import is_no_dimension
from rivae.data import PairedDataset, TensorView
from rivae.data.factors import FactorSpec
from rivae.data.sets.synth import signal_picture
from rivae.data.store.pixels import title_card
from rivae.notebook.pictures import called_in, picture_of

NAME = "arrays"
ROW = "item"  # what the row numbers of a view's table are called
TITLES = ("title", "name", "label")  # columns that name a row, the first of them that there is
MOST_LEVELS = 12  # of a column of words that is a factor


def table_of(items: Any, n: int, images: str | None = None) -> pd.DataFrame:
    """``items``, or what pandas makes a table of (columns by name, a list of titles), of n rows.

    Raises:
        ConfigError: it has another number of rows or two columns of a name, is no table, or has no
            column ``images``.
    """
    try:
        table = pd.DataFrame(items, index=range(n) if items is None else None)
    except (ValueError, TypeError) as error:
        raise ConfigError(f"items is no table ({error}): give a pandas DataFrame") from None
    names = pd.Index([str(name) for name in table.columns])  # 1 and "1" are called the same
    if twice := list(names[names.duplicated()]):
        raise ConfigError(f"items has several columns '{twice[0]}': give each its own name")
    if len(table) != n:
        raise ConfigError(f"items has {len(table)} rows and the embeddings {n}: give one each")
    if images is not None and images not in table:
        column_list = ", ".join(map(str, table.columns)) or "none"
        raise ConfigError(f"items has no column '{images}' for images; its columns: {column_list}")
    return table


def refuse_no_numbers(name: str, vectors: Any) -> None:
    """Refuse a pandas table of vectors, called ``name``, that has an index, ids or labels among its
    columns of floats.

    Raises:
        ConfigError: it has.
    """
    if not isinstance(vectors, pd.DataFrame):
        return
    whole = [
        column
        for column, kind in zip(vectors.columns, vectors.dtypes, strict=True)
        if not pd.api.types.is_float_dtype(kind)
    ]
    strange = [column for column in whole if is_no_dimension(str(column))]
    if strange and len(whole) < vectors.shape[1]:
        raise ConfigError(
            f"{name} has the columns {some_of(strange)}, which are no numbers of a vector: leave "
            f"them out with {name}.drop(columns={strange[:3]})"
        )


def has_plain_labels(table: pd.DataFrame) -> bool:
    """Whether its rows have no labels but those that pandas gives for want of others."""
    index = table.index
    return index.name in (None, ROW) and index.equals(pd.RangeIndex(len(table)))


class ArrayPairs(PairedDataset):
    """Pairs of vectors (N, p) and (N, q), all searched, with a table of N rows about them.

    Columns of numbers without gaps are continuous factors, those of few words categorical ones.
    A row is shown by its picture; without pictures by its title; without a table by its vectors.

    Args:
        x1, x2: as the network takes them, float32.
        items: the table; one without columns by default.
        images: its column of pictures, see ``picture_of``.

    Raises:
        ConfigError: see ``table_of``.
    """

    def __init__(
        self,
        x1: torch.Tensor,
        x2: torch.Tensor,
        items: pd.DataFrame | None = None,
        images: str | None = None,
    ) -> None:
        self.table = table_of(items, len(x1), images)
        self._images = images
        self._columns = [name for name in self.table.columns if name != images]
        factors = [
            factor for name in self._columns if (factor := _factor(str(name), self.table[name]))
        ]
        self._titles = _titles(self.table[self._columns])
        none = np.empty(0, dtype=np.int64)
        super().__init__(
            name=NAME,
            settings={},
            x1=TensorView(x1),
            x2=TensorView(x2),
            splits={"train": none, "validation": none, "test": np.arange(len(x1))},
            factors=np.column_stack([values for _, values in factors]) if factors else None,
            factor_specs=tuple(spec for spec, _ in factors),
            view_names=("A", "B"),
        )
        self._scales = [float(x.abs().max()) or 1.0 for x in (x1, x2)]

    def picture(self, i: int, side: int = 2) -> Image.Image:
        if self._images is not None:
            value = self.table[self._images].iloc[i]
            return picture_of(value, called_in(i, self._images)) or title_card(self.title(i))
        if self._columns:
            return title_card(self.title(i))
        views = (self.x1, self.x2)
        at = max(side, 1) - 1
        return signal_picture(views[at].batch([i])[0].numpy(), self._scales[at])

    def title(self, i: int) -> str:
        return self._titles[i]

    def text(self, i: int) -> str:
        """All columns but that of the pictures."""
        row = self.table.iloc[i]
        return "\n".join(f"{name}: {row[name]}" for name in self._columns)


def _titles(table: pd.DataFrame) -> list[str]:
    by_name = {str(name).lower(): name for name in reversed(table.columns)}
    title_column: Any = next((by_name[word] for word in TITLES if word in by_name), None)
    if title_column is None:
        words = [name for name in table if _is_text(table[name])]
        # Rather what tells rows apart than what sorts them.
        title_column = max(words, key=lambda name: table[name].nunique(), default=None)
    labels = [f"item {label}" if has_plain_labels(table) else str(label) for label in table.index]
    if title_column is None:
        return labels
    return [
        label if pd.isna(value) else str(value)
        for value, label in zip(table[title_column], labels, strict=True)
    ]


def _is_text(column: pd.Series[Any]) -> bool:
    return pd.api.types.is_string_dtype(column) or isinstance(column.dtype, pd.CategoricalDtype)


def _factor(name: str, column: pd.Series[Any]) -> tuple[FactorSpec, NDArray[np.float64]] | None:
    """A column as a factor, or None where it cannot be one."""
    is_class = pd.api.types.is_bool_dtype(column) or _is_text(column)
    if is_class:
        if column.isna().any() or not 2 <= column.nunique() <= min(MOST_LEVELS, len(column) / 2):
            return None
        codes, levels = pd.factorize(column, sort=True)
        spec = FactorSpec(name, "categorical", levels=tuple(map(str, levels)))
        return spec, codes.astype(np.float64)
    if not pd.api.types.is_numeric_dtype(column) or pd.api.types.is_complex_dtype(column):
        return None
    values = column.to_numpy(dtype=np.float64, na_value=np.nan)
    return (FactorSpec(name, "continuous"), values) if np.isfinite(values).all() else None
