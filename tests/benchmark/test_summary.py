"""Lines of the tables: means, intervals, states, and the paper's numbers next to them."""

import math

import numpy as np
import pytest
from scipy.stats import t

from rivae.benchmark.lines import ABLATION
from rivae.benchmark.paper import paper_lines, paper_value
from rivae.benchmark.plan import Cell
from rivae.benchmark.rows import read_rows, write_rows
from rivae.benchmark.summary import interval, summarise
from rivae.benchmark.tables import WITHOUT_REG, columns, title
from rivae.metrics.measures.dci_paper import D, alpha_scores, alpha_sensitivity, at_alpha
from rivae.metrics.registry import metric as known
from rivae.metrics.registry import metrics
from rivae.models.base import Method
from rivae.models.registry import METHODS
from tests.benchmark.rows_for_tests import failed, not_run, row


def line(rows, metric="recall_at_1", table="retrieval", **wanted):
    """The one line of the summary that fits."""
    wanted = {"dataset": "sprites", "method": "rivae", "settings": "", **wanted}
    found = [
        each
        for each in summarise(rows)
        if each.metric == metric
        and each.table == table
        and all(getattr(each, key) == value for key, value in wanted.items())
    ]
    assert len(found) == 1, found
    return found[0]


def test_mean_spread_count_interval_and_the_papers_number() -> None:
    got = line([row(0.5, 0), row(0.6, 1), row(0.4, 2)])
    assert (got.state, got.n, got.n_runs, got.n_failed) == ("ours", 3, 3, 0)
    assert got.mean == pytest.approx(0.5) and got.std == pytest.approx(0.1)
    half = t.ppf(0.975, 2) * 0.1 / math.sqrt(3)
    assert (got.low, got.high) == pytest.approx((0.5 - half, 0.5 + half))
    assert got.paper == 1.0 and got.title == "RIVAE"


def test_seeds_of_one_draw_count_once_in_the_interval() -> None:
    scores = [(draw, seed, 0.1 * draw + 0.001 * seed) for draw in range(4) for seed in range(5)]
    means = [0.1 * draw + 0.002 for draw in range(4)]
    half = t.ppf(0.975, 3) * np.std(means, ddof=1) / 2
    assert interval(scores) == pytest.approx((0.152 - half, 0.152 + half))
    assert all(map(math.isnan, interval([(0, 0, 1.0)])))


def test_an_interval_stays_within_what_the_metric_can_be() -> None:
    def ends(values: tuple[float, float], metric: str, table: str, where: str = "") -> list[float]:
        rows = [row(v, n, metric=metric, where=where) for n, v in enumerate(values)]
        got = line(rows, metric, table, range=where)
        return [got.low, got.high]

    assert ends((0.9, 0.5), "recall_at_1", "retrieval") == [0, 1]
    assert ends((0.9, 0.5), "disentanglement", "factors", "paper") == [0, 1]
    assert ends((0.018, 0.012), "overlap", "digits", "paper") == [0, 1 / 45]
    low, high = ends((2.0, 4.0), "median_rank", "retrieval")
    assert low == 1 and high == pytest.approx(3 + t.ppf(0.975, 1))
    low, high = ends((0.9, 0.5), "r2", "standard")
    assert low == pytest.approx(0.7 - t.ppf(0.975, 1) * 0.2) and high == 1
    assert all(map(math.isnan, ends((0.9, math.nan), "mcc", "standard")))
    assert ends((0.95, 0.951), "mcc", "standard")[1] < 1, "one that fits is left alone"


@pytest.mark.parametrize("metric", metrics())
def test_every_metric_has_a_range(metric: str) -> None:
    low, high = known(metric).low, known(metric).high
    assert low < high and (math.isfinite(low) or math.isfinite(high))
    foreign = known("a metric of another version")
    assert (foreign.low, foreign.high) == (-math.inf, math.inf)


def test_the_interval_covers_the_mean_as_often_as_it_says() -> None:
    rng = np.random.default_rng(0)
    hits = 0
    for _ in range(400):
        of_draw = rng.normal(size=6)
        scores = [(d, s, of_draw[d] + 0.3 * rng.normal()) for d in range(6) for s in range(3)]
        low, high = interval(scores)
        hits += low <= 0 <= high
    assert 0.92 <= hits / 400 <= 0.98


def test_failed_runs_are_counted_and_not_averaged() -> None:
    got = line([row(0.9, 0), failed(1), failed(2, "another"), failed(3)])
    assert (got.state, got.n, got.n_failed, got.n_runs) == ("ours", 1, 3, 4)
    assert got.mean == 0.9 and got.reason == "the loss became nan"


def test_a_line_whose_runs_all_failed_is_failed_in_every_table() -> None:
    rows = [failed(0), failed(1)]
    for table in ("retrieval", "factors"):
        metric = columns(table)[0]
        got = line(rows, metric, table)
        assert (got.state, got.n, got.n_failed) == ("failed", 0, 2)
        assert got.paper == paper_value("sprites", "rivae", metric)
        assert math.isnan(got.mean)


def test_what_was_not_run_says_so_with_its_reason_and_the_papers_number() -> None:
    assert line([]).state == "not run" and line([]).paper == 1.0
    got = line([not_run(0)])
    assert (got.state, got.reason, got.n_runs) == ("not run", "no data here", 0)
    assert line([], dataset="recipe1m", method="bi-vae").paper == "failed"
    # One run that did not take place hides none that did.
    assert line([row(0.5, 0), not_run(1)]).state == "ours"


