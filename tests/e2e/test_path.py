"""The path of Traverse in a browser: it plays, stops, and opens what it shows."""

import pytest

pytestmark = pytest.mark.slow


@pytest.fixture
def path(page, app_server):
    page.goto(f"{app_server}/traverse?run=demo-kitchen&view=Path&q=1&way=30+77")
    page.get_by_test_id("path-tile").nth(2).wait_for()
    return page


def test_it_plays_to_the_end_and_nothing_plays_by_itself(path, until):
    slider, play = path.get_by_test_id("path-slider"), path.get_by_test_id("path-play")
    said = play.inner_text()
    path.wait_for_timeout(600)
    assert slider.input_value() == "0"
    play.click()
    until(lambda: int(slider.input_value()) > 2, "it moves on")
    assert play.inner_text() != said
    play.click()
    held = slider.input_value()
    path.wait_for_timeout(600)
    assert slider.input_value() == held and play.inner_text() == said
    play.click()
    until(lambda: slider.input_value() == slider.get_attribute("max"), "the end")
    until(lambda: play.inner_text() == said, "it has stopped")


def test_the_slider_and_a_click_lead_to_a_point_and_its_item(path, until):
    slider, title = path.get_by_test_id("path-slider"), path.get_by_test_id("path-title")
    first = title.inner_text()
    slider.focus()
    path.keyboard.press("End")
    until(lambda: title.inner_text() != first, "another item")
    last = path.get_by_test_id("path-tile").last
    assert title.inner_text() == last.get_attribute("aria-label")
    path.get_by_test_id("path-tile").nth(1).click()
    path.locator(".st-key-dock").wait_for()
    assert path.get_by_test_id("path-tile").nth(1).get_attribute("data-open") is not None
    path.get_by_role("button", name="Share").click()
    with path.expect_download() as saved:
        path.get_by_role("button", name="GIF").click()
    assert saved.value.path().read_bytes()[:6] == b"GIF89a"


def test_links_and_the_way_back_restore_the_path(path, until):
    def shown():
        tiles = path.get_by_test_id("path-tile")
        return tiles.evaluate_all("tiles => tiles.map((tile) => tile.dataset.id)")

    first = shown()
    path.get_by_role("button", name="Way-points").click()
    path.get_by_role("textbox", name="Way-points").fill("30")
    path.keyboard.press("Enter")
    until(lambda: shown() != first and shown(), "a shorter way")
    second = shown()
    path.reload()
    until(lambda: shown() == second, "the link holds it")
    path.go_back()
    until(lambda: shown() == first, "the way before")


def test_the_path_is_recorded_as_a_video_that_plays(path, until):
    path.route("**/video-of-path", lambda route: route.fulfill(path=saved.value.path()))
    button = path.get_by_test_id("path-video")
    label = button.inner_text()
    path.get_by_role("button", name="Share").click()
    with path.expect_download() as saved:
        button.click()
        until(lambda: "%" in button.inner_text(), "how far it is")
    assert saved.value.suggested_filename.partition(".")[0] == "demo-kitchen-path"
    until(lambda: button.inner_text() == label, "the button is itself again")
    played = path.evaluate(
        """async () => {
          const video = document.createElement("video")
          video.muted = true
          video.src = "/video-of-path"
          await video.play()
          const seen = new Set(), canvas = document.createElement("canvas")
          canvas.width = canvas.height = 8
          const context = canvas.getContext("2d", { willReadFrequently: true })
          while (!video.ended) {
            context.drawImage(video, 0, 0, 8, 8)
            seen.add(context.getImageData(0, 0, 8, 8).data.map((v) => v >> 4).join())
            await new Promise((done) => setTimeout(done, 60))
          }
          return [video.currentTime, video.videoWidth, video.videoHeight, seen.size]
        }"""
    )
    seconds, *size, n_seen = played
    assert size == [720, 720] and n_seen > 3, "pictures follow each other"
    # Three way-points of .9 s and 21 points of .18 s between them.
    assert 5 < seconds < 12
    button.click()
    until(lambda: "%" in button.inner_text(), "it records again")
    button.click()
    until(lambda: button.inner_text() == label, "and can be stopped")
