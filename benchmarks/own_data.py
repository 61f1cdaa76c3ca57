"""From a folder of photographs to a named slider that moves: how long does `rivae open` take?

    python benchmarks/own_data.py [--pairs 500 1000] [--table FILE --images FILE ...]

Writes dishes of the Kitchen as JPEG files of 512 px and a CSV table into an empty folder, starts
``rivae open table.csv --images photos``, and opens the address that it prints in Chromium; then the
same for the table that is named, with the paper's filter. Seconds to the end of the import, and
from there to the address, to the first slider with a name, to ten pictures, and to other pictures
after that slider was moved. Writes ``benchmarks/results/own-data.md``.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
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
NAME = "mine"
WRITTEN = ("table.csv", "--images", "photos")  # by ``write_pairs``
# Pairs at most, and the seconds from the import to a named slider that are asked for.
TARGETS = ((500, 20), (1_000, 30), (16_000, 240))


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


def started(folder: Path, source: Sequence[str] = WRITTEN) -> subprocess.Popen[str]:
    """The command, in a folder of its own for runs and data."""
    line = [sys.executable, "-m", "rivae", "open", *source, "--name", NAME, "--headless"]
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
    """What the command says once a model can be looked at; the import ends before that."""
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
        sliders = page.get_by_test_id("sliders")
        named = sliders.filter(has_text=re.compile("[a-z]{3}"))  # more than "z12"
        named.get_by_role("slider").first.wait_for(timeout=120_000)
        seconds["named"] = time.perf_counter() - seconds["began"]
        page.get_by_test_id("tile").nth(9).wait_for(timeout=120_000)
        seconds["pictures"] = time.perf_counter() - seconds["began"]
        slider = sliders.get_by_role("slider").first
        for _ in range(4):
            slider.press("PageUp")
        page.locator("[data-change=new]").first.wait_for(timeout=60_000)
        seconds["moved"] = time.perf_counter() - seconds["began"]
        browser.close()


def measured(source: Sequence[str], n: int = 0) -> list[str]:
    """A row of the table: of ``n`` pairs that are written first, or of a table that there is."""
    load, seconds = os.getloadavg()[0], dict[str, Any]()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        if n:
            write_pairs(folder, n)
        process = started(folder, source)
        try:
            moved(told(process, folder, seconds)["url"], seconds)
            store = json.loads((folder / "data" / NAME / "store.json").read_text())
        finally:
            process.terminate()
            process.wait()
            environment = {**os.environ, "RIVAE_RUNS": str(folder / "runs")}
            for run in (NAME, f"{NAME}-refined", f"{NAME}-richer"):
                line = [sys.executable, "-m", "rivae", "cancel", run]
                subprocess.run(line, cwd=ROOT, env=environment, capture_output=True, check=False)
            time.sleep(5)  # a training that is stopped still writes its checkpoint
    pairs = n or int(store["n_items"])
    target = next((f"{limit}" for most, limit in TARGETS if pairs <= most), "–")
    since = [
        seconds[key] - seconds["imported"] for key in ("address", "named", "pictures", "moved")
    ]
    return [
        f"{pairs:,}",
        f"{seconds['imported']:.0f}",
        *(f"{value:.0f}" for value in since),
        target,
        f"{load:.1f}",
    ]


def main() -> None:
    """Measure, print, and write the results."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--pairs", type=int, nargs="*", default=[500, 1_000])
    parser.add_argument("--table", type=Path, help="a table of real pairs, measured as well")
    parser.add_argument("--images", type=Path, nargs="+", default=[], help="its pictures")
    parser.add_argument("--out", type=Path, default=ROOT / "benchmarks" / "results")
    options = parser.parse_args()
    if find_browser() is None:
        parser.error(f"no browser found: {HOW_TO}")
    rows = [measured(WRITTEN, n) for n in options.pairs]
    command = f"--pairs {' '.join(map(str, options.pairs))}"
    if options.table:
        images = [word for path in options.images for word in ("--images", str(path.absolute()))]
        source = [str(options.table.absolute()), *images, "--paper-filter"]
        rows.append(measured(source))
        command += " --table FILE --images FILE ..."
    text = (
        "# From own pairs to a moving slider\n\n"
        f"`python benchmarks/own_data.py {command}`: JPEG files of {SIDE} px with titles and "
        "recipes, `rivae open table.csv --images photos`; above 2,000 pairs the real photographs "
        f"with recipes. {os.cpu_count()} cores; {time.strftime('%Y-%m-%d')}. Seconds of the import "
        "from the beginning of the command, the others from its end; the load average is that of "
        "the minute before.\n\n"
        "| pairs | imported | address | first named slider | ten pictures | other pictures after a "
        "slider moved | wanted for a named slider | load |\n|---|---|---|---|---|---|---|---|\n"
        + "".join(f"| {' | '.join(row)} |\n" for row in rows)
    )
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "own-data.md").write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
