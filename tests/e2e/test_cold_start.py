"""The first visitor of a server that has just started, while it still opens the newest run."""

import pytest

pytestmark = pytest.mark.slow


def test_the_first_page_does_not_meet_a_half_imported_package(
    page, start_app, app_runs, trained_run, tmp_path
):
    log = tmp_path / "server.log"
    with start_app(app_runs, log) as address:
        page.goto(address)
        page.get_by_role("heading", name="RIVAE Explorer").or_(
            page.get_by_test_id("stException")
        ).first.wait_for()
        page.wait_for_timeout(2000)
        assert page.get_by_test_id("stException").all_inner_texts() == []
    assert "Traceback" not in log.read_text()
