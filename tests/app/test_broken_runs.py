"""Runs that cannot be opened, from archives or because their files are out of reach: each is one
marked row, and every page goes on with the next run that opens.
"""

import json
import os
import shutil

import pytest

from rivae.app.shared.defaults import LEFT_OUT
from rivae.app.shared.runs import CLOSED
from rivae.app.train import page_keys as train_keys
from rivae.cli.main import main
from tests.app.conftest import App

LONG = "x" * 300
WEIGHTS = ("no-weights", "half-weights", "other-weights")


def store(value):
    return {"dataset": {"name": "pairs", "settings": {"store": value}}}


@pytest.fixture(scope="session")
def broken(run_folder, tmp_path_factory):
    """A folder of runs in which everything newer than "digits" and "digits-turned" is broken."""
    root = tmp_path_factory.mktemp("broken-runs")
    for name in ("digits", "digits-turned"):
        shutil.copytree(run_folder / name, root / name)
    (root / "loop").symlink_to(root / "loop")
    changed = {
        "long": store(LONG),
        "long-path": store(f"/data/{LONG}/x"),
        "nul": store("a\0b"),
        "above": store("../../../../etc"),
        "elsewhere": store("/nowhere/at/all"),
        "through-a-file": store(str(root / "digits" / "config.json" / "x")),
        "loop-of-links": store(str(root / "loop")),
        "gone": store("gone"),
        "number": store(5),
        "nobody": store("~no-such-user/x"),
        "odd-letter": store("\ud800"),
        "odd-data": {"dataset": {"name": "\ud800", "settings": {}}},
        "no-data-set": {"dataset": {"name": LONG, "settings": {}}},
        "no-setting": {"dataset": {"name": "synth", "settings": {LONG: 1}}},
        "no-method": {"method": {"name": LONG}},
        "not-installed": {"method": {"name": "gone-method", "settings": {"push": 1.0}}},
    }
    for name, change in changed.items():
        made = shutil.copytree(run_folder / "digits", root / name)
        config = json.loads((made / "config.json").read_text())
        (made / "config.json").write_text(json.dumps({**config, "name": name, **change}))
    for name in WEIGHTS:
        made = shutil.copytree(run_folder / "digits", root / name)
        config = json.loads((made / "config.json").read_text())
        (made / "config.json").write_text(json.dumps({**config, "name": name}))
        model = made / "model.safetensors"
        if name == "half-weights":
            model.write_bytes(model.read_bytes()[:500])
        elif name == "other-weights":
            shutil.copy(run_folder / "synth" / "model.safetensors", model)
        else:
            model.unlink()
    for n, name in enumerate(("digits-turned", "digits", *changed, *WEIGHTS)):
        os.utime(root / name / "status.json", (2e9 + n, 2e9 + n))
    return root


@pytest.fixture
def broken_app(broken, monkeypatch, tmp_path):
    monkeypatch.setenv("RIVAE_RUNS", str(broken))
    monkeypatch.setenv("RIVAE_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("RIVAE_LABELS", str(tmp_path / "labels.db"))
    monkeypatch.setattr("rivae.runs.folders.DEMO_ROOT", broken / "no-demos")
    return lambda page, **params: App().open(page, **params)


def names_of(root):
    return {path.parent.name for path in root.glob("*/config.json")} - {"digits", "digits-turned"}


@pytest.mark.parametrize("page", ["explore", "traverse", "steer", "compare", "words"])
def test_a_page_opens_on_the_next_run_that_does(broken, broken_app, page):
    app = broken_app(page)
    (said,) = [text for text in app.warnings if LEFT_OUT.partition("{}")[2][:15] in text]
    assert any(name in said for name in names_of(broken)) and len(said) < 400
    if page == "compare":
        assert app.at.session_state["compare_state"].runs == ("digits", "digits-turned")
        return
    (picker,) = [box for box in app.at.selectbox if box.label == "Run"]
    assert picker.value == "digits"
    marked = {text for text in picker.options if CLOSED in text}
    assert len(marked) >= len(names_of(broken)) - 1, "each is one row of the list"


def test_metrics_opens_on_a_run_that_nothing_is_known_against(broken, broken_app):
    broken_app("explore")  # which finds out about the last one
    app = broken_app("metrics", show="run")
    assert app.at.selectbox("metrics_run").value == "digits"
    assert any(name in app.warnings[0] for name in names_of(broken))


@pytest.mark.parametrize("page", ["home", "train", "data", "label"])
def test_a_list_marks_what_cannot_be_opened(broken, broken_app, page):
    broken_app("explore")  # somebody has tried
    app = broken_app(page, **({"view": "Plans"} if page == "label" else {}))
    if page == "home":
        buttons = {button.key for button in app.at.button}
        assert {"explore-digits", "explore-digits-turned"} <= buttons
        for name in names_of(broken):
            assert name in app.words and f"explore-{name}" not in buttons
        assert app.components, "the good run is shown at once"
    elif page == "train":
        assert "broken" in app.words
        app.at.text_input(train_keys.FIND).set_value("nobody").run()
        assert "no-such-user" in app.calm().words
    elif page == "label":
        assert any(name in app.words for name in names_of(broken))


def test_the_command_line_marks_them_too(broken, broken_app, capsys):
    assert main(["runs", "--json"]) == 0
    rows = {row["run"]: row for row in json.loads(capsys.readouterr().out)}
    deep = {"other-weights", "no-setting"}  # are seen when they are opened
    for name in names_of(broken) - deep:
        assert 0 < len(rows[name]["message"]) <= 300, name
        assert rows[name]["state"] == ("finished" if name == "no-weights" else "broken"), name
    assert rows["digits"]["state"] == rows["digits-turned"]["state"] == "finished"
    for name in names_of(broken):
        assert main(["evaluate", name]) == 1
        said = capsys.readouterr().err
        assert said.splitlines()[-1].startswith("rivae: ") and said.count("\n") <= 2
