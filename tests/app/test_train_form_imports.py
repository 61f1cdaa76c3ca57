"""The "New run" view on imports: which it begins with, the list of them, links, clones."""

import os

import pytest

from rivae.app.forms.sweep import runs_of
from rivae.base.config import DatasetConfig
from rivae.runs import Run
from tests.app.train_fixture import Form, own_runs
from tests.training.tiny import tiny_config


@pytest.fixture
def root(tmp_path, monkeypatch):
    with own_runs(tmp_path, monkeypatch) as folder:
        yield folder


@pytest.fixture
def form(app, root):
    return lambda **params: Form(app, **params)


def test_imports_are_chosen_from_a_list(form, tmp_path):
    (tmp_path / "data" / "mine").mkdir(parents=True)
    (tmp_path / "data" / "mine" / "store.json").write_text("{}")
    page = form()
    assert page.widget("dataset").options[-1] == "mine"
    assert "pairs" not in page.widget("dataset").options, "nobody has to know what reads imports"
    page.enter(dataset="mine")
    assert page.value("dataset") == "mine" and "dataset.store" not in page.names()
    assert "mine-rivae-s0" in page.words and "Changed" not in page.words
    (config,) = runs_of(page.at.session_state["train_draft"])
    assert config.dataset.name == "pairs" and config.dataset.settings["store"] == "mine"


def test_a_link_opens_the_form_on_an_import(form, tmp_path, monkeypatch):
    from streamlit.elements.lib import policies

    warned = []
    monkeypatch.setattr(policies, "_shown_default_value_warning", False)  # it comes once
    monkeypatch.setattr(policies._LOGGER, "warning", lambda *said, **_: warned.append(said))
    (tmp_path / "data" / "mine").mkdir(parents=True)
    (tmp_path / "data" / "mine" / "store.json").write_text("{}")
    page = form(on="mine")
    assert page.value("dataset") == "mine" and "on" not in page.at.query_params
    assert not warned
    assert form(on="nothing").value("dataset") == "mine", "a name that is gone changes nothing"


def test_the_form_begins_with_the_import_that_was_made_last(form, tmp_path):
    assert form().value("dataset") == "synth"
    for age, name in enumerate(("second", "first", "third")):
        (tmp_path / "data" / name).mkdir(parents=True)
        (tmp_path / "data" / name / "store.json").write_text("{}")
        os.utime(tmp_path / "data" / name / "store.json", (2e9 - age, 2e9 - age))
    page = form()
    assert page.value("dataset") == "second" and "dataset.store" not in page.names()
    page.enter(dataset="synth")
    assert page.value("dataset") == "synth"


def test_a_run_on_an_import_that_is_gone_can_be_cloned(form, root):
    gone = DatasetConfig(name="pairs", settings={"store": "gone"})
    Run.create(tiny_config("old").model_copy(update={"dataset": gone}), root)
    page = form(clone="old")
    assert page.value("dataset") == "pairs" and page.value("dataset.store") == "gone"
