"""A method without a latent: its axes are called v1, v2 ..., and every page says why."""

import json

import pytest

from rivae.app.explore.panels import BOTH
from rivae.app.shared.runs import no_latent
from rivae.evaluation.of_run import evaluate
from rivae.jobs.launch import make_config
from rivae.models.base import Method
from rivae.models.registry import METHODS, build_method
from rivae.runs import Run

SENTENCE = no_latent(METHODS["cos-sim"])


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Untrained but complete runs on one data set: "with" a latent (RIVAE), "plain" without."""
    root = tmp_path_factory.mktemp("no-latent")
    for name, method in (("with", "rivae"), ("plain", "cos-sim")):
        config = make_config("synth", method, name=name, dataset_settings={"n_pairs": 240})
        run = Run.create(config, root)
        data, choice = run.load_dataset(), config.method
        run.write_model(build_method(choice.name, choice.settings, data.x1.shape, data.x2.shape))
        run.set_status(state="finished")
        run.write_evaluation(
            evaluate(
                run.load_method(),
                data,
                n_queries=3,
                traversal=(-1.0, 1.0),
                n_search_sets=2,
                null_permutations=0,
                null_permutations_slow=0,
            )
        )
    return root


@pytest.fixture
def shown(folder, app, monkeypatch):
    monkeypatch.setenv("RIVAE_RUNS", str(folder))
    return app


def words(app):
    return app.words.replace("\\", "")


def charts(app):
    """All that the charts hold, with Plotly's tags as they are."""
    return " ".join(json.dumps(json.loads(c.proto.spec)) for c in app.at.get("plotly_chart"))


def test_the_letter_has_one_place():
    assert Method.axis_names(2) == ["z1", "z2"]
    assert METHODS["cos-sim"].axis_names(2) == ["v1", "v2"]
    assert all(fact in SENTENCE for fact in ("Cos-Sim", "v1, v2", "embedding"))
    assert no_latent(METHODS["info-nce-ica"]) == no_latent(None) == ""


@pytest.mark.parametrize("page", ["explore", "traverse", "metrics"])
def test_a_page_of_one_run_says_so_once(shown, page):
    assert words(shown(page, run="plain")).count(SENTENCE) == 1
    assert SENTENCE.partition(" ")[2] not in words(shown(page, run="with"))


def test_compare_says_which_of_its_methods_it_is(shown):
    assert words(shown("compare", runs="with,plain")).count(SENTENCE) == 1


def test_the_card_says_so_and_has_no_factor_scores(shown):
    home = shown()
    assert words(home).count(SENTENCE) == 1
    scores = [said.help for said in home.at.markdown if said.help and "R@1" in said.help]
    assert len(scores) == 2 and sum("\n\nD " in text for text in scores) == 1


@pytest.mark.parametrize(("run", "letter"), [("plain", "v"), ("with", "z")])
def test_explore_names_the_axes(shown, run, letter):
    explore = shown("explore", run=run, z="99_1")
    sent = explore.panel()
    assert [dim["name"] for dim in sent["dims"]][:2] == [f"{letter}1", f"{letter}2"]
    assert sent["letter"] == letter
    assert f"{letter}99 is ignored" in explore.warnings[0]
    item = sent["first"]["ids"][2]
    explore.report("pick", {"id": item, "view": explore.view()})
    assert BOTH.format(letter) in explore.words


@pytest.mark.parametrize(("run", "letter"), [("plain", "v"), ("with", "z")])
def test_traverse_names_the_axes(shown, run, letter):
    strips = shown("traverse", run=run)
    assert strips.panel()["strips"][0]["axis"] == f"{letter}1"
    assert f"Range of {letter}" in [c.label for c in strips.at.selectbox]
    strips = shown("traverse", run=run, view="Plane", a=f"{letter}2", b=f"{letter}1")
    plane = strips.panel()["plane"]
    assert (plane["x"]["axis"], plane["y"]["axis"]) == (f"{letter}2", f"{letter}1")
    table = shown("traverse", run=run, view="Correlations")
    assert f"{letter}<sub>1</sub>" in charts(table)


@pytest.mark.slow
@pytest.mark.parametrize(("run", "letter"), [("plain", "v"), ("with", "z")])
def test_metrics_names_the_axes(shown, run, letter):
    page = shown("metrics", run=run, cell="2_1", open_paper="true")
    assert f"Behind {letter}2 and" in words(page)
    assert f"{letter}<sub>1</sub>" in charts(page)
    codes = page.snippets
    assert any("correlation_heatmap(" in code and f"'{letter}1'" in code for code in codes)
