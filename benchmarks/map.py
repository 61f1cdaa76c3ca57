"""How fast is the map? Frames while panning, and from a lasso to new items.

    python benchmarks/map.py [--points 5000,100000,1000000] [--seconds 4]

Draws uniform points in headless Chromium at 1000 x 700 with this app's map and, beside it, with
plotly's ``scattergl`` of the same points, and pans both as fast as frames come. Then measures what
the server does between a lasso and the first ten items of it. Writes ``benchmarks/results/map.md``.

Headless Chromium draws without a graphics card here (SwiftShader): the figures are a lower bound.
"""

from __future__ import annotations

import argparse
import json
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


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--points", default="5000,100000,1000000")
    parser.add_argument("--seconds", type=float, default=4.0)
    args = parser.parse_args()
    rows = measure([int(n) for n in args.points.split(",")], args.seconds)
    lines = ["| " + " | ".join(row) + " |" for row in (HEADINGS, ["---"] * len(HEADINGS), *rows)]
    RESULTS.write_text(READING + "\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
