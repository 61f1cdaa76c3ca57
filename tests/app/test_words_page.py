"""The Words page without a browser: clouds, contrast, names that show everywhere, tags."""

import json

import pytest

from rivae.app.shell.access import WHAT
from rivae.app.words import page_keys as words_keys
from rivae.app.words.clouds import NO_RARE_WORDS
from rivae.app.words.session import NO_TEXTS
from rivae.app.words.tags import NO_KNOWN_TAG
from rivae.exploring.words.axis_names import axis_names, change_names, given_names
from rivae.exploring.words.kept_names import trash_of_names
from rivae.jobs.launch import make_config
from rivae.models.registry import build_method
from rivae.runs import Run
from rivae.runs.axis_names import MAX_NAME, AxisName

SETTINGS = {"n_components": 2, "dim_v": 8, "init": "none", "ivae_epochs": 0, "joint_epochs": 1}
EVIL = "<img src=x onerror=alert(1)> **b**"


def untrained(folder, name, dataset, **settings):
    """A complete run whose random pictures' features still tell light from dark."""
    import torch

    config = make_config(dataset, name=name, dataset_settings=settings)
    config = config.model_copy(
        update={"method": config.method.model_copy(update={"settings": SETTINGS})}
    )
    run = Run.create(config, folder)
    data = run.load_dataset()
    torch.manual_seed(0)
    run.write_model(build_method("rivae", SETTINGS, data.x1.shape, data.x2.shape))
    run.set_status(state="finished")
    return run


@pytest.fixture(scope="module")
def folder(tmp_path_factory, small_store):
    root = tmp_path_factory.mktemp("words-runs")
    untrained(root, "bars", "pairs", store=str(small_store), image_size=16)
    untrained(root, "plain", "synth", n_pairs=240)
    return root


@pytest.fixture
def page(folder, app, monkeypatch):
    """Opens the page; every test starts without names."""
    monkeypatch.setenv("RIVAE_RUNS", str(folder))
    monkeypatch.setattr("rivae.runs.folders.DEMO_ROOT", folder / "no-demos")
    (folder / "bars" / "axis_names.json").unlink(missing_ok=True)
    return lambda name="words", **params: app(name, **params)


def clouds(shown):
    return shown.panel()["states"]


def click(shown, event, value):
    return shown.report(event, value)


def written(shown):
    return shown.words.replace("\\", "")


# Clouds


def test_three_clouds_with_pictures_and_counts(page):
    shown = page(run="bars")
    states = clouds(shown)
    assert [s["name"] for s in states] == ["μ − 2σ", "μ", "μ + 2σ"]
    assert all("paint" in s["svg"] and 1 <= len(s["tiles"]) <= 4 for s in states)
    assert not shown.at.dataframe, "what is folded is not drawn"
    shown.at.session_state[words_keys.COUNTS] = True
    shown.at.run()
    counts = shown.at.dataframe[0].value
    assert list(counts.columns) == ["word", "μ − 2σ", "μ", "μ + 2σ", "relation"]
    n = int(states[0]["note"].split(" · ")[1].split()[0])
    paints = counts[counts.word.str.endswith("paint")]
    assert paints["μ − 2σ"].sum() == n, "every recipe has one paint"
    assert "more with z" in " ".join(html.value for html in shown.at.html)


def test_the_address_holds_axis_width_and_relation(page):
    shown = page(run="bars", dim="z2", width="1σ", relate="factor:light")
    assert shown.at.selectbox(key="dim_widget").value == 1
    assert clouds(shown)[0]["name"] == "μ − 1σ"
    assert shown.at.selectbox(key="relate_widget").value.key == "factor:light"
    assert "more with light" in " ".join(html.value for html in shown.at.html)
    shown.at.selectbox(key="dim_widget").set_value(0).run()
    shown.calm()
    assert shown.params["dim"] in ("z1", ["z1"])
    shown.follow(run="bars", dim="z2")  # the back button
    assert shown.at.selectbox(key="dim_widget").value == 1


def test_everyday_words_can_be_left_out(page):
    shown = page(run="bars", everyday="false")  # here every word is one
    assert NO_RARE_WORDS in written(shown) and not shown.components


@pytest.mark.parametrize(
    "params",
    [
        {"dim": "z99"},
        {"dim": "<script>"},
        {"width": "7"},
        {"relate": "tag:nothing"},
        {"relate": "x" * 5000},
        {"part": "Nowhere"},
        {"everyday": "?"},
    ],
)
def test_a_bad_link_still_shows_clouds(page, params):
    assert len(clouds(page(run="bars", **params))) == 3


