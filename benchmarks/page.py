"""An exported page in real browsers: what it finds, how fast it follows a slider, its size.

    python benchmarks/page.py [RUN] [--rows all] [--seconds 10]

Writes the page of a run, opens it from disk in Chromium and, where there is one, in Firefox, asks
for the ten best of 1,000 random z and compares them with Python's, then moves the first slider at
every frame. Clocks are read in the page (``drag_probe.js``). Without a display Firefox draws no
map; ``xvfb-run -a`` before the command gives it one. Then the page is made in the app, from the
click on Share to the file. Writes ``results/page.md``; ``--only-click`` keeps its first table.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "benchmarks")]

from drag import CHROMIUM_ARGS, app  # noqa: E402
from drag_timing import summarise  # noqa: E402

from rivae.app.serve import free_port  # noqa: E402
from rivae.app.shell import keys  # noqa: E402
from rivae.base.browser import HOW_TO, find_browser  # noqa: E402
from rivae.exploring.explorer import Explorer  # noqa: E402
from rivae.figures.page.document import page_bytes  # noqa: E402
from rivae.runs import find_run  # noqa: E402

CLICKED = "## From click to file"
N_Z = 1_000
SPREAD = 2.0  # s.d. of the random z
PROBE = (ROOT / "benchmarks" / "drag_probe.js").read_text(encoding="utf-8")

# Ten pictures are there; in ms since the page was asked for.
OPENED = """(async () => {
  const shown = () => [...document.querySelectorAll('[data-testid="tile"] img')]
  while (shown().length < 10) await new Promise(requestAnimationFrame)
  await Promise.all(shown().map((img) => img.decode()))
  return JSON.stringify(performance.now())
})()"""
FOUND = "Promise.all({z}.map((z) => rivae.topk(z, 10))).then(JSON.stringify)"
# The slider goes over its whole range and back every 2.6 s. A page asks itself, not a server.
MOVED = """(async () => {{
  const {{ page }} = rivae
  const hear = page.hear.bind(page)
  page.hear = (name, value) => {{
    if (name === "ask") dragProbe.sent.push({{ seq: value.seq, at: performance.now() }})
    return hear(name, value)
  }}
  dragProbe.watch()
  const slider = document.querySelector('[data-testid="sliders"] input[type="range"]')
  const [low, high] = [Number(slider.min), Number(slider.max)]
  const start = performance.now()
  while (performance.now() - start < {ms}) {{
    await new Promise(requestAnimationFrame)
    const share = 0.5 + 0.5 * Math.sin((performance.now() - start) / 1000 * 2.4)
    slider.value = low + share * (high - low)
    slider.dispatchEvent(new Event("input", {{ bubbles: true, composed: true }}))
  }}
  await new Promise((done) => setTimeout(done, 500))
  return JSON.stringify(dragProbe)
}})()"""

Evaluate = Callable[[str], Any]


@contextmanager
def chromium(address: str) -> Iterator[tuple[str, Evaluate]]:
    """Chromium on a page: its version, and what runs JavaScript in it."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_browser(), args=CHROMIUM_ARGS)
        page = browser.new_page(viewport={"width": 1360, "height": 900})
        page.goto(address)
        yield (
            f"Chromium {browser.version.split('.')[0]}",
            lambda text: json.loads(page.evaluate(text)),
        )
        browser.close()


