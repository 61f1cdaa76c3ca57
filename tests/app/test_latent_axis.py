"""An axis of z at the side of Explore, and its name."""

import shutil

import pytest

from rivae.app.shell import cache
from rivae.exploring.words.axis_names import change_names, known_names
from rivae.runs import Run, find_run
from rivae.runs.axis_names import AxisName

RUN = "digits"


@pytest.fixture
def opened(app):
    shown = app("explore", run=RUN)
    shown.report("about", {"axis": 1, "view": {}})
    shown.calm()
    yield shown
    change_names(find_run(RUN), 3, {1: None})


def save(shown, **texts):
    for part, text in texts.items():
        field = next(one for one in shown.at.text_input if (one.key or "").endswith(f"_{part}"))
        field.set_value(text)
    next(one for one in shown.at.button if (one.key or "").endswith("_save")).click().run()
    shown.calm()


def test_its_name_and_ends_are_saved_and_the_slider_has_them(opened):
    before = opened.state
    save(opened, name="round <b>", low="straight")
    name = known_names(find_run(RUN), 3)[1]
    assert (name.name, name.low, name.edited) == ("round <b>", "straight", True)
    axis = opened.panel()["dims"][1]
    assert (axis["left"], axis["right"], axis["suggested"]) == ("straight", "round <b>", False)
    assert opened.state.rev > before.rev and opened.state.z == before.z
    assert opened.panel()["docked"]


def test_a_copy_of_the_same_name_in_another_folder_has_names_of_its_own(
    opened, app, run_folder, tmp_path, monkeypatch
):
    copy = Run(shutil.copytree(run_folder / RUN, tmp_path / RUN))
    change_names(copy, 3, {1: AxisName(1, "of the copy", 1)})
    assert opened.panel()["dims"][1]["right"] != "of the copy"
    monkeypatch.setenv("RIVAE_RUNS", str(tmp_path))
    cache._resolved.clear()
    assert app("explore", run=RUN).panel()["dims"][1]["right"] == "of the copy"
    cache._resolved.clear()


def test_an_empty_name_removes_it(opened):
    save(opened, name="round")
    save(opened, name="")
    name = known_names(find_run(RUN), 3)[1]
    assert name is None or not name.edited
