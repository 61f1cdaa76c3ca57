"""How fast is the map? Frames while panning, from a lasso to new items, and names of its regions.

    python benchmarks/map.py [--points 5000,100000,1000000] [--seconds 4] [--only names]

Draws uniform points in headless Chromium at 1000 x 700 with this app's map and, beside it, with
plotly's ``scattergl`` of the same points, and pans both as fast as frames come. Then measures what
the server does between a lasso and the first ten items of it, and how long naming the regions
takes, each in a process of its own. Writes ``benchmarks/results/map.md``; with ``--only names`` it
prints the names' table alone.

Headless Chromium draws without a graphics card here (SwiftShader): the figures are a lower bound.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from string import Template
from threading import Thread
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))  # runs from a clone, installed or not

from rivae.app.panels.component import source
from rivae.base.browser import find_browser
from rivae.base.installed import APP_FILES
from rivae.data import load_dataset
from rivae.exploring.explorer import Explorer
from rivae.exploring.maps import Lasso, among, codes
from rivae.jobs.launch import make_config
from rivae.models.registry import build_method

N_CROWDS = 12
RESULTS = Path(__file__).parent / "results" / "map.md"
FLAGS = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
HEADINGS = [
    "points",
    "first picture, ms",
    "frames/s while panning",
    "all points at rest, ms",
    "plotly: first picture, ms",
    "plotly: frames/s while panning",
    "lasso to items, ms",
    "next drag in it, ms",
]
READING = """\
# The map

`python benchmarks/map.py`, headless Chromium without a graphics card (SwiftShader), 1000 x 700
pixels. While panning, at most 25,000 points are drawn; all follow at rest. Plotly draws all points
of a `scattergl` each time. *Lasso to items*: what the server does from a lasso around a tenth of
the items of Synth to the first ten among them, and for the next place of a slider; the browser's
way adds a few milliseconds. An untrained model: times do not depend on what it has learned.

