"""Labels as the table that agreement and D/C/I take; verdicts in it."""

import numpy as np
import pandas as pd

from rivae.data.registry import load_dataset
from rivae.labels.store import LabelStore
from rivae.labels.table import (
    COLUMNS,
    adjudicated,
    check_labels,
    consensus,
    keys_by_row,
    label_table,
    labelled_items,
    rating_cube,
)
from tests.labels.making import event


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
    assert labelled_items(final).tolist() == [1, 2]
    assert len(final) == 4 and labels["level"].tolist() == [1, 5, 2]
    nothing = adjudicated(labels, verdicts[:0])
    assert nothing["level"].tolist() == labels["level"].tolist()


def test_a_verdict_of_cannot_tell_takes_the_levels_away():
    labels = pd.DataFrame([("a", 1, "green", 1.0)], columns=COLUMNS)
    verdict = pd.DataFrame([("c", 1, "green", np.nan)], columns=COLUMNS)
    assert np.isnan(adjudicated(labels, verdict)["level"]).all()


def test_labels_come_back_by_their_data_row(tmp_path):
    data = load_dataset("kitchen", image_size=32)
    rows = np.array([[40, 7], [7, 4321]])
    keys = keys_by_row(data, rows)
    assert list(keys) == [7, 40, 4321] and all(k.startswith("kitchen:") for k in keys.values())
    with LabelStore(tmp_path / "labels.db") as store:
        store.append(
            [
                event("bob", keys[40], 5),
                event("ann", keys[40], None),
                event("ann", keys[7], 1),
                event("ann", keys[7], 2),
                event("ann", keys[7], 4, repeat=True),
                event("ann", "x:1", 3),
                event("eve", keys[4321], 3, action="adjudicate"),
            ]
        )
        found = label_table(store, data, rows)
        assert found["annotator"].tolist() == ["ann", "ann", "bob"]
        assert found["item"].tolist() == [7, 40, 40]
        np.testing.assert_array_equal(found["level"], [2, np.nan, 5])
        assert label_table(store, data, rows, "repeat")["level"].tolist() == [4]
        assert label_table(store, data, rows, "adjudication")["item"].tolist() == [4321]
        assert len(label_table(store, data, [0])) == 0
    check_labels(found)
    annotators, cube = rating_cube(found, [7, 40, 4321], ["greenness", "fruit"])
    assert annotators == ("ann", "bob")
    np.testing.assert_array_equal(cube[:, :2, 0], [[2, np.nan], [np.nan, 5]])
