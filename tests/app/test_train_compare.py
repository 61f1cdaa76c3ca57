"""Runs compared on the Train page: one term of each, and the settings that differ."""

import base64

import numpy as np
import pytest

from tests.app.train_fixture import button, drawn, plain, trained


@pytest.fixture
def root(tmp_path, monkeypatch, app):
    """A folder of runs of its own, seen by the app."""
    made = tmp_path / "runs"
    made.mkdir()
    monkeypatch.setenv("RIVAE_RUNS", str(made))
    return made


def test_runs_are_compared_by_term_over_epochs_or_time(app, root):
    for name in ("one", "two"):
        trained(root, name)
    trained(root, "no-times").timing.path.unlink()
    shown = app("train", run="one")
    button(shown, "compare", "one").click().run()
    shown.calm()
    shown.at.multiselect(key="curves").set_value(["one", "two", "no-times"]).run()
    lines = drawn(shown)
    assert {line["name"] for line in lines} == {"one", "two", "no-times"}
    shown.at.selectbox(key="term").select("validation mcc").run()
    assert all(len(decoded(line["x"])) == 6 for line in drawn(shown.calm()))
    shown.at.segmented_control(key="axis").set_value("Time").run()
    assert {line["name"] for line in drawn(shown.calm())} == {"one", "two"}
    assert "no times" in plain(shown)


def test_settings_of_compared_runs_stand_side_by_side_as_far_as_they_differ(app, root):
    for name, seed in (("one", 3), ("two", 3), ("other", 8)):
        run = trained(root, name)
        config = run.config.model_copy(update={"seed": seed})
        (run.path / "config.json").write_text(config.model_dump_json())
    shown = app("train")
    shown.at.multiselect(key="curves").set_value(["one", "two"]).run()
    assert not shown.calm().at.dataframe, "nothing differs"
    shown.at.multiselect(key="curves").set_value(["one", "two", "other"]).run()
    (table,) = [frame.value for frame in shown.at.dataframe]
    assert table.to_dict("records") == [{"Setting": "Seed", "one": "3", "two": "3", "other": "8"}]


def decoded(values):
    """Numbers as Plotly sends them: a list, or bytes with their type."""
    if isinstance(values, list):
        return values
    return np.frombuffer(base64.b64decode(values["bdata"]), values["dtype"])