"""
SIZE = "width: 1000px; height: 700px; position: relative"
OURS = Template("""<!doctype html>
<div style="$size"><canvas style="width: 100%; height: 100%"></canvas></div>
<script type="module">
$parts
const PAD = 26
const n = $n
const random = (i, k) => ((Math.imul(i + 1, k) >>> 0) % 65534)
const x = Uint16Array.from({ length: n }, (_, i) => random(i, 2654435761))
const y = Uint16Array.from({ length: n }, (_, i) => random(i, 2246822519))
const lib = await import("./map.js")
const began = performance.now()
const points = new Points(lib, document.querySelector("canvas"))
points.plain = [0, 0.4, 0.6, 1]
points.place(x, y)
points.colour(null)
points.resize(1000, 700)
// Reading a pixel waits for the drawing.
const { gl } = points
const done = () => gl.readPixels(500, 350, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4))
const draw = (view, moving) => { points.look(view, moving); points.draw(); done() }
draw(points.view, false)
window.first = performance.now() - began
window.pan = (shift) => draw({ k: 1.5, x: -100 - shift, y: -80 }, true)
window.rest = () => {
  const t = performance.now()
  draw(points.view, false)
  return performance.now() - t
}
</script>""")
PLOTLY = Template("""<!doctype html><div id="plot" style="$size"></div>
<script src="plotly.js"></script>
<script>
const n = $n
const random = (i, k) => ((Math.imul(i + 1, k) >>> 0) % 65534) / 65534
const x = Float32Array.from({ length: n }, (_, i) => random(i, 2654435761))
const y = Float32Array.from({ length: n }, (_, i) => random(i, 2246822519))
const began = performance.now()
const trace = { x, y, mode: "markers", type: "scattergl", marker: { size: 3 } }
const plotted = Plotly.newPlot("plot", [trace], { dragmode: "pan" })
plotted.then(() => { window.first = performance.now() - began })
const range = (low) => ({ "xaxis.range": [low, 0.7 + low] })
window.pan = (shift) => Plotly.relayout("plot", range(shift / 1000))
</script>""")
PANNED = """async (seconds) => {
  let frames = 0
  const began = performance.now()
  while (performance.now() - began < 1000 * seconds) {
    await window.pan(60 * Math.sin(frames / 5))
    await new Promise(requestAnimationFrame)
    frames += 1
  }
  return frames / ((performance.now() - began) / 1000)
}"""


class Quiet(SimpleHTTPRequestHandler):
    """Serves files without saying so."""

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        pass


def drawn(page: Any, address: str, seconds: float) -> dict[str, float]:
    """Milliseconds to the first picture, and frames per second while panning."""
    page.goto(address)
    page.wait_for_function("window.first !== undefined", timeout=300_000)
    out = {"first": page.evaluate("window.first"), "frames": page.evaluate(PANNED, seconds)}
    if page.evaluate("Boolean(window.rest)"):
        out["rest"] = page.evaluate("window.rest()")
    return out


def lassoed(n: int) -> tuple[float, float]:
    """Milliseconds from a lasso of a tenth of ``n`` items to its first ten, and to the next ten."""
    config = make_config("synth", name="map", dataset_settings={"n_pairs": n})
    data = load_dataset("synth", **config.dataset.settings)
    shapes = (data.x1.shape, data.x2.shape)
    method = build_method(config.method.name, config.method.settings, *shapes).eval()
    explorer = Explorer(method, data, "all")
    places = explorer.positions[:, 0]
    low, high = (np.quantile(places, (0.45, 0.55)) - places.min()) / np.ptp(places)
    lasso = Lasso("axis-0", "axis-1", ((low, -0.1), (high, -0.1), (high, 1.1), (low, 1.1)))
    for key in (lasso.x, lasso.y):  # as the browser has asked for what it draws
        codes(explorer, key)
    z, times = explorer.encode(0), []
    for _ in range(2):
        began = time.perf_counter()
        explorer.topk(z, 10, among(explorer, lasso))
        times.append(1000 * (time.perf_counter() - began))
    return times[0], times[1]


def measure(counts: list[int], seconds: float) -> list[list[str]]:
    """Rows of the table."""
    from playwright.sync_api import sync_playwright
    from plotly.offline import get_plotlyjs

    rows = []
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        where = Path(folder)
        (where / "plotly.js").write_text(get_plotlyjs(), encoding="utf-8")
        library = APP_FILES / "assets" / "libraries" / "map.js"
        (where / "map.js").write_bytes(library.read_bytes())
        parts = source("map_points.js")
        server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=folder))
        Thread(target=server.serve_forever, daemon=True).start()
        base = f"http://127.0.0.1:{server.server_port}"
        browser = playwright.chromium.launch(executable_path=find_browser(), args=FLAGS)
        for n in counts:
            found = {}
            for name, page_text in (("ours", OURS), ("plotly", PLOTLY)):
                text = page_text.substitute(size=SIZE, parts=parts, n=n)
                (where / f"{name}.html").write_text(text, encoding="utf-8")
                page = browser.new_page(viewport={"width": 1100, "height": 800})
                found[name] = drawn(page, f"{base}/{name}.html", seconds)
                page.close()
            print(n, json.dumps(found), flush=True)
            ours, plotly = found["ours"], found["plotly"]
            asked = [f"{ms:.0f}" for ms in lassoed(n)]
            drawn_ours = (ours["first"], ours["rest"], plotly["first"])
            first, rest, theirs = (f"{ms:.0f}" for ms in drawn_ours)
            frames = [f"{one['frames']:.1f}" for one in (ours, plotly)]
            rows.append([f"{n:,}", first, frames[0], rest, theirs, frames[1], *asked])
        browser.close()
        server.shutdown()
    return rows


NAMED = """\

## Names of regions

Points in twelve crowds with ten of 600 words each, and a word of its own in three fifths of a
crowd; each row in a process of its own, one thread. *Right*: crowds that the largest regions, here
twelve, name by their own word; *by chance*: names where the words are dealt out anew. *Memory*: the
process' peak
beyond what it had when points and words were there. The kitchen is the demo run's test items.

