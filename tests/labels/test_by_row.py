"""From the store to the table that agreement and D/C/I take."""

import numpy as np

from rivae.data.registry import load_dataset
from rivae.labels.row_keys import keys_by_row, label_table
from rivae.labels.store import LabelStore
from rivae.labels.table import check_labels, rating_cube
from tests.labels.making import event


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