@contextmanager
def firefox(address: str) -> Iterator[tuple[str, Evaluate]]:
    """Firefox on a page, over the protocol that it has built in (WebDriver BiDi)."""
    from tornado.websocket import websocket_connect

    port, loop, numbers = free_port(9400), asyncio.new_event_loop(), count(1)
    with tempfile.TemporaryDirectory() as profile:
        # The map needs WebGL, which Firefox does not offer by itself where it draws in software.
        (Path(profile) / "user.js").write_text('user_pref("webgl.force-enabled", true);\n')
        line = ["firefox", "--profile", profile, "--remote-debugging-port", str(port)]
        if "DISPLAY" not in os.environ:
            line.append("--headless")
        quiet = subprocess.DEVNULL
        process = subprocess.Popen([*line, "--width", "1360"], stdout=quiet, stderr=quiet)

        async def connected() -> Any:
            for _ in range(120):
                try:
                    return await websocket_connect(
                        f"ws://127.0.0.1:{port}/session", max_message_size=2**28
                    )
                except OSError:
                    await asyncio.sleep(0.5)
            raise RuntimeError("Firefox did not open its port within a minute")

        async def said(method: str, **params: Any) -> Any:
            number = next(numbers)
            await socket.write_message(
                json.dumps({"id": number, "method": method, "params": params})
            )
            while True:
                answer = json.loads(await socket.read_message())
                if answer.get("id") == number:
                    if answer["type"] == "error":
                        raise RuntimeError(answer["message"])
                    return answer["result"]

        def evaluate(text: str) -> Any:
            target = {"context": context}
            asked = said("script.evaluate", expression=text, target=target, awaitPromise=True)
            found = loop.run_until_complete(asked)
            if found["type"] != "success":
                raise RuntimeError(str(found["exceptionDetails"]["text"]))
            return json.loads(found["result"]["value"]) if "value" in found["result"] else None

        try:
            socket = loop.run_until_complete(connected())
            session = loop.run_until_complete(said("session.new", capabilities={}))
            tree = loop.run_until_complete(said("browsingContext.getTree"))
            context = tree["contexts"][0]["context"]
            view = {"width": 1360, "height": 900}
            loop.run_until_complete(
                said("browsingContext.setViewport", context=context, viewport=view)
            )
            loop.run_until_complete(
                said("browsingContext.navigate", context=context, url=address, wait="complete")
            )
            version = session["capabilities"]["browserVersion"].split(".")[0]
            yield f"Firefox {version}", evaluate
        finally:
            process.terminate()
            process.wait()
            loop.close()


def measured(
    version: str, evaluate: Evaluate, explorer: Explorer, z: np.ndarray, seconds: float
) -> dict[str, Any]:
    """One line of the table."""
    opened = evaluate(OPENED)
    found = evaluate(FOUND.format(z=json.dumps(z.tolist())))
    wanted = [explorer.topk(one, 10).ids.tolist() for one in z]
    evaluate(f"(() => {{ {PROBE} ; return 'null' }})()")
    timing = summarise(evaluate(MOVED.format(ms=round(seconds * 1000))))
    return {
        "browser": version,
        "opened": opened / 1000,
        "same": sum(a == b for a, b in zip(found, wanted, strict=True)),
        "timing": timing,
    }


def clicked(run: str, rows: str) -> dict[str, float]:
    """Seconds of each step from the click on Share in Explore to the saved file."""
    from playwright.sync_api import sync_playwright

    took: dict[str, float] = {}
    with app(None) as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_browser(), args=CHROMIUM_ARGS)
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        page.set_default_timeout(600_000)
        page.goto(f"{address}/explore?run={run}&rows={rows}")
        page.get_by_test_id("tile").nth(9).wait_for()
        page.wait_for_load_state("networkidle")

        make, stop, ready = (
            page.locator(f".st-key-{keys.SHARE_PAGE}{name} button")
            for name in ("", "_stop_0", "_file")
        )
        begun = time.perf_counter()
        page.get_by_role("button", name="Share").click()
        make.wait_for()
        took["menu"] = time.perf_counter() - begun
        begun = time.perf_counter()
        make.click()
        stop.wait_for()
        took["progress"] = time.perf_counter() - begun
        ready.wait_for()
        took["made"] = time.perf_counter() - begun
        with page.expect_download() as saved:
            ready.click()
        saved.value.path()
        took["file"] = time.perf_counter() - begun
        browser.close()
    return took


