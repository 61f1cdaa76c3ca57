"""One table of metrics: a new one is a file and a line, and stands wherever metrics stand."""

import math
import subprocess
import sys

import numpy as np
import pytest

from rivae.app.metrics.benchmark_tables import table_views
from rivae.app.metrics.report import report_of, run_payload
from rivae.app.metrics.results_table import payload
from rivae.base.files import json_ready
from rivae.benchmark.report import HEADINGS, report
from rivae.benchmark.rows import make_row
from rivae.benchmark.scores import scores
from rivae.benchmark.summary import summarise
from rivae.cli import show
from rivae.data.base import FactorSpec
from rivae.figures.tables import scores_of, to_markdown
from rivae.metrics import mcc, registry
from rivae.metrics.suite import NullSettings, latent_metrics
from rivae.runs import DEMO_ROOT, Run
from rivae.runs.evaluation_file import Evaluation
from rivae.runs.results import Result
from tests.metrics import toy_metric

SPECS = (FactorSpec("a", "continuous"), FactorSpec("b", "continuous"))


@pytest.fixture
def measured(monkeypatch):
    """What a model scores once the toy metric has its line in the registry."""
    monkeypatch.setattr(registry, "OF_LATENTS", (mcc.OF_LATENTS, toy_metric.OF_LATENTS))
    factors = np.random.default_rng(0).uniform(size=(60, 2))
    null = NullSettings(fast=5, slow=0)
    found = latent_metrics(factors[:, ::-1] * 3, factors, SPECS, null=null)
    return {n: Result.model_validate(json_ready(r.to_dict())) for n, r in found.items()}


def test_a_new_metric_is_measured_with_its_level_of_chance(measured):
    assert measured["toy"].score == pytest.approx(1.0)
    assert measured["toy"].null.p_value == 1.0, "the least is the best"


def test_a_new_metric_is_in_the_tables_of_the_benchmark(measured):
    rows = [
        make_row(dataset="synth", method="rivae", preset="default", config="{}", seed=seed, **score)
        for seed in (0, 1)
        for score in scores(Evaluation(factors=measured))
    ]
    heading, _, line = report(rows).split(f"### {HEADINGS['standard', '']}\n\n")[1].splitlines()[:3]
    assert heading == "| method | MCC | MCC (Spearman) | Toy² | n |"
    assert line.endswith("| 1.0 ± 0.0 | 2 |")
    views = table_views(summarise(rows), "synth")
    data = payload(next(view for view in views if view.id == "standard"), None, "x")
    assert [c["label"] for c in data["columns"]][-2:] == ["Toy² ↓", "n"]
    assert data["rows"][0]["cells"][2]["main"] == "1.0 ± 0.0"


def test_a_new_metric_is_in_the_report_of_a_run_and_its_files(measured, capsys):
    run = Run(DEMO_ROOT / "demo-synth")
    stored = run.evaluation.model_copy(update={"factors": measured})
    rows = run_payload(report_of(stored, "synth", "rivae"), "x")["rows"]
    (row,) = (row for row in rows if row.get("name") == "Toy² ↓")
    assert [row["cells"][0]["main"], row["cells"][1]["main"]] == ["1.0", "0 … 1"]
    assert "Toy² ↓" in to_markdown(scores_of(measured, "r"))
    show._print_evaluation(run, stored, kept=False)
    assert "toy" in capsys.readouterr().out


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
        "import sys, rivae.metrics.registry; sys.exit({'torch', 'scipy'} & {*sys.modules} != set())"
    )
    subprocess.run([sys.executable, "-c", slow], check=True)
    found = registry.metrics()
    assert len({metric.label for metric in found.values()}) == len(found)
    assert registry.metric("a_term of a loss").label == "a term of a loss"
    assert registry.metric("recall_at_5").chance(1000) == 0.005
    assert registry.metric("median_rank").chance(1000) == 500.5