"""
NAMES_HEADINGS = ["points", "naming, s", "memory, MB", "right", "by chance"]


def named(n: int) -> list[str]:
    """A row of the table for ``n`` drawn points."""
    import resource

    from rivae.exploring.regions import regions

    rng = np.random.default_rng(0)
    crowd = rng.integers(0, N_CROWDS, n)
    angles = 2 * np.pi * crowd / N_CROWDS
    middles = np.column_stack([np.cos(angles), np.sin(angles)])
    places = np.clip(0.5 + 0.4 * middles + 0.03 * rng.standard_normal((n, 2)), 0, 1)
    words = np.array([f"word {w}" for w in range(600)], dtype=object)
    often = rng.dirichlet(np.ones(len(words)))
    drawn_words = words[rng.choice(len(words), (n, 10), p=often)]
    has_own = rng.random(n) < 0.6
    sets = [
        (*row, f"crowd {c}") if own else tuple(row)
        for row, c, own in zip(drawn_words, crowd.tolist(), has_own.tolist(), strict=True)
    ]
    del drawn_words
    regions(places[:500], sets[:500])  # what it imports counts for neither
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    began = time.perf_counter()
    found = regions(places, sets, (N_CROWDS, 24, 96))
    seconds = time.perf_counter() - began
    peak = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    firsts = {one.terms[0].term for one in found if one.level == 0 and one.terms}
    right = sum(f"crowd {c}" in firsts for c in range(N_CROWDS))
    mixed = [sets[i] for i in rng.permutation(n)]
    by_chance = sum(bool(one.terms) for one in regions(places, mixed))
    return [f"{n:,}", f"{seconds:.2f}", f"{peak:.0f}", f"{right} of {N_CROWDS}", str(by_chance)]


def named_kitchen() -> list[str]:
    """The row of the demo run's test items."""
    from rivae.exploring.regions import named_regions
    from rivae.exploring.words.item_words import item_words
    from rivae.runs import find_run

    explorer = Explorer.open(find_run("demo-kitchen"))
    _ = explorer.positions
    began = time.perf_counter()
    words = item_words(explorer.data).sets
    read = time.perf_counter() - began
    named_regions(explorer, "axis-0", "axis-1", words)
    began = time.perf_counter()
    named_regions(explorer, "axis-0", "axis-2", words)
    seconds = time.perf_counter() - began
    n = len(explorer.search_rows)
    return [f"kitchen, {n:,}", f"{seconds:.2f} (reading words {read:.1f})", "", "", ""]


def names_table(counts: list[int]) -> str:
    """The table of names, each row made by a process of its own."""
    rows = []
    for what in ("kitchen", *map(str, counts)):
        made = subprocess.run(
            [sys.executable, __file__, "--row", what],
            check=True,
            capture_output=True,
            text=True,
            env={**os.environ, "OMP_NUM_THREADS": "1"},
        )
        rows.append(json.loads(made.stdout.splitlines()[-1]))
        print(rows[-1], flush=True)
    return NAMED + table(NAMES_HEADINGS, rows)


def table(headings: list[str], rows: list[list[str]]) -> str:
    """A Markdown table."""
    some = (headings, ["---"] * len(headings), *rows)
    return "\n".join("| " + " | ".join(row) + " |" for row in some) + "\n"


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--points", default="5000,100000,1000000")
    parser.add_argument("--seconds", type=float, default=4.0)
    parser.add_argument("--only", choices=["names"])
    parser.add_argument("--row", help="print one row of the names' table: kitchen, or how many")
    args = parser.parse_args()
    if args.row:
        print(json.dumps(named_kitchen() if args.row == "kitchen" else named(int(args.row))))
        return
    counts = [int(n) for n in args.points.split(",")]
    names = names_table([1_000, 15_000, *counts])
    if args.only:
        print(names)
        return
    drawn_table = table(HEADINGS, measure(counts, args.seconds))
    RESULTS.write_text(READING + drawn_table + names, encoding="utf-8")


if __name__ == "__main__":
    main()
