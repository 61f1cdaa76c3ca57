"""From page to page: run and query go along and stand in the address that is reached."""

import pytest

from rivae.app.shared.address import AVERAGE, ONLY_EXPLORE

EXPLORED = {"run": "digits", "q": "40", "z": "1_0.5", "k": "7"}


def go(shown, page):
    """A click in the bar at the top, which opens a page under its bare address."""
    return shown.open(page)


def said(shown):
    """The address, one text per name."""
    return {k: v[-1] if isinstance(v, list) else v for k, v in shown.params.items()}


@pytest.mark.parametrize("page", ["traverse", "steer", "metrics", "words", "compare"])
def test_run_and_query_go_along_and_stand_in_the_address(app, page):
    shown = go(app("explore", **EXPLORED), page)
    there = said(shown)
    if page == "compare":
        assert "digits" in there["runs"].split(",") and there["q"] == "40"
    else:
        assert there["run"] == "digits"
        assert there.get("q") == (None if page == "metrics" else "40")


def test_a_page_is_found_as_it_was_left(app):
    shown = app("explore", **EXPLORED, sort="axis")
    state = shown.state
    shown = go(go(shown, "traverse"), "explore")
    assert said(shown) == {**EXPLORED, "sort": "axis"} and shown.state == state


def test_a_query_chosen_elsewhere_comes_along_and_z_stays_with_the_query_it_belongs_to(app):
    shown = go(app("explore", **EXPLORED), "traverse")
    shown.at.number_input(key="traverse_query").set_value(41).run()
    shown = go(shown.calm(), "explore")
    assert said(shown) == {"run": "digits", "q": "41", "k": "7"}
    assert shown.state.z == shown.state.base
    assert said(go(shown, "steer"))["q"] == "41"


def test_another_run_takes_its_query_but_not_what_belongs_to_the_old_one(app):
    shown = go(app("explore", **EXPLORED, lock="1"), "traverse")
    shown.at.selectbox(key="traverse_run").set_value("synth").run()
    shown = go(shown.calm(), "explore")
    there = said(shown)
    assert there["run"] == "synth" == shown.state.run
    assert not {"z", "lock"} & there.keys() and there["k"] == "7"


def test_a_card_of_the_run_in_hand_goes_on_where_it_was(app):
    shown = go(app("explore", **EXPLORED), "home")
    shown.at.button(key="explore-digits").click().run()
    assert said(shown.calm()) == EXPLORED
    shown = go(shown, "home")
    shown.at.button(key="explore-synth").click().run()
    assert said(shown.calm())["run"] == "synth" and "z" not in said(shown)


def test_a_link_that_says_more_is_taken_at_its_word(app):
    shown = go(app("explore", **EXPLORED), "steer")
    shown = shown.open("explore", run="digits", q="12")
    assert said(shown) == {"run": "digits", "q": "12"}
    assert shown.state.query == 12 and shown.state.k == 10


def test_bound_controls_are_found_as_they_were_left(app):
    shown = app("traverse", run="digits", q="3", view="Plane", points="7")
    assert said(shown)["view"] == "Plane"
    shown = go(go(shown, "explore"), "traverse")
    assert said(shown)["view"] == "Plane"
    assert shown.at.segmented_control(key="points").value == 7
    assert said(shown)["q"] == "3"


def test_a_page_that_cannot_start_from_an_uploaded_picture_says_what_it_shows(app):
    from rivae.app.shared import uploads
    from rivae.app.shell import cache

    shown = app("explore", run="digits")
    mine = "upload_" + "0a" * 16
    picture = uploads.Upload(mine, "mine.png", "data:image/png;base64,AAAA", (0.5, -0.25, 1.0))
    uploads.KEPT.keep(cache.model_key("digits"), picture)
    shown.open("explore", run="digits", q=mine)
    assert shown.state.upload == picture
    link = {"run": "digits", "q": "mean", "axes": "1", "m": "q~1.5"}  # of Explore's tool bar
    for page, params, instead in (
        ("traverse", {}, "item {q}"),
        ("compare", {}, "item {q}"),
        ("steer", {}, "item {q}"),
        ("explore", {}, ""),
        ("steer", link, AVERAGE),
        ("traverse", {"run": "digits", "q": mine}, "item {q}"),
    ):
        shown.open(page, **params)
        where = instead.format(**said(shown))
        assert (ONLY_EXPLORE.format(where) in shown.words) == bool(instead), (page, params)
    shown.at.button(key="traverse_average").click().run()
    assert said(shown.calm())["q"] == "mean" and ONLY_EXPLORE.split("{")[0] not in shown.words
    shown = go(shown, "explore")
    assert said(shown)["q"] == mine and shown.state.upload == picture


def test_the_title_of_the_tab_is_the_page_and_its_run(app, monkeypatch):
    titles = []
    monkeypatch.setattr("streamlit.set_page_config", lambda **k: titles.append(k.get("page_title")))
    shown = app("explore", run="digits")
    assert titles[-1] == "Explore · digits"
    go(shown, "home")
    assert titles[-1] == "Home"
