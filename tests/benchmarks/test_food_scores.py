"""The scores of real food: measured on the kitchen, whose levels are known, and their tables."""

import numpy as np
import pandas as pd
import pytest

from benchmarks import food_scores as bench
from benchmarks import food_tables as tables
from benchmarks.cells import head_of
from rivae.data.food_factors import FACTOR_NAMES
from rivae.labels.food_levels import MODEL_MADE
from rivae.metrics.registry import metric
from rivae.runs import DEMO_ROOT, Run

# Its runs are trained once.
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("benchmarks food scores")]

KEPT = {"train": 400, "test": 300}


@pytest.fixture(scope="module")
def measured():
    """The demo run with the true levels of its dishes, on a part of them and roughly."""
    run = Run(DEMO_ROOT / "demo-kitchen")
    data = run.load_dataset()
    data.splits = {name: rows[: KEPT.get(name)] for name, rows in data.splits.items()}
    table = pd.DataFrame(data.factors + 1, columns=list(FACTOR_NAMES)).assign(annotator="pass-1")
    labels = table.reset_index(names="item").melt(
        ["annotator", "item"], var_name="factor", value_name="level"
    )
    with pytest.MonkeyPatch.context() as patch:
        for name, value in {
            "N_QUERIES": 5,
            "N_BOOTSTRAP": 20,
            "SHUFFLES": 2,
            "HALVINGS": 2,
            "SIZES": (4, 60),
            "SPLITS": 1,
            "FEW_QUERIES": 4,
        }.items():
            patch.setattr(bench, name, value)
        return [
            pd.DataFrame([{**head_of(run), **row} for row in measure(run, data, labels)])
            for measure in (bench.measure_scores, bench.measure_counts)
        ]


def test_axes_that_are_factors_score_high_and_chance_does_not(measured):
    scores = measured[0].query("asks == 'picture'").groupby("of").mean(numeric_only=True)
    assert scores.loc["run", "mcc"] > 0.85 and scores.loc["run", "own"] > 0.85
    assert scores.loc["run", "d_all"] > 0.3 and scores.loc["run", "r2"] > 0.7
    for of in ("turned", "shuffled"):
        assert scores.loc[of, "own"] < scores.loc["run", "own"] - 0.2
        # C, not D: ten turned axes, each nearest to a factor of its own, may keep their D.
        assert scores.loc[of, "c_all"] < scores.loc["run", "c_all"] - 0.05
    assert scores.loc["shuffled", "d_all"] < scores.loc["run", "d_all"] - 0.1
    assert scores.loc["turned", "r2"] == pytest.approx(scores.loc["run", "r2"], abs=0.05)
    run = measured[0].query("of == 'run'").iloc[0]
    assert run["d_ten_low"] <= run["d_ten"] <= run["d_ten_high"]


def test_labels_buy_axes_that_are_theirs(measured):
    counts = measured[1].query("asks == 'picture'").set_index(["how", "n"])
    assert counts.index.tolist() == [
        ("", 0),
        *((how, n) for how in bench.HOW for n in (4, 60)),
        (bench.ALL, 150),
    ]
    assert (counts.xs(4, level="n")["aligned"] == 0).all(), "too few to align any"
    assert counts.loc[("random", 4), "mcc"] == counts.loc[("", 0), "mcc"]
    assert (counts.xs(60, level="n")["aligned"] == 8).all()
    assert (counts.xs(60, level="n")["mcc"] > 0.7).all()


def test_whole_dishes_are_shuffled():
    labels = pd.DataFrame(
        [("1", item, factor, item % 5 + 1) for item in range(60) for factor in FACTOR_NAMES],
        columns=["annotator", "item", "factor", "level"],
    )
    rows = np.arange(10, 50)
    found = bench.level_matrix(bench.shuffled(labels, rows, 0), rows)
    before = bench.level_matrix(labels, rows)
    assert (found == found[:, :1]).all() and (found != before).any()
    assert sorted(found[:, 0]) == sorted(before[:, 0])


def test_the_tables_name_every_method_and_the_levels(measured):
    scores, counts = measured
    bound = pd.DataFrame([bench.between_passes()])
    assert bound["own"].iloc[0] < bound["mcc"].iloc[0] < 1
    text = tables.report(pd.concat([scores, bound]), counts)
    assert MODEL_MADE in text.splitlines()[0]
    first, factors, labels = text.split("\n## ")
    for name in tables.ROWS:
        mark = tables.MISSING if name != "rivae" else "picture"
        for part in (first, factors, labels):
            assert any(
                tables.method_title(name) in line and f"| {mark} |" in line
                for line in part.splitlines()
            )
    mine = next(
        line for line in first.splitlines() if tables.row_title("rivae", "demo-kitchen") in line
    )
    assert "[0.857]" in mine and "[0.862]" in mine
    assert "[failed]" in first and "[0.620]" in first
    assert tables.PASSES in factors and metric("mcc_own").label in labels
    none = tables.report(scores.iloc[:0], counts.iloc[:0])
    assert none.count(tables.MISSING) >= 3 * len(tables.ROWS)
