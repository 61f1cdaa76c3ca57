"""Model-made levels of the eight food factors for 2,284 real dishes, to score runs with.

They are ``assets/factors/food_levels_model.csv``: recipe ids and numbers, without text or picture;
the guideline beside it has the questions and the agreement of the two passes. Results from them are
marked ``MODEL_MADE``. They are used for evaluation only, never to choose presets or models.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from rivae.base.errors import DataError
from rivae.base.installed import APP_FILES
from rivae.data.base import PairedDataset
from rivae.data.food_factors import FACTOR_NAMES
from rivae.labels.table import consensus, rating_cube
from rivae.retrieval.base import Floats

MODEL_MADE = "model-made levels"  # the words of every table, card and page that uses them
FOOD_LEVELS = APP_FILES / "assets" / "factors" / "food_levels_model.csv"


def read_levels(path: Path = FOOD_LEVELS) -> pd.DataFrame:
    """One row per dish and pass: ``id``, ``pass`` and a level 1 to 5 of each factor, NaN where the
    model could not tell (0 in the file).

    Raises:
        DataError: the file cannot be read, a column is missing, or a level is none of 0 to 5.
    """
    columns = ["id", "pass", *FACTOR_NAMES]
    try:
        table = pd.read_csv(path, dtype={"id": str, "pass": str})
        levels = table[columns][list(FACTOR_NAMES)].astype(np.float64)
    except (OSError, ValueError, KeyError):
        raise DataError(
            f"{path.name} is no table of food levels with the columns {', '.join(columns)}: get "
            "it again from assets/factors"
        ) from None
    if not levels.isin(range(6)).all(axis=None):
        raise DataError(f"a level in {path.name} is none of 0 to 5: get it again")
    return pd.concat([table[columns[:2]], levels.replace(0.0, np.nan)], axis=1)


def model_levels(data: PairedDataset, path: Path = FOOD_LEVELS) -> pd.DataFrame:
    """The levels of the dishes in a data set as a table of labels (``rivae.labels.table``), each
    pass an annotator; dishes that the data set does not have are left out.

    Raises:
        DataError: as ``read_levels``, or no dish of the data set has a level.
    """
    row_of = {str(name): row for row, name in enumerate(data.item_ids())}
    table = read_levels(path)
    table = table[table["id"].isin(row_of.keys())]
    if table.empty:
        raise DataError(
            f"no item of {data.name} has {MODEL_MADE}: they are of recipes with ids like ar_6681"
        )
    table = table.assign(item=table["id"].map(row_of)).rename(columns={"pass": "annotator"})
    return table.melt(["annotator", "item"], list(FACTOR_NAMES), "factor", "level")


def level_matrix(
    labels: pd.DataFrame, rows: int | np.ndarray, annotators: Sequence[str] = ()
) -> Floats:
    """Levels (n, 8) of data rows, the mean of the passes; NaN where there is none.

    Args:
        labels: from ``model_levels``.
        rows: (n,) sorted data rows, or the number of all.
        annotators: only these passes; all by default.
    """
    if len(annotators):
        labels = labels[labels["annotator"].isin(annotators)]
    items = np.arange(rows) if isinstance(rows, int) else rows
    return consensus(rating_cube(labels, items, FACTOR_NAMES)[1], how="mean")
