"""Scores from labels in a real browser: they follow the labels while the page stays open."""

import json
import shutil

import numpy as np
import pytest

from rivae.app.metrics.labels import NO_LABELS
from rivae.evaluation.of_run import evaluate
from rivae.labels.guideline import read_guideline
from rivae.labels.kept_plans import keep_plan
from rivae.labels.plan import make_plan
from rivae.labels.store import LabelStore
from rivae.labels.table import keys_by_row
from rivae.runs import Run
from tests.app.labels_fixture import PlanForTests

pytestmark = pytest.mark.slow


@pytest.fixture
def scored(app_runs, trained_run, tmp_path):
    """An evaluated copy of the small run, and a plan for its scores in a store without labels."""
    path = app_runs / "browser-scored"
    shutil.copytree(app_runs / trained_run, path)
    config = json.loads((path / "config.json").read_text())
    (path / "config.json").write_text(json.dumps({**config, "name": path.name}))
    run = Run(path)
    data, food = run.load_dataset(), read_guideline()
    run.write_evaluation(
        evaluate(
            run.load_method(data),
            data,
            n_queries=6,
            n_search_sets=1,
            null_permutations=0,
            null_permutations_slow=0,
        )
    )
    plan = make_plan([run], "scored", data=data, guideline=food.version)
    with LabelStore(tmp_path / "labels.db") as store:
        keep_plan(store, plan, food)
        yield PlanForTests(store, plan, food, keys_by_row(data, plan.order))
    shutil.rmtree(path)


def label(made, annotator, seed):
    rng = np.random.default_rng(seed)
    for factor in made.guideline.ids[:2]:
        made.label(annotator, [int(rng.integers(1, 6)) for _ in made.rows], factor)


@pytest.fixture
def app(start_app, app_runs, scored, tmp_path):
    """An app of its own: labels of the same items in another test's plan would count as well."""
    with start_app(app_runs, tmp_path / "server.log") as address:
        yield address


def test_scores_follow_the_labels_without_a_reload(page, app, scored, until):
    page.goto(f"{app}/metrics?show=labels&plan=scored")
    page.get_by_text(NO_LABELS.format("scored")).wait_for()
    page.evaluate("window.untouched = true")
    row = page.get_by_test_id("result-table").first.locator("tr:has-text('browser-scored')")
    numbers = row.locator(".main")

    def texts():
        return numbers.all_inner_texts()

    label(scored, "scorer one", 0)
    first = until(lambda: len(texts()) == 6 and texts(), "the first labels become numbers")
    assert all(0 < float(score) < 1 for score in first[:3]) and first[5] == "1"
    label(scored, "scorer two", 1)
    until(lambda: texts()[5:] == ["2"], "the second annotator counts")
    second = texts()
    assert all(a != b for a, b in zip(first[:3], second[:3], strict=True)), (first, second)
    assert page.evaluate("window.untouched"), "the page was not loaded anew"
    page.locator(".js-plotly-plot").first.wait_for()
