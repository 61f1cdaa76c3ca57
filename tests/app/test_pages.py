"""The pages without a browser: what they say, how their state moves, that none of them throws."""

import base64
import io
import re

import numpy as np
import pytest

from rivae.app.explore.search import MAX_CONTENT
from rivae.app.panels.answers import query_z
from rivae.runs.run import NO_MODEL

UNUSABLE = {
    "nowhere": "run 'nowhere'",
    "stopped": NO_MODEL.format("stopped"),
    "training": NO_MODEL.format("training"),
    "failed": NO_MODEL.format("failed"),
    "broken": "config.json",
    "damaged": "model.safetensors is damaged",
}


# Home


def test_home_shows_every_run_in_its_state(app):
    words = app().words
    for expected in (
        "digits",
        "synth",
        "epoch 3 of 9",
        "the loss is not finite",
        "config.json",
    ):
        assert expected in words.replace("\\", "")


def test_home_has_one_card_for_a_data_set_its_best_run_first(app):
    from rivae.app.home.cards import blurb

    home = app()
    titles = [text.value for text in home.at.markdown if text.value.startswith("### ")]
    assert len(titles) == len(set(titles)) >= 3
    assert blurb("split-digits") in home.words.replace("\\", "")


@pytest.mark.parametrize("junk", [{}, {"query": "1"}, {"query": 10**9}, {"query": -1}])
def test_homes_panel_survives_what_a_stranger_sends(app, junk):
    home = app()
    before = home.panel()
    home.report("start", junk)
    if junk:
        assert type(junk["query"]) is not int or home.panel()["rev"] == before["rev"]
    home.report("open", junk)
    assert "sliders" not in home.words


def test_homes_panel_goes_on_in_explore(app):
    home = app()
    sent = home.panel()
    z = [value + 1.0 for value in sent["z"]]
    home.report("open", {"z": z})
    assert home.state.run == sent["run"]
    assert home.panel()["z"] == pytest.approx(z, abs=1e-3)


def test_home_offers_only_runs_that_open(app):
    at = app().at
    offered = {b.key.removeprefix("explore-") for b in at.button if b.key.startswith("explore-")}
    assert {"digits", "synth"} <= offered
    assert not {"training", "failed", "broken"} & offered


def test_one_click_opens_a_run(app):
    home = app()
    home.at.button(key="explore-synth").click().run()
    home.calm()
    assert home.state.run == "synth"
    assert home.panel()["run"] == "synth"


COMMAND = re.compile(r"python -m|(?<![\w/])rivae [a-z-]+ |--set |\bpip install")


@pytest.mark.slow
@pytest.mark.parametrize("page", ["home", "metrics", "train", "label", "data", "words"])
def test_no_page_asks_for_a_command(app, page):
    shown = app(page)
    kinds = ("markdown", "caption", "warning", "info", "code", "success")
    said = [str(element.value) for kind in kinds for element in getattr(shown.at, kind)]
    assert not [text for text in said if COMMAND.search(text) and "import numpy" not in text]


def test_a_card_leads_to_what_is_next(app):
    links = app().links
    assert ("train", "run=stopped") in links and ("train", "run=failed") in links
    assert ("metrics", "show=run&run=synth") in links
    assert ("train", "on=sprites") in links and ("data", "") in links


def test_without_runs_every_page_leads_to_training(app, monkeypatch, tmp_path):
    monkeypatch.setenv("RIVAE_RUNS", str(tmp_path))
    for page in ("home", "explore", "traverse"):
        shown = app(page)
        assert ("train", "training=New+run") in shown.links and "python -m" not in shown.words


@pytest.mark.parametrize("page", ["explore", "traverse"])
@pytest.mark.parametrize(("run", "reason"), UNUSABLE.items())
def test_a_run_that_cannot_be_opened_is_explained(app, page, run, reason):
    shown = app(page, run=run)
    assert any(reason in warning for warning in shown.warnings)
    assert not shown.components


def test_what_a_link_says_is_shown_as_it_is(app):
    shown = app("explore", run="no__such__run")
    (warning,) = shown.at.warning
    assert "no__such__run" not in warning.value and "no__such__run" in shown.warnings[0]


# Explore


def test_a_link_opens_its_state(app):
    shown = app("explore", run="digits", q="12", z="2_0.75", k="4", lock="1", sort="effect")
    s, sent = shown.state, shown.panel()
    assert (s.run, s.query, s.z[1], s.k, s.locked) == ("digits", 12, 0.75, 4, (0,))
    assert sent["z"][1] == 0.75 and len(sent["first"]["ids"]) == 4 and sent["byEffect"]
    assert sent["url"] == ""  # AppTest starts no server, so the panel asks through the session


