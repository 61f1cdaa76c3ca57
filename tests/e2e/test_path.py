"""The path of Traverse in a browser: it plays, stops, and opens what it shows."""

import io

import pytest
from PIL import Image

pytestmark = pytest.mark.slow


@pytest.fixture
def path(page, app_server):
    page.goto(f"{app_server}/traverse?run=demo-kitchen&view=Path&q=1&way=30+77")
    page.get_by_test_id("path-tile").nth(2).wait_for()
    return page


def test_it_plays_to_the_end_when_asked_and_links_and_the_way_back_restore_it(path, until):
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


def color_of(item):
    """Every item has its own colour."""
    return 40 + 53 * item % 180, 40 + 101 * item % 180, 40 + 29 * item % 180


@pytest.fixture
def drawn(page, app_server):
    """The same path with pictures of 900 x 600 px; ``size`` may be changed before it is called."""

    def open_path(size=(900, 600), script=""):
        def serve(route):
            picture = io.BytesIO()
            item = int(route.request.url.rpartition("/")[2])
            Image.new("RGB", size, color_of(item)).save(picture, "PNG")
            route.fulfill(body=picture.getvalue(), content_type="image/png")

        page.route("**/api/run/picture/**", serve)
        if script:
            page.add_init_script(script)
        page.goto(f"{app_server}/traverse?run=demo-kitchen&view=Path&q=1&way=30+77")
        page.get_by_test_id("path-tile").nth(2).wait_for()
        return page

    return open_path


WITHOUT_MP4 = """
const supported = VideoEncoder.isConfigSupported.bind(VideoEncoder)
VideoEncoder.isConfigSupported = async (config) =>
  config.codec.startsWith("avc") ? { supported: false, config } : supported(config)
"""
OPENED = """async () => {
  window.video = document.createElement("video")
  video.src = URL.createObjectURL(await (await fetch("/video-of-path")).blob())
  await new Promise((done, fail) => Object.assign(video, { onloadeddata: done, onerror: fail }))
  return [video.duration, [video.videoWidth, video.videoHeight]]
}"""
COLOR = """() => {
  const canvas = document.createElement("canvas")
  canvas.width = canvas.height = 1
  const context = canvas.getContext("2d", { willReadFrequently: true })
  context.drawImage(video, 0, 0, 1, 1)
  return [...context.getImageData(0, 0, 1, 1).data.slice(0, 3)]
}"""


@pytest.mark.parametrize(
    ("script", "ending", "header"),
    [(WITHOUT_MP4, "webm", b"\x1a\x45\xdf\xa3"), ("", None, None)],
    ids=["webm", "the first that it can"],
)
def test_the_path_is_a_video_of_its_pictures_at_their_size(drawn, until, script, ending, header):
    path = drawn(script=script)
    path.route("**/video-of-path", lambda route: route.fulfill(path=saved.value.path()))
    button = path.get_by_test_id("path-video")
    label = button.inner_text()
    path.get_by_role("button", name="Share").click()
    with path.expect_download() as saved:
        button.click()
        assert "%" in button.inner_text() or label == button.inner_text()
    name, _, kind = saved.value.suggested_filename.partition(".")
    assert name == "demo-kitchen-path" and kind == (ending or kind)
    content = saved.value.path().read_bytes()
    assert content.startswith(header) if header else kind == "webm" or content[4:8] == b"ftyp"
    until(lambda: button.inner_text() == label, "the button is itself again")
    said = path.locator(".path [role=status]").inner_text()
    assert kind in said.lower() and "900" in said and "600" in said
    seconds, size = path.evaluate(OPENED)
    assert size == [900, 600]
    # Three way-points of .9 s and 21 points of .18 s between them, and some rest at the end.
    assert seconds == pytest.approx(3 * 0.9 + 21 * 0.18 + 0.4, abs=0.2)
    tiles = path.get_by_test_id("path-tile")
    for tile, at in ((tiles.first, 0.1), (tiles.last, seconds - 0.1)):
        color = pytest.approx(color_of(int(tile.get_attribute("data-id"))), abs=12)
        path.evaluate("(at) => { video.currentTime = at }", at)
        # A busy Chromium says that it has found the place before it has decoded the picture there.
        until(lambda color=color: path.evaluate(COLOR) == color, "its picture")


def test_a_video_can_be_given_up_and_its_failures_are_said(drawn, until):
    path = drawn(size=(30, 40))
    held, saved = [], []
    path.on("download", lambda one: saved.append(one))
    path.route("**/api/run/library/video", lambda route: held.append(route))
    button, said = path.get_by_test_id("path-video"), path.locator(".path [role=status]")
    label = button.inner_text()
    button.click()
    until(lambda: "%" in button.inner_text() and held, "it says so at once")
    button.click()
    held[0].continue_()
    until(lambda: button.inner_text() == label, "stopped")
    assert said.inner_text() == "" and saved == []
    sentences = set()
    for breaks in (
        "VideoEncoder.prototype.encode = () => { throw new DOMException('wrong', 'DataError') }",
        "VideoEncoder.isConfigSupported = async (config) => ({ supported: false, config })",
        "Reflect.deleteProperty(window, 'VideoEncoder')",
    ):
        path.evaluate(f"() => {{ {breaks} }}")
        button.click()
        until(lambda: "GIF" in said.inner_text(), "what is wrong, and what to do instead")
        sentences.add(said.inner_text())
        until(lambda: button.inner_text() == label, "as before")
    assert len(sentences) == 2 and saved == []
