"""A model that is asked with the second view, or with both: trained, searched and measured."""

import json
import shutil

import numpy as np
import pytest

from rivae.base.errors import ConfigError
from rivae.benchmark.run_report import report_of
from rivae.cli.main import main
from rivae.evaluation.of_run import SAMPLES, evaluate
from rivae.jobs.launch import make_config, train
from rivae.labels.coverage import measured_traversal
from rivae.labels.derive import align_run
from rivae.metrics.measures.retrieval import retrieval_metrics
from rivae.retrieval.model import LatentModel
from rivae.retrieval.retriever import Retriever
from rivae.runs import Run
from rivae.runs.evaluation_file import Evaluation
from tests.retrieval.small import SmallMethod, small_data

pytestmark = pytest.mark.xdist_group("both ways")  # its runs are trained once

QUICK = {"n_queries": 10, "null_permutations": 2, "null_permutations_slow": 0}


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    root = tmp_path_factory.mktemp("runs")
    start = {"init": "cos-sim-lvm", "init_epochs": 30, "unfold_epochs": 100, "anchor": None}
    config = make_config(
        "synth",
        name="asked",
        dataset_settings={"n_pairs": 400},
        method_settings={"ask_both_ways": True, **start, "ivae_epochs": 20, "joint_epochs": 40},
        training={"validate_every": 50},
    )
    return train([config], root)[0]


@pytest.fixture(scope="module")
def model(run):
    data = run.load_dataset()
    return run.load_method(data), data


@pytest.fixture(scope="module")
def report(model):
    return evaluate(*model, **QUICK)


@pytest.mark.slow
def test_the_own_pair_is_found_both_ways(model):
    method, data = model
    rows = data.splits["test"]
    n = len(rows)
    for asks in ("first", "second"):
        found = retrieval_metrics(Retriever(method, data, rows, asks=asks), rows, search_size=n)
        recall, rank = found["recall_at_5"], found["median_rank"]
        assert recall.score > 10 * 5 / n and rank.score < n / 20, asks
        assert recall.settings["query"] == {"first": "mu(v1)", "second": "mu(v2)"}[asks]


@pytest.mark.slow
def test_the_second_view_asks_for_the_first_ones(model, tmp_path):
    method, data = model
    rows = data.splits["test"]
    made = {
        asks: Retriever(method, data, rows, asks=asks, cache_dir=tmp_path)
        for asks in ("first", "second", "both", "second")
    }
    x1, x2 = data.x1.batch(rows), data.x2.batch(rows)
    asked = {"first": method.encode(x1), "second": method.encode_target(x2)}
    asked["both"] = method.encode_both(x1, x2)
    searched = {"first": method.embed_target(x2), "second": method.embed_query(x1)}
    searched["both"] = searched["first"]
    for asks, retriever in made.items():
        z = retriever.encode(rows)[0]
        np.testing.assert_allclose(z, asked[asks][0].detach(), atol=1e-4)
        v, f = searched[asks].detach().double().numpy(), retriever.decode(z[:5])
        squared = ((f[:, None] - v) ** 2).sum(-1)
        best = retriever.search(z[:5], 3)
        np.testing.assert_array_equal(best.ids, rows[np.argsort(squared, axis=1)[:, :3]])
        part = retriever.subset(rows[:20])
        assert part.asks == asks and part.nearest(z, 1)[0].max() <= rows[19]
        retriever.reference_latents()
    assert len(list(tmp_path.glob("index-*.npy"))) == 2, "v2, and v1"
    again = made["first"].asking("both")
    assert again.asks == "both" and again.index is made["first"].index
    every = np.arange(again.index.n_items)
    for asks, retriever in (("both", again), ("second", again.asking("second"))):
        expected = made[asks].index.rows(every)
        np.testing.assert_array_equal(retriever.index.rows(every), expected)
    assert len(list(tmp_path.glob("latents-*.npz"))) == 3


@pytest.mark.slow
def test_each_view_is_embedded_once_in_an_evaluation(model, monkeypatch):
    embedded = []
    for name in ("embed_targets", "embed_queries"):
        known = getattr(LatentModel, name)

        def embed(self, view, rows, name=name, known=known):
            embedded.append(name)
            return known(self, view, rows)

        monkeypatch.setattr(LatentModel, name, embed)
    for asks in ("first", "both"):
        embedded.clear()
        evaluate(*model, **QUICK | {"null_permutations": 0}, asks=asks)
        assert sorted(embedded) == ["embed_queries", "embed_targets"], asks


@pytest.mark.slow
def test_retrieval_is_measured_both_ways_under_the_names_of_the_views(model, report):
    _, data = model
    first, second = data.view_names
    back = report.retrieval_back
    assert back["recall_at_10"].settings.query == "mu(v2)"
    scores = [{name: of.score for name, of in way.items()} for way in (back, report.retrieval)]
    assert scores[0] != scores[1]
    again = Evaluation.model_validate(json.loads(json.dumps(report.document())))
    assert again.searches() == report.searches()
    foreign = report.document()
    foreign["settings"]["views"] = ["a\n\\input{x}", "b" * 500]
    (way, _), *_ = Evaluation.model_validate(foreign).searches()
    assert "\n" not in way and len(way) < 130
    groups = dict(report_of(report, "synth", "rivae").groups)
    there, home = groups[f"Retrieval, {first} → {second}"], groups[f"Retrieval, {second} → {first}"]
    assert any(m.paper is not None for m in there) and all(m.paper is None for m in home)
    assert again.groups()["retrieval back"] == back


