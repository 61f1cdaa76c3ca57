"""evaluation.json as the Metrics page reads it, also where another hand wrote it."""

import csv
import io
import json
import math

import numpy as np
import pytest

from rivae.app.metrics.exports import run_files
from rivae.app.metrics.results_table import run_payload
from rivae.base.errors import DataError, RunError
from rivae.benchmark.run_report import report_of
from rivae.runs import DEMO_ROOT, Run, evaluation_file
from rivae.runs.evaluation_file import AGAIN, read_evaluation


@pytest.fixture
def stored():
    return Run(DEMO_ROOT / "demo-synth").evaluation.document()


def report(stored, dataset="synth", method="rivae"):
    """Of a file with this content."""
    return report_of(read_evaluation(json.dumps(stored).encode()), dataset, method)


def measured(found, heading, name):
    group = next(group for title, group in found.groups if heading in title)
    return next(m for m in group if m.name == name)


def test_every_metric_has_its_value_range_and_level_of_chance(stored):
    found = report(stored)
    assert [title.split(",")[0] for title, _ in found.groups] == [
        *["Retrieval"] * (1 + len(stored["retrieval_sampled"])),
        "Retrieved items",
        "Retrieved items",
        "z itself",
    ]
    names = [m.name for _, group in found.groups for m in group]
    groups = [stored[group] for group in ("retrieval", "factors", "factors_other")]
    groups += stored["retrieval_sampled"].values()
    assert len(names) == sum(map(len, groups)), "a metric is missing or doubled"
    d = measured(found, "−10 to 10", "disentanglement")
    assert d.value == stored["factors"]["disentanglement"]["score"]
    null = stored["factors"]["disentanglement"]["parts"]["null"]
    assert (d.chance, d.chance_std, d.p) == (null["mean"], null["std"], null["p_value"])
    assert (d.low, d.high, d.paper) == (0.0, 1.0, 0.9186)
    assert measured(found, "3 s.d.", "disentanglement").paper is None
    assert measured(found, "z itself", "r2").low is None


def test_retrieval_by_chance_is_exact(stored):
    found = report(stored)
    assert measured(found, "Retrieval", "recall_at_5").chance == 5 / 1000
    assert measured(found, "Retrieval", "median_rank").chance == 500.5


def test_the_papers_numbers_follow_the_papers_range(stored):
    settings = stored["settings"]
    settings["traversal"], settings["traversal_other"] = (
        settings["traversal_other"],
        settings["traversal"],
    )
    found = report(stored)
    assert measured(found, "−10 to 10", "completeness").paper == 0.8782
    assert measured(found, "3 s.d.", "completeness").paper is None
    assert [along.title for along in found.along] == ["3 s.d.", "Paper"]


def test_only_shared_factors_count(stored):
    (first, _) = report(stored).along
    assert [first.factors[k] for k in first.shared] == ["shared 1", "shared 2"]
    assert first.correlation.shape == (2, 4)
    assert first.chance["completeness"][0] > 0


def test_what_is_undefined_says_why():
    found = report(Run(DEMO_ROOT / "demo-digits").evaluation.document(), "split-digits")
    m = measured(found, "z itself", "dci_disentanglement")
    assert math.isnan(m.value) and m.reason.startswith("one factor")
    rows = run_payload(found, "x")["rows"]
    row = next(r for r in rows if r.get("name", "").startswith("DCI-D"))
    assert row["cells"][0]["main"] == "undefined" and "one factor" in row["cells"][0]["sub"]
    assert found.along[0].transitions.shape == (10, 45) and found.along[0].correlation is None


def test_digits_over_several_ranges(stored):
    assert report(stored).digit_ranges == ()
    stored["digits_ranges"] = [
        {"n_std": 30.0, "overlap": 0.02},
        {"n_std": 3.0, "overlap": 0.03},
        {"n_std": 3.0, "overlap": 0.01, "coverage": None},
        {"n_std": 10, "overlap": None, "coverage": 0.9},
    ]
    found = report(stored)
    assert [each.n_std for each in found.digit_ranges] == [3, 10, 30]
    title, group = found.groups[-1]
    assert title.startswith("Digit transitions")
    assert [m.label for m in group][:2] == ["overlap, mean ± 3 s.d.", "overlap, mean ± 10 s.d."]
    np.testing.assert_array_equal(
        [m.value for m in group], [0.01, math.nan, 0.02, math.nan, 0.9, math.nan]
    )


