"""How large the app's process is while somebody uses all of its pages for long, in a real browser.

    python benchmarks/memory.py                 30 minutes
    python benchmarks/memory.py --minutes 40

One visitor after the other takes a demo run through every page and view, drags sliders, and exports
what is shown as PNG, SVG, HTML and CSV, without a pause. Its size is read from outside every other
second. Needs Linux, Chromium and Playwright; writes ``benchmarks/results/memory.md``.
"""

from __future__ import annotations

import argparse
import os
import platform
import random
import statistics
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "benchmarks")]

from drag import CHROMIUM_ARGS, app  # noqa: E402
from session_memory import resident  # noqa: E402

from rivae.app.work.memory import EVERY_S  # noqa: E402
from rivae.base.browser import HOW_TO, find_browser  # noqa: E402

RUNS = (
    "demo-kitchen",
    "demo-sprites",
    "demo-digits",
    "demo-kitchen-cos-sim-lvm",
    "demo-sprites-cos-sim-lvm",
    "demo-synth",
)
VIEWS = {
    "": ("",),
    "explore": ("", "rows=all"),
    "traverse": ("view=Strips", "view=Correlations", "view=Plane", "view=Path", "view=Axis"),
    "words": ("part=Clouds", "part=Contrast", "part=Axis+names", "part=Tags"),
    "steer": ("",),
    "compare": ("",),
    "label": ("view=Plans", ""),
    "metrics": ("show=tables", "show=run", "show=labels"),
    "train": ("", "training=New+run"),
    "data": ("",),
}
LOOK_S, WINDOW_MIN, MOST_MB = 2.0, 2, 50
WARM_MIN, WARM_PAGES = 10, 60
EXPORTED = 0.3  # share of the views that are exported


class Visitor:
    """Opens pages and exports; counts both, and what did not answer in time."""

    def __init__(self, browser: Any, address: str, seed: int) -> None:
        self.browser, self.address, self.draw = browser, address, random.Random(seed)
        self.pages = self.files = self.late = 0

    def tour(self, run: str, until: float) -> None:
        """Take a run through all views."""
        from playwright.sync_api import Error

        context = self.browser.new_context(viewport={"width": 1440, "height": 900})
        page = context.new_page()
        page.set_default_timeout(60_000)
        query = self.draw.randrange(300)
        for name, views in VIEWS.items():
            for view in views:
                if time.monotonic() > until:
                    break
                try:
                    page.goto(f"{self.address}/{name}?run={run}&q={query}&{view}")
                    self.settle(page)
                    self.pages += 1
                    if name in ("explore", "compare"):
                        self.drag(page)
                    if self.draw.random() < EXPORTED:
                        self.export(page)
                except Error:
                    self.late += 1
        context.close()

    def settle(self, page: Any) -> None:
        """Wait until the page's script has run through."""
        page.wait_for_timeout(500)
        running = page.locator('[data-testid="stApp"][data-test-script-state="running"]')
        running.wait_for(state="detached", timeout=90_000)

    def drag(self, page: Any) -> None:
        """Drag one of the first sliders."""
        page.get_by_test_id("tile").nth(5).wait_for()
        slider = page.get_by_test_id("sliders").get_by_role("slider").nth(self.draw.randrange(2))
        slider.scroll_into_view_if_needed()
        box = slider.bounding_box()
        y = box["y"] + box["height"] / 2
        page.mouse.move(box["x"] + box["width"] / 2, y)
        page.mouse.down()
        for _ in range(30):
            page.mouse.move(box["x"] + box["width"] * self.draw.uniform(0.1, 0.9), y)
            page.wait_for_timeout(20)
        page.mouse.up()
        self.settle(page)

    def export(self, page: Any) -> None:
        """Download what the page's first panel offers."""
        button = page.get_by_role("button", name="Share", exact=True)
        if not button.count():
            return
        button.first.click()
        page.wait_for_timeout(500)
        self.settle(page)
        for kind in ("PNG", "SVG", "HTML", "CSV"):
            offered = page.get_by_role("button", name=kind, exact=True)
            if offered.count() and offered.first.is_enabled():
                with page.expect_download(timeout=90_000) as download:
                    offered.first.click()
                download.value.path()
                self.files += 1


