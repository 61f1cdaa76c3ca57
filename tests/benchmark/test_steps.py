"""Steps on the axes: every method gets the same ones, one rule chooses, and no run changes."""

from __future__ import annotations

import copy
import json
import shutil

import numpy as np
import pandas as pd
import pytest
import torch

from rivae.base.errors import RunError
from rivae.base.installed import APP_FILES
from rivae.benchmark import scores as scores_module
from rivae.benchmark.cell import is_done, run_cell
from rivae.benchmark.plan import Cell
from rivae.benchmark.report import HEADINGS, RULE, report, settings_report
from rivae.benchmark.rows import make_row, read_rows, write_rows
from rivae.benchmark.scores import STEPS_FILE, chosen_step, kept_steps, measure_steps
from rivae.benchmark.summary import summarise
from rivae.benchmark.table_views import table_views
from rivae.benchmark.tables import columns
from rivae.cli.demo import DEMO_ROOT
from rivae.jobs.launch import choose_axes, train
from rivae.metrics.registry import of_latents
from rivae.runs import Run
from rivae.runs.evaluation_file import Evaluation
from rivae.training.alignment.base import unchanged
from rivae.training.alignment.registry import STEPS
from rivae.training.alignment.steps import (
    ALIGNMENT,
    applicable_changes,
    axis_change,
    carried_change,
    turned,
)
from tests.benchmark.rows_for_tests import row

# Its runs are trained once.
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("benchmark steps")]

METHODS = ("rivae", "cos-sim-lvm")


def cell_of(method):
    # As many rows as the modulated step needs.
    return Cell("synth", method, "default", (0,), (0,), (("dataset.n_pairs", 480),), "tiny")


def files(run):
    return {path.name: path.read_bytes() for path in run.path.rglob("*") if path.is_file()}


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    """Of two methods a finished run, its files before it was measured, and the rows it gave."""
    root = tmp_path_factory.mktemp("steps")
    found = {}
    for method in METHODS:
        (run,) = train(cell_of(method).configs(), root)
        before = files(run)
        (rows,) = run_cell(cell_of(method), root, print, training=False)
        found[method] = run, before, rows
    return found


@pytest.mark.parametrize("method", METHODS)
def test_a_trained_run_is_measured_after_every_step(method, measured, monkeypatch):
    run, before, rows = measured[method]
    after = files(run)
    assert set(after) - set(before) == {STEPS_FILE, "evaluation.json"}
    assert {name: after[name] for name in before} == before

    table = pd.DataFrame(rows)
    expected = set(applicable_changes(run.load_method(), run.load_dataset(), 0))
    modulated = {"modulated"} if method == "rivae" else set()  # the other has no z of pairs
    assert expected & {*STEPS.first} == {"as trained", "scaled", "independent"} | modulated
    of_axes = table[table["axes"] != ""]
    assert set(of_axes["axes"]) == expected
    # What fits a model is measured of the chosen axes, and of those that the run carries.
    refit = {metric.key for group in of_latents() if group.refits for metric in group.metrics}
    few = {"scaled", *of_axes[of_axes.chosen.astype(bool)]["axes"]}
    for name in ("factors", "standard", "alpha"):
        for m in columns(name):
            wanted = few if m in refit else expected
            assert set(of_axes[of_axes.metric == m]["axes"]) == wanted, m
    searched = table[table["axes"] == ""]
    assert set(searched.metric) == set(columns("retrieval")) and searched.chosen.isna().all()
    assert not searched.duplicated(["metric", "range"]).any(), "a step changes no retrieval"

    validation = of_axes.groupby("axes").validation.first().to_dict()
    (chosen,) = set(of_axes[of_axes.chosen.astype(bool)]["axes"])
    assert chosen == chosen_step(validation)
    said = json.loads((run.path / ALIGNMENT).read_text())
    assert validation["as trained"] == pytest.approx(said["validation_before"]["mcc"], abs=1e-5)
    assert validation["scaled"] == pytest.approx(said["validation_after"]["mcc"], abs=1e-5)

    assert is_done(cell_of(method), run.path.parent)
    monkeypatch.setattr(scores_module, "evaluate", None)  # nothing is measured twice
    (again,) = run_cell(cell_of(method), run.path.parent, print, training=False)
    assert again == rows