@pytest.mark.slow
def test_factors_are_measured_on_the_view_that_asks(model, report):
    asked = {asks: evaluate(*model, **QUICK, asks=asks) for asks in ("second", "both")}
    scores = [r.score("mcc") for r in (report, *asked.values())]
    assert len(set(scores)) == 3
    assert [r.settings.latents for r in (report, *asked.values())] == [
        "mu(v1)",
        "mu(v2)",
        "mean of Q(z|v1,v2)",
    ]
    for one in asked.values():  # retrieval does not depend on it
        assert (one.retrieval, one.retrieval_back) == (report.retrieval, report.retrieval_back)
    second, both = asked.values()
    ways = dict(both.searches())
    _, item = model[1].view_names
    assert ways.pop(f"both → {item}") == both.retrieval_both != both.retrieval
    assert ways == dict(report.searches()) and second.retrieval_both is None
    assert "retrieval_back" in report.document() and "retrieval_both" not in report.document()
    # The paper's numbers are of queries by the first view.
    groups = report_of(second, "synth", "rivae").groups
    printed = {heading for heading, group in groups if any(m.paper is not None for m in group)}
    assert len(printed) == 1 + len(SAMPLES) and all("→" in heading for heading in printed)


@pytest.mark.slow
def test_queries_by_another_view_have_an_evaluation_of_their_own(run, model, tmp_path):
    own = Run(shutil.copytree(run.path, tmp_path / run.id))
    method, data = model
    settings = QUICK | {"null_permutations": 0, "traversal": "data"}
    own.write_evaluation(evaluate(method, data, **settings))
    before = own.evaluation
    points = measured_traversal(own, data, n_queries=3).values
    wanted = measured_traversal(own, data, n_queries=3, asks="second")
    own.write_evaluation(evaluate(method, data, **settings, asks="second"))
    assert own.evaluation == before and own.evaluation_of("both") is None
    stored = own.evaluation_of("second")
    assert stored.settings.asks == "second" != before.settings.asks
    ends = stored.along[0].correlation.values
    np.testing.assert_allclose(wanted.values[:, [0, -1]].T, [ends.low, ends.high])
    assert not np.allclose(wanted.values, points), "the points are those of the view that asks"
    again = measured_traversal(own, data, n_queries=3, asks="second")
    np.testing.assert_allclose(again.values, wanted.values)
    np.testing.assert_array_equal(again.ids, wanted.ids)


@pytest.mark.slow
def test_axes_are_matched_with_labels_by_the_view_that_asks(run, model):
    method, data = model
    rows = data.splits["train"][:60]
    z = {
        asks: Retriever(method, data, rows, asks=asks).encode(rows)[0]
        for asks in ("first", "second")
    }
    mixing = np.array([[1.0, 0.5], [-0.2, 1.0]])
    wanted = z["second"] @ mixing
    levels = np.clip(np.round(3 + 1.4 * (wanted - wanted.mean(0)) / wanted.std(0)), 1, 5)
    fitted = {asks: align_run(run, rows, levels, ["a", "b"], data=data, asks=asks)[0] for asks in z}
    assert np.mean(fitted["second"].cv_r2) > 0.8
    # The two views say nearly the same of an item, and each has a fit of its own.
    assert not np.allclose(fitted["second"].cv_r2, fitted["first"].cv_r2, atol=1e-4)


@pytest.mark.slow
def test_the_command_measures_with_the_second_view_and_keeps_the_usual_file(
    run, report, monkeypatch, capsys
):
    monkeypatch.setenv("RIVAE_RUNS", str(run.path.parent))
    run.write_evaluation(report)
    before = (run.path / "evaluation.json").read_bytes()
    asked = ["evaluate", run.id, "--ask-with", "second", "--queries", "5", "--nulls", "0"]
    assert main([*asked, "--samples", "3"]) == 0
    said = capsys.readouterr().out
    assert "recall_at_1, signal 2 → signal 1" in said
    assert "recall_at_1, signal 1 → signal 2, 3 samples" in said
    assert (run.path / "evaluation.json").read_bytes() == before
    kept = run.path / "evaluation-second.json"
    assert str(kept) in said and run.evaluation_of("second").settings.n_queries == 5
    kept.unlink()


def test_a_model_that_was_not_trained_for_it_says_so():
    data = small_data()
    with pytest.raises(ConfigError, match="ask_both_ways=true"):
        Retriever(SmallMethod(), data, np.arange(9), asks="both")
    report = evaluate(SmallMethod(), data, **QUICK).document()
    assert "retrieval_back" not in report
    assert not {"asks", "views"} & report["settings"].keys()