def click_report(about: str, took: dict[str, float]) -> str:
    """The steps as a table for a person."""
    return "\n".join(
        (
            "",
            CLICKED,
            "",
            about,
            "",
            "| menu, s | progress, s | *Download*, s | file is saved, s |",
            "|---|---|---|---|",
            f"| {took['menu']:.1f} | {took['progress']:.1f} | {took['made']:.0f} "
            f"| {took['file']:.0f} |",
            "",
            "The menu from the click on *Share*, all else from the click on *Make the page*. A "
            "process of its own opens the run and writes the page, at a lower priority than "
            "visitors.",
            "",
        )
    )


def report(about: str, rows: list[dict[str, Any]], n: int) -> str:
    """The rows as a table for a person."""
    lines = [
        "# One file, in a browser",
        "",
        about,
        "",
        f"| browser | open after s | same top 10 as Python, of {n:,} | inputs/s | updates/s "
        "| of these with other pictures | delay, median / p95 ms |",
        "|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        t = row["timing"]
        lines.append(
            f"| {row['browser']} | {row['opened']:.1f} | {row['same']:,} | {t.inputs_per_s:.0f} "
            f"| {t.updates_per_s:.0f} | {100 * t.changed / t.updates:.0f} % "
            f"| {t.median_ms:.0f} / {t.p95_ms:.0f} |"
        )
    lines += [
        "",
        "Open: from the address to ten decoded pictures. Inputs: the first slider is moved at "
        "every frame of the browser, over its whole range. Updates: answers painted in that time. "
        "Delay: from an input to the first painted frame that holds its value or a newer one. "
        "Without a graphics card, browsers draw in software.",
        "",
    ]
    return "\n".join(lines)


def clicks(line: str, run: str, rows: str) -> str:
    """The second table, measured now."""
    load = os.getloadavg()[0]
    about = (
        f"{line}; {os.cpu_count()} cores, load average {load:.1f} at the start; "
        f"{time.strftime('%Y-%m-%d')}."
    )
    return click_report(about, clicked(run, rows))


def main() -> None:
    """Measure, print, and write the results."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("run", nargs="?", default="demo-kitchen")
    parser.add_argument("--rows", default="all", choices=("test", "all"))
    parser.add_argument("--seconds", type=float, default=10.0, help="of moving the slider")
    parser.add_argument("--points", type=int, default=N_Z, help="random z that are compared")
    parser.add_argument("--only-click", action="store_true", help="only from click to file")
    parser.add_argument("--out", type=Path, default=ROOT / "benchmarks" / "results")
    options = parser.parse_args()
    if find_browser() is None:
        parser.error(f"no browser found: {HOW_TO}")
    target = options.out / "page.md"
    line = f"`python benchmarks/page.py {options.run} --rows {options.rows}`"
    if options.only_click:
        kept = target.read_text(encoding="utf-8").partition(CLICKED)[0].rstrip() + "\n"
        text = kept + clicks(f"{line[:-1]} --only-click`", options.run, options.rows)
        target.write_text(text, encoding="utf-8")
        print(text)
        return
    explorer = Explorer.open(find_run(options.run), options.rows)
    rng = np.random.default_rng(0)
    shape = options.points, explorer.n_components
    z = explorer.mean + SPREAD * explorer.std * rng.standard_normal(shape)
    load = os.getloadavg()[0]
    start = time.perf_counter()
    page = page_bytes(explorer, options.run)
    took = time.perf_counter() - start
    browsers = [chromium, *([firefox] if shutil.which("firefox") else [])]
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "page.html"
        path.write_bytes(page)
        for browser in browsers:
            with browser(path.as_uri()) as (version, evaluate):
                rows.append(measured(version, evaluate, explorer, z, options.seconds))
    about = (
        f"{line}: "
        f"{len(explorer.search_rows):,} items, {explorer.n_components} axes, "
        f"{len(page) / 1e6:.1f} MB, made in {took:.0f} s. {os.cpu_count()} cores, load average "
        f"{load:.1f} at the start; {time.strftime('%Y-%m-%d')}."
    )
    text = report(about, rows, options.points) + clicks(line, options.run, options.rows)
    options.out.mkdir(parents=True, exist_ok=True)
    target.write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