def test_an_undefined_score_has_no_part_in_the_mean() -> None:
    got = line([row(0.5, 0), row(math.nan, 1), row(None, 2)])
    assert (got.mean, got.n, got.n_runs) == (0.5, 1, 3)


def test_the_paper_stands_beside_its_own_range_only() -> None:
    rows = [row(0.5, metric="completeness", where=where) for where in ("paper", "prior")]
    got = {
        each.range: each
        for each in summarise(rows)
        if each.metric == "completeness" and each.dataset == "sprites" and each.method == "rivae"
    }
    assert got["paper"].paper == 0.9133 and got["prior"].paper is None


def test_the_ablation_has_both_lines() -> None:
    rows = [row(0.9, 0), row(0.1, 0, settings=WITHOUT_REG)]
    kept, left_out = (line(rows, table="ablation", settings=s) for s in ("", WITHOUT_REG))
    assert (kept.mean, kept.paper) == (0.9, 1.0)
    assert (left_out.mean, left_out.paper, left_out.title) == (0.1, 0.01, "RIVAE without L_Reg")
    assert Cell("synth", "rivae", "default", (0,), settings=ABLATION).settings_text == WITHOUT_REG
    never = line([], dataset="split-mnist", table="ablation", settings=WITHOUT_REG)
    assert (never.state, never.paper) == ("not run", 0.35)


def test_alpha_and_chance_lines_have_their_table() -> None:
    names = alpha_scores(alpha_sensitivity([[0.9, 0.1], [0.2, 0.8]]))
    assert tuple(sorted(names)) == tuple(sorted(columns("alpha")))
    metric = at_alpha(D, 20.0).key
    assert known(metric).label == "D, α = 20"
    assert line([row(0.5, metric=metric, where="paper")], metric, "alpha").mean == 0.5
    chance = row(0.1, metric="disentanglement", where="paper", method="chance-rotation", preset="")
    got = line([chance], "disentanglement", "factors", method="chance-rotation")
    assert got.paper is None and got.title.startswith("chance")


def test_lines_stand_in_the_papers_order_then_baselines_ablation_and_chance() -> None:
    rows = [
        row(0.1, method="chance-items", preset=""),
        row(0.2, settings=WITHOUT_REG),
        row(0.3, method="info-nce"),
        row(0.4),
        row(0.5, method="cos-sim-lvm"),
    ]
    got = [
        each.mean
        for each in summarise(rows)
        if each.dataset == "sprites"
        and each.metric == "recall_at_1"
        and each.table == "retrieval"
        and each.n
    ]
    assert got == [0.5, 0.4, 0.3, 0.2, 0.1]


def test_the_papers_numbers() -> None:
    assert paper_value("sprites", "rivae", "completeness") == 0.9133
    assert paper_value("sprites", "rivae", "mcc") is None
    assert paper_value("recipe1m", "dcca", "informativeness") == "failed"
    assert paper_value("split-mnist", "cos-sim", "median_rank") == 1.9
    assert paper_value("sprites", "rivae", "median_rank", WITHOUT_REG) == 144.4
    # C−O is printed as the difference of the two columns before it.
    for method in (m for d, table, m, _ in paper_lines() if table == "digits"):
        overlap, coverage, both = (paper_value("split-mnist", method, m) for m in columns("digits"))
        assert both == pytest.approx(coverage - overlap, abs=1e-9)
    # Four retrieval tables of 6 rows and a hidden one, three of factors, one of digits, ablation.
    assert len(paper_lines()) == 4 * 7 + 3 * 6 + 6 + 2 * 3


def test_the_tables_have_the_papers_rows_first_and_name_methods_as_they_do() -> None:
    printed = {method for _, _, method, settings in paper_lines() if not settings}
    rows = [name for name in METHODS if METHODS.said(name, "paper", False)]
    assert rows == list(METHODS)[: len(rows)]
    assert set(rows) == {name for name in printed if METHODS[name].has_latent}
    for name in METHODS:
        for said in ("title", "blurb", "paper", "has_latent", "smallest"):
            assert METHODS.said(name, said, getattr(Method, said, None)) == (
                getattr(METHODS[name], said)
            )
        assert title(name) == METHODS[name].title


def test_rows_on_features_name_their_sources_and_what_was_only_started() -> None:
    features = "dataset.store=food, dataset.features=statistics+efficientnet-lite0"
    assert title("rivae", features) == "RIVAE (statistics + Lite0)"
    wide = f"{features}+own, joint_epochs=0, n_components=60, dim_v=60, head_hidden=(120,)"
    assert title("rivae", wide) == "ridge CCA (statistics + Lite0 + own, 60 axes)"
    assert title("rivae", "dataset.store=food") == "RIVAE (photographs)"
    assert title("rivae", f"{features}, tau=2") == "RIVAE (statistics + Lite0, tau=2)"


def test_rows_of_the_earlier_baseline_are_not_read(tmp_path) -> None:
    kept = row(0.5)
    write_rows([kept, row(0.4, method="linear-cca")], tmp_path)
    assert [each["method"] for each in read_rows(tmp_path)] == [kept["method"]]
