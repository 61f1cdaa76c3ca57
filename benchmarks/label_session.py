"""Some minutes of labelling by a simulated annotator, in a real browser.

    python benchmarks/label_session.py [RUN] [--runs FOLDER --data FOLDER] [--minutes 20]

The annotator opens *Label*, answers its two questions and presses keys until the time is over, once
without and once with slips of one level. Answers take ``--seconds`` each: the page's clock is put
forward, so that nobody waits. The levels are the true ones of the kitchen, else those that a model
made of the dishes (``rivae.labels.food_levels``, one of two passes, ``MODEL_MADE``). What the meter
says is compared with the scores from the levels of all items that the plan's queries find.

Needs Chromium and Playwright; writes label-session.md.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "benchmarks")]

from drag import CHROMIUM_ARGS, app  # noqa: E402
from label_estimates import LETTER, all_label_scores  # noqa: E402
from label_page import DESK  # noqa: E402

from rivae.base.browser import HOW_TO, find_browser  # noqa: E402
from rivae.base.files import write_atomic  # noqa: E402
from rivae.data.base import PairedDataset  # noqa: E402
from rivae.data.food_factors import FACTOR_NAMES  # noqa: E402
from rivae.exploring.axes.finder import AxisFinder  # noqa: E402
from rivae.labels.axes_given import AxesGiven, axes_given  # noqa: E402
from rivae.labels.coverage import measured_traversal  # noqa: E402
from rivae.labels.early.ground import Ground  # noqa: E402
from rivae.labels.early.slips import slipped  # noqa: E402
from rivae.labels.food_levels import MODEL_MADE, level_matrix, model_levels  # noqa: E402
from rivae.labels.kept_plans import kept_plan, plan_guideline, plan_names  # noqa: E402
from rivae.labels.opening import open_labels  # noqa: E402
from rivae.labels.plan import LabelPlan  # noqa: E402
from rivae.labels.run_scores import labelled  # noqa: E402
from rivae.retrieval.retriever import Retriever  # noqa: E402
from rivae.runs import Run, find_run  # noqa: E402

Floats = NDArray[np.float64]
SLIPS = (0.0, 0.1)
WAIT = 120_000  # ms
BY = "Simulated"
# Puts the page's own clock forward: an answer has taken so long.
CLOCK = """
window.ahead = 0
const now = performance.now.bind(performance)
performance.now = () => now() + window.ahead
"""
# Presses keys on the desk, [[position, key]], each after ``ms``; waits until the server has them.
PRESS = (
    "async ([keys, ms]) => {"
    + DESK
    + """
  for (const [at, key] of keys) {
    const tile = desk.querySelector("[data-testid=label-tile][aria-current=true]")
    if (Number(tile.dataset.at) !== at) throw new Error(`at ${tile.dataset.at}, not ${at}`)
    window.ahead += ms
    window.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }))
    while (tile.dataset.mark !== key) await frame()
  }
  while (desk.dataset.waiting !== "0") await frame()
}"""
)
# The factor in hand, and the positions of its sheet that are still open, first the one in hand.
SHEET = (
    "() => {"
    + DESK
    + """
  const next = desk.querySelector("[data-testid=next]")
  const tabs = [...desk.querySelectorAll("[data-testid^=factor-]")]
  const open = [...desk.querySelectorAll("[data-testid=label-tile]")]
    .filter((tile) => !tile.hidden && tile.dataset.mark === ".")
    .map((tile) => Number(tile.dataset.at))
  const factor = tabs.find((tab) => tab.getAttribute("aria-pressed") === "true").dataset.testid
  return { factor: factor.slice("factor-".length), open, over: Boolean(next.offsetParent) }
}"""
)


@dataclass
class Session:
    """What one annotator did and saw.

    Attributes:
        seconds: real ones from the click on *Label* to the questions, the desk, and the meter.
        readings: (answers, seconds that the meter took, what it said).
    """

    slip: float
    seconds: dict[str, float] = field(default_factory=dict)
    readings: list[tuple[int, float, str]] = field(default_factory=list)
    truth: dict[str, float] = field(default_factory=dict)
    given_back: str = ""
    n_items: int = 0


def levels_of(run: Run, data: PairedDataset) -> Floats:
    """The level of every data row and factor, NaN where the model could not tell."""
    if run.config.dataset.name.startswith("kitchen"):
        assert data.factors is not None
        return data.factors + 1.0
    return level_matrix(model_levels(data), len(data), ["pass-1"])


def begin(page: Any, address: str, run_id: str, minutes: int) -> dict[str, float]:
    """Explore, *Label*, two answers, a name, the desk; seconds from *Label* to each."""
    page.add_init_script(CLOCK)
    page.goto(f"{address}/explore?run={run_id}")
    page.get_by_test_id("tile").first.wait_for(timeout=WAIT)
    seconds, began = {}, time.perf_counter()
    page.get_by_role("link", name="Label", exact=True).click()
    start = page.get_by_role("button", name="Start labelling")
    start.wait_for(timeout=WAIT)
    seconds["the two questions"] = time.perf_counter() - began
    page.get_by_role("radio", name=str(minutes), exact=True).click()
    start.click()
    name = page.get_by_role("textbox", name="Your name")
    name.fill(BY, timeout=WAIT)
    name.press("Enter")
    page.get_by_test_id("label-tile").first.wait_for(timeout=WAIT)
    seconds["the desk"] = time.perf_counter() - began
    meter(page).filter(has_text="first sheet").wait_for(timeout=WAIT)
    seconds["the meter"] = time.perf_counter() - began
    return seconds


def meter(page: Any) -> Any:
    """The line that says what the labels say."""
    return page.locator(".st-key-label-meter").get_by_role("paragraph").first


def next_sheet(page: Any) -> tuple[str, list[int]]:
    """The question that is asked now, and the positions of its sheet without an answer."""
    sheet = page.evaluate(SHEET)
    if sheet["over"]:
        page.get_by_test_id("next").click()
        sheet = page.evaluate(SHEET)
    return sheet["factor"], sheet["open"]


def press(page: Any, places: list[int], levels: Floats, seconds: float) -> None:
    """Answer the question for some positions with levels of 1 to 5, NaN for *cannot tell*."""
    keys = ["0" if np.isnan(level) else str(int(level)) for level in levels]
    page.evaluate(PRESS, [list(zip(places, keys, strict=True)), 1000 * seconds])


def work(page: Any, address: str, run: Run, levels: Floats, options: Any, session: Session) -> None:
    """The whole visit: two questions, sheets until the time is over, the meter after each."""
    rng = np.random.default_rng(int(100 * session.slip))
    session.seconds = begin(page, address, run.id, options.minutes)
    plan, line = the_plan(), meter(page)
    session.n_items = len(plan.items)
    left = round(60 * options.minutes / options.seconds)
    given = 0
    while left > 0:
        factor, places = next_sheet(page)
        if not (places := places[:left]):
            break
        seen = slipped(levels[[plan.order[at] for at in places]], session.slip, rng)
        before = line.inner_text()
        press(page, places, seen[:, FACTOR_NAMES.index(factor)], options.seconds)
        pressed = time.perf_counter()
        given, left = given + len(places), left - len(places)
        said, told = before, pressed
        while time.perf_counter() - pressed < 6:  # until it says something new
            if (said := line.inner_text()) != before:
                told = time.perf_counter()
                break
            page.wait_for_timeout(20)
        session.readings.append((given, told - pressed, said))
        print(f"  {given * options.seconds / 60:.1f} min: {said}", flush=True)


def the_plan() -> LabelPlan:
    """The one plan of the store."""
    store = open_labels(os.environ["RIVAE_LABELS"], print)
    (name,) = plan_names(store)
    return kept_plan(store, name)


def full_scores(run: Run, data: PairedDataset, levels: Floats) -> dict[str, float]:
    """D, C, I and MCC from the levels of all items, for the plan's queries."""
    plan = the_plan()
    retriever = Retriever(run.load_method(data), data, data.splits["test"], asks=plan.asks)
    found = measured_traversal(run, data, retriever, n_queries=plan.n_queries, asks=plan.asks)
    ground = Ground.of(retriever, found)
    return all_label_scores(ground, levels[ground.items])


