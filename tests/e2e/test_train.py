"""The Train page in a real browser: a run outlives the page and the server."""

import os
import signal
from contextlib import suppress
from pathlib import Path

import pytest

from rivae.base.errors import RunError
from rivae.base.files import is_locked
from rivae.jobs import locks
from rivae.jobs.ledger import Ledger
from rivae.jobs.records import jobs_folder
from rivae.runs import Run
from tests.conftest import free_port
from tests.training.tiny import tiny_config

pytestmark = [
    pytest.mark.skipif(os.name != "posix", reason="needs flock and process groups"),
    pytest.mark.slow,
]

EPOCHS = 60


@pytest.fixture
def runs(tmp_path):
    """A folder with one untrained run to clone: small, and held still where it has to last."""
    folder = tmp_path / "runs"
    settings = {"joint_epochs": EPOCHS, "n_components": 3, "dim_v": 8}
    Run.create(tiny_config("model", training={"validate_every": 20}, **settings), folder)
    yield folder
    ledger = Ledger(folder)
    for job in ledger.jobs("queued", "starting", "running"):
        with suppress(RunError):  # it has ended meanwhile
            ledger.cancel(job.id)
        locks.send(jobs_folder(folder), job.id, signal.SIGKILL)
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = path.read_bytes().split(b"\0")
        except OSError:
            continue
        if b"rivae.jobs.dispatcher" in words and str(folder).encode() in words:
            os.kill(int(path.parent.name), signal.SIGKILL)


def state_of(runs, name="tried"):
    return next((job.state for job in Ledger(runs).jobs() if job.run == name), "")


def epochs(runs):
    return len(Run(runs / "tried").metrics())


def held(runs, until, after=0):
    """The process that trains, stopped once it has done more epochs: pages are slower than it."""
    until(lambda: state_of(runs) == "running" and epochs(runs) > after, "it trains")
    (job,) = Ledger(runs).jobs("running")
    trainer = locks.holder(locks.lock_path(jobs_folder(runs), job.id, "rank0"))
    os.kill(trainer, signal.SIGSTOP)
    assert epochs(runs) < EPOCHS
    return trainer


def in_sight(element):
    """Whether all of an element lies in the window, below the app's bar."""
    box = element.bounding_box()
    return box is not None and box["y"] >= 40 and box["y"] + box["height"] <= 400


def test_a_run_outlives_page_and_server(page, start_app, runs, tmp_path, until):
    port = free_port()
    with start_app(runs, tmp_path / "server.log", None, port) as address:
        page.goto(f"{address}/train?clone=model")
        name = page.get_by_label("Name", exact=True)
        name.wait_for()
        name.fill("tried")
        name.press("Enter")
        page.get_by_text("tried", exact=False).first.wait_for()
        until(lambda: page.get_by_role("button", name="Queue", exact=True).is_enabled(), "ready")
        page.set_viewport_size({"width": 1280, "height": 400})
        page.get_by_role("button", name="Queue", exact=True).click()
        page.get_by_role("button", name="tried").first.wait_for()
        until(lambda: in_sight(page.get_by_role("button", name="tried").first), "in view")
        trainer = held(runs, until)
        page.goto(f"{address}/train?run=tried")
        page.locator(".js-plotly-plot").first.wait_for()
        page.reload()
        page.locator(".js-plotly-plot").first.wait_for()
        before = epochs(runs)
    # The server is gone, the run goes on.
    assert state_of(runs) == "running"
    os.kill(trainer, signal.SIGCONT)
    assert held(runs, until, after=before) == trainer
    with start_app(runs, tmp_path / "server.log", None, port) as address:
        page.goto(f"{address}/train?run=tried")
        cancel = page.get_by_role("button", name="Cancel").first
        cancel.wait_for()
        cancel.click()
        # Let go before, it may be trained to its end by the time of the click.
        until(lambda: Ledger(runs).jobs("running")[0].cancelling, "it is asked to stop")
        os.kill(trainer, signal.SIGCONT)
        until(lambda: state_of(runs) == "cancelled", "it stops")
        assert not is_locked(Run(runs / "tried").lock_path), "nobody is at work on it"
        stopped = epochs(runs)
        resume = page.get_by_role("button", name="Resume").first
        resume.wait_for()
        page.get_by_text("cancelled").first.wait_for()
        resume.click()
        trainer = held(runs, until, after=stopped)
        page.goto(f"{address}/train?run=tried")
        page.locator("[class*='st-key-train_button-explore-'] button").first.click()
        page.get_by_test_id("tile").nth(9).wait_for()
        assert "run=tried" in page.url
        os.kill(trainer, signal.SIGCONT)
        until(lambda: state_of(runs) == "finished", "it ends")
        page.goto(f"{address}/train?run=tried")
        page.get_by_text("finished").first.wait_for()
    assert Run(runs / "tried").ready and epochs(runs) >= EPOCHS
