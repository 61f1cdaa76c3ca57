"""Which view of an item is the query, on every page that has one; a text of one's own."""

import shutil
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
import torch

from rivae.app.explore.state import TEXT_GONE, with_upload
from rivae.app.label import page_keys as label_keys
from rivae.app.label import plan_making
from rivae.app.metrics import page_keys as metrics_keys
from rivae.app.metrics.run import NOT_MEASURED
from rivae.app.panels.answers import ONE_WAY, answer, rounded
from rivae.app.shared.runs import queries_by
from rivae.app.shared.uploads import Upload
from rivae.app.shell import keys
from rivae.app.steer.answers import answer as steer_answer
from rivae.app.work import evaluating
from rivae.app.work.tasks import Task
from rivae.base.errors import ConfigError, DataError
from rivae.data.base import NO_TEXTS
from rivae.data.sets.pairs import TOO_LONG, UNKNOWN_WORDS
from rivae.data.words_view import recipe_text
from rivae.evaluation import of_run as evaluation
from rivae.exploring.explorer import Explorer
from rivae.exploring.steering import SteerRow
from rivae.exploring.tours import Tour, TourStep, from_bytes, to_bytes, to_json
from rivae.figures.snippets import snippet
from rivae.jobs.launch import make_config
from rivae.labels.kept_plans import kept_plan, plan_names
from rivae.labels.plan import make_plan
from rivae.labels.store import LabelStore
from rivae.models.registry import build_method
from rivae.runs import Run
from tests.app.label_forms import press, written

RUN = "either"


BARS = "bars"
TINY = {"n_components": 2, "dim_v": 8, "init": "none", "ivae_epochs": 0, "joint_epochs": 1}


@pytest.fixture(scope="module")
def folder(tmp_path_factory, small_store):
    """Untrained but complete runs: three whose models are asked with either view, of which one is
    on pictures and texts, and one of another.
    """
    root = tmp_path_factory.mktemp("asks")
    bars = {"store": str(small_store), "image_size": 16}
    for name, dataset, settings, asked in (
        (RUN, "synth", {"n_pairs": 240}, {"ask_both_ways": True}),
        ("either-2", "synth", {"n_pairs": 240}, {"ask_both_ways": True}),
        ("one-way", "synth", {"n_pairs": 240}, {}),
        (BARS, "pairs", bars, TINY | {"ask_both_ways": True}),
    ):
        config = make_config(dataset, name=name, dataset_settings=settings, method_settings=asked)
        run = Run.create(config, root)
        data = run.load_dataset()
        torch.manual_seed(len(name))
        run.write_model(build_method("rivae", config.method.settings, data.x1.shape, data.x2.shape))
        run.set_status(state="finished")
    return root


@pytest.fixture
def shown(folder, app, monkeypatch):
    monkeypatch.setenv("RIVAE_RUNS", str(folder))
    return app


@pytest.fixture(scope="module")
def explorers(folder):
    run = Run(folder / RUN)
    return {asks: Explorer.open(run, asks=asks) for asks in ("first", "second", "both")}


def test_a_link_names_the_view_that_asks(shown, explorers):
    row = str(explorers["first"].search_rows[3])
    for asks, explorer in explorers.items():
        page = shown("explore", run=RUN, q=row, ask=asks)
        z = explorer.encode(int(row))
        assert page.state.asks == asks and page.state.z == rounded(z)
        assert page.panel()["side"] == (1 if asks == "second" else 2)
        assert (
            page.panel()["first"]["ids"] == explorer.topk(np.array(page.state.z), 10).ids.tolist()
        )
        assert page.panel()["query"]["text"].startswith(explorer.query_name)
    ids = [tuple(e.topk(np.zeros(2), 10).ids) for e in explorers.values()]
    assert ids[0] == ids[2] != ids[1], "the second view asks for the first"