def test_a_word_lists_its_items_and_an_item_its_text(page):
    shown = page(run="bars")
    state = next(s for s in clouds(shown) if ">bright paint</text>" in s["svg"])
    s = clouds(shown).index(state)
    before = state["svg"].split(">bright paint</text>")[0]
    w = int(before.rsplit('data-word="', 1)[1].split('"')[0])
    click(shown, "word", {"state": s, "word": w})
    assert f"bright paint at {state['name']}" in written(shown)
    listed = shown.panel(1)
    assert all(title.startswith("A bright bar") for title, *_ in listed["items"].values())
    shown.report("pick", listed["ids"][0], n=1)
    assert "5 cups bright paint" in written(shown) and "Paint it bright" in written(shown)
    shown.at.button(key="words_back").click().run()
    shown.calm()
    assert shown.panel(1)["ids"] == listed["ids"]


@pytest.mark.parametrize(
    "junk",
    [
        None,
        10**9,
        -1,
        {},
        {"state": 9, "word": 0},
        {"state": 0, "word": 999},
        {"state": [], "word": "x"},
    ],
)
def test_a_nonsense_report_opens_nothing(page, junk):
    shown = page(run="bars")
    for event in ("word", "item"):
        click(shown, event, junk)
        assert not shown.at.session_state["words_open"]


def test_a_run_without_texts_is_told_so_with_a_way_on(page):
    shown = page(run="plain")
    assert NO_TEXTS.partition("{}")[2] in written(shown)
    assert not shown.components
    assert page().at.selectbox(key="words_run").value == "bars", "the first guess has texts"


def test_contrast_and_tags_open(page):
    shown = page(run="bars", part="Contrast")
    assert "log-odds" in json.dumps(json.loads(shown.at.get("plotly_chart")[0].proto.spec))
    shown = page(run="bars", part="Tags")
    assert NO_KNOWN_TAG in written(shown)
    assert "dark" in written(shown)


def test_a_mapping_beside_the_data_makes_the_graph(page, small_store):
    path = small_store / "tag_map.json"
    try:
        factors = {"greenness": {"high": ["bright"], "low": ["dark"]}}
        path.write_text(json.dumps({"version": 1, "factors": factors}))
        chart = json.dumps(
            json.loads(page(run="bars", part="Tags").at.get("plotly_chart")[0].proto.spec)
        )
        assert "bright" in chart and "greenness" in chart
        path.write_text("{")
        shown = page(run="bars", part="Tags")
        assert any("tag_map.json" in w.value.replace("\\", "") for w in shown.at.warning)
    finally:
        path.unlink()


# Names


def field(shown, j):
    return shown.at.text_input(key=f"words_name_{j}")


def test_a_proposal_is_accepted_and_shows_everywhere(page, folder):
    shown = page(run="bars", part="Axis names")
    buttons = {button.key for button in shown.at.button}
    proposed = [j for j in (0, 1) if f"words_name_{j}_accept" in buttons]
    assert proposed, "a random network still tells light from dark"
    j = proposed[0]
    name = field(shown, j).placeholder
    shown.at.button(key=f"words_name_{j}_accept").click().run()
    shown.calm()
    assert field(shown, j).value == name
    label = f"z{j + 1} · {given_names(Run(folder / 'bars'), 2)[j]}"
    assert label.endswith(name)
    explore = page("explore", run="bars")
    assert explore.panel()["dims"][j]["name"] == label
    traverse = page("traverse", run="bars", view="Plane", a=f"z{j + 1}", b=f"z{2 - j}")
    assert traverse.at.selectbox(key="a_widget").value == j
    assert name in traverse.panel()["plane"]["x"]["axis"]
    correlations = page("traverse", run="bars", view="Correlations")
    assert name[:12] in correlations.at.get("plotly_chart")[0].proto.spec
    shown.at.button(key=f"words_name_{j}_remove").click().run()
    assert given_names(Run(folder / "bars"), 2) == ["", ""]


