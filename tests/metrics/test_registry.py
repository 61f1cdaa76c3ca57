"""Metrics as parts: a new one is one file, and stands wherever metrics stand."""

import math
import subprocess
import sys

import numpy as np
import pytest

from rivae.base.errors import ConfigError
from rivae.base.files import json_ready
from rivae.benchmark.report import HEADINGS, report
from rivae.benchmark.rows import make_row
from rivae.benchmark.scores import scores
from rivae.benchmark.summary import summarise
from rivae.cli import show
from rivae.data.base import FactorSpec
from rivae.figures.tables import scores_of, to_markdown
from rivae.metrics import registry
from rivae.metrics.base import OfLatents, Sample
from rivae.metrics.registry import METRICS
from rivae.metrics.suite import NullSettings, latent_metrics
from rivae.runs import DEMO_ROOT, Run
from rivae.runs.evaluation_file import Evaluation
from rivae.runs.results import Result
from tests.documented import WAYS, added, example

SPECS = (FactorSpec("a", "continuous"), FactorSpec("b", "continuous"))
APP = "the extra 'app' is missing"
NAME, KEY, LABEL = "strongest-link", "strongest_link", "strongest link"


@pytest.fixture(params=WAYS)
def measured(request, tmp_path):
    """What a model scores once there is the metric of the documentation."""
    with added(METRICS, request.param, NAME, example("A metric"), tmp_path):
        factors = np.random.default_rng(0).uniform(size=(60, 2))
        null = NullSettings(fast=5, slow=0)
        found = latent_metrics(factors[:, ::-1] * 3, factors, SPECS, null=null, refits=False)
        yield {n: Result.model_validate(json_ready(r.to_dict())) for n, r in found.items()}


def test_a_new_metric_is_measured_with_its_level_of_chance(measured):
    assert measured[KEY].score == pytest.approx(1.0)
    assert measured[KEY].null.p_value == pytest.approx(1 / 6) and measured[KEY].null.mean < 0.6


def test_a_new_metric_is_in_the_tables_of_the_benchmark(measured):
    rows = [
        make_row(dataset="synth", method="rivae", preset="default", config="{}", seed=seed, **score)
        for seed in (0, 1)
        for score in scores(Evaluation(factors=measured))
    ]
    heading, _, line = report(rows).split(f"### {HEADINGS['standard', '']}\n\n")[1].splitlines()[:3]
    assert heading.startswith("| method | MCC | MCC (Spearman) | MCC (own part) | linear R² |")
    assert heading.endswith(f"| {LABEL} | n |") and line.endswith("| 1.000 ± 0.000 | 2 |")
    pytest.importorskip("streamlit", reason=APP)
    from rivae.app.metrics.results_table import payload
    from rivae.benchmark.table_views import table_views

    views = table_views(summarise(rows), "synth")
    data = payload(next(view for view in views if view.id == "standard"), None, "x")
    assert [c["label"] for c in data["columns"]][-2:] == [f"{LABEL} ↑", "n"]
    assert data["rows"][0]["cells"][-2]["main"] == "1.000 ± 0.000"


def test_a_new_metric_is_in_the_report_of_a_run_and_its_files(measured, capsys):
    run = Run(DEMO_ROOT / "demo-synth")
    stored = run.evaluation.model_copy(update={"factors": measured})
    assert f"{LABEL} ↑" in to_markdown(scores_of(measured, "r"))
    show._print_evaluation(run, stored, is_kept=False)
    assert KEY in capsys.readouterr().out
    pytest.importorskip("streamlit", reason=APP)
    from rivae.app.metrics.results_table import run_payload
    from rivae.benchmark.run_report import report_of

    rows = run_payload(report_of(stored, "synth", "rivae"), "x")["rows"]
    (row,) = (row for row in rows if row.get("name") == f"{LABEL} ↑")
    assert [row["cells"][0]["main"], row["cells"][1]["main"]] == ["1.000", "0 … 1"]


def test_columns_keep_their_order():
    """Published tables have it; a new metric stands after these."""
    published = {
        "standard": (
            *("mcc", "mcc_spearman", "mcc_own", "r2", "r2_nonlinear"),
            *("dci_disentanglement", "dci_completeness", "dci_informativeness"),
            *("infom", "infoc", "infoe"),
        ),
        "retrieval": ("recall_at_1", "recall_at_5", "recall_at_10", "median_rank"),
        "factors": ("disentanglement", "completeness", "informativeness"),
        "digits": ("overlap", "coverage", "coverage_minus_overlap"),
    }
    for table, names in published.items():
        assert registry.columns(table)[: len(names)] == names


@pytest.mark.parametrize("name", METRICS)
def test_what_every_metric_promises(name):
    group = METRICS[name]
    assert group.name == name and group.metrics
    for metric in group.metrics:
        assert metric.label and metric.title and metric.low < metric.high
        assert registry.metric(metric.key) is metric, "no other has this key"
    if not isinstance(group, OfLatents):
        return
    rng = np.random.default_rng(0)
    factors = rng.uniform(size=(200, 2))
    measured = group.measure(Sample(factors @ rng.normal(size=(2, 2)), factors, SPECS, cheap=True))
    assert set(measured) == {metric.key for metric in group.metrics}
    for key, result in measured.items():
        known = registry.metric(key)
        assert (result.name, result.low, result.high) == (key, known.low, known.high)
    categorical = (FactorSpec("a", "categorical", role="private2"),) * 2
    of_none = group.measure(Sample(factors, np.round(factors), categorical, cheap=True))
    assert all(math.isnan(result.score) for result in of_none.values())


def test_an_unknown_group_of_metrics_is_one_sentence():
    with pytest.raises(ConfigError, match="there is no metric 'mmc': choose one of retrieval, "):
        METRICS["mmc"]


def test_what_is_known_of_a_metric_is_what_its_results_say():
    for run in ("demo-synth", "demo-digits"):
        evaluation = Run(DEMO_ROOT / run).evaluation
        for results in evaluation.groups().values():
            for name, result in results.items():
                known = registry.metrics()[name]
                assert (-math.inf if result.low is None else result.low) == known.low
                assert name == "median_rank" or result.high == known.high
                assert result.higher_is_better == known.higher_is_better


def test_names_are_told_apart_and_wait_for_no_library():
    slow = (
        "import sys, rivae.metrics.registry as r; r.metrics();"
        "sys.exit({'torch', 'scipy'} & {*sys.modules} != set())"
    )
    subprocess.run([sys.executable, "-c", slow], check=True)
    found = registry.metrics()
    assert len({metric.label for metric in found.values()}) == len(found)
    assert registry.metric("a_term of a loss").label == "a term of a loss"
    assert registry.metric("recall_at_5").chance(1000) == 0.005
    assert registry.metric("median_rank").chance(1000) == 500.5


def test_a_key_of_another_metric_is_refused():
    twin = OfLatents("twin", METRICS["r2"].metrics, lambda sample: {})
    with pytest.raises(ConfigError, match=r"metrics 'r2' \(rivae.metrics.measures.r2\) and 'twin'"):
        METRICS.register(twin)
    assert "twin" not in METRICS
