"""From what the store hands out to the table that scores are made of, verdicts included."""

import numpy as np
import pandas as pd

from rivae.labels.table import (
    COLUMNS,
    adjudicated,
    consensus,
    item_rows,
    labelled_items,
    labels_table,
    rating_cube,
)
from tests.retrieval.small import small_data


def test_items_of_the_store_become_rows():
    data = small_data()
    rows = item_rows(data, [3, 7])
    assert rows == {"small:3": 3, "small:7": 7}
    assert len(item_rows(data)) == len(data)
    handed = [("a", "small:3", "green", 4), ("b", "small:7", "green", None),
              ("b", "other:7", "green", 1)]  # fmt: skip
    table = labels_table(handed, rows)
    assert table["item"].tolist() == [3, 7] and np.isnan(table["level"][1])
    assert labelled_items(table).tolist() == [3]
    assert labels_table([], rows).columns.tolist() == list(COLUMNS)


def test_a_verdict_stands_whoever_is_asked():
    labels = pd.DataFrame(
        [("a", 1, "green", 1.0), ("b", 1, "green", 5.0), ("a", 2, "green", 2.0)], columns=COLUMNS
    )
    verdicts = pd.DataFrame(
        [("c", 1, "green", 3.0), ("c", 1, "green", 4.0), ("c", 9, "green", np.nan)],
        columns=COLUMNS,
    )
    final = adjudicated(labels, verdicts)
    _, cube = rating_cube(final, [1, 2, 9], ["green"])
    assert consensus(cube)[:2, 0].tolist() == [4, 2] and np.isnan(consensus(cube)[2, 0])
    for weights in ([2, 0, 0], [0, 2, 0]):
        assert consensus(cube, weights)[0, 0] == 4
    assert len(final) == 4 and labels["level"].tolist() == [1, 5, 2]
    nothing = adjudicated(labels, verdicts[:0])
    assert nothing["level"].tolist() == labels["level"].tolist()


def test_a_verdict_of_cannot_tell_takes_the_levels_away():
    labels = pd.DataFrame([("a", 1, "green", 1.0)], columns=COLUMNS)
    verdict = pd.DataFrame([("c", 1, "green", np.nan)], columns=COLUMNS)
    assert np.isnan(adjudicated(labels, verdict)["level"]).all()
