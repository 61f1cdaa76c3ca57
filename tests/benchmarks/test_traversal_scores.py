"""The paper's traversal scores by quality of the axes: small, on the kitchen."""

import numpy as np
import pandas as pd
import pytest

from benchmarks import traversal_scores as bench
from rivae.runs import find_run


@pytest.fixture(scope="module")
def factors():
    return find_run("demo-kitchen").load_dataset().factors


@pytest.fixture(scope="module")
def ideal(factors):
    rows = np.arange(0, 6000, 7)
    axes = bench.ideal_axes(factors, rows, rows[:8])
    return pd.DataFrame(bench.scores(axes, factors, np.random.default_rng(0)))


@pytest.mark.slow
def test_perfect_axes_lose_by_what_unrelated_factors_reach_without_a_sign(ideal):
    ideal = ideal.set_index(["axes", "variant"])
    paper = ideal.loc[(bench.FACTORS, "as in the paper")]
    signed = ideal.loc[(bench.FACTORS, "sign kept until the mean over queries")]
    assert signed["D"] > paper["D"] + 0.05 and signed["D"] > 0.9
    shuffled = ideal.loc[(f"{bench.FACTORS}, levels shuffled", "as in the paper")]
    assert shuffled["D"] < 0.2 and shuffled["median"] > 0.2


def test_dependent_items_are_some_in_which_pairs_go_together(factors):
    rows = np.arange(0, 6000, 7)
    items = bench.items_of(factors, rows, np.random.default_rng(0))
    first, second = bench.PAIRS[0]
    r = {which: np.corrcoef(factors[some].T)[first, second] for which, some in items.items()}
    assert r["dependent"] > 0.5 > 0.2 > abs(r["random"])
    assert len(items["dependent"]) == len(items["random"]) < len(rows) == len(items["all"])


@pytest.mark.slow
def test_the_table_has_a_row_of_each_variant(ideal):
    named = ideal.assign(axes=ideal["axes"].str.replace(bench.FACTORS, "aligned with labels"))
    rows = pd.concat([ideal, named]).assign(run="kitchen")
    lines = bench.table_of(rows[~rows["axes"].eq(f"{bench.FACTORS}, levels shuffled")])
    assert lines.count("\n") == len(bench.VARIANTS) + 1
    assert "(MCC 1.00)" in lines and "| as in the paper | 0." in lines
