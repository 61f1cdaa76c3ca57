"""How long a tour of three steps and a path's video take, in a real browser on the demo kitchen.

    python benchmarks/present.py

Three rows of *Combinations* are flagged, the tour is presented to its end and left. The video of a
path of 24 points is written from the drawn pictures of the kitchen (enlarged to 720 px) and from
photographs' size (1,080 px), as MP4 and, as in a browser without H.264, as WebM. Needs Chromium and
Playwright; writes ``benchmarks/results/present.md``.
"""

from __future__ import annotations

import io
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "benchmarks")]

from drag import CHROMIUM_ARGS, app  # noqa: E402

from rivae.base.browser import HOW_TO, find_browser  # noqa: E402

TIMES = 5
ROWS = "run=demo-kitchen&axes=1~3&m=o_o~i_o~i_i"
WAY = "run=demo-kitchen&view=Path&q=1&way=30+77"
SIDE = 1080
WITHOUT_MP4 = """
const supported = VideoEncoder.isConfigSupported.bind(VideoEncoder)
VideoEncoder.isConfigSupported = async (config) =>
  config.codec.startsWith("avc") ? { supported: false, config } : supported(config)
"""
# Milliseconds from a click on *Video* to the first frame that says how far it is.
FIRST_WORD = """button => new Promise((done) => {
  const began = performance.now()
  const look = () => button.innerText.includes("%")
    ? done(performance.now() - began) : requestAnimationFrame(look)
  button.click()
  requestAnimationFrame(look)
})"""


def seconds_of(act: Callable[[], object]) -> float:
    """How long ``act`` takes."""
    began = time.perf_counter()
    act()
    return time.perf_counter() - began


def tour(page: Any, address: str) -> dict[str, float]:
    """Seconds by part of a tour, from rows without flags."""
    page.goto(f"{address}/steer?{ROWS}")
    page.get_by_test_id("tile").nth(14).wait_for()
    page.wait_for_timeout(3_000)  # words
    flags, seconds = page.get_by_test_id("row-tour"), dict[str, float]()
    began = time.perf_counter()

    def flag(n: int) -> None:
        flags.nth(n).click()
        page.get_by_test_id("row-caption").filter(visible=True).nth(n).wait_for()

    seconds["a flag, with its caption"] = statistics.median(
        seconds_of(lambda n=n: flag(n)) for n in range(3)
    )
    stage = page.locator("[data-testid=tour-stage][data-state=shown]:not([data-gliding])")

    def present() -> None:
        page.get_by_role("button", name="Present").click()
        stage.wait_for()

    seconds["*Present*, to the first step"] = seconds_of(present)
    page.wait_for_load_state("networkidle")

    def step(n: int) -> None:
        page.keyboard.press("ArrowRight")
        page.get_by_test_id("tour-count").get_by_text(f"{n} of 3").wait_for()
        stage.wait_for()

    seconds["from one step to the next, with the glide of 0.7 s"] = statistics.median(
        seconds_of(lambda n=n: step(n)) for n in (2, 3)
    )

    def leave() -> None:
        page.keyboard.press("Escape")
        page.get_by_test_id("tile").nth(14).wait_for()

    seconds["back to the rows"] = seconds_of(leave)
    seconds["from the first flag to the end"] = time.perf_counter() - began
    for n in range(3):  # the next time begins without flags
        flags.nth(n).click()
        page.get_by_test_id("row-caption").filter(visible=True).nth(2 - n).wait_for(
            state="detached"
        )
    return seconds


def video(page: Any, address: str) -> tuple[float, float, str]:
    """Milliseconds to the first word, seconds from the click to the file, and what it is."""
    page.goto(f"{address}/traverse?{WAY}")
    page.get_by_test_id("path-tile").nth(4).wait_for()
    page.wait_for_load_state("networkidle")
    button = page.get_by_test_id("path-video")
    began = time.perf_counter()
    with page.expect_download() as saved:
        first = button.evaluate(FIRST_WORD)
    seconds = time.perf_counter() - began
    size = Path(saved.value.path()).stat().st_size / 1e6
    said = page.locator(".path [role=status]").inner_text()
    return first, seconds, f"{said}, {size:.1f} MB"


def photographs(route: Any) -> None:
    """A picture that no encoder finds simple, of its own for every item."""
    rng = np.random.default_rng(int(route.request.url.rpartition("/")[2]))
    coarse = Image.fromarray(rng.integers(0, 255, (40, 40, 3), dtype=np.uint8))
    grain = rng.normal(0, 6, (SIDE, SIDE, 3))
    picture = np.asarray(coarse.resize((SIDE, SIDE), Image.Resampling.BICUBIC)) + grain
    file = io.BytesIO()
    Image.fromarray(np.clip(picture, 0, 255).astype(np.uint8)).save(file, "JPEG", quality=90)
    route.fulfill(body=file.getvalue(), content_type="image/jpeg")


def main() -> None:
    """Measure, print, and write the result."""
    from playwright.sync_api import sync_playwright

    path = find_browser()
    if path is None:
        sys.exit(f"no browser found: {HOW_TO}")
    load = round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else None
    lines = []
    with (
        tempfile.TemporaryDirectory() as scratch,
        sync_playwright() as playwright,
        app(Path(scratch)) as address,
    ):
        browser = playwright.chromium.launch(executable_path=path, args=CHROMIUM_ARGS)
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        tours = [tour(page, address) for _ in range(TIMES)]
        for name in tours[0]:
            all_of = [one[name] for one in tours]
            lines.append(f"| {name} | {statistics.median(all_of):.2f} | {max(all_of):.2f} |")
        lines += ["", "| video of a path | first word, ms | click to file, s | most | file |"]
        lines.append("|---|---|---|---|---|")
        for pictures in ("drawn, 128 px", f"photographs, {SIDE} px"):
            for kind in ("the first that it can", "without H.264"):
                page = browser.new_page(viewport={"width": 1440, "height": 900})
                if kind == "without H.264":
                    page.add_init_script(WITHOUT_MP4)
                if pictures.startswith("photo"):
                    page.route("**/api/run/picture/**", photographs)
                found = [video(page, address) for _ in range(TIMES)]
                first, seconds = ([one[n] for one in found] for n in (0, 1))
                lines.append(
                    f"| {pictures}, {kind} | {statistics.median(first):.0f} | "
                    f"{statistics.median(seconds):.2f} | {max(seconds):.2f} | {found[0][2]} |"
                )
                page.close()
        browser.close()
    text = "\n".join(
        [
            "# From flags to a tour, and from a path to a video",
            "",
            f"`python benchmarks/present.py`: the demo kitchen in headless Chromium at 1440 × 900, "
            f"encoders in software, {os.cpu_count()} cores, load average {load}, "
            f"{date.today():%Y-%m-%d}; {TIMES} times each.",
            "",
            "| tour of three steps | seconds, median | most |",
            "|---|---|---|",
            *lines,
            "",
        ]
    )
    print(text)
    (ROOT / "benchmarks" / "results" / "present.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