@pytest.mark.parametrize(
    "params",
    [
        {"z": "1_nan"},
        {"q": "-3"},
        {"q": "99999999"},
        {"k": "1000"},
        {"z": "9_1"},
        {"lock": "7"},
        {"rows": "<script>"},
        {"run": "../../etc"},
        {"z": "~" * 500},
        {"span": "0"},
    ],
)
def test_a_bad_link_still_shows_pictures_and_says_so(app, params):
    shown = app("explore", **{"run": "digits", **params})
    assert shown.at.warning, "nothing was said about the link"
    assert len(shown.panel()["first"]["ids"]) == 10


def test_a_release_reaches_state_and_address_but_not_the_panel(app):
    shown = app("explore", run="digits", q="12")
    before = shown.panel()
    shown.report("commit", shown.view(z=[1, -2, 0.5], k=6))
    assert shown.state.z == (1.0, -2.0, 0.5) and shown.state.k == 6
    assert shown.params["z"] == ["1_1~2_-2~3_0.5"] or shown.params["z"] == "1_1~2_-2~3_0.5"
    assert shown.panel() == before, "the panel is sent nothing while the browser owns z"


def test_a_late_release_is_ignored(app):
    shown = app("explore", run="digits", q="12")
    late = shown.view(z=[5, 5, 5])
    shown.report("choose", {"how": "random", "view": shown.view()})
    after = shown.state
    shown.report("commit", late)
    assert shown.state == after


@pytest.mark.parametrize("junk", [None, "x", 3, {"rev": 1}, {"z": "x"}, []])
def test_a_nonsense_report_changes_nothing(app, junk):
    shown = app("explore", run="digits")
    before = shown.state
    for name in ("commit", "pick", "choose", "ask", "search", "label"):
        shown.report(name, junk)
    assert shown.state == before
    assert not shown.at.session_state.get("explore_item")


def test_the_back_button_restores_the_former_state(app):
    shown = app("explore", run="digits", q="12")
    start = shown.state
    shown.report("commit", shown.view(z=[1, 1, 1]))
    shown.follow(run="digits", q="12")
    assert shown.state.z == start.z
    assert shown.state.rev > start.rev and shown.panel()["rev"] == shown.state.rev


def test_a_random_query_keeps_locked_dimensions(app):
    shown = app("explore", run="digits", q="12")
    shown.report("choose", {"how": "random", "view": shown.view(z=[9, 9, 9], locked=[2])})
    s = shown.state
    assert s.z[2] == 9 and s.z[:2] == s.base[:2]
    assert shown.panel()["z"] == list(s.z)


def test_a_click_opens_the_drawer_with_the_items_own_z(app, digits):
    shown = app("explore", run="digits")
    i = shown.panel()["first"]["ids"][2]
    shown.report("pick", {"id": i, "view": shown.view()})
    assert digits.title(i) in shown.words.replace("\\", "")
    assert str(i) in [code.value for code in shown.at.code]
    shown.at.button(key="drawer_query").click().run()
    shown.calm()
    assert shown.state.query == i and shown.state.z == query_z(digits, i)
    assert shown.at.session_state["explore_item"] is None


def test_z_can_be_moved_to_an_item(app, digits):
    shown = app("explore", run="digits", q="12")
    i = shown.panel()["first"]["ids"][5]
    shown.report("pick", {"id": i, "view": shown.view()})
    shown.at.button(key="drawer_move").click().run()
    shown.calm()
    assert shown.state.query == 12 and shown.state.z == query_z(digits, i)


def test_an_item_that_does_not_exist_opens_no_drawer(app):
    shown = app("explore", run="digits")
    shown.report("pick", {"id": 10**6, "view": shown.view()})
    assert any("no item" in warning.value for warning in shown.at.warning)


@pytest.mark.slow
def test_a_picture_of_the_search_box_is_the_query(app, digits):
    shown = app("explore", run="digits", q="12")
    assert shown.panel()["takes"] == {"text": False, "picture": True}
    picture = io.BytesIO()
    digits.data.picture(40, 1).save(picture, "PNG")
    content = base64.b64encode(picture.getvalue()).decode()
    shown.report("search", {"view": shown.view(), "name": "<i>mine</i>.png", "content": content})
    state = shown.calm().state
    assert state.upload.title == "<i>mine</i>.png" and state.z == state.base
    assert np.allclose(state.z, query_z(digits, 40), atol=0.05)
    before = shown.state
    no_picture = base64.b64encode(b"no picture").decode()
    for bad in (no_picture, "*", content[:99], "", 3, None, "A" * (MAX_CONTENT + 1)):
        shown.report("search", {"view": shown.view(), "name": "bad", "content": bad})
        (said,) = (warning.value for warning in shown.at.warning)
        assert "picture" in said and shown.state == before
    shown.report("search", {"view": shown.view(), "text": "seven"})
    assert shown.at.warning and shown.state == before


