"""From a folder of photographs to a moving slider: how long does `rivae open` take?

    python benchmarks/own_data.py [--pairs 1000]

Writes dishes of the Kitchen as JPEG files of 512 px and a CSV table into an empty folder, starts
``rivae open table.csv --images photos``, and opens the address that it prints in Chromium. Seconds
since the command began: to the end of the import, to the address, to ten pictures, and to other
pictures after the first slider was moved. Writes ``benchmarks/results/own-data.md``.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))  # runs from a clone, installed or not

from rivae.app.serve import free_port  # noqa: E402
from rivae.base.browser import HOW_TO, find_browser  # noqa: E402
from rivae.data.registry import load_dataset  # noqa: E402

SIDE = 512


def write_pairs(folder: Path, n: int) -> None:
    """``table.csv`` and ``photos/`` with ``n`` dishes, every picture different."""
    data = load_dataset("kitchen")
    photos = folder / "photos"
    photos.mkdir()
    rng = np.random.default_rng(0)
    with (folder / "table.csv").open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(["image", "title", "text"])
        for i in range(n):
            picture = data.picture(i, 1).convert("RGB").resize((SIDE, SIDE))
            grain = rng.normal(0, 6, (SIDE, SIDE, 3))  # as in a photograph, so that JPEGs are large
            noisy = np.clip(np.asarray(picture) + grain, 0, 255).astype(np.uint8)
            Image.fromarray(noisy).save(photos / f"{i}.jpg", quality=90)
            table.writerow([f"{i}.jpg", data.title(i), data.text(i)])


def started(folder: Path) -> subprocess.Popen[str]:
    """The command, in a folder of its own for runs and data."""
    line = [sys.executable, "-m", "rivae", "open", "table.csv", "--images", "photos", "--headless"]
    env = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "RIVAE_RUNS": str(folder / "runs"),
        "RIVAE_DATA": str(folder / "data"),
        "OMP_NUM_THREADS": "1",
    }
    port = ["--port", str(free_port(8670)), "--json"]
    return subprocess.Popen([*line, *port], cwd=folder, env=env, stdout=subprocess.PIPE, text=True)


def told(process: subprocess.Popen[str], folder: Path, seconds: dict[str, float]) -> Any:
    """What the command says once a model can be looked at."""
    began = seconds["began"] = time.perf_counter()
    while not any(folder.glob("data/*/store.json")):
        if process.poll() is not None:
            raise RuntimeError("`rivae open` ended at once")
        time.sleep(0.1)
    seconds["imported"] = time.perf_counter() - began
    assert process.stdout is not None
    said = json.loads(process.stdout.readline())
    seconds["address"] = time.perf_counter() - began
    return said


def moved(address: str, seconds: dict[str, float]) -> None:
    """Opens the address and moves the first slider until other pictures are there."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_browser(), args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        page.goto(address)
        page.get_by_test_id("tile").nth(9).wait_for(timeout=120_000)
        seconds["pictures"] = time.perf_counter() - seconds["began"]
        slider = page.get_by_test_id("sliders").get_by_role("slider").first
        for _ in range(4):
            slider.press("PageUp")
        page.locator("[data-change=new]").first.wait_for(timeout=60_000)
        seconds["moved"] = time.perf_counter() - seconds["began"]
        browser.close()


def main() -> None:
    """Measure, print, and write the results."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--pairs", type=int, default=1_000)
    parser.add_argument("--out", type=Path, default=ROOT / "benchmarks" / "results")
    options = parser.parse_args()
    if find_browser() is None:
        parser.error(f"no browser found: {HOW_TO}")
    load, seconds = os.getloadavg()[0], dict[str, Any]()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        write_pairs(folder, options.pairs)
        process = started(folder)
        try:
            moved(told(process, folder, seconds)["url"], seconds)
        finally:
            process.terminate()
            process.wait()
            environment = {**os.environ, "RIVAE_RUNS": str(folder / "runs")}
            line = [sys.executable, "-m", "rivae", "cancel", "table"]
            subprocess.run(line, cwd=ROOT, env=environment, capture_output=True, check=False)
            time.sleep(5)  # a training that is stopped still writes its checkpoint
    text = (
        "# From own pairs to a moving slider\n\n"
        f"`python benchmarks/own_data.py --pairs {options.pairs}`: {options.pairs:,} JPEG files of "
        f"{SIDE} px with titles and recipes, `rivae open table.csv --images photos`. "
        f"{os.cpu_count()} cores, load average {load:.1f} at the start; "
        f"{time.strftime('%Y-%m-%d')}. Seconds since the command began:\n\n"
        "| imported | address, with the first checkpoint | ten pictures | other pictures after a "
        "slider moved |\n|---|---|---|---|\n"
        f"| {seconds['imported']:.0f} | {seconds['address']:.0f} | {seconds['pictures']:.0f} "
        f"| {seconds['moved']:.0f} |\n"
    )
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "own-data.md").write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
