"""How fast a key becomes a label, measured in a real browser on the demo kitchen.

    python benchmarks/label_page.py

Keys come one every 250 ms, then ten within 300 ms. "Painted" is the first frame that shows the
level on its picture, "stored" the moment at which the page knows the sequence number. Needs
Chromium and Playwright; writes ``benchmarks/results/label-page.md``.
"""

from __future__ import annotations

import os
import platform
import statistics
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "benchmarks")]

from drag import CHROMIUM_ARGS, app  # noqa: E402

from rivae.base.browser import HOW_TO, find_browser  # noqa: E402

KEYS = 120
# Finds the desk, inside of shadow roots.
DESK = """
  const find = (root, selector) => {
    const found = root.querySelector(selector)
    if (found) return found
    for (const node of root.querySelectorAll("*")) {
      const inside = node.shadowRoot && find(node.shadowRoot, selector)
      if (inside) return inside
    }
    return null
  }
  const desk = find(document, "[data-testid=desk]")
  const frame = () => new Promise(requestAnimationFrame)
"""
# Presses a key where the desk listens and waits for its mark, then for the empty queue.
PRESS = (
    "async key => {"
    + DESK
    + """
  const next = desk.querySelector("[data-testid=next]")
  if (next.offsetParent) next.click()
  const tile = desk.querySelector("[data-testid=label-tile][aria-current=true]")
  const start = performance.now()
  window.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }))
  while (tile.dataset.mark !== key) await frame()
  await frame()
  const painted = performance.now() - start
  while (desk.dataset.waiting !== "0") await frame()
  return [painted, performance.now() - start]
}"""
)


def make_plan_in(store_path: Path) -> str:
    """A plan over the demo kitchen's evaluation; returns its name."""
    from rivae.labels.guideline import read_guideline
    from rivae.labels.kept_plans import keep_plan
    from rivae.labels.plan import make_plan
    from rivae.labels.store import LabelStore
    from rivae.runs import find_run

    food = read_guideline()
    plan = make_plan([find_run("demo-kitchen")], "bench", guideline=food.version)
    with LabelStore(store_path) as store:
        keep_plan(store, plan, food)
    return plan.id


def measure(page: Any) -> tuple[list[float], list[float], float]:
    """Milliseconds to the painted mark and to the confirmation per key; and of a burst of ten."""
    painted, stored = [], []
    for i in range(KEYS):
        one = page.evaluate(PRESS, str(1 + i % 5))
        painted.append(one[0])
        stored.append(one[1])
        page.wait_for_timeout(max(0, 250 - one[1]))
    page.keyboard.press("Enter")
    page.wait_for_timeout(500)
    burst = page.evaluate(
        """async () => {
          const start = performance.now()
          for (const key of "1234512345") {
            window.dispatchEvent(new KeyboardEvent("keydown", { key, cancelable: true }))
            await new Promise(done => setTimeout(done, 28))
          }
          const desk = [...document.querySelectorAll("*")].map(n => n.shadowRoot)
            .filter(Boolean).map(r => r.querySelector("[data-testid=desk]")).find(Boolean)
          while (desk.dataset.waiting !== "0") await new Promise(requestAnimationFrame)
          return performance.now() - start
        }"""
    )
    return painted, stored, float(burst)


def _quantiles(values: list[float]) -> str:
    ordered = sorted(values)
    return f"{statistics.median(ordered):.0f} / {ordered[int(0.95 * len(ordered))]:.0f}"


def main() -> None:
    """Measure, print, and write the result."""
    from playwright.sync_api import sync_playwright

    path = find_browser()
    if path is None:
        sys.exit(f"no browser found: {HOW_TO}")
    load = round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else None
    with tempfile.TemporaryDirectory() as scratch:
        os.environ["RIVAE_LABELS"] = str(Path(scratch) / "labels.db")
        plan = make_plan_in(Path(scratch) / "labels.db")
        with sync_playwright() as playwright, app(Path(scratch)) as address:
            browser = playwright.chromium.launch(executable_path=path, args=CHROMIUM_ARGS)
            page = browser.new_page(viewport={"width": 1360, "height": 900})
            page.goto(f"{address}/label?plan={plan}&by=bench")
            page.get_by_test_id("label-tile").first.wait_for(timeout=60_000)
            page.wait_for_timeout(3000)
            painted, stored, burst = measure(page)
            browser.close()
    text = "\n".join(
        [
            "# From the key to the stored label",
            "",
            f"{platform.machine()}, {os.cpu_count()} cores, load average {load} at the start, "
            "SQLite, "
            f"a sheet of 24 pictures, {KEYS} keys. Made by `python benchmarks/label_page.py`.",
            "",
            "| painted, median / p95 ms | stored and confirmed, median / p95 ms | ten keys in "
            "300 ms, "
            "all stored after ms |",
            "|---|---|---|",
            f"| {_quantiles(painted)} | {_quantiles(stored)} | {burst:.0f} |",
            "",
            "Of the time until it is stored, 100 ms are the page's own wait for further keys.",
            "",
        ]
    )
    print(text)
    (ROOT / "benchmarks" / "results" / "label-page.md").write_text(text)


if __name__ == "__main__":
    main()