def given_back(run: Run, data: PairedDataset, levels: Floats) -> str:
    """MCC of the axes of z and of those of the labels, on the searched items without a label."""
    store = open_labels(os.environ["RIVAE_LABELS"], print)
    guideline = plan_guideline(store, the_plan())
    answers = labelled(store, data, guideline.ids)
    factors = answers.usable()
    answers = answers.of(factors)
    finder = AxisFinder.open(run, data=data)
    began = time.perf_counter()
    given = axes_given(finder, guideline, answers.rows, answers.levels, factors)
    seconds = time.perf_counter() - began
    true = true_mcc(finder, given, levels, answers.rows)
    said = [f"{view} {old:.2f} → {new:.2f}" for view, old, new in true]
    names = dict(zip(("first", "second"), data.view_names, strict=True))
    return (
        f"Axes from these labels, in {seconds:.1f} s; MCC on all searched items without a label: "
        f"{', '.join(said)}. The page says: *{given.verdict(names)}*"
    )


def true_mcc(
    finder: AxisFinder, given: AxesGiven, levels: Floats, items: NDArray[np.int64]
) -> list[tuple[str, float, float]]:
    """(view, MCC before, after) on the searched items but for ``items``, which gave the labels."""
    data = finder.data
    rest = np.setdiff1d(data.splits["test"], items)
    rest = rest[~np.isnan(levels[rest]).all(axis=1)]
    columns = levels[rest][:, [FACTOR_NAMES.index(factor) for factor in given.factors]].T
    found = []
    for view, z in zip(data.view_names, finder.encode(rest), strict=False):
        before = [z[:, j] * sign for j, sign in zip(given.before, given.signs, strict=True)]
        after = [axis.at(z) for axis in given.axes]
        old, new = (
            float(np.mean([_corr(x, y) for x, y in zip(readings, columns, strict=True)]))
            for readings in (before, after)
        )
        found.append((view, old, new))
    return found


