"""What visitors come for, from their first click to the result, in a real browser.

    python benchmarks/journeys.py [--pairs 500] [--only newcomer own-pairs comparison]

Each journey is a function of a page and an address that walks it as a visitor does and returns the
seconds since its beginning at which each thing was there; ``tests/e2e/test_journeys.py`` walks the
same ones, without the times. Starts the app with folders of its own, in a fresh browser per
journey. Writes ``benchmarks/results/journeys.md``.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "benchmarks")]

from drag import CHROMIUM_ARGS, app  # noqa: E402
from own_data import write_pairs  # noqa: E402

from rivae.base.browser import HOW_TO, find_browser  # noqa: E402

RESULTS = ROOT / "benchmarks" / "results" / "journeys.md"
WAIT = 180_000  # milliseconds, of a busy machine
# What the project asks for: seconds until the thing is there, since the thing before it or None.
WANTED = {
    ("newcomer", "other pictures after a drag"): ("the panel of Home", 2.0),
    ("own-pairs", "sliders with names"): (None, 60.0),
}


class Watch:
    """Seconds at which things were there since the journey began."""

    def __init__(self) -> None:
        self.began = time.perf_counter()
        self.seconds: dict[str, float] = {}

    def there(self, what: str) -> None:
        """``what`` is there now."""
        self.seconds[what] = time.perf_counter() - self.began


def ids(tiles: Any) -> list[str]:
    """The items of some tiles, in their order."""
    found: list[str] = tiles.evaluate_all("tiles => tiles.map(tile => tile.dataset.id)")
    return found


def changed(page: Any, tiles: Any, before: list[str]) -> None:
    """Wait until the tiles show other items than ``before``."""
    deadline = time.perf_counter() + WAIT / 1000
    while (now := ids(tiles)) == before or not now:
        if time.perf_counter() > deadline:
            raise RuntimeError("the pictures did not change")
        page.wait_for_timeout(10)


def pull(page: Any, slider: Any) -> None:
    """Take a slider with the mouse and draw it towards its right end."""
    box = slider.bounding_box()
    y = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + box["width"] / 2, y)
    page.mouse.down()
    for step in range(1, 9):
        page.mouse.move(box["x"] + box["width"] * (0.5 + 0.055 * step), y)
    page.mouse.up()


def newcomer(page: Any, address: str) -> dict[str, float]:
    """Home for the first time: a slider is dragged and other pictures are there."""
    watch = Watch()
    page.goto(address)
    hero = page.get_by_test_id("hero")
    tiles = hero.get_by_test_id("tile")
    tiles.nth(7).wait_for(timeout=WAIT)
    watch.there("the panel of Home")
    slider = hero.get_by_role("slider").first
    slider.focus()  # a hand takes it: it no longer moves by itself
    before = ids(tiles)
    pull(page, slider)
    changed(page, tiles, before)
    watch.there("other pictures after a drag")
    return watch.seconds


def drop_file(page: Any, path: Path) -> None:
    """Drop a file on Train, once the page is through with the one before; wait for its name."""
    drop = page.get_by_test_id("stFileUploader").locator("input")
    drop.first.wait_for(state="attached", timeout=WAIT)
    # While a page runs, the place of the last drop may still stand beside the new one.
    page.locator("[data-testid=stApp][data-test-script-state=notRunning]").wait_for(timeout=WAIT)
    drop.set_input_files(path)
    page.get_by_text(f"{path.name},").wait_for(timeout=WAIT)


def own_pairs(page: Any, address: str, table: Path, pictures: Path) -> dict[str, float]:
    """Train: a table and a zip of pictures are dropped, one button, Explore with named sliders."""
    page.goto(f"{address}/train")
    watch = Watch()
    for path in (pictures, table):
        drop_file(page, path)
    watch.there("files and columns recognised")
    page.get_by_role("button", name="Train and explore").click()
    page.wait_for_url(re.compile("/explore"), timeout=WAIT)
    watch.there("Explore")
    sliders = page.get_by_test_id("sliders")
    named = sliders.filter(has_text=re.compile("[a-z]{3}"))  # more than "z12"
    named.get_by_role("slider").first.wait_for(timeout=WAIT)
    watch.there("sliders with names")
    tiles = page.get_by_test_id("tile")
    tiles.nth(9).wait_for(timeout=WAIT)
    before = ids(tiles)
    pull(page, sliders.get_by_role("slider").first)
    changed(page, tiles, before)
    watch.there("other pictures after a drag")
    return watch.seconds


def comparison(page: Any, address: str, run: str) -> dict[str, float]:
    """Explore on one run: a second one is put beside it, and one drag moves both."""
    page.goto(f"{address}/explore?run={run}")
    page.get_by_test_id("tile").nth(9).wait_for(timeout=WAIT)
    watch = Watch()
    page.get_by_role("link", name="+ run").click()
    grids = [page.get_by_test_id(f"run-{n}").get_by_test_id("tile") for n in (1, 2)]
    for tiles in grids:
        tiles.first.wait_for(timeout=WAIT)
    watch.there("both runs")
    before = [ids(tiles) for tiles in grids]
    pull(page, page.get_by_test_id("compare").get_by_role("slider").first)
    for tiles, items in zip(grids, before, strict=True):
        changed(page, tiles, items)
    watch.there("both follow one drag")
    return watch.seconds


@contextmanager
def fresh(playwright: Any) -> Iterator[Any]:
    """A page of a browser that has never been here."""
    browser = playwright.chromium.launch(executable_path=find_browser(), args=CHROMIUM_ARGS)
    page = browser.new_page(viewport={"width": 1440, "height": 900})
    page.set_default_timeout(WAIT)
    yield page
    browser.close()


def packed_pairs(folder: Path, n: int) -> tuple[Path, Path]:
    """A table of ``n`` dishes and a zip of their pictures."""
    write_pairs(folder, n)
    archive = folder / "photos.zip"
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_STORED) as zipped:
        for picture in (folder / "photos").iterdir():
            zipped.write(picture, picture.name)
    return folder / "table.csv", archive


def own_runs(folder: Path) -> tuple[str, str]:
    """Two small runs of one's own on the same data."""
    from rivae.base.config import DatasetConfig, MethodChoice, RunConfig
    from rivae.runs import Run
    from rivae.training import Trainer, TrainingJob

    names = ("mine-0", "mine-1")
    for seed, name in enumerate(names):
        settings = {"n_components": 3, "dim_v": 16, "init": "none", "ivae_epochs": 0}
        config = RunConfig(
            name=name,
            dataset=DatasetConfig(name="split-digits"),
            method=MethodChoice(settings={**settings, "joint_epochs": 8, "n_mismatches": None}),
            seed=seed,
        )
        run = Run.create(config, folder)
        Trainer([TrainingJob(run, run.load_dataset())]).fit()
    return names


