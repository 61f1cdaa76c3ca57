"""The Compare page without a browser: which runs, how its state moves, what it refuses."""

import numpy as np
import pytest

from rivae.app.compare.panels import NO_COUNTERPART
from rivae.app.compare.session import other_data
from rivae.app.shared.defaults import LEFT_OUT
from rivae.exploring.comparison import TOO_FEW
from rivae.exploring.explorer import Explorer
from rivae.runs import Run
from rivae.runs.run import NO_MODEL

PAIR = "digits,digits-turned"


def state(shown):
    return shown.at.session_state["compare_state"]


def view(shown, **changes):
    """What the panel reports about itself, with some changes."""
    s = state(shown)
    report = {
        "rev": s.rev,
        "shifts": list(s.shifts),
        "factor": s.factor,
        "k": s.k,
        "whole": s.whole,
        "span": s.span,
        "locked": list(s.locked),
        "by_effect": s.by_effect,
    }
    return {**report, **changes}


def param(shown, name):
    value = shown.params.get(name)
    return value[0] if isinstance(value, list) else value


def test_runs_stand_side_by_side_with_their_matched_axes(app):
    shown = app("compare", runs=PAIR, q="12", k="4")
    sent = shown.panel()
    assert [(r["id"], r["letter"], r["method"]) for r in sent["runs"]] == [
        ("digits", "A", "RIVAE"),
        ("digits-turned", "B", "RIVAE"),
    ]
    labels = [part["label"] for part in sent["runs"][1]["parts"]]
    assert labels == ["z2 (−), |corr| 1.00", "z3, |corr| 1.00", "z1, |corr| 1.00"]
    assert [d["name"] for d in sent["dims"]] == ["Axis 1", "Axis 2", "Axis 3"]
    ids = [one["ids"] for one in sent["first"]["runs"]]
    assert ids[0] == ids[1] and len(ids[0]) == 4
    assert set(sent["first"]["items"]) == {str(i) for i in ids[0]}
    assert sent["query"]["title"] and sent["url"] == ""


def test_a_link_opens_its_state(app, runs):
    shown = app("compare", runs=PAIR, q="12", f="1_4~3_-2.5", factor="3", k="3", lock="2")
    s = state(shown)
    assert (s.query, s.shifts, s.factor, s.k, s.locked) == (12, (4.0, 0.0, -2.5), 2, 3, (1,))
    first, second = shown.panel()["first"]["runs"]
    assert first["ids"] == second["ids"], "the same factors moved by the same share"
    explorer = Explorer.open(Run(runs / "digits"))
    still = [int(i) for i in explorer.topk(explorer.encode(12), 3).ids]
    assert first["ids"] != still


def test_strips_of_the_factor_stand_under_each_other(app):
    shown = app("compare", runs=PAIR, q="12", factor="2")
    drawn = shown.drawn[0]
    assert "A · digits: z2" in drawn and "B · digits-turned: z3" in drawn
    assert "Axis 2" in shown.words
    other = app("compare", runs=PAIR, q="12", factor="1").drawn[0]
    assert "z2 (−)" in other and other != drawn


def test_a_release_reaches_state_and_address_but_not_the_panel(app):
    shown = app("compare", runs=PAIR, q="12")
    before = shown.panel()
    shown.report("commit", view(shown, shifts=[0.1, 0, -0.25], factor=2, k=5))
    s = state(shown)
    assert (s.shifts, s.factor, s.k) == ((0.1, 0.0, -0.25), 2, 5)
    assert (param(shown, "f"), param(shown, "factor")) == ("1_0.1~3_-0.25", "3")
    assert shown.panel() == before, "the panel is sent nothing while the browser owns the shifts"
    assert "Axis 3" in shown.words


def test_reload_and_back_keep_everything(app):
    shown = app("compare", runs=PAIR, q="12")
    start = state(shown)
    shown.report("commit", view(shown, shifts=[0.1, 0.2, 0.3], factor=1, whole=False))
    after, params = state(shown), {name: param(shown, name) for name in shown.params}
    reloaded = state(app("compare", **params))
    assert (reloaded.shifts, reloaded.factor, reloaded.whole) == (after.shifts, 1, False)
    shown.follow(runs=PAIR, q="12")
    assert state(shown).shifts == start.shifts and state(shown).factor == 0
    assert shown.panel()["rev"] == state(shown).rev > after.rev


