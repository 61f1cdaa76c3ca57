"""The Share menu: what a view offers, by which names, and the making of its interactive page."""

import dataclasses
import json

import numpy as np
import pytest
import streamlit as st

from rivae.app.explore import state as explore_state
from rivae.app.panels.links import ExploreLink
from rivae.app.shared import share
from rivae.app.shell import keys
from rivae.app.work import page_file
from rivae.app.work.tasks import Task
from rivae.exploring.explorer import Explorer
from rivae.figures.page import content
from rivae.figures.page.document import page_bytes, seen_in
from rivae.figures.page.opening import OPENED, Seen, opened_at
from rivae.runs import Run
from rivae.runs.selections import keep_selection

NOTHING = "share_nothing"


def files(shown):
    """The keys of the downloads that the menu has."""
    return [b.key for b in shown.at.get("download_button") if str(b.key).startswith("share-")]


def offered(shown):
    return shown.at.session_state[keys.SHARED]


@pytest.mark.parametrize(
    ("page", "panels", "has_page"),
    [
        ({"page": "explore"}, ["results"], True),
        ({"page": "explore", "view": "Map"}, ["results"], True),
        ({"page": "traverse", "view": "Strips"}, ["strips"], True),
        ({"page": "traverse", "view": "Plane"}, ["plane"], True),
        ({"page": "traverse", "view": "Path"}, ["path"], True),
        ({"page": "traverse", "view": "Axis"}, ["positions", "effects"], True),
        ({"page": "traverse", "view": "Correlations"}, ["digits", "scatter"], False),
        ({"page": "steer"}, ["steer"], True),
        ({"page": "train"}, [], False),
    ],
)
def test_a_view_offers_what_it_has_in_one_menu(app, page, panels, has_page):
    shown = app(**page, run="digits")
    assert not files(shown), "a closed menu holds nothing"
    assert [stem.removeprefix("digits-") for stem in offered(shown).panels] == panels
    assert (offered(shown).page is not None) == has_page
    shown.share()
    assert any(code.value.endswith("digits") or "run=" in code.value for code in shown.at.code)
    assert bool(files(shown)) == bool(panels)
    chooser = [box for box in shown.at.selectbox if box.key == keys.SHARE_PANEL]
    assert bool(chooser) == (len(panels) > 1)
    made = [button for button in shown.at.button if button.key == keys.SHARE_PAGE]
    assert bool(made) == has_page


@pytest.mark.slow
def test_of_several_panels_the_chosen_one_is_offered(app):
    shown = app("traverse", view="Axis", run="digits").share()
    stems = list(offered(shown).panels)
    for stem in reversed(stems):
        shown.at.selectbox(key=keys.SHARE_PANEL).set_value(stem).run()
        assert files(shown) and all(key.startswith(f"share-{stem}-") for key in files(shown))


@pytest.mark.parametrize(
    ("page", "columns"),
    [({"page": "traverse", "view": "Correlations"}, 3), ({"page": "explore"}, 3)],
)
def test_a_figure_can_be_read_as_a_table(app, page, columns):
    shown = app(run="digits", **page).share()
    (toggle,) = (t for t in shown.at.toggle if str(t.key).startswith("share-"))
    assert not shown.at.dataframe
    toggle.set_value(True).run()
    (table,) = shown.at.dataframe
    assert len(table.value) and len(table.value.columns) >= columns


def test_a_long_table_says_where_the_rest_is(app, monkeypatch):
    monkeypatch.setattr(share, "MAX_ROWS", 4)
    shown = app("explore", run="digits").share()
    next(t for t in shown.at.toggle if str(t.key).startswith("share-")).set_value(True).run()
    assert len(shown.at.dataframe[0].value) == 4
    assert any("CSV" in caption.value and " 4 of " in caption.value for caption in shown.at.caption)


def test_a_part_that_is_drawn_again_offers_in_its_old_place():
    st.session_state.clear()
    share.begin()
    for title, stem in (("first", "x"), ("second", "y"), ("first, later", "x")):
        share.offer(share.Panel(title, stem))
    panels = st.session_state[keys.SHARED].panels.values()
    assert [(panel.stem, panel.title) for panel in panels] == [
        ("x", "first, later"),
        ("y", "second"),
    ]
    share.begin()
    assert not st.session_state[keys.SHARED].panels, "the next page offers its own"
    st.session_state.clear()


# The page


@pytest.fixture
def begun(monkeypatch):
    """Tasks that are begun, and never end by themselves."""
    tasks = []

    def begin(key, title, work, spec):
        tasks.append((Task(key, title, None), work, spec))
        return tasks[-1][0]

    monkeypatch.setattr(page_file, "start_process", begin)
    monkeypatch.setattr(page_file, "_making", type(page_file._making)(2, RuntimeError, NOTHING))
    return tasks


def button(shown):
    return next(b for b in shown.at.button if b.key == keys.SHARE_PAGE)


def download(shown):
    key = f"{keys.SHARE_PAGE}_file"
    return [b for b in shown.at.get("download_button") if b.key == key]


