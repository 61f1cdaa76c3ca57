"""What a page shows where its run is missing."""

import pytest

pytestmark = pytest.mark.slow


def test_a_page_that_stops_half_way_has_its_bar_its_name_and_a_sentence(page, app_server):
    page.goto(f"{app_server}/explore?run=no-such-run")
    page.get_by_role("heading", name="Explore", level=1).wait_for(state="attached")
    page.get_by_test_id("find-all").wait_for()
    page.get_by_text("no-such-run").first.wait_for()
    places = page.locator(".st-key-places").get_by_role("link")
    for width in (1280, 420):
        page.set_viewport_size({"width": width, "height": 800})
        page.wait_for_timeout(500)
        assert places.count() == 5
        assert all(places.nth(n).bounding_box()["height"] >= 32 for n in range(5))
    assert page.get_by_test_id("stException").all_inner_texts() == []