def test_the_words_of_an_axis_are_marked_as_a_suggestion_everywhere(page, folder):
    kept = folder / "bars" / "alignment.json"
    kept.write_text(json.dumps({"words": [["<b>dim</b>", "grey", "top", "dark"], ["brush"]]}))
    try:
        suggested = "<b>dim</b>, grey, top?"
        for name in ("explore", "steer"):
            dims = page(name, run="bars").panel()["dims"]
            dims = list(dims.values()) if isinstance(dims, dict) else dims
            assert [dim["given"] for dim in dims] == [suggested, "brush?"], name
            assert all(dim["suggested"] for dim in dims)
        chosen = page("traverse", run="bars", view="Plane", a="z1", b="z2").at.selectbox
        assert chosen(key="a_widget").options == [f"z1 · {suggested}", "z2 · brush?"]
        shown = page(run="bars", part="Axis names")
        assert "\\<b\\>dim" in field(shown, 0).label
        field(shown, 0).set_value("light").run()
        dims = page("explore", run="bars").panel()["dims"]
        assert [dim["suggested"] for dim in dims] == [False, True]
    finally:
        kept.unlink()


def test_a_name_is_typed_turned_and_emptied(page, folder):
    run = Run(folder / "bars")
    shown = page(run="bars", part="Axis names")
    field(shown, 1).set_value("  light ").run()
    shown.calm()
    kept = axis_names(run, 2)[1]
    assert (kept.name, kept.edited) == ("light", True)
    shown.at.button(key="words_name_1_turn").click().run()
    assert axis_names(run, 2)[1].direction == -kept.direction
    field(shown, 1).set_value("").run()
    assert axis_names(run, 2) == {}


def test_removed_names_come_back_with_undo_and_from_the_trash(page, folder):
    run = Run(folder / "bars")
    change_names(run, 2, {0: AxisName(0, "kale", 1), 1: AxisName(1, "light", 1)})
    shown = page(run="bars", part="Axis names")
    shown.at.button(key="words_name_none").click().run()
    assert axis_names(run, 2) == {}
    shown.at.button(key="trash_names_undo").click().run()
    shown.calm()
    assert given_names(run, 2) == ["kale", "light"]
    field(shown, 0).set_value("").run()
    entry = trash_of_names().entries()[0]
    later = page(run="bars", part="Axis names")
    later.at.button(key=f"trash_names_{entry.id}").click().run()
    assert given_names(run, 2) == ["kale", "light"]


def test_behind_a_login_names_are_given_and_not_taken(page, folder):
    run = Run(folder / "bars")
    change_names(run, 2, {0: AxisName(0, "kale", 1)})
    shown = page(run="bars", part="Axis names")
    shown.at.secrets = {"rivae": {"password": "secret"}}
    shown.at.run()
    assert shown.at.button(key="words_name_none").disabled
    field(shown, 1).set_value("light").run()
    field(shown, 0).set_value("").run()
    shown.calm()
    assert given_names(run, 2) == ["kale", "light"]
    assert any(WHAT in t.value for t in shown.at.toast)


def test_a_strangers_name_stays_text(page, folder):
    change_names(Run(folder / "bars"), 2, {0: AxisName(0, EVIL, 1)})
    for name, params in (
        ("words", {}),
        ("words", {"part": "Axis names"}),
        ("explore", {}),
        ("traverse", {"view": "Strips"}),
        ("traverse", {"view": "Plane"}),
    ):
        shown = page(name, run="bars", **params)
        shown.calm()
        assert all("<img src=x" not in html.value for html in shown.at.html)


def test_what_cannot_be_a_name_changes_nothing(page, folder):
    shown = page(run="bars", part="Axis names")
    field(shown, 0).set_value("a\u202eb").run()
    shown.calm()
    assert axis_names(Run(folder / "bars"), 2) == {}
    assert any(f"1 to {MAX_NAME}" in t.value for t in shown.at.toast)


def test_a_change_made_meanwhile_is_told(page, folder):
    run = Run(folder / "bars")
    shown = page(run="bars", part="Axis names")
    change_names(run, 2, {0: AxisName(0, "theirs", 1), 1: AxisName(1, "kept", 1)})
    field(shown, 0).set_value("mine").run()
    shown.calm()
    assert given_names(run, 2)[0].endswith("mine") and given_names(run, 2)[1] == "kept"
    assert any("theirs" in t.value for t in shown.at.toast)


def test_axes_of_data_without_texts_are_named_by_their_factors(page):
    shown = page(run="plain", part="Axis names")
    assert field(shown, 0) is not None
    assert not shown.at.warning


def test_a_damaged_file_of_names_is_told(page, folder):
    (folder / "bars" / "axis_names.json").write_text("{")
    shown = page(run="bars", part="Axis names")
    assert any("axis names" in w.value.replace("\\", "") for w in shown.at.warning)
    assert page("explore", run="bars").panel()["dims"][0]["name"] == "z1"
