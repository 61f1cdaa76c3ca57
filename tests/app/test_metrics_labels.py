"""The Metrics page from labels without a browser: scores and suggestions."""

import json
import shutil

import numpy as np
import pytest

from rivae.app.metrics import labels, work
from rivae.app.metrics.labels_data import NOT_EVALUATED
from rivae.app.metrics.labels_table import COVERAGE_TITLE, SCORES_TITLE
from rivae.app.metrics.run import NOT_MEASURED
from rivae.base.config import free_name
from rivae.evaluation.of_run import evaluate
from rivae.labels.guideline import read_guideline
from rivae.labels.kept_plans import keep_plan, kept_plan, plan_names
from rivae.labels.plan import make_plan
from rivae.labels.scores import OVER_ALL, OVER_QUERIES
from rivae.labels.store import LabelStore
from rivae.labels.table import keys_by_row
from rivae.runs import Run
from tests.app.labels_fixture import PlanForTests
from tests.waiting import over

TWO = ("wateriness", "greenness")


@pytest.fixture(scope="session")
def evaluated(run_folder, tmp_path_factory):
    """ "digits" and "digits-turned", evaluated on a few queries, and "digits-4", which is not."""
    folder = tmp_path_factory.mktemp("evaluated")
    for name in ("digits", "digits-turned", "digits-4"):
        shutil.copytree(run_folder / name, folder / name)
    for name in ("digits", "digits-turned"):
        run = Run(folder / name)
        data = run.load_dataset()
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
    return folder


@pytest.fixture
def folder(evaluated, runs, tmp_path, monkeypatch):
    """A copy of these runs, which a test may add to; the app sees it and no other."""
    shutil.copytree(evaluated, tmp_path / "own-runs")
    monkeypatch.setenv("RIVAE_RUNS", str(tmp_path / "own-runs"))
    return tmp_path / "own-runs"


@pytest.fixture
def made(folder, tmp_path):
    """A plan for the scores of "digits" and "digits-turned"."""
    food = read_guideline()
    plan = make_plan(
        [Run(folder / n) for n in ("digits", "digits-turned")], "ours", guideline=food.version
    )
    store = LabelStore(tmp_path / "labels.db")
    keep_plan(store, plan, food)
    yield PlanForTests(
        store, plan, food, keys_by_row(Run(folder / "digits").load_dataset(), plan.order)
    )
    store.close()


def label(made, factor, n=None, annotator="ann", seed=0):
    """Random levels of the first ``n`` items, all by default."""
    rng = np.random.default_rng(seed)
    made.label(annotator, [int(rng.integers(1, 6)) for _ in made.rows[:n]], factor)


@pytest.fixture
def shown(app, folder):
    work.from_labels.known.clear()
    return lambda **params: app("metrics", show="labels", **params)


def words(page):
    return page.words.replace("\\", "")


def payload(page, title):
    """What a table of the page was sent, or None."""
    tables = [json.loads(c.proto.json) for c in page.components]
    return next((t for t in tables if title in t.get("label", "")), None)


def first(value):
    return value[0] if isinstance(value, list) else value


def cells(table, row):
    """The cells of the first row that begins with ``row``, by column."""
    ids = [column["id"] for column in table["columns"]][1:]
    found = next(r for r in table["rows"] if r.get("name", "").startswith(row))
    return dict(zip(ids, found["cells"], strict=True))


# What there is to see


def test_without_a_plan_the_way_to_one(shown):
    page = shown()
    assert labels.NO_PLAN in words(page) and payload(page, SCORES_TITLE) is None
    assert ("label", "view=Plans") in page.links


def test_what_is_done_is_said_before_it_is_done(folder, made, tmp_path, monkeypatch):
    from rivae.app.metrics import labels_data
    from rivae.app.shared.labels import open_plan

    monkeypatch.setenv("RIVAE_LABELS", str(tmp_path / "labels.db"))
    said = []

    def look(run, *rest):
        said.append(f"looked at {run.id}")
        return labels_data.ScoredRun(run), None

    monkeypatch.setattr(labels_data, "_look", look)
    labels_data.scores_of(open_plan("ours"), 0, said.append)
    assert said == [
        "Searching with digits, run 1 of 2",
        "looked at digits",
        "Searching with digits-turned, run 2 of 2",
        "looked at digits-turned",
        "Scoring",
    ]


def test_without_labels_the_way_to_the_first(shown, made):
    page = shown()
    assert labels.NO_LABELS.format("ours") in words(page) and payload(page, SCORES_TITLE) is None
    assert ("label", "plan=ours") in page.links
    assert page.at.button(key="metrics_suggest_start")
    assert ("label", "view=Axes&plan=ours") in page.links


def test_a_plan_that_is_not_there(shown, made):
    page = shown(plan="<b>nobody's</b>")
    said = [warning.value for warning in page.at.warning]
    assert any("nobody" in sentence for sentence in said)
    assert not any("<b>" in sentence for sentence in said), "shown as it was written"
    assert page.at.selectbox(key="plan").value == "ours"


def test_a_run_of_another_plan(shown, made):
    page = shown(run="digits-4")
    assert labels.OTHER_PLAN.format("digits-4") in words(page)
    assert page.at.selectbox(key="metrics_run").value == "digits"


