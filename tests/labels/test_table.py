"""Verdicts of an adjudication in the table that scores are made of."""

import numpy as np
import pandas as pd

from rivae.labels.table import COLUMNS, adjudicated, consensus, labelled_items, rating_cube


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
