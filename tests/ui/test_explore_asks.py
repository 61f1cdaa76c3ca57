"""Which view of an item is the query, on the Explore page."""

import numpy as np
import pytest

from rivae.errors import ConfigError
from rivae.explorer import Explorer
from rivae.launch import make_config
from rivae.methods import build_method
from rivae.runs import Run
from rivae.snippets import snippet
from rivae.ui.explore.state import ONE_WAY, with_upload
from rivae.ui.panels.answers import answer, rounded
from rivae.ui.shared.uploads import Upload
from rivae.ui.shell import keys

RUN = "either"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """An untrained but complete run whose model is asked with either view, and one of another."""
    root = tmp_path_factory.mktemp("asks")
    for name, settings in ((RUN, {"ask_both_ways": True}), ("one-way", {})):
        data_settings = {"n_pairs": 240}
        config = make_config(
            "synth", name=name, dataset_settings=data_settings, method_settings=settings
        )
        run = Run.create(config, root)
        run.write_model(build_method("rivae", config.method.settings, (50,), (50,)))
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
    page.at.segmented_control(key=keys.EXPLORE_ASKS).set_value("second").run()
    page.calm()
    own = rounded(explorers["second"].encode(row))
    assert page.state.z == (0.5, own[1]), "a locked axis stays"
    assert page.params["ask"] == "second"
    assert "asks='second'" in "".join(c.value for c in page.at.code).replace('"', "'")
    page.open("home").open("explore")
    assert page.state.asks == "second"
    page.at.selectbox(key=keys.EXPLORE_ROWS).set_value("all").run()
    assert (page.calm().state.asks, page.state.rows) == ("second", "all")
    page.at.segmented_control(key=keys.EXPLORE_ASKS).set_value("first").run()
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
    assert page.at.segmented_control(key=keys.EXPLORE_ASKS).disabled


def test_the_snippet_asks_as_the_page_does(folder):
    text = snippet(str(folder / RUN), "topk", query=3, asks="second", side=1)
    assert "Explorer.open(run, rows='test', asks='second')" in text.replace('"', "'")
    assert "data.picture(3, 2)" in text
    assert "asks" not in snippet(RUN, "topk", query=3)
