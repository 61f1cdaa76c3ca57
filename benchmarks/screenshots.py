"""Pictures of every page in four sizes, light and dark, for ``docs/screens``.

    python benchmarks/screenshots.py [--pages explore,words] [--widths 1440,390]

Starts the app with the demo runs alone and opens each page in Chromium. Writes
``docs/screens/PAGE-WIDTH-SCHEME.webp``, ``docs/screens.md``, which shows them, and, of Explore,
``assets/screenshot.png``, which the README shows.
"""

from __future__ import annotations

import argparse
import io
import sys
import tempfile
from pathlib import Path
from typing import Any

from PIL import Image

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "benchmarks")]

from drag import app  # noqa: E402

from rivae.base.browser import find_browser  # noqa: E402

FOLDER = ROOT / "docs" / "screens"
SIZES = ((1920, 1080), (1440, 900), (1280, 720), (390, 844))
SCHEMES = ("light", "dark")
GL = ("--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader")
KITCHEN, OTHER = "demo-kitchen", "demo-kitchen-cos-sim-lvm"
# Name, address, what is there once the page is drawn, and a button to press then.
PAGES: dict[str, tuple[str, ...]] = {
    "home": ("", "[data-testid=tile]"),
    "explore": (f"explore?run={KITCHEN}", "[data-testid=tile]"),
    "export": (f"explore?run={KITCHEN}", "[data-testid=tile]", "Share"),
    "traverse": (f"traverse?run={KITCHEN}", "[data-testid=shot]"),
    "correlations": (f"traverse?run={KITCHEN}&view=Correlations", ".barlayer .point"),
    "plane": (f"traverse?run={KITCHEN}&view=Plane", "[data-testid=shot]"),
    "path": (f"traverse?run={KITCHEN}&view=Path&way=30+77", "[data-testid=path-tile]"),
    "axis": (f"traverse?run={KITCHEN}&view=Axis", "[data-testid=gallery-tile]"),
    "words": (f"words?run={KITCHEN}", "[data-testid=clouds] text"),
    "names": (f"words?run={KITCHEN}&part=Axis+names", ".st-key-words_name_0 input"),
    "steer": (f"steer?run={KITCHEN}", "[data-testid=cloud] text"),
    "compare": (f"compare?runs={KITCHEN}%2C{OTHER}", "[data-testid=tile]"),
    "label": ("label", "[data-testid=stButtonGroup]"),
    "metrics": (f"metrics?run={KITCHEN}", "[data-testid=heat]"),
    "tables": ("metrics?show=tables", "[data-testid=result-table]"),
    "train": ("train", "[data-testid=stHeading]"),
    "data": ("data", "[data-testid=stFileUploader]"),
}
SETTLED_MS = 1_500  # after that: pictures, fonts and charts are there


def taken(page: Any, address: str, there: str, press: str = "") -> Image.Image:
    """The page as it stands once ``there`` is drawn, and the button ``press`` pressed."""
    page.goto(address)
    page.locator(there).first.wait_for(state="attached", timeout=90_000)
    page.locator("[data-testid=stApp][data-test-script-state=notRunning]").wait_for()
    if press:
        page.get_by_role("button", name=press).first.click()
    page.wait_for_timeout(SETTLED_MS)
    picture = page.screenshot(timeout=120_000)  # maps are drawn in software
    return Image.open(io.BytesIO(picture)).convert("RGB")


def shown() -> str:
    """The document that shows all pictures, a table for each page."""
    lines = ["# Screens", "", "`python benchmarks/screenshots.py`; the demo runs in Chromium.", ""]
    for name, (address, *_) in PAGES.items():
        lines += [f"## {name.capitalize()}", "", f"`/{address}`", ""]
        lines += [f"| {' | '.join(f'{w} × {h}' for w, h in SIZES)} |", "|---" * len(SIZES) + "|"]
        for scheme in SCHEMES:
            files = ((w, f"screens/{name}-{w}-{scheme}.webp") for w, _ in SIZES)
            cells = " | ".join(f"![{name}, {w} pixels, {scheme}]({file})" for w, file in files)
            lines.append(f"| {cells} |")
        lines.append("")
    return "\n".join(lines)


def main() -> None:
    """Take the pictures, and write the document."""
    from playwright.sync_api import sync_playwright

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", default=",".join(PAGES), help="names, with commas between them")
    widths = ",".join(str(width) for width, _ in SIZES)
    parser.add_argument("--widths", default=widths, help="of the windows, in the same way")
    asked = parser.parse_args()
    names, wanted = asked.pages.split(","), asked.widths.split(",")
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as runs, app(Path(runs)) as address, sync_playwright() as p:
        browser = p.chromium.launch(executable_path=find_browser(), args=list(GL))
        for width, height in (size for size in SIZES if str(size[0]) in wanted):
            for scheme in SCHEMES:
                size = {"width": width, "height": height}
                page = browser.new_context(viewport=size, color_scheme=scheme).new_page()
                for name in names:
                    path, *there = PAGES[name]
                    image = taken(page, f"{address}/{path}", *there)
                    image.save(FOLDER / f"{name}-{width}-{scheme}.webp", quality=70, method=6)
                    if (name, width, scheme) == ("explore", 1440, "light"):
                        image.quantize(256).save(ROOT / "assets" / "screenshot.png", optimize=True)
                    print(name, width, scheme, flush=True)
                page.context.close()
    (ROOT / "docs" / "screens.md").write_text(shown(), encoding="utf-8")


if __name__ == "__main__":
    main()