def test_the_control_moves_z_to_the_other_view_of_the_same_item(shown, explorers):
    row = int(explorers["first"].search_rows[3])
    page = shown("explore", run=RUN, q=str(row), z="1_0.5", lock="1")
    page.at.segmented_control(key=keys.ASKS).set_value("second").run()
    page.calm()
    own = rounded(explorers["second"].encode(row))
    assert page.state.z == (0.5, own[1]), "a locked axis stays"
    assert page.params["ask"] == "second"
    assert "asks='second'" in "".join(page.snippets).replace('"', "'")
    page.open("home").open("explore")
    assert page.state.asks == "second"
    page.at.selectbox(key=keys.EXPLORE_ROWS).set_value("all").run()
    assert (page.calm().state.asks, page.state.rows) == ("second", "all")
    page.at.segmented_control(key=keys.ASKS).set_value("first").run()
    assert "ask" not in page.calm().params


def test_a_value_that_is_none_is_ignored_and_said(shown):
    page = shown("explore", run=RUN, ask="<b>recipe</b>")
    assert page.state.asks == "first"
    assert "ask" in page.at.session_state[keys.EXPLORE.notice]
    page = shown("explore", run="one-way", ask="second")
    assert page.state.asks == "first" and not page.at.get("button_group")
    assert page.at.session_state[keys.EXPLORE.notice] == ONE_WAY.format("signal 1")


def test_a_dragged_slider_searches_the_view_that_is_asked_for(explorers):
    def open_run(run, rows, asks):
        return explorers[asks]

    question = {"run": RUN, "z": [0.3, -0.2], "k": 5, "side": 1, "seq": 7}
    found = {asks: answer({**question, "asks": asks}, open_run)["ids"] for asks in explorers}
    assert found["first"] == answer(question, open_run)["ids"] == found["both"]
    assert found["second"] == explorers["second"].topk(np.array([0.3, -0.2]), 5).ids.tolist()
    with pytest.raises(ConfigError, match="'asks' must be"):
        answer({**question, "asks": "recipe"}, open_run)


def test_a_picture_of_ones_own_is_the_first_view(shown):
    page = shown("explore", run=RUN, ask="second")
    after = with_upload(page.state, Upload("upload_" + "0" * 32, "mine.png", "", (0.1, 0.2)))
    assert (after.asks, after.z) == ("first", (0.1, 0.2))
    page = shown("explore", run=RUN, ask="second", q=after.start, z="1_0.1~2_0.2")
    assert page.state.asks == "first"
    assert page.at.segmented_control(key=keys.ASKS).disabled


def test_the_snippet_asks_as_the_page_does(folder):
    text = snippet(str(folder / RUN), "topk", query=3, asks="second", side=1)
    assert f"rivae.load_run('{folder / RUN}', asks='second')" in text.replace('"', "'")
    assert "data.picture(3, 2)" in text
    assert "asks" not in snippet(RUN, "topk", query=3)


def told(page, asks):
    """The control on the page, set to another view."""
    page.at.segmented_control(key=keys.ASKS).set_value(asks).run()
    return page.calm()


def test_the_choice_follows_from_page_to_page(shown, explorers):
    row = int(explorers["first"].search_rows[3])
    page = told(shown("explore", run=RUN, q=str(row)), "second")
    found = [int(i) for i in page.panel()["first"]["ids"]]

    page.open("steer")
    assert (page.params["ask"], page.params["q"]) == ("second", str(row))
    sent = page.panel()
    assert sent["asks"] == "second" and sent["query"]["text"].startswith("signal 2")
    assert {each["side"] for each in sent["first"]} == {1}

    page.open("traverse")
    assert page.at.segmented_control(key=keys.ASKS).value == "second"
    assert "asks='second'" in "".join(page.snippets).replace('"', "'")

    page.open("compare", runs=f"{RUN},either-2", ask="second", q=str(row))
    sent = page.panel()
    assert (sent["asks"], sent["side"]) == ("second", 1)
    assert [int(i) for i in sent["first"]["runs"][0]["ids"]] == found[:6]
    told(page, "both")
    assert page.params["ask"] == "both" and page.panel()["side"] == 2

    page.open("words")
    assert page.at.segmented_control(key=keys.ASKS).value == "both"
    told(page, "first")
    assert "ask" not in page.params
    page.open("explore")
    assert "ask" not in page.params and page.state.asks == "first"