def watch(
    pid: int, started: float, visitor: Visitor, stop: threading.Event
) -> list[dict[str, float]]:
    """What the process keeps, every ``LOOK_S`` until ``stop``."""
    rows: list[dict[str, float]] = []

    def look() -> None:
        while not stop.wait(LOOK_S):
            minute = (time.monotonic() - started) / 60
            rows.append(
                {"minute": minute, "pages": visitor.pages, "files": visitor.files, **resident(pid)}
            )

    threading.Thread(target=look, daemon=True).start()
    return rows


def windows(rows: list[dict[str, float]]) -> list[dict[str, float]]:
    """The looks of ``WINDOW_MIN`` minutes as one row each: pages and files so far, MB."""
    found = []
    last = rows[-1]["minute"]
    for start in range(0, int(last // WINDOW_MIN) * WINDOW_MIN, WINDOW_MIN):
        some = [row for row in rows if start <= row["minute"] < start + WINDOW_MIN]
        sizes = [row["rss"] for row in some]
        found.append(
            {
                "minute": start + WINDOW_MIN,
                "pages": some[-1]["pages"],
                "files": some[-1]["files"],
                "least": min(sizes),
                "middle": statistics.median(sizes),
                "most": max(sizes),
            }
        )
    return found


def report(found: list[dict[str, float]], where: str) -> str:
    """The windows as a table for a person."""
    lines = [
        "# How large the app is while it is used",
        "",
        where,
        "",
        "| until minute | pages opened | files exported | least, MB | middle, MB | most, MB |",
        "|---|---|---|---|---|---|",
        *(
            f"| {row['minute']:.0f} | {row['pages']:.0f} | {row['files']:.0f} "
            f"| {row['least']:.0f} | {row['middle']:.0f} | {row['most']:.0f} |"
            for row in found
        ),
        "",
    ]
    said = []
    for since, later in {
        f"minute {WARM_MIN}": [row for row in found if row["minute"] >= WARM_MIN],
        f"page {WARM_PAGES} (what a quick person opens in ten minutes)": [
            row for row in found if row["pages"] >= WARM_PAGES
        ],
    }.items():
        if len(later) > 1:
            least, middle = (later[-1][name] - later[0][name] for name in ("least", "middle"))
            said.append(
                f"From {since} to the end the least grew by {least:+.0f} MB, the middle by "
                f"{middle:+.0f} MB."
            )
    if said:
        said.append(
            f"Wanted are at most +{MOST_MB} MB. It is the resident memory of the process with its "
            "libraries; what an export or a new run takes for a moment is given back within "
            f"{EVERY_S:.0f} s."
        )
        lines += [" ".join(said), ""]
    return "\n".join(lines)


def main() -> None:
    """Measure, print, and write the results."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--minutes", type=float, default=30.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=ROOT / "benchmarks" / "results")
    options = parser.parse_args()

    from playwright.sync_api import sync_playwright

    path = find_browser()
    if path is None:
        parser.error(f"no browser found: {HOW_TO}")
    load = os.getloadavg()[0]
    pids: list[int] = []
    stop = threading.Event()
    with tempfile.TemporaryDirectory() as scratch:
        os.environ["RIVAE_LABELS"] = str(Path(scratch) / "labels.db")
        with sync_playwright() as playwright, app(Path(scratch) / "runs", pids) as address:
            browser = playwright.chromium.launch(executable_path=path, args=CHROMIUM_ARGS)
            visitor = Visitor(browser, address, options.seed)
            started = time.monotonic()
            rows = watch(pids[0], started, visitor, stop)
            until, n = started + 60 * options.minutes, 0
            while time.monotonic() < until:
                visitor.tour(RUNS[n % len(RUNS)], until)
                n += 1
                print(n, {name: round(value) for name, value in rows[-1].items()}, flush=True)
            stop.set()
            version = browser.version.split(".")[0]
            browser.close()
    where = (
        f"{platform.machine()}, {os.cpu_count()} cores, Chromium {version}, Python "
        f"{platform.python_version()}, {' '.join(platform.libc_ver())}, load average {load:.1f} at "
        f"the start and {os.getloadavg()[0]:.1f} at the end. {n} visitors, one after the other and "
        f"without a pause; {visitor.late} steps did not answer in time. Made by `python "
        f"benchmarks/memory.py --minutes {options.minutes:.0f}`."
    )
    text = report(windows(rows), where)
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "memory.md").write_text(text)
    print(text)


if __name__ == "__main__":
    main()