def test_the_axes_as_trained_come_back(measured, tmp_path):
    run, _, _ = measured["rivae"]
    data, method = run.load_dataset(), run.load_method()
    first = turned(method, carried_change(run, method.n_components).undone())
    settings = {**run.config.method.settings, "axes": "independent"}
    config = run.config.model_copy(
        update={"method": run.config.method.model_copy(update={"settings": settings})}
    )
    other, changed = Run.create(config, tmp_path), copy.deepcopy(first)
    assert carried_change(other, method.n_components).step == "as trained"
    changed.config = method.config.model_copy(update={"axes": "independent"})
    choose_axes(changed, data, other)
    carried = carried_change(other, method.n_components)
    assert carried.step == "independent"
    x = data.x1.batch(data.splits["test"])
    back = turned(changed, carried.undone())
    with torch.no_grad():
        torch.testing.assert_close(back.encode(x)[0], first.encode(x)[0], atol=1e-5, rtol=1e-4)
        assert not torch.allclose(changed.encode(x)[0], first.encode(x)[0], atol=0.1)
    (other.path / ALIGNMENT).write_text('{"matrix": [[0, 0], [0, 0]], "offset": [0, 0]}')
    with pytest.raises(RunError, match="is damaged"):
        carried_change(other, method.n_components)


def test_a_step_that_finds_no_axes_of_its_own_does_not_apply(measured):
    run, _, _ = measured["cos-sim-lvm"]
    method, data = run.load_method(), run.load_dataset()
    weights = {name: value.clone() for name, value in method.state_dict().items()}
    assert axis_change(method, data, "modulated", 0).step == "scaled"
    applicable = [name for name in applicable_changes(method, data, 0) if name in STEPS.first]
    assert applicable == ["as trained", "scaled", "independent"]
    assert all(torch.equal(weights[name], value) for name, value in method.state_dict().items())


def test_validation_rows_alone_choose(measured, monkeypatch):
    """Other factors of the test rows change the scores, and never the choice."""
    run, _, _ = measured["cos-sim-lvm"]
    data, method, plain = run.load_dataset(), run.load_method(), kept_steps(run)

    def with_shuffled(split):
        other, rows = copy.copy(data), data.splits[split]
        other.factors = data.factors.copy()
        other.factors[rows] = other.factors[np.random.default_rng(0).permutation(rows)]
        return measure_steps(run, method, other, 5)

    tested = with_shuffled("test")
    assert tested.validation == plain.validation and tested.scores != plain.scores
    monkeypatch.setattr(scores_module, "evaluate", lambda *a, **k: Evaluation())
    assert with_shuffled("validation").validation != plain.validation


def test_the_rule():
    assert chosen_step({"scaled": 0.5, "independent": 0.6, "modulated": 0.7}) == "modulated"
    assert chosen_step({"independent": 0.7004, "scaled": 0.7}) == "scaled", "equal to three digits"
    assert chosen_step({"modulated": 0.8, "independent": 0.8, "scaled": 0.7}) == "independent"
    assert chosen_step({"as trained": 0.9, "scaled": 0.2}) == "scaled", "−10 … 10 needs a unit"
    assert chosen_step({"scaled": None, "independent": None}) == "scaled", "no factors are known"
    assert chosen_step({}) == chosen_step({"independent": float("nan")}) == "scaled"


