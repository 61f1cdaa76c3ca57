"""What a visitor meets on the first screen of every page, at two revisions.

    python benchmarks/first_screens.py 62b1693 HEAD [--visits 3]

Each revision runs from a clone of its own with the demo runs alone. Every page is opened in a fresh
browser at 1440 x 900: the very first time on a fresh server, then again; until what the page is for
is drawn. Counted are controls and words on the screen beside tiles, axes and bar; the shift of the
layout while it loads; and the smallest picture. Writes ``benchmarks/results/first-screens.md``.
"""

from __future__ import annotations

import argparse
import compileall
import io
import os
import subprocess
import sys
import tarfile
import tempfile
import time
import urllib.request
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "benchmarks")]

from screenshots import GL, KITCHEN, OTHER  # noqa: E402

from rivae.base.browser import find_browser  # noqa: E402

RESULTS = ROOT / "benchmarks" / "results" / "first-screens.md"
PORT = 8633
# Page: its address and what it is for, at any of the revisions.
PAGES = {
    "Home": ("", "[data-testid=tile]"),
    "Explore": (f"explore?run={KITCHEN}", "[data-testid=tile]"),
    "Strips": (f"traverse?run={KITCHEN}", "[data-testid=shot]"),
    "Combinations": (f"steer?run={KITCHEN}", "[data-testid=tile]"),
    "Words": (f"words?run={KITCHEN}", "[data-testid=clouds] text"),
    "Runs": (f"compare?runs={KITCHEN}%2C{OTHER}", "[data-testid=tile]"),
    "Evidence": (f"metrics?run={KITCHEN}", ".js-plotly-plot, [data-testid=heat]"),
    "All methods": ("metrics?show=tables", "[data-testid=result-table]"),
    "Label": ("label", "[data-testid=stMultiSelect]"),
    "Train": ("train", "[data-testid=stHeading]"),
    "Data": ("data", "[data-testid=stFileUploader]"),
}
PROBE = Path(__file__).with_suffix(".js").read_text(encoding="utf-8")
READING = """\
# First screens

`python benchmarks/first_screens.py {before} {after}`; headless Chromium at 1440 x 900, a fresh
browser each time. Times are seconds from the address to what the page is for: the first visit ever
of a fresh server, then the median of {visits}. Controls and words are those on the screen beside
tiles, axes, charts and bar; of a row of a run on Train the controls, but not the words, which are
data. Each cell: {before} → {after}.

| page | controls | words | layout shift | first visit, s | again, s | smallest picture, px |
|---|---|---|---|---|---|---|
"""


def unpacked(revision: str, folder: Path) -> Path:
    """The files of ``revision`` below ``folder``."""
    archive = subprocess.run(
        ["git", "archive", revision], cwd=ROOT, check=True, capture_output=True
    ).stdout
    with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
        tar.extractall(folder, filter="data")
    # As pip and `make run` do: else the first page of all waits for the compiler.
    compileall.compile_dir(folder / "rivae", quiet=2)
    return folder


def served(tree: Path, runs: str) -> subprocess.Popen[bytes]:
    """The app of ``tree`` with the demo runs alone, once it answers."""
    environment = {**os.environ, "RIVAE_RUNS": runs, "PYTHONPATH": str(tree)}
    environment["RIVAE_DATA"] = f"{runs}-data"  # no imports of whoever measures
    module = "rivae.app.serve" if (tree / "rivae" / "app").exists() else "rivae.serve"
    command = [sys.executable, "-m", module, "--port", str(PORT), "--no-browser"]
    server = subprocess.Popen(command, cwd=tree, env=environment, stdout=subprocess.DEVNULL)
    for _ in range(600):
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{PORT}/_stcore/health", timeout=1)
            return server
        except OSError:
            time.sleep(0.1)
    raise SystemExit("the app does not answer")


def visited(browser: Any, address: str, there: str) -> tuple[float, list[Any]]:
    """Seconds to ``there``, and what its script counts once the page rests."""
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    context.add_init_script(PROBE)
    page = context.new_page()
    began = time.perf_counter()
    page.goto(f"http://127.0.0.1:{PORT}/{address}", wait_until="commit")
    page.locator(there).first.wait_for(timeout=90_000)
    took = time.perf_counter() - began
    page.locator("[data-testid=stApp][data-test-script-state=notRunning]").wait_for(timeout=90_000)
    page.wait_for_timeout(1500)
    counted = page.evaluate("counted()")
    context.close()
    return took, counted


def measured(revision: str, visits: int) -> dict[str, list[Any]]:
    """By page: controls, words, shift, first and later seconds, smallest picture."""
    from playwright.sync_api import sync_playwright

    rows: dict[str, list[Any]] = {}
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        tree = unpacked(revision, Path(folder) / "tree")
        browser = playwright.chromium.launch(
            executable_path=find_browser(), args=["--no-sandbox", *GL]
        )
        for page, (address, there) in PAGES.items():
            server = served(tree, str(Path(folder) / "runs"))  # a fresh one for its first visit
            try:
                first, _ = visited(browser, address, there)
                again = [visited(browser, address, there) for _ in range(visits)]
            finally:
                server.terminate()
                server.wait()
            controls, words, smallest, _ = again[-1][1]
            shift = max(counted[3] for _, counted in again)
            rows[page] = [controls, words, shift, first, np.median([t for t, _ in again]), smallest]
            print(revision, page, rows[page], flush=True)
        browser.close()
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("before")
    parser.add_argument("after")
    parser.add_argument("--visits", type=int, default=3)
    asked = parser.parse_args()
    before, after = (measured(name, asked.visits) for name in (asked.before, asked.after))
    kinds = ("{}", "{}", "{:.2f}", "{:.1f}", "{:.1f}", "{}")
    lines = [
        f"| {page} | "
        + " | ".join(
            f"{kind.format(old)} → {kind.format(new)}"
            for kind, old, new in zip(kinds, before[page], after[page], strict=True)
        )
        + " |"
        for page in PAGES
    ]
    head = READING.format(before=asked.before, after=asked.after, visits=asked.visits)
    RESULTS.write_text(head + "\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