def test_coming_back_to_the_page_finds_it_as_it_was(app):
    shown = app("compare", runs=PAIR, q="12")
    shown.report("commit", view(shown, shifts=[0.5, 0, 0]))
    shown.open("home").open("compare")
    assert state(shown).runs == ("digits", "digits-turned")
    assert shown.panel()["shifts"] == [0.5, 0.0, 0.0]
    assert param(shown, "f") == "1_0.5"


def test_another_query_keeps_the_shifts(app):
    shown = app("compare", runs=PAIR, q="12", f="1_0.25")
    item = shown.panel()["first"]["runs"][0]["ids"][3]
    shown.report("pick", {"id": item, "view": view(shown)})
    assert state(shown).query == item and state(shown).shifts[0] == 0.25
    assert param(shown, "q") == str(item)
    shown.report("choose", {"how": "random", "view": view(shown)})
    assert shown.panel()["rev"] == state(shown).rev
    shown.report("choose", {"how": "gallery", "view": view(shown)})
    assert shown.at.session_state["compare_choosing"]
    shown.report("pick", 40, n=1)
    assert state(shown).query == 40 and not shown.at.session_state["compare_choosing"]


def test_the_average_query(app, digits):
    shown = app("compare", runs=PAIR, q="mean")
    assert shown.panel()["query"]["title"] == "Average query"
    assert np.allclose(shown.panel()["runs"][0]["base"], digits.mean, atol=1e-4)


def test_the_runs_can_be_chosen(app):
    shown = app("compare", runs=PAIR, q="12", f="2_0.5")
    shown.at.multiselect(key="compare_runs").set_value(
        ["digits", "digits-turned", "digits-4"]
    ).run()
    shown.calm()
    assert state(shown).runs == ("digits", "digits-turned", "digits-4")
    assert state(shown).shifts[1] == 0.5, "the reference is the same, so are its factors"
    assert len(shown.panel()["runs"]) == 3
    shown.at.multiselect(key="compare_runs").set_value(["digits-4", "digits"]).run()
    shown.calm()
    assert state(shown).runs == ("digits-4", "digits")
    assert state(shown).shifts == (0.0,) * 4 and state(shown).query == 12
    shown.at.multiselect(key="compare_runs").set_value([]).run()
    shown.calm()
    assert TOO_FEW in shown.warnings[0]
    assert shown.at.multiselect(key="compare_runs").value == []


def test_without_a_link_two_runs_of_one_data_set_are_shown(app):
    shown = app("compare")
    assert len(state(shown).runs) == 2, "the damaged run, the newest one, is passed over"
    (said,) = shown.warnings
    assert LEFT_OUT.partition("{}")[2][:15] in said, "newer ones do not open"


def test_weak_matches_are_marked_and_left_alone(app, monkeypatch):
    monkeypatch.setattr("rivae.exploring.comparison.COUNTERPART", 1.0)
    shown = app("compare", runs="digits,digits-4", q="12", f="1_0.5")
    sent = shown.panel()
    assert {p["label"] for p in sent["runs"][1]["parts"]} == {"no counterpart"}
    assert all(p["axis"] is None for p in sent["runs"][1]["parts"])
    assert NO_COUNTERPART.format("digits-4") in shown.words.replace("\\", "")


@pytest.mark.parametrize(
    ("named", "reason"),
    [
        ("digits", TOO_FEW),
        ("digits,digits", TOO_FEW),
        ("digits,digits-turned,digits-4,a,b,c,d", "not 7"),
        ("digits,nowhere", "no run 'nowhere'"),
        ("nowhere,digits", "no run 'nowhere'"),
        ("digits,stopped", NO_MODEL.format("stopped")),
        ("digits,training", NO_MODEL.format("training")),
        ("digits,failed", NO_MODEL.format("failed")),
        ("digits,broken", "config.json"),
        ("digits,damaged", "model.safetensors is damaged"),
        ("digits,synth", "digits was trained on Split digits"),
        ("digits,digits-split", other_data("digits", "digits-split", "split-digits")),
    ],
)
def test_what_cannot_be_compared_is_explained_in_one_sentence(app, named, reason):
    shown = app("compare", runs=named)
    (warning,) = shown.warnings
    assert reason in warning and "\n" not in warning
    assert not shown.components
    assert shown.at.multiselect(key="compare_runs").value == list(dict.fromkeys(named.split(",")))