def test_scores_of_another_model_are_not_kept(measured, tmp_path):
    run = Run(shutil.copytree(measured["rivae"][0].path, tmp_path / "run"))
    assert kept_steps(run) is not None
    stored = json.loads((run.path / STEPS_FILE).read_text())
    for damaged in ([], {"model": 1}, {**stored, "scores": 1}, {**stored, "model": "another"}):
        (run.path / STEPS_FILE).write_text(json.dumps(damaged))
        assert kept_steps(run) is None


def after(step, score, chosen=None, seed=0, metric="mcc", **values):
    return row(score, seed, metric=metric, axes=step, chosen=chosen, **values)


ROWS = [
    after("scaled", 0.5, False, 0),
    after("independent", 0.9, True, 0),
    after("scaled", 0.8, True, 1),
    after("independent", 0.7, False, 1),
    row(0.99, 0),
    row(0.99, 1),
    after("scaled", 0.3, method="dcca"),
]


def test_the_tables_show_what_the_rule_chose_and_next_to_it_every_step(tmp_path):
    write_rows(ROWS, tmp_path)
    assert read_rows(tmp_path) == ROWS
    text = report(read_rows(tmp_path))
    assert RULE in text
    standard = text.split(f"### {HEADINGS['standard', '']}")[1].split("###")[0]
    assert "| RIVAE | scaled 1, independent 1 | 0.850 ± 0.071 | 2 |" in standard
    assert "| DCCA | scaled † | 0.300 | 1 |" in standard
    steps = text.split(f"### {HEADINGS['steps', 'paper']}")[1].split("##")[0]
    assert "|  | as trained | scaled | independent | modulated | chosen | n |" in steps
    ours = "| RIVAE | MCC | – | 0.650 ± 0.212 | 0.800 ± 0.141 | – | scaled 1, independent 1 | 2 |"
    assert ours in steps and "| DCCA | MCC | – | 0.300 | – | – | – | 1 |" in steps
    views = {view.id: view for view in table_views(summarise(ROWS), "sprites")}
    assert len(views["steps"].lines) == 3
    details = {(line.name, line.detail.split(" · ")[-1]) for line in views["steps"].lines}
    assert ("RIVAE", "axes: independent, chosen for 1 of 2") in details
    assert ("DCCA", "axes: scaled") in details


def test_rows_of_an_older_version_are_of_the_step_that_their_settings_name(tmp_path):
    config = json.dumps({"method": {"axes": "modulated"}})
    made = [row(0.5, config=config), row(0.6, metric="mcc", config=config)]
    made.append(make_row(dataset="sprites", method="chance-rotation", metric="mcc", score=0.1))
    write_rows(made, tmp_path)
    path = tmp_path / "results.parquet"
    newer = ["axes", "chosen", "validation"]
    pd.read_parquet(path).drop(columns=newer).to_parquet(path, index=False)
    rows = read_rows(tmp_path)
    assert [each["axes"] for each in rows] == ["", "modulated", ""]
    assert {each["chosen"] for each in rows} == {None}


def test_a_stored_demo_run_is_read_as_it_was_made():
    run = Run(DEMO_ROOT / "demo-sprites")
    d = run.load_method().n_components
    change = carried_change(run, d)
    assert change.step == "independent"
    both = change.then(change.undone())
    np.testing.assert_allclose(both.matrix, unchanged(d).matrix, atol=1e-9)
    np.testing.assert_allclose(both.offset, 0, atol=1e-9)
    assert next(iter(STEPS)) == both.step


def test_the_stored_report_is_that_of_the_stored_rows():
    folder = APP_FILES / "benchmarks" / "results"
    rows = read_rows(folder)
    kept = (folder / "results.md").read_text()

    def of_any_machine(text):
        return [line for line in text.split("\n") if not line.startswith("Python ")]

    assert of_any_machine(report(rows)) == of_any_machine(kept)
    assert settings_report(rows) == (folder / "settings.md").read_text()
    depends = {
        row["axes"] != "" for row in rows if row["metric"] in columns("steps") and row["config"]
    }
    assert depends == {True}
