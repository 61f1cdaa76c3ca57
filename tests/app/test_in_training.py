"""Explore on a run that still trains, and "Train and explore" on the Data page."""

import shutil

import pytest
import torch

from rivae.app.data import quick
from rivae.app.shared.notices import how_far
from rivae.app.shell import cache
from rivae.app.shell.keys import EXPLORE
from rivae.base.files import locked
from rivae.data.store import find_store
from rivae.jobs.launch import run_lock
from rivae.jobs.ledger import Ledger
from rivae.jobs.records import jobs_folder, make_private
from rivae.runs import Run
from tests.jobs.test_quick import table_of
from tests.waiting import over


@pytest.fixture
def training(runs, tmp_path, monkeypatch):
    """A run whose process holds it, with the weights of epoch 2."""
    shutil.copytree(runs / "digits", tmp_path / "runs" / "digits")
    monkeypatch.setenv("RIVAE_RUNS", str(tmp_path / "runs"))
    run = Run(tmp_path / "runs" / "digits")
    weights = run.load_method().state_dict()
    (run.path / "model.safetensors").unlink()
    run.write_preview(weights, "joint", 2)
    run.set_status(state="running", stage="joint", epoch=3, total_epochs=9)
    cache._resolved.clear()
    with run_lock(run):
        yield run
    cache.let_go("digits")


def turned(run):
    """Other weights for the same run: every axis twice as long, and shifted."""
    method = run.load_method(preview=True)
    method.apply_affine(2 * torch.eye(3), torch.ones(3))
    return method.state_dict()


def captions(page):
    return " ".join(c.value for c in page.at.caption)


def newer(page):
    return page.at.button(key="newer_weights")


def test_a_run_in_training_says_so_and_keeps_its_weights_until_asked(app, training):
    page = app("explore", run="digits", z="1_0.5")
    page.calm()
    assert "epoch 3 of 9" in captions(page) and "epoch 2;" in captions(page)
    assert newer(page).disabled
    before, z = cache.model_key("digits"), page.at.session_state[EXPLORE.state].z
    assert z[0] == 0.5
    training.write_preview(turned(training), "joint", 5)
    training.set_status(epoch=5)
    cache._resolved.clear()
    page.at.run()
    assert cache.model_key("digits") == before and page.at.session_state[EXPLORE.state].z == z
    assert "epoch 5 of 9" in captions(page.calm()) and "epoch 2;" in captions(page)
    assert not newer(page).disabled
    newer(page).click().run()
    page.calm()
    assert cache.model_key("digits") != before
    assert "epoch 5;" in captions(page) and newer(page).disabled
    state = page.at.session_state[EXPLORE.state]
    assert state.z == state.base and state.z[0] != 0.5, "the sliders start from the query again"


def test_when_it_is_trained_the_page_shows_the_trained_model(app, training):
    page = app("explore", run="digits")
    page.calm()
    before = cache.model_key("digits")
    method = training.load_method(preview=True)
    method.load_state_dict(turned(training))
    training.write_model(method)
    training.set_status(state="finished", epoch=9)
    page.at.run()
    cache._resolved.clear()
    page.at.run()
    assert "training" not in captions(page.calm()) and cache.model_key("digits") != before
    state = page.at.session_state[EXPLORE.state]
    assert state.z == state.base


def test_weights_that_a_failed_or_stopped_training_left_can_be_explored(app, training):
    training.set_status(state="interrupted")
    page = app("explore", run="digits")
    assert "Stopped: epoch 3 of 9" in captions(page.calm()) and "Train page" in captions(page)
    training.set_status(state="failed", message="the disk is full.")
    said = how_far(training.status, "joint", 3)
    assert said.startswith("Training failed: epoch 3 of 9, the disk is full. You see")


def test_before_there_are_axes_the_sliders_are_said_to_mean_nothing(training):
    assert "mean nothing" in how_far(training.status, "initialise", 1)
    assert "mean nothing" not in how_far(training.status, "joint", 30)
    assert "epoch 0" not in how_far(training.status, "", 0)


@pytest.fixture
def imported(tmp_path, monkeypatch):
    """An import, and an own folder of runs whose dispatcher seems to be at work."""
    from rivae.data.importing import run_import
    from rivae.data.importing.plan import Plan

    monkeypatch.setenv("RIVAE_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("RIVAE_RUNS", str(tmp_path / "runs"))
    monkeypatch.setattr("rivae.runs.folders.DEMO_ROOT", tmp_path / "no-demos")
    plan = Plan(table=table_of(tmp_path), images=(tmp_path / "photos",), name="mine")
    run_import(plan.source(), plan.settings())
    with locked(make_private(jobs_folder(tmp_path / "runs")) / "dispatcher.lock", private=True):
        yield tmp_path / "runs"
    for task in quick.tasks.running():
        task.cancel()
    quick.tasks.known.clear()


@pytest.mark.slow
def test_one_button_from_an_import_to_its_sliders(app, imported):
    page = app("data")
    page.at.button(key="data_quick_card_mine").click().run()
    page.calm()
    (task,) = quick.tasks.known.values()
    assert over(task).result is not None, task.error
    assert Run(imported / "mine").ready and task.result["words"].startswith("mine is solved")
    assert {job.config.refines for job in Ledger(imported).jobs()} == {"mine"}
    page.at.run()
    assert "data_quick_task" not in page.at.session_state, "the page has gone to Explore"
    cache._resolved.clear()
    again = app("data")
    buttons = {button.key for button in again.calm().at.button}
    assert "data_explore_card_mine" in buttons and "data_quick_card_mine" not in buttons


@pytest.mark.slow
def test_what_cannot_be_trained_is_said_on_the_page(app, imported):
    for path in find_store("mine").glob("pictures-*.bin"):
        path.write_bytes(b"")
    page = app("data")
    task = quick.start(find_store("mine"))
    page.at.session_state["data_quick_task"] = task.key
    over(task)
    page.at.run()
    assert page.at.warning and "Traceback" not in page.words
    assert not Ledger(imported).jobs()
