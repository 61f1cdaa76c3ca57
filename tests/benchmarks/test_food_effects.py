"""Effects of axes on factors: axes that are factors change their own and leave the others."""

import numpy as np
import pandas as pd
import pytest

from benchmarks import food_effects as bench
from rivae.data.food_factors import FACTOR_NAMES
from rivae.retrieval.retriever import Retriever
from rivae.runs import DEMO_ROOT, Run


@pytest.fixture(scope="module")
def retriever():
    run = Run(DEMO_ROOT / "demo-kitchen")
    data = run.load_dataset()
    return Retriever(run.load_method(data), data, np.sort(data.splits["test"]))


@pytest.mark.slow(rare=True)  # half a minute; what it measures by is tested with the metrics
def test_axes_that_are_factors_change_their_own(retriever):
    levels = retriever.data.factors[retriever.ids]
    found = bench.measured(retriever, levels)
    assert found["factors"] == 8 and found["axes"] >= 8
    assert found["own"] > 5 * found["other"]
    shuffled = bench.measured(retriever, np.random.default_rng(0).permutation(levels))
    assert shuffled["factors"] <= 1 and shuffled["own"] < 0.2 * found["own"]


def test_the_table():
    key = {"method": "rivae", "kind": "statistics + Lite0", "asks": "recipe"}
    values = dict.fromkeys((*bench.COLUMNS, *FACTOR_NAMES))
    rows = pd.DataFrame([{**key, **dict.fromkeys(values, v)} for v in (0.4, 0.6)])
    last = bench.table(rows).splitlines()[-1]
    assert last.startswith(
        "| RIVAE (statistics + Lite0) | recipe | 2 | 0.5 ± 0.1 | 0.5 ± 0.1 | 0.50"
    )
    assert last.endswith(" 0.50 |")