def walked(name: str, folder: Path, pairs: int, playwright: Any) -> dict[str, float]:
    """One journey in an app that has just begun to answer."""
    runs = folder / "runs"
    runs.mkdir()
    os.environ["RIVAE_DATA"] = str(folder / "data")
    given: tuple[Any, ...] = ()
    if name == "own-pairs":
        given = packed_pairs(folder, pairs)
    elif name == "comparison":
        given = own_runs(runs)[:1]
    walk: Callable[..., dict[str, float]] = JOURNEYS[name]
    with app(runs) as address, fresh(playwright) as page:
        return walk(page, address, *given)


JOURNEYS: dict[str, Callable[..., dict[str, float]]] = {
    "newcomer": newcomer,
    "own-pairs": own_pairs,
    "comparison": comparison,
}


def table(found: dict[str, dict[str, float]], pairs: int, load: float) -> str:
    """The results as Markdown."""
    text = (
        "# Journeys\n\n"
        f"`python benchmarks/journeys.py --pairs {pairs}`; headless Chromium at 1440 x 900, a "
        "fresh browser and a fresh server each, nothing cached; seconds since the journey began. "
        f"{os.cpu_count()} cores, load {load:.1f}; {time.strftime('%Y-%m-%d')}. *own-pairs*: "
        f"{pairs} JPEG files of 512 px in a zip, with a table.\n\n"
        "| journey | what is there | seconds | wanted |\n|---|---|---|---|\n"
    )
    for name, seconds in found.items():
        for what, value in seconds.items():
            since, most = WANTED.get((name, what), (None, None))
            after = f" ({value - seconds[since]:.1f} after {since})" if since else ""
            wanted = "" if most is None else f"{most:.0f}"
            text += f"| {name} | {what} | {value:.1f}{after} | {wanted} |\n"
    return text


def main() -> None:
    """The command line."""
    from playwright.sync_api import sync_playwright

    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pairs", type=int, default=500)
    parser.add_argument("--only", nargs="+", choices=list(JOURNEYS), default=list(JOURNEYS))
    args = parser.parse_args()
    if find_browser() is None:
        parser.error(f"no browser found: {HOW_TO}")
    load, found = os.getloadavg()[0], {}
    with sync_playwright() as playwright:
        for name in args.only:
            with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as scratch:
                found[name] = walked(name, Path(scratch), args.pairs, playwright)
            print(name, {what: round(value, 2) for what, value in found[name].items()}, flush=True)
    if list(args.only) == list(JOURNEYS):
        RESULTS.write_text(table(found, args.pairs, load), encoding="utf-8")


if __name__ == "__main__":
    main()