@pytest.mark.parametrize("name", ["steer", "traverse", "compare", "words"])
def test_a_model_that_cannot_says_so_on_every_page(shown, name):
    runs = {"runs": f"{RUN},one-way"} if name == "compare" else {"run": "one-way"}
    page = shown(name, ask="second", **runs)
    assert page.words.count(ONE_WAY.format("signal 1")) == 1
    controls = {control.key for control in page.at.segmented_control}
    assert keys.ASKS not in controls


def test_steering_asks_as_the_page_does(explorers):
    row = int(explorers["first"].search_rows[5])
    part = {"key": "a", "run": RUN, "query": row, "axes": [0], "levels": ["query"], "n_sigma": 2}
    for asks, explorer in explorers.items():
        question = {"seq": 1, "card": True, "parts": [part | {"asks": asks}]}
        found = steer_answer(question, lambda run, rows, asks: explorers[asks])["parts"][0]
        assert [item[0] for item in found["items"]] == explorer.topk(
            explorer.encode(row), 5
        ).ids.tolist()
        assert found["side"] == (1 if asks == "second" else 2)


def test_a_step_of_a_tour_keeps_what_asks():
    step = TourStep("h", "", RUN, 3, SteerRow((0,), ("on",)), 2.0, "second")
    tour = Tour("t", (step, replace(step, asks="first")))
    assert from_bytes(to_bytes(tour)) == tour
    assert [each.get("asks") for each in to_json(tour)["steps"]] == ["second", None]


# Evaluations and label plans


@pytest.fixture
def at_once(monkeypatch):
    """Tasks are done here, and quickly."""
    quick = {"n_queries": 5, "null_permutations": 0, "null_permutations_slow": 0}
    monkeypatch.setattr(evaluation, "evaluate", partial(evaluation.evaluate, **quick))

    def start(key, title, name, spec):
        work = getattr(plan_making if "plan" in name else evaluating, name.split(":")[1])
        return Task(key, title, None, running=False, result=work(spec, lambda *told: None))

    for module in (evaluating, plan_making):
        monkeypatch.setattr(module, "step_back", lambda: None)
        monkeypatch.setattr(module, "start_process", start)


def copied(folder, tmp_path, monkeypatch, *names):
    """Runs that a test may write into."""
    monkeypatch.setenv("RIVAE_RUNS", str(tmp_path / "runs"))
    return [Run(shutil.copytree(folder / name, tmp_path / "runs" / name)) for name in names]


@pytest.mark.slow
def test_a_label_plan_is_for_the_queries_that_are_chosen(
    folder, app, at_once, tmp_path, monkeypatch
):
    runs = copied(folder, tmp_path, monkeypatch, RUN, "one-way")
    for run in runs:
        data = run.load_dataset()
        run.write_evaluation(evaluation.evaluate(run.load_method(data), data))
    page = told(app("explore", run=RUN), "second").open("label", view="Plans")
    field = f"{label_keys.NEW}_runs"
    page.at.multiselect(key=field).set_value([RUN, "one-way"]).run()
    assert keys.ASKS not in {control.key for control in page.calm().at.segmented_control}
    page.at.multiselect(key=field).set_value([RUN]).run()
    assert page.at.segmented_control(key=keys.ASKS).value == "second"
    press(told(page, "both"), f"{label_keys.NEW}_count")
    press(page, f"{label_keys.NEW}_make")
    with LabelStore(tmp_path / "labels.db") as store:
        (name,) = plan_names(store)
        plan = kept_plan(store, name)
    wanted = make_plan(runs[:1], name, asks="both")
    assert (plan.asks, plan.order) == ("both", wanted.order)
    assert "signal 1 and the signal 2" in written(page)
    page.open("explore")
    assert (page.state.run, page.state.asks) == (RUN, "both")


