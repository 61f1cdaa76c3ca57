"""What visitors come for, walked as in ``benchmarks/journeys.py``, which says how long it takes."""

import os
from contextlib import suppress

import pytest

from benchmarks import journeys
from rivae.base.errors import RunError
from rivae.jobs.ledger import Ledger
from rivae.runs import Run

pytestmark = pytest.mark.slow


def test_a_newcomer_drags_a_slider_of_home(page, app_server):
    seconds = journeys.newcomer(page, app_server)
    assert list(seconds.values()) == sorted(seconds.values())


def test_the_first_visitor_meets_no_error_and_a_second_run_stands_beside_the_first(
    page, start_app, tmp_path
):
    runs, log = tmp_path / "runs", tmp_path / "server.log"
    first, second = journeys.own_runs(runs)
    with start_app(runs, log) as address:
        # The server has just started, and still opens the newest run.
        page.goto(address)
        page.get_by_role("heading", name="RIVAE Explorer").or_(
            page.get_by_test_id("stException")
        ).first.wait_for()
        page.wait_for_timeout(2000)
        assert page.get_by_test_id("stException").all_inner_texts() == []
        journeys.comparison(page, address, first)
        shown = page.get_by_role("article")
        assert [shown.nth(n).get_attribute("aria-label") for n in (0, 1)] == [first, second]
    assert "Traceback" not in log.read_text()


@pytest.mark.skipif(os.name != "posix", reason="needs flock and process groups")
def test_dropped_pictures_become_sliders_with_names(page, start_app, tmp_path, monkeypatch):
    runs = tmp_path / "runs"
    runs.mkdir()
    monkeypatch.setenv("RIVAE_DATA", str(tmp_path / "data"))
    table, pictures = journeys.packed_pairs(tmp_path, 150)
    with start_app(runs, tmp_path / "server.log") as address:
        try:
            journeys.own_pairs(page, address, table, pictures)
        finally:
            ledger = Ledger(runs)
            for job in ledger.jobs("queued", "starting", "running"):
                with suppress(RunError):  # it has ended meanwhile
                    ledger.cancel(job.id)
        named = [Run(path) for path in runs.iterdir() if (path / "axis_names.json").exists()]
        # A better model may be there already; it is offered and not shown.
        assert any(f"run={run.id}&" in f"{page.url}&" for run in named)
