"""How soon does Home show something, and how much does it fetch?

    python benchmarks/home.py [--visits 5]

Starts the app as ``make run`` does, waits until it answers, and opens Home in a fresh browser each
time: milliseconds to the first paint, to the title, and to the eight dishes of the panel; bytes
that came over the wire. Writes ``benchmarks/results/home.md``.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1])]  # from anywhere
from drag import CHROMIUM_ARGS, app  # noqa: E402

from rivae.base.browser import find_browser  # noqa: E402

RESULTS = Path(__file__).parent / "results" / "home.md"
FIRST = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime"
READING = """\
# Home

`python benchmarks/home.py`; headless Chromium at 1440 x 900 on the same machine, nothing cached but
for the last row. Milliseconds since the address was entered; the first visit comes as soon as the
server answers. *Fetched* is what came over the wire, compressed where the server compresses.

| visit | first paint, ms | title, ms | eight dishes, ms | fetched, MB | of it the app's own, MB |
|---|---|---|---|---|---|
"""


def visited(context: Any, address: str) -> tuple[float, float, float, float, float]:
    """One visit: first paint, title, dishes in milliseconds; megabytes in all, and of ours."""
    page = context.new_page()
    line = context.new_cdp_session(page)
    line.send("Network.enable")
    sizes, names = dict[str, float](), dict[str, str]()
    line.on(
        "Network.responseReceived", lambda e: names.update({e["requestId"]: e["response"]["url"]})
    )
    line.on(
        "Network.loadingFinished", lambda e: sizes.update({e["requestId"]: e["encodedDataLength"]})
    )
    began = time.perf_counter()
    page.goto(address, wait_until="commit")
    page.get_by_role("heading", name="RIVAE Explorer").wait_for()
    title = 1000 * (time.perf_counter() - began)
    page.get_by_test_id("hero").get_by_test_id("tile").nth(7).wait_for()
    dishes = 1000 * (time.perf_counter() - began)
    page.wait_for_timeout(2000)
    first = page.evaluate(FIRST)
    whole = sum(sizes.values()) / 1e6
    own = sum(size for key, size in sizes.items() if "/static/" not in names.get(key, "")) / 1e6
    page.close()
    return float(first), title, dishes, whole, own


def main() -> None:
    """The command line."""
    from playwright.sync_api import sync_playwright

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--visits", type=int, default=5)
    args = parser.parse_args()
    visits = []
    with (
        tempfile.TemporaryDirectory() as folder,
        sync_playwright() as playwright,
        app(Path(folder) / "runs") as address,
    ):
        chromium = playwright.chromium.launch(executable_path=find_browser(), args=CHROMIUM_ARGS)
        for _ in range(args.visits):
            context = chromium.new_context(viewport={"width": 1440, "height": 900})
            visits.append(visited(context, address))
            again = visited(context, address)
            context.close()
        chromium.close()
    rows = {
        "the very first": visits[0],
        "median of the others": tuple(np.median(visits[1:], axis=0)),
        "again in the same browser": again,
    }
    text = READING
    for name, (first, title, dishes, whole, own) in rows.items():
        text += f"| {name} | {first:.0f} | {title:.0f} | {dishes:.0f} | {whole:.2f} | {own:.2f} |\n"
    RESULTS.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