def _corr(x: Floats, y: Floats) -> float:
    known = ~np.isnan(y)
    return float(np.corrcoef(x[known], y[known])[0, 1])


def holds(said: str, letter: str, value: float) -> str:
    """The range of a score in what the meter said, and whether it holds the value."""
    found = re.search(rf"\b{letter} ([\d.]+)–([\d.]+)", said)
    if not found:
        return "–"
    low, high = map(float, found.groups())
    return f"{found[1]}–{found[2]}" + ("" if low - 0.005 <= value <= high + 0.005 else " (misses)")


def report(run: Run, sessions: list[Session], options: Any) -> str:
    """The tables."""
    kind = "true levels" if run.config.dataset.name.startswith("kitchen") else MODEL_MADE
    lines = [
        f"## {run.config.dataset.name}, {run.id}",
        "",
        f"{kind.capitalize()}, {options.minutes} minutes at {options.seconds:g} s an answer, "
        f"{sessions[0].n_items} items in the plan. Ranges are those of the meter on the page; "
        "*all labels* is the score when every item that the queries find has its level.",
        "",
    ]
    for session in sessions:
        slips = f"{session.slip:.0%} of the answers a level off" if session.slip else "No slips"
        minutes = {n: n * options.seconds / 60 for n, _, _ in session.readings}
        known = [n for n, _, said in session.readings if re.search(r"\bD [\d.]+–", said)]
        visits = ", ".join(f"{what} after {s:.1f} s" for what, s in session.seconds.items())
        numbers = f"{known[0]} answers ({minutes[known[0]]:.1f} min)" if known else "no answer"
        waits = [s for _, s, _ in session.readings]
        lines += [
            f"**{slips}**. {visits}; D, C and I after {numbers}. After a sheet the meter says "
            f"something new within {np.median(waits):.1f} s (most {max(waits):.1f}).",
            "",
            "| minutes | answers | " + " | ".join(LETTER.values()) + " |",
            "|---|---|" + "---|" * len(LETTER),
        ]
        values = {LETTER[name]: value for name, value in session.truth.items()}
        for n, _, said in session.readings:
            cells = [holds(said, letter, value) for letter, value in values.items()]
            if any(cell != "–" for cell in cells):
                lines.append(f"| {minutes[n]:.1f} | {n} | {' | '.join(cells)} |")
        truth = " | ".join(f"{value:.2f}" for value in values.values())
        lines += [f"| *all labels* | | {truth} |", "", session.given_back, ""]
    return "\n".join(lines)


def main() -> None:
    """Visit twice for the run, and write the tables."""
    from playwright.sync_api import sync_playwright

    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("run", nargs="*", default=["demo-kitchen"])
    parser.add_argument("--runs", type=Path, help="folder of the runs; as the app has it")
    parser.add_argument("--data", type=Path, help="folder of the stores; as the app has it")
    parser.add_argument("--minutes", type=int, default=20, choices=(10, 20, 40))
    parser.add_argument("--seconds", type=float, default=4.0, help="an answer")
    parser.add_argument("--out", type=Path, default=ROOT / "benchmarks" / "results")
    options = parser.parse_args()
    path = find_browser()
    if path is None:
        sys.exit(f"no browser found: {HOW_TO}")
    parts = []
    for run_id in options.run:
        if options.data:
            os.environ["RIVAE_DATA"] = str(options.data)
        sessions = []
        for slip in SLIPS:
            with tempfile.TemporaryDirectory() as scratch, sync_playwright() as playwright:
                os.environ["RIVAE_LABELS"] = str(Path(scratch) / "labels.db")
                runs = options.runs or Path(scratch)
                os.environ["RIVAE_RUNS"] = str(runs)
                run = find_run(run_id)
                data = run.load_dataset()
                levels = levels_of(run, data)
                session = Session(slip)
                print(f"{run_id}, slips {slip:g}", flush=True)
                with app(runs) as address:
                    browser = playwright.chromium.launch(executable_path=path, args=CHROMIUM_ARGS)
                    page = browser.new_page(viewport={"width": 1440, "height": 900})
                    work(page, address, run, levels, options, session)
                    browser.close()
                session.truth = full_scores(run, data, levels)
                session.given_back = given_back(run, data, levels)
            sessions.append(session)
        parts.append(report(run, sessions, options))
    head = (
        "# Labelling for some minutes\n\n`python benchmarks/label_session.py`; headless Chromium "
        f"at 1440 × 900, {os.cpu_count()} cores, {time.strftime('%Y-%m-%d')}.\n\n"
    )
    options.out.mkdir(parents=True, exist_ok=True)
    write_atomic(options.out / "label-session.md", (head + "\n".join(parts)).encode())


if __name__ == "__main__":
    main()
