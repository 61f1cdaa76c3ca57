"""How fast the pictures follow a dragged slider, measured in a real browser.

    python benchmarks/drag.py                  three small models with 3, 10 and 30 dimensions
    python benchmarks/drag.py sprites-rivae    a run of your own

The mouse button goes down on the first slider and the mouse moves 60 times a second; then single
key presses on the resting slider. Clocks are read in the page (``drag_probe.js``). Needs Chromium
and Playwright; writes ``benchmarks/results/drag.json`` and ``drag.md``.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import platform
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "benchmarks")]

from drag_timing import Timing, summarise  # noqa: E402

from rivae.base.browser import HOW_TO, find_browser  # noqa: E402

DIMS = (3, 10, 30)
CHROMIUM_ARGS = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]


def train_small(folder: Path) -> list[str]:
    """One quickly trained run per entry of ``DIMS`` in ``folder``; returns their ids.

    How well they retrieve does not matter here, only that pictures change with z.
    """
    from rivae.base.config import DatasetConfig, MethodChoice, RunConfig
    from rivae.runs import Run
    from rivae.training import Trainer, TrainingJob

    ids = []
    for d in DIMS:
        settings = {"n_components": d, "dim_v": 32, "init": "none", "ivae_epochs": 0}
        config = RunConfig(
            name=f"drag-{d}",
            dataset=DatasetConfig(name="split-digits"),
            method=MethodChoice(
                name="rivae", settings={**settings, "joint_epochs": 12, "n_mismatches": None}
            ),
        )
        run = Run.create(config, folder)
        Trainer([TrainingJob(run, run.load_dataset())]).fit()
        ids.append(run.id)
    return ids


@contextmanager
def app(
    runs: Path | None, pids: list[int] | None = None, options: Sequence[str] = ()
) -> Iterator[str]:
    """The address of a running app that shows the runs in ``runs``; ``pids`` gets its process."""
    from rivae.app.serve import free_port

    port = free_port(8600)
    env = {**os.environ, "OMP_NUM_THREADS": "1"}
    if runs is not None:  # no runs and imports of whoever measures
        env["RIVAE_RUNS"] = str(runs)
        env.setdefault("RIVAE_DATA", f"{runs}-data")
    line = [sys.executable, "-m", "rivae.app.serve", "--port", str(port), "--headless", *options]
    server = subprocess.Popen(line, cwd=ROOT, env=env, stdout=subprocess.DEVNULL)
    if pids is not None:
        pids.append(server.pid)
    try:
        address = f"http://127.0.0.1:{port}"
        for _ in range(300):
            try:
                with urllib.request.urlopen(f"{address}/_stcore/health", timeout=2):
                    break
            except OSError:
                time.sleep(0.1)
        yield address
    finally:
        server.terminate()
        server.wait()


def drag(page: Any, seconds: float, hz: float) -> Timing:
    """Drag the first slider back and forth without letting go."""
    slider = page.get_by_test_id("sliders").get_by_role("slider").first
    slider.scroll_into_view_if_needed()
    box = slider.bounding_box()
    middle, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(middle, y)
    page.mouse.down()
    page.evaluate("dragProbe.clear()")
    start = time.perf_counter()
    for i in range(1, int(seconds * hz) + 1):
        page.mouse.move(middle + 0.42 * box["width"] * math.sin(i / hz * 2.4), y)
        time.sleep(max(0.0, start + i / hz - time.perf_counter()))
    page.wait_for_timeout(500)
    timing = summarise(page.evaluate("dragProbe"))
    page.mouse.up()
    return timing


def press_keys(page: Any, presses: int) -> Timing:
    """Single key presses, each on a resting page."""
    slider = page.get_by_test_id("sliders").get_by_role("slider").first
    slider.focus()
    page.wait_for_timeout(1500)
    page.evaluate("dragProbe.clear()")
    for i in range(presses):
        page.keyboard.press("PageUp" if i % 6 < 3 else "PageDown")
        page.wait_for_timeout(600)
    return summarise(page.evaluate("dragProbe"))


def measure(
    page: Any, address: str, run: str, seconds: float, hz: float, link: str = ""
) -> dict[str, Any]:
    """Both ways of moving one run; ``link`` is what else its address says."""
    # The dimension that changes most comes first, over its full range: the hardest one to follow.
    page.add_init_script("localStorage.setItem('rivae-order', 'effect')")
    page.goto(f"{address}/explore?run={run}&q=mean&sort=effect&span=10{link}")
    page.get_by_test_id("tile").nth(9).wait_for(timeout=60_000)
    page.wait_for_timeout(1500)
    page.evaluate("dragProbe.watch()")
    dimensions = page.get_by_test_id("dim-row").count()
    drag(page, 2.0, hz)  # warm: pictures in the browser, code in the caches
    dragged = drag(page, seconds, hz)
    keys = press_keys(page, 20)
    return {
        "run": run,
        "dimensions": dimensions,
        "drag": dragged.to_dict(),
        "key press": keys.to_dict(),
    }


def report(rows: list[dict[str, Any]], where: dict[str, Any]) -> str:
    """The rows as a table for a person."""
    lines = [
        "# From the hand to the painted pictures",
        "",
        f"{where['machine']}, {where['cpus']} cores, Chromium {where['chromium']}, "
        f"top-10 grid, mouse moved {where['hz']:g} times a second for {where['seconds']:g} s, "
        f"load average {where['load']} at the start. Made by `python benchmarks/drag.py`.",
        "",
        "| dimensions | run | inputs/s | updates/s | of these with other pictures "
        "| drag, median / p95 ms | key press, median / p95 ms |",
        "|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        moved, key = row["drag"], row["key press"]
        lines.append(
            f"| {row['dimensions']} | {row['run']} | {moved['inputs_per_s']:.0f} "
            f"| {moved['updates_per_s']:.0f} "
            f"| {100 * moved['changed'] / moved['updates']:.0f} % "
            f"| {moved['median_ms']:.0f} / {moved['p95_ms']:.0f} "
            f"| {key['median_ms']:.0f} / {key['p95_ms']:.0f} |"
        )
    lines += [
        "",
        "inputs/s: `input` events that the browser gave the slider while the mouse moved; on a "
        "busy machine the mouse itself falls behind. updates/s: answers painted in that time, with "
        "and without other pictures. Delay: from an input to the first painted frame that holds "
        "its value or a newer one, pictures decoded.",
        "",
    ]
    return "\n".join(lines)


def main() -> None:
    """Measure, print, and write the results."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("runs", nargs="*", help="ids of runs; none: three small ones are trained")
    parser.add_argument("--seconds", type=float, default=10.0, help="of dragging per run")
    parser.add_argument("--hz", type=float, default=60.0, help="mouse moves per second")
    parser.add_argument("--out", type=Path, default=ROOT / "benchmarks" / "results")
    options = parser.parse_args()

    from playwright.sync_api import sync_playwright

    path = find_browser()
    if path is None:
        parser.error(f"no browser found: {HOW_TO}")
    load = round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else None
    with tempfile.TemporaryDirectory() as scratch:
        runs, folder = list(options.runs), None
        if not runs:
            folder = Path(scratch)
            print(f"training {len(DIMS)} small models ...", flush=True)
            runs = train_small(folder)
        with sync_playwright() as playwright, app(folder) as address:
            browser = playwright.chromium.launch(executable_path=path, args=CHROMIUM_ARGS)
            rows = []
            for run in runs:
                page = browser.new_page(viewport={"width": 1360, "height": 900})
                page.add_init_script(path=str(ROOT / "benchmarks" / "drag_probe.js"))
                rows.append(measure(page, address, run, options.seconds, options.hz))
                page.close()
            version = browser.version
            browser.close()
    where = {
        "machine": platform.machine(),
        "cpus": os.cpu_count(),
        "load": load,
        "chromium": version.split(".")[0],
        "python": platform.python_version(),
        "date": time.strftime("%Y-%m-%d"),
        "hz": options.hz,
        "seconds": options.seconds,
    }
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "drag.json").write_text(json.dumps({**where, "rows": rows}, indent=1) + "\n")
    text = report(rows, where)
    (options.out / "drag.md").write_text(text)
    print(text)


if __name__ == "__main__":
    main()
