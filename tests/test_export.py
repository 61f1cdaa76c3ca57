"""Charts and sheets as files; a browser is only needed where a chart becomes a picture."""

import csv
import io
import re
import sys
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from PIL import Image

from rivae.base.errors import RivaeError
from rivae.base.installed import how_to_install
from rivae.figures.export import MIME, ExportError, export_bytes, save
from rivae.figures.heatmap import correlation_heatmap
from rivae.figures.palette import DARK, rgb
from rivae.figures.sheet import Sheet, Text, fitted
from rivae.figures.theme import alt_text

EVIL = "</script><script>window.evil = 1</script>"


def a_sheet():
    picture = fitted(Image.new("L", (8, 8), 128), 10, 30, 40, 40, "a grey square")
    return Sheet(120, 80, "one square", [Text(10, 15, "title"), picture], [{"z": 1.0, "item": 3}])


def a_chart(dark=False):
    return correlation_heatmap(np.array([[0.9, 0.1]]), ["scale", EVIL], dark=dark)


def test_a_sheet_needs_no_browser(monkeypatch):
    monkeypatch.setenv("PATH", "")
    monkeypatch.setenv("BROWSER_PATH", "/nowhere/chrome")
    image = Image.open(io.BytesIO(export_bytes(a_sheet(), "png", scale=3)))
    assert image.size == (360, 240)
    assert image.getpixel((90, 150))[:3] == (128, 128, 128)
    assert ET.fromstring(export_bytes(a_sheet(), "svg")).get("width") == "120"
    assert b'alt="a grey square"' in export_bytes(a_sheet(), "html")
    assert export_bytes(a_sheet(), "csv") == b"z,item\n1.0,3\n"


def test_the_theme_of_a_sheet_can_be_chosen():
    image = Image.open(io.BytesIO(export_bytes(a_sheet(), "png", dark=True)))
    assert image.getpixel((0, 0))[:3] == rgb(DARK.surface)
    clear = Image.open(io.BytesIO(export_bytes(a_sheet(), "png", transparent=True)))
    assert clear.getpixel((0, 0))[3] == 0


@pytest.mark.slow
def test_a_chart_as_a_page_is_offline_escaped_and_described(browser):
    page = browser.new_context(offline=True).new_page()
    page.set_content(export_bytes(a_chart(dark=True), "html", title="A <b>").decode())
    page.wait_for_selector(".js-plotly-plot .heatmaplayer")
    assert page.evaluate("window.evil") is None
    assert page.title() == "A <b>"
    assert page.locator("figure").get_attribute("aria-label") == alt_text(a_chart())
    background = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert background == f"rgb{rgb(DARK.surface)}"
    page.context.close()


def test_a_chart_as_csv():
    rows = list(csv.DictReader(io.StringIO(export_bytes(a_chart(), "csv").decode())))
    assert rows[0] == {"row": "scale", "column": "z1", "|corr|": "0.9"}
    assert rows[1]["row"] == EVIL
    assert export_bytes(a_chart(), "csv", rows=[{"a": 1}]) == b"a\n1\n"


@pytest.mark.slow
def test_a_chart_as_png_and_svg(browser_path):
    figure = a_chart(dark=True)
    image = Image.open(io.BytesIO(export_bytes(figure, "png", scale=2, width=400)))
    assert image.size == (800, 2 * figure.layout.height)
    assert image.convert("RGB").getpixel((2, 2)) == rgb(DARK.surface)
    assert figure.layout.paper_bgcolor == "rgba(0,0,0,0)"  # the figure itself is left alone
    root = ET.fromstring(export_bytes(a_chart(), "svg", width=400))
    text = "".join(root.itertext())
    assert ".90" in text
    assert EVIL in text


def test_without_a_browser_the_error_names_the_fix(monkeypatch):
    monkeypatch.setenv("PATH", "")
    monkeypatch.setenv("BROWSER_PATH", "/nowhere/chrome")
    with pytest.raises(ExportError, match=r"install Ch.*BROWSER_PATH.*or export HTML") as caught:
        export_bytes(a_chart(), "png")
    assert isinstance(caught.value, RivaeError)
    assert "\n" not in str(caught.value)


def test_a_browser_that_does_not_start_is_one_sentence(monkeypatch):
    monkeypatch.setenv("BROWSER_PATH", sys.executable)
    with pytest.raises(ExportError, match=r"the browser did not draw the chart.*export HTML"):
        export_bytes(a_chart(), "svg")


def test_a_browser_that_never_answers_is_given_up(monkeypatch):
    import asyncio

    import kaleido

    class Silent:
        def __init__(self, **options):
            pass

        async def __aenter__(self):
            await asyncio.Event().wait()

        async def __aexit__(self, *error):
            pass

    monkeypatch.setenv("BROWSER_PATH", sys.executable)
    monkeypatch.setattr(kaleido, "Kaleido", Silent)
    monkeypatch.setattr("rivae.figures.export.SECONDS", 0.1)
    with pytest.raises(ExportError, match="no answer"):
        export_bytes(a_chart(), "svg")


def test_without_kaleido_the_error_names_the_fix(monkeypatch):
    monkeypatch.setitem(sys.modules, "kaleido", None)
    with pytest.raises(ExportError, match=re.escape(how_to_install("app"))):
        export_bytes(a_chart(), "png")


def test_files_are_named_by_their_format(tmp_path):
    for ending in ("png", "svg", "html", "csv"):
        path = save(a_sheet(), tmp_path / f"sheet.{ending}")
        assert path.stat().st_size > 0
        assert ending in MIME
    with pytest.raises(ExportError, match="there is no format 'gif'"):
        save(a_sheet(), tmp_path / "sheet.gif")
    with pytest.raises(ExportError, match=r"folder\.png"):
        save(a_sheet(), tmp_path / "no" / "such" / "folder.png")