@pytest.mark.slow
def test_an_evaluation_is_of_the_queries_that_are_chosen(
    folder, app, at_once, tmp_path, monkeypatch
):
    (run,) = copied(folder, tmp_path, monkeypatch, RUN)
    views = run.load_dataset().view_names
    page = told(app("metrics", run=RUN), "both")
    assert page.params["ask"] == "both" and NOT_MEASURED in page.words
    assert queries_by(views, "both") in page.words
    page.at.button(key=metrics_keys.EVALUATE).click().run()
    assert run.evaluation is None and run.evaluation_of("both").settings.asks == "both"
    folds = {"open_paper": "true", "open_metrics": "true"}
    page.follow(run=RUN, ask="both", cell="1_1", **folds)
    assert NOT_MEASURED not in page.words and queries_by(views, "both") in page.words
    sent = [page.panel(n) for n in range(len(page.components))]
    headings = [row.get("section", "") for panel in sent for row in panel.get("rows", ())]
    assert any(f"both → {views[1]}" in heading for heading in headings)
    code = page.snippets
    assert len(code) > 2 and all("run.evaluation" in text for text in code)
    assert all("asks='both'" in text for text in code)
    assert ("traverse", f"run={RUN}&ask=both") in page.links
    page.open("explore")
    assert page.state.asks == "both"
    page.open("metrics")
    assert page.at.segmented_control(key=keys.ASKS).value == "both"
    assert NOT_MEASURED in told(page, "first").words


def test_a_run_that_is_asked_one_way_is_evaluated_as_ever(shown):
    page = shown("metrics", run="one-way", ask="second")
    assert NOT_MEASURED in page.words and ONE_WAY.format("first view") in written(page)
    assert keys.ASKS not in {control.key for control in page.at.segmented_control}


# A text of one's own


def test_a_text_of_ones_own_is_read_as_those_of_the_data(folder):
    run = Run(folder / BARS)
    explorer = Explorer.open(run, asks="second")
    data, row = explorer.data, int(explorer.search_rows[7])
    text = recipe_text(data.recipe(row))
    assert torch.allclose(data.from_text(text), data.x2.batch([row]), atol=1e-5)
    assert np.allclose(explorer.encode_text(text.upper()), explorer.encode(row), atol=1e-5)
    for bad, why in (
        ("0 12 , ;", "texts, such as "),
        ("", "texts, such as "),
        ("brihgt pant", "bright"),  # the nearest of its words
        ("paint " * 9999, TOO_LONG),
    ):
        with pytest.raises(DataError, match=why):
            explorer.encode_text(bad)
    with pytest.raises(DataError, match=NO_TEXTS.format("synth")):
        Explorer.open(Run(folder / RUN)).encode_text("bright paint")
    one_way = Explorer.open(Run(folder / "one-way"))
    assert not one_way.accepts_text
    with pytest.raises(ConfigError, match="ask_both_ways"):
        one_way.encode_text("bright paint")


@pytest.mark.slow
def test_a_typed_text_asks_through_the_second_head(shown, folder):
    page = shown("explore", run=BARS, q="4")
    page.report("choose", {"view": page.view(), "how": "gallery"})
    form = f"{keys.GALLERY_TEXT}_typed", f"{keys.GALLERY_TEXT}_use"
    page.at.text_area(key=form[0]).set_value("0 1 2")
    page.at.button(key=form[1]).click().run()
    assert UNKNOWN_WORDS.split(":")[0] in page.calm().words and page.state.upload is None
    page.at.text_area(key=form[0]).set_value("<b>bright</b> paint, upper brush")
    page.at.button(key=form[1]).click().run()
    state = page.calm().state
    expected = rounded(
        Explorer.open(Run(folder / BARS)).encode_text("bright paint upper brush b b")
    )
    assert state.asks == "second" and state.z == state.base == expected
    assert state.upload.title == "<b>bright</b> paint, upper brush"
    box = shown("explore", run=BARS, q="4")
    assert box.panel()["takes"] == {"text": True, "picture": True}
    box.report("search", {"view": box.view(), "text": "0 1 2"})
    assert UNKNOWN_WORDS.split(":")[0] in box.calm().words and box.state.upload is None
    box.report("search", {"view": box.view(), "text": "<b>bright</b> paint, upper brush"})
    assert box.calm().state.upload == state.upload and box.state.z == expected
    assert page.params["ask"] == "second" and page.params["q"].startswith("text_")
    assert page.panel()["query"]["picture"].startswith("data:image/")
    again = shown("explore", **page.params)
    assert again.state.upload == state.upload and not again.at.session_state[keys.EXPLORE.notice]
    gone = shown("explore", **{**page.params, "q": "text_" + "0" * 32})
    assert gone.at.session_state[keys.EXPLORE.notice] == TEXT_GONE
    assert gone.state.asks == "second" and gone.state.z == expected