@pytest.mark.slow
def test_a_page_is_made_followed_and_kept_until_it_would_be_another(app, digits, begun, runs):
    shown = app("explore", run="digits").share()
    assert f"{len(digits.search_rows):,}" in button(shown).label and not download(shown)
    button(shown).click().run()
    ((task, work, spec),) = begun
    assert work == f"{page_file.__name__}:{page_file.make.__name__}"
    assert any(b.label == "Stop" for b in shown.at.button) and not download(shown)
    assert keys.SHARE_PAGE not in [b.key for b in shown.at.button], "it is begun once"

    shares = []
    task.result = page_file.make(spec, lambda stage, share: shares.append(share))
    task.running = False
    assert shares == sorted(shares) and 0 <= shares[0] < shares[-1] <= 1
    shown.at.run()
    assert len(download(shown)) == 1
    assert page_file.read(task.key) == page_bytes(Explorer.open(Run(runs / "digits")), "digits")

    # Another z is no other page; another selection is.
    shown.report("commit", shown.view(z=[0.5] * digits.n_components))
    assert len(download(shown)) == 1 and len(begun) == 1


def test_what_a_page_holds_decides_whether_it_is_made_again(run_folder, tmp_path, monkeypatch):
    import shutil

    shutil.copytree(run_folder / "digits", tmp_path / "own")
    monkeypatch.setenv("RIVAE_RUNS", str(tmp_path))
    one = Explorer.open(Run(tmp_path / "own"))
    key = page_file.key_of(one, "own", "1")
    assert key == page_file.key_of(Explorer.open(Run(tmp_path / "own")), "own", "1")
    assert key != page_file.key_of(one, "own", "2")
    assert one.run is not None
    keep_selection(one.run, one.search_rows[:5], "five")
    assert key != page_file.key_of(Explorer.open(Run(tmp_path / "own")), "own", "1")


def test_trouble_with_a_page_is_one_sentence(app, begun, monkeypatch):
    shown = app("explore", run="digits").share()
    button(shown).click().run()
    ((task, _, _),) = begun
    task.running, task.error = False, "this is why"
    shown.at.run()
    assert "this is why" in shown.warnings
    button(shown).click().run()
    assert len(begun) == 2, "and it can be tried again"
    monkeypatch.setattr(content, "MOST", 3)
    shown.at.run()
    (warning,) = shown.warnings
    assert warning.startswith(f"{len(offered(shown).page[0].search_rows):,} items")
    assert keys.SHARE_PAGE not in [b.key for b in shown.at.button]


def test_a_page_that_is_known_no_longer_leaves_no_file(begun, digits, monkeypatch):
    for n in range(4):
        task = page_file.begin(f"{n:064}", digits, "digits")
        page_file._path(task.key).write_bytes(b"page")
        task.running, task.result = False, {"bytes": 4}
    kept = {path.stem for path in page_file._folder().glob("*.html")}
    assert f"{3:064}" in kept and f"{0:064}" not in kept


# What it opens with


def test_a_page_opens_with_what_is_looked_at(digits):
    rng = np.random.default_rng(3)
    link = ExploreLink(
        run="digits", query=int(digits.search_rows[7]), changes={1: round(rng.normal(), 4)}, k=7,
        span=10, by_effect=False, locked=(2,),
    )  # fmt: skip
    state = explore_state.from_link(digits, "digits", link, 0)[0]
    seen = explore_state.seen(digits, state, "effect", on_map=True)
    told = opened_at(digits, seen)
    assert told["z"] == list(state.z) and told["z"][1] == link.changes[1]
    assert (told["query"], told["card"], told["k"]) == (link.query, None, 7)
    assert (told["span"], told["order"], told["locked"]) == (10, "number", [2])
    assert told["onMap"] and told["meets"] is None
    best = dataclasses.replace(state, by_effect=True)
    assert explore_state.seen(digits, best, "effect", on_map=False).order == "effect"


def test_a_query_that_a_page_does_not_hold_comes_with_its_card(digits):
    outside = next(i for i in range(len(digits.data)) if i not in digits.search_rows)
    for query in (outside, "mean"):
        seen = share.linked(digits, ExploreLink(query=query))
        told = opened_at(digits, seen)
        assert told["query"] == OPENED and told["card"]["title"] and told["z"] == list(seen.base)
    assert opened_at(digits, Seen(None, seen.base))["query"] is None


def test_a_filter_that_words_do_not_say_is_brought_along(digits):
    name = digits.data.factor_specs[0].name
    value = digits.data.factor_text(int(digits.search_rows[0]), 0)
    told = opened_at(digits, Seen(None, (0.0,) * 3, only=f"{name}={value}"))
    import base64

    bits = np.frombuffer(base64.b64decode(told["meets"]), np.uint8)
    meets = np.unpackbits(bits, count=len(digits.search_rows), bitorder="little").astype(bool)
    wanted = [digits.data.factor_text(int(i), 0) == value for i in digits.search_rows]
    assert meets.tolist() == wanted and 0 < sum(wanted) < len(wanted)


def test_another_opening_changes_nothing_else_of_a_page(digits):
    page = page_bytes(digits, "digits")
    hostile = Seen(None, (0.5, 1.0, 2.0), card={"title": "</script><b>", "picture": ""})
    other = seen_in(page, opened_at(digits, hostile))
    assert b"</script><b>" not in other
    start, end = b'id="seen">', b"</script>"
    said = other[other.index(start) + len(start) :]
    assert json.loads(said[: said.index(end)])["card"]["title"] == hostile.card["title"]
    assert seen_in(other, opened_at(digits)) == page


def test_a_large_page_is_warned_of_before_it_is_made(app, monkeypatch):
    shown = app("explore", run="digits").share()
    before = {caption.value for caption in shown.at.caption}
    monkeypatch.setattr(content, "MANY", 3)
    shown.at.run()
    (said,) = {caption.value for caption in shown.at.caption} - before
    assert said == content.check_size(offered(shown).page[0]) and button(shown)