@pytest.mark.parametrize(
    "params",
    [
        {"f": "1_nan"},
        {"f": "9_1"},
        {"q": "99999999"},
        {"k": "99"},
        {"factor": "17"},
        {"q": "-"},
        {"runs": PAIR + ",../../etc"},
    ],
)
def test_a_bad_link_still_shows_pictures_and_says_so(app, params):
    shown = app("compare", **{"runs": PAIR, **params})
    assert shown.at.warning, "nothing was said about the link"
    assert len(shown.panel()["first"]["runs"]) == 2


@pytest.mark.parametrize("junk", [None, "x", 3, {"rev": 1}, {"view": 3}, [], [1]])
def test_a_nonsense_report_changes_nothing(app, junk):
    shown = app("compare", runs=PAIR)
    before = state(shown)
    for name in ("commit", "pick", "choose", "ask"):
        shown.report(name, junk)
    assert state(shown) == before


@pytest.mark.parametrize(
    "changes",
    [
        {"shifts": [0, 0]},
        {"shifts": ["x", 0, 0]},
        {"factor": 3},
        {"factor": None},
        {"k": 0},
        {"span": 7},
        {"locked": [3]},
        {"locked": "0"},
    ],
)
def test_an_impossible_report_is_said_on_the_page(app, changes):
    shown = app("compare", runs=PAIR)
    before = state(shown)
    shown.report("commit", view(shown, **changes))
    assert state(shown) == before and shown.at.warning


def test_the_session_answers_where_the_route_is_missing(app, digits):
    shown = app("compare", runs=PAIR)
    z = [0.5, -0.5, 0]
    parts = [{"run": run, "z": z} for run in ("digits", "digits-turned")]
    question = {"runs": parts, "rows": "test", "k": 3, "side": 2, "seq": 5, "have": []}
    shown.report("ask", question)
    got = shown.panel()["answer"]
    assert got["seq"] == 5
    assert got["runs"][0]["ids"] == [int(i) for i in digits.topk(np.array(z, dtype=float), 3).ids]


def test_a_method_without_a_latent_is_moved_along_v(app, monkeypatch):
    from rivae.models.methods.rivae import RIVAE

    monkeypatch.setattr(RIVAE, "has_latent", False)
    sent = app("compare", runs=PAIR).panel()
    assert sent["runs"][0]["parts"][0]["label"] == "v1 (the reference)"


def test_the_snippet_makes_what_the_page_shows(app, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    shown = app("compare", runs=PAIR, q="12", factor="2")
    (code,) = [code for code in shown.snippets if "factor_strips" in code]
    names = {}
    exec(code, names)  # what a user would paste
    assert [s.name for s in names["strips"]] == ["digits: z2", "digits-turned: z3, |corr| 1.00"]
    assert (tmp_path / "compare.png").stat().st_size > 500


def test_six_runs_stay_open_together(app, run_folder):
    """What is open is bounded, and a page of six does not push its own runs out."""
    from rivae.app.shell import cache

    assert cache.MAX_OPEN >= 6
    shown = app("compare", runs="digits,digits-turned,digits-4")
    opened = [cache.explorer(run) for run in ("digits", "digits-turned", "digits-4")]
    assert len({id(explorer.data) for explorer in opened}) == 1, "the data are shared"
    assert len(shown.panel()["runs"]) == 3


def test_a_second_run_is_one_click_from_live_with_the_run_and_query_in_hand():
    from tests.app.conftest import App

    page = App().open("explore", run="demo-kitchen", q="4")
    assert ("compare", "") in page.links
    page.open("compare")
    assert page.params["runs"].split(",")[0] == "demo-kitchen" and page.params["q"] == "4"
    assert len(page.params["runs"].split(",")) == 2
