"""The kitchen, its plan and its true levels as labels, for tests of early numbers."""

import numpy as np
import pandas as pd

from rivae.data.food_factors import FACTOR_NAMES
from rivae.labels.coverage import measured_traversal
from rivae.labels.early.ground import Ground
from rivae.labels.early.sample import most_retrieved, sample_items
from rivae.labels.table import level_table
from rivae.retrieval.base import Floats
from rivae.retrieval.retriever import Retriever
from rivae.retrieval.traversal import Traversal
from rivae.runs import Run, find_run

N_QUERIES = 20


Opened = tuple[Run, Traversal, Ground, Floats]


def opened_kitchen() -> Opened:
    """The run, its traversal, its ground and the true levels of its items."""
    run = find_run("demo-kitchen")
    data = run.load_dataset()
    retriever = Retriever(run.load_method(data), data, data.splits["test"])
    traversal = measured_traversal(run, data, retriever, n_queries=N_QUERIES)
    ground = Ground.of(retriever, traversal)
    return run, traversal, ground, data.factors[ground.items] + 1.0


def table_of(ground, levels, rows, annotator="ann", factors=FACTOR_NAMES) -> pd.DataFrame:
    """True levels of some data rows as a table of labels."""
    local = np.searchsorted(ground.items, rows)
    return pd.DataFrame(
        {
            "annotator": annotator,
            "item": np.repeat(rows, len(factors)),
            "factor": list(factors) * len(rows),
            "level": levels[local][:, : len(factors)].ravel(),
        }
    )


def of_first(ground, levels, traversal, n) -> np.ndarray:
    """The levels of the first ``n`` items of a sample; NaN elsewhere."""
    rows = sample_items(most_retrieved([traversal]), ground.items, n).rows
    local = np.searchsorted(ground.items, rows)
    given = np.full(levels.shape, np.nan)
    given[local] = levels[local]
    return given


def labels_of_none() -> pd.DataFrame:
    return level_table([], {})
