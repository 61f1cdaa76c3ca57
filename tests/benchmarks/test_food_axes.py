"""The table of food axes: levels find their dishes, and scores know axes from noise."""

import numpy as np
import pandas as pd
import pytest

from benchmarks import food_axes as bench
from rivae.data.food_factors import FACTOR_NAMES


def label_table(levels, annotator):
    """Levels (n, 8) as a table of labels."""
    table = pd.DataFrame(levels, columns=list(FACTOR_NAMES)).assign(annotator=annotator)
    return table.reset_index(names="item").melt(
        ["annotator", "item"], var_name="factor", value_name="level"
    )


def test_a_few_labels_find_what_is_there():
    rng = np.random.default_rng(0)
    z = rng.standard_normal((600, 4))
    levels = np.column_stack([z[:, 0] + z[:, 1], rng.standard_normal(600)])
    levels[0] = np.nan
    assert bench.from_labels(z, levels[:, :1]) > 0.98
    assert bench.from_labels(z, levels[:, 1:]) < 0.2


def test_the_best_axes_are_those_with_the_highest_correlation():
    table = np.linspace(0, 0.9, 24).reshape(12, 2)
    assert np.array_equal(bench.best_axes(table), table[::-1][: bench.N_AXES])


def test_the_table():
    key = {"method": "rivae", "kind": "stat", "asks": "recipe"}
    rows = pd.DataFrame([{**key, **dict.fromkeys(bench.COLUMNS, v)} for v in (0.4, 0.6)])
    last = bench.table(rows).splitlines()[-1]
    assert last.startswith("| RIVAE (stat) | recipe | 2 | 0.5 ± 0.1 | 0.500 ± 0.141 |")


@pytest.mark.slow
def test_the_limits_of_a_representation():
    rng = np.random.default_rng(1)
    levels = rng.standard_normal((400, 8))
    levels[3, 2] = np.nan
    turned = np.nan_to_num(levels) @ np.linalg.qr(rng.standard_normal((8, 8)))[0]
    found = bench.limits(turned, levels)
    assert found["r_all"] > 0.99 and found["c_levels"] > 0.9, "labels turn the axes back"
    assert found["c_axes"] < 0.8 and found["r_labels"] > 0.95
    noise = bench.limits(rng.standard_normal((400, 8)), levels)
    assert noise["r_all"] < 0.15


def test_what_the_levels_allow():
    rng = np.random.default_rng(2)
    first = label_table(rng.integers(1, 6, (40, 8)), "1")
    second = label_table(rng.integers(1, 6, (40, 8)), "2")
    whole, between = bench.of_levels(pd.concat([first, second]), np.arange(40))
    assert whole["r_all"] == pytest.approx(1) and whole["c_levels"] > between["c_levels"]
    assert between["r_all"] < 0.4, "two passes of unrelated levels"


def test_the_table_of_limits():
    rows = pd.DataFrame([{"of": "words", **dict.fromkeys(bench.LIMITS, v)} for v in (0.4, 0.6)])
    rows.loc[:, "d_axes"] = np.nan
    last = bench.limits_table(rows).splitlines()[-1]
    assert last.startswith("| words | 2 | 0.500 ± 0.141 | 0.500 ± 0.141 | – |")