JUNK = [None, math.nan, "many", [], {}, -5, True, 1e400, [[1, 2], [3]], {"score": None}]


@pytest.mark.parametrize("junk", JUNK, ids=str)
@pytest.mark.parametrize(
    "path",
    [
        ("settings",),
        ("retrieval",),
        ("factors",),
        ("correlation",),
        ("created",),
        ("digits",),
        ("digits_ranges",),
        ("settings", "alpha"),
        ("settings", "traversal"),
        ("settings", "traversal", "range"),
        ("settings", "latents"),
        ("settings", "n_queries"),
        ("retrieval", "recall_at_1"),
        ("retrieval", "recall_at_1", "score"),
        ("retrieval", "recall_at_1", "settings"),
        ("retrieval", "recall_at_1", "n"),
        ("factors", "disentanglement", "parts"),
        ("factors", "disentanglement", "parts", "null"),
        ("factors", "disentanglement", "settings", "factors"),
        ("correlation", "absolute"),
        ("correlation", "factor_names"),
        ("correlation", "undefined_share"),
        ("correlation", "n_queries"),
    ],
    ids="/".join,
)
def test_a_file_of_another_hand_never_throws(stored, path, junk):
    place = stored
    for name in path[:-1]:
        place = place[name]
    place[path[-1]] = junk
    try:
        found = report(stored)
    except DataError as error:
        assert AGAIN in str(error)
        return
    json.dumps(run_payload(found, "x"), allow_nan=False)
    for along in found.along:
        assert along.correlation is None or np.isfinite(along.correlation).all()
        assert all(k < len(along.factors) for k in along.shared)
    assert found.alpha > 0
    for make in run_files(found, "r").values():
        make()


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda table: table["absolute"][0].__setitem__(0, 1.5), "correlation / absolute / 0 / 0"),
        (lambda table: table["factor_names"].pop(), "factor_names"),
        (lambda table: table["signed"].pop(), "axes"),
    ],
)
def test_a_table_that_does_not_fit_is_refused(stored, change, problem):
    change(stored["correlation"])
    with pytest.raises(DataError, match=f"{problem}.*: {AGAIN}"):
        report(stored)


def test_a_heading_cannot_break_the_latex_comment(stored):
    stored["settings"]["latents"] = "a\n\\input{evil}"
    for line in run_files(report(stored), "r")["tex"]().splitlines():
        assert not line.startswith("\\input")


def test_the_files_hold_every_metric(stored):
    files = {ending: make() for ending, make in run_files(report(stored), "my_run").items()}
    rows = list(csv.DictReader(io.StringIO(files["csv"])))
    assert len(rows) == sum(len(g) for _, g in report(stored).groups)
    mcc = next(r for r in rows if r["metric"] == "mcc")
    assert float(mcc["value"]) == stored["factors"]["mcc"]["score"] and mcc["chance"]
    recall = f"{stored['retrieval']['recall_at_1']['score']:.4f} (0.3500)"
    assert "## Retrieval" in files["md"] and f"| my_run | {recall} |" in files["md"]
    assert rf"my\_run & {recall}" in files["tex"]


def test_a_huge_or_damaged_file_is_one_sentence(tmp_path, monkeypatch):
    run = Run(tmp_path / "r")
    run.path.mkdir()
    assert run.evaluation is None
    (run.path / "evaluation.json").write_text("{not json")
    with pytest.raises(RunError, match=r"evaluation\.json is damaged"):
        _ = run.evaluation
    monkeypatch.setattr(evaluation_file, "MAX_BYTES", 3)
    with pytest.raises(RunError, match="too large"):
        _ = run.evaluation


def test_columns_without_any_number_are_left_out(stored):
    for group in ("factors", "factors_other"):
        for result in stored[group].values():
            result["parts"].pop("null", None)
    data = run_payload(report(stored, "no such data set"), "x")
    assert [c["id"] for c in data["columns"]] == ["metric", "value", "range", "chance"]
    assert {len(row["cells"]) for row in data["rows"] if "cells" in row} == {3}
    full = run_payload(report(stored), "x")
    assert [c["id"] for c in full["columns"]][-1] == "paper"
