"""Make assets/screenshot.png from the real app: ``python tools/screenshot.py [RUN]``.

Opens Explore on a run, drags the most effective slider, and takes the picture with the button
still down. Needs Chromium and Playwright (``make test`` installs the latter).
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "benchmarks")]

from drag import CHROMIUM_ARGS, app  # noqa: E402

from rivae.base.browser import HOW_TO, find_browser  # noqa: E402


def main() -> None:
    """Take the picture."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("run", nargs="?", default="demo-digits")
    parser.add_argument("--query", default="62")
    parser.add_argument("--to", type=float, default=0.68, help="where on the slider to end, 0 to 1")
    parser.add_argument("--theme", choices=("light", "dark"), default="light")
    parser.add_argument("--size", default="1360x750")
    parser.add_argument("--out", type=Path, default=ROOT / "assets" / "screenshot.png")
    options = parser.parse_args()
    width, height = map(int, options.size.split("x"))

    from playwright.sync_api import sync_playwright

    path = find_browser()
    if path is None:
        parser.error(f"no browser found: {HOW_TO}")
    with sync_playwright() as playwright, app(None) as address:
        browser = playwright.chromium.launch(executable_path=path, args=CHROMIUM_ARGS)
        page = browser.new_page(
            viewport={"width": width, "height": height}, color_scheme=options.theme
        )
        page.goto(f"{address}/explore?run={options.run}&q={options.query}&sort=effect")
        page.get_by_test_id("tile").nth(9).wait_for(timeout=60_000)
        slider = page.get_by_test_id("sliders").get_by_role("slider").first
        box = slider.bounding_box()
        y = box["y"] + box["height"] / 2
        page.mouse.move(box["x"] + box["width"] / 2, y)
        page.mouse.down()
        page.mouse.move(box["x"] + options.to * box["width"], y, steps=8)
        page.wait_for_timeout(1500)
        page.screenshot(path=options.out)
        page.mouse.up()
        browser.close()
    print(options.out)


if __name__ == "__main__":
    main()