def test_the_gallery_searches_and_chooses(app, digits):
    shown = app("explore", run="digits")
    shown.report("choose", {"how": "gallery", "view": shown.view()})
    wanted = int(digits.find("digit 7")[0])
    shown.at.text_input(key="gallery_text").set_value(str(wanted)).run()
    shown.calm()
    shown.at.session_state["explore_choosing"] = True
    shown.at.run()
    assert shown.panel(1)["ids"][0] == wanted
    shown.report("pick", wanted, n=1)
    assert shown.state.query == wanted
    assert not shown.at.session_state["explore_choosing"]


def test_the_session_answers_where_the_route_is_missing(app, digits):
    shown = app("explore", run="digits")
    z = [0.5, -0.5, 0]
    question = {"run": "digits", "rows": "test", "z": z, "k": 3, "side": 2, "seq": 5, "have": []}
    shown.report("ask", question)
    got = shown.panel()["answer"]
    assert got["seq"] == 5
    assert got["ids"] == [int(i) for i in digits.topk(np.array(z, dtype=float), 3).ids]
    shown.report("ask", {**question, "seq": 6, "k": 0})
    assert "'k'" in shown.panel()["answer"]["error"]


def test_another_run_starts_afresh(app):
    shown = app("explore", run="digits", z="1_2")
    shown.at.selectbox(key="explore_run").set_value("synth").run()
    shown.calm()
    assert shown.state.run == "synth" and shown.state.z == shown.state.base
    assert shown.panel()["run"] == "synth"


def test_all_items_can_be_searched(app, digits):
    shown = app("explore", run="digits", q="12", z="1_0.5")
    shown.at.selectbox(key="explore_rows").set_value("all").run()
    shown.calm()
    assert shown.state.rows == "all" and shown.state.z[0] == 0.5 and shown.state.query == 12
    row = int(digits.data.splits["train"][0])
    shown.report("choose", {"how": "random", "view": shown.view()})
    shown.follow(run="digits", rows="all", q=str(row))
    assert shown.state.query == row


def test_explore_remembers_where_it_was(app):
    shown = app("explore", run="digits", q="12")
    shown.report("commit", shown.view(z=[1, 1, 1]))
    shown.open("home").open("explore")
    assert shown.state.z == (1.0, 1.0, 1.0)
    assert shown.panel()["z"] == [1.0, 1.0, 1.0]
    assert "z" in shown.params


def test_text_from_data_is_not_markup(app, monkeypatch):
    from rivae.data.halves import Halves

    monkeypatch.setattr(Halves, "title", lambda self, i: "<b>x</b> $y$ :red[z] **w** [a](b)")
    shown = app("explore", run="digits")
    i = shown.panel()["first"]["ids"][0]
    shown.report("pick", {"id": i, "view": shown.view()})
    heading = shown.at.subheader[0].value
    for raw in ("<b>", "$y$", ":red[", "**w**", "[a]("):
        assert raw not in heading


def test_the_snippet_finds_what_the_page_shows(app, capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    shown = app("explore", run="digits", q="12", z="2_1.5", k="4")
    (code,) = [code for code in shown.snippets if "run.topk" in code]
    exec(code, {})  # what a user would paste
    printed = [int(line.split()[0]) for line in capsys.readouterr().out.splitlines()]
    assert printed == shown.panel()["first"]["ids"]


@pytest.mark.parametrize("kind", ["png", "svg", "html", "csv"])
def test_the_results_can_be_exported(digits, runs, kind):
    from rivae.app.explore import panels
    from rivae.app.explore import state as explore
    from rivae.app.panels.links import ExploreLink
    from rivae.figures.export import export_bytes

    state, _ = explore.from_link(digits, "digits", ExploreLink(k=3, changes={0: 2.0}), rev=0)
    content = export_bytes(panels.sheet(digits, state), kind)
    ids = [str(i) for i in digits.topk(np.array(state.z), 3).ids]
    if kind == "csv":
        lines = content.decode().splitlines()
        assert [line.split(",")[1] for line in lines[1:]] == ids
    else:
        assert len(content) > 500