def test_labels_become_numbers_and_more_labels_other_numbers(shown, made):
    for factor in TWO:
        label(made, factor)
    page = shown()
    table = payload(page, SCORES_TITLE)
    alone = cells(table, "digits")
    assert 0 < float(alone["informativeness"]["main"]) < 1
    assert "…" in alone["informativeness"]["sub"]
    assert alone["annotators"]["main"] == "1" and alone["queries"]["main"] == "6"
    assert alone["labelled"]["main"] == "100%"
    assert "wateriness, greenness; alpha = 10" in words(page)
    assert "stickiness" in words(page) and OVER_QUERIES in words(page)
    # The same model with its axes in another order: whatever the labels, it is a tie.
    assert cells(table, "digits-turned")["informativeness"]["sub"].endswith("tie")
    for factor in TWO:
        label(made, factor, annotator="bob", seed=1)
    page.at.run()
    both = cells(payload(page.calm(), SCORES_TITLE), "digits")
    assert both["annotators"]["main"] == "2"
    assert both["informativeness"]["main"] != alone["informativeness"]["main"]
    assert OVER_ALL in words(page)


def test_coverage_and_correlations_of_the_chosen_run(shown, made):
    label(made, TWO[0])
    label(made, TWO[1], n=4)
    page = shown(run="digits-turned")
    found = cells(payload(page, COVERAGE_TITLE), TWO[1])
    assert found["queries"]["main"] == "0 of 6" and found["cannot"]["main"] == "0"
    assert cells(payload(page, COVERAGE_TITLE), TWO[0])["queries"]["main"] == "6 of 6"
    chart = json.loads(page.at.get("plotly_chart")[0].proto.spec)
    heat = next(trace for trace in chart["data"] if trace["type"] == "heatmap")
    assert np.array(chart["layout"]["yaxis"]["ticktext"]).tolist() == [TWO[0]]
    assert heat["name"] == "|corr|"
    # With one factor nothing can be disentangled.
    row = cells(payload(page, SCORES_TITLE), "digits")
    assert row["disentanglement"]["main"] == "–" and "one factor" in row["disentanglement"]["sub"]


def test_a_run_without_evaluation_says_so(shown, folder, made):
    for factor in TWO:
        label(made, factor)
    (folder / "digits-turned" / "evaluation.json").unlink()
    page = shown(run="digits-turned")
    table = payload(page, SCORES_TITLE)
    row = next(r for r in table["rows"] if r.get("name") == "digits-turned")
    assert row["detail"] == NOT_EVALUATED
    page.at.button(key="metrics_labels_evaluate").click().run()
    assert page.calm().tab == "This run" and NOT_MEASURED in words(page)


# Suggesting


def finished(page, what):
    """The page after a task of this kind has ended."""
    job = next(job for key, job in work.from_labels.known.items() if key.startswith(what))
    over(job)
    page.at.run()
    return page.calm()


def planted(made, folder, n=60):
    """Levels of two factors: the directions of the latent space in which it varies least."""
    from rivae.retrieval.retriever import Retriever

    run = Run(folder / "digits")
    data, rows = run.load_dataset(), np.array(made.rows[:n])
    z = Retriever(run.load_method(data), data, data.splits["test"]).encode(rows)[0]
    z = (z - z.mean(axis=0)) / z.std(axis=0)
    small = z @ np.linalg.eigh(np.cov(z.T))[1]
    for k, factor in enumerate(TWO):
        levels = np.clip(np.round(3 + 1.2 * small[:, k] / small[:, k].std()), 1, 5).astype(int)
        made.label("ann", levels.tolist(), factor)


def test_too_much_work_at_once_is_told(shown, folder, made, monkeypatch):
    planted(made, folder, n=10)
    monkeypatch.setattr(work.from_labels, "at_once", 0)
    page = shown(run="digits")
    page.at.button(key="metrics_suggest_start").click().run()
    assert work.SUGGESTING in words(page.calm())


@pytest.mark.slow
def test_a_suggestion_becomes_a_plan(shown, folder, made):
    planted(made, folder, n=20)
    page = shown(run="digits")
    page.at.number_input(key="metrics_suggest_n").set_value(25).run()
    page.at.button(key="metrics_suggest_start").click().run()
    finished(page, "suggest")
    assert "25 items" in words(page)
    name = "metrics_suggest_name_digits"
    assert page.at.text_input(key=name).value == "digits-next"
    assert plan_names(made.store) == ["ours"]
    page.at.text_input(key=name).input("Not a name")
    page.at.button(key="metrics_suggest_keep").click().run()
    assert "Not a name" in words(page.calm()) and plan_names(made.store) == ["ours"]
    page.at.text_input(key=name).input("next-one")
    page.at.button(key="metrics_suggest_keep").click().run()
    plan = kept_plan(made.store, "next-one")
    data = Run(folder / "digits").load_dataset()
    assert plan.purpose == "axes" and len(plan.items) == 25
    assert plan.guideline == made.guideline.version and plan.runs[0].id == "digits"
    assert not set(plan.items) & set(data.splits["test"])
    assert ("label", "view=Label&plan=next-one") in page.links


def test_free_names():
    assert free_name("a", {"b"}.__contains__) == "a"
    assert free_name("a", {"a", "a-2"}.__contains__) == "a-3"
    long = "x" * 90
    assert free_name(long, {"x" * 80}.__contains__) == "x" * 78 + "-2"
