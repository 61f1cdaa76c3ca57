"""How much memory the app keeps when visitors come and go, measured with a real browser.

    python benchmarks/session_memory.py               40 visits, one after the other
    python benchmarks/session_memory.py --visits 10 --grace 0

Each visit is a browser of its own that opens Home, drags a slider on Explore, looks at Traverse and
at Metrics, and goes away without a word, as a closed tab does. The app is the real one
(``rivae serve``) with the demo runs. It is asked after every fifth visit, and again once Streamlit
may forget the last of them (two minutes). Needs Linux, Chromium and Playwright; writes
``benchmarks/results/session-memory.json`` and ``session-memory.md``.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "benchmarks")]

from drag import CHROMIUM_ARGS, app  # noqa: E402

from rivae.base.browser import HOW_TO, find_browser  # noqa: E402

EVERY = 5
RUNS = ("demo-digits", "demo-sprites", "demo-synth")  # one visit, one run
# Python runs a file of this name when it starts: it answers inside of the app, on asking, without
# collecting or changing anything. The objects are those that the garbage collector watches.
PROBE = """
import collections, ctypes, gc, json, os, threading, time

FIELDS = "arena ordblks smblks hblks hblkhd usmblks fsmblks uordblks fordblks keepcost".split()

class Info(ctypes.Structure):
    _fields_ = [(name, ctypes.c_size_t) for name in FIELDS]

def tell(path):
    from streamlit import runtime
    from streamlit.runtime.app_session import AppSession

    found = ctypes.CDLL(None).mallinfo2
    found.restype = Info
    malloc = found()
    objects = gc.get_objects()
    names = collections.Counter(f"{type(each).__module__}.{type(each).__qualname__}"
                                for each in objects)
    manager = runtime.get_instance()._session_mgr
    media = runtime.get_instance().media_file_mgr._storage._files_by_id
    told = {
        "active": manager.num_active_sessions(), "kept": len(manager._session_storage._cache._data),
        "there": sum(type(each) is AppSession for each in objects),
        "objects": len(objects), "collected": gc.get_stats()[2]["collections"],
        "threads": threading.active_count(),
        "malloc_used": malloc.uordblks + malloc.hblkhd, "malloc_free": malloc.fordblks,
        "media": sum(file.content_size for file in list(media.values())),
        "types": dict(names.most_common(60)),
    }
    with open(path + ".new", "w") as file:
        json.dump(told, file)
    os.replace(path + ".new", path)

def listen(folder):
    while True:
        time.sleep(0.1)
        if os.path.exists(folder + "/ask"):
            os.remove(folder + "/ask")
            tell(folder + "/told")

threading.Thread(target=listen, args=[os.environ["RIVAE_PROBE"]], daemon=True).start()
"""


def resident(pid: int) -> dict[str, float]:
    """What a process keeps in memory, in MB: all of it, and without the files of libraries."""
    told = Path(f"/proc/{pid}/status").read_text()
    return {
        name: int(re.search(rf"{field}:\s+(\d+) kB", told)[1]) / 1024  # type: ignore[index]
        for name, field in (("rss", "VmRSS"), ("own", "RssAnon"))
    }


def ask(folder: Path, pid: int) -> dict[str, Any]:
    """What the app says about itself now."""
    found: dict[str, Any] = resident(pid)  # before the probe makes its own list of objects
    told = folder / "told"
    told.unlink(missing_ok=True)
    (folder / "ask").touch()
    for _ in range(600):
        if told.exists():
            return {**found, **json.loads(told.read_text())}
        time.sleep(0.1)
    raise SystemExit("the app does not answer")


def visit(browser: Any, address: str, run: str) -> None:
    """One visitor: four pages, one dragged slider."""
    context = browser.new_context(viewport={"width": 1360, "height": 900})
    try:
        page = context.new_page()
        page.set_default_timeout(120_000)
        page.goto(f"{address}/?run={run}")
        page.get_by_role("heading", name="RIVAE Explorer").first.wait_for()
        settle(page)
        go(page, "Explore")
        page.get_by_test_id("tile").nth(9).wait_for()
        slider = page.get_by_test_id("sliders").get_by_role("slider").first
        slider.scroll_into_view_if_needed()
        box = slider.bounding_box()
        y = box["y"] + box["height"] / 2
        page.mouse.move(box["x"] + box["width"] / 2, y)
        page.mouse.down()
        for step in range(20):
            page.mouse.move(box["x"] + box["width"] * (0.5 + 0.02 * step), y)
            page.wait_for_timeout(20)
        page.mouse.up()
        settle(page)
        for name in ("Strips", "Evidence"):
            go(page, name)
            settle(page)
    finally:
        context.close()


def go(page: Any, name: str) -> None:
    """A click on a place or a tab, until that is shown."""
    bar = page.locator(".st-key-places, .st-key-tabs")
    bar.get_by_role("link", name=name, exact=True).last.click()
    page.locator(".st-key-bar [class*=st-key-at_], .st-key-tabs [class*=st-key-at_]").filter(
        has_text=name
    ).first.wait_for(timeout=60_000)


def settle(page: Any) -> None:
    """Wait until the page's script has run through."""
    page.wait_for_timeout(400)
    page.get_by_test_id("stStatusWidget").wait_for(state="detached")


def report(rows: list[dict[str, Any]], where: dict[str, Any]) -> str:
    """The rows as a table for a person."""
    lines = [
        "# What the app keeps of visitors who have gone",
        "",
        f"{where['machine']}, {where['cpus']} cores, Chromium {where['chromium']}, Python "
        f"{where['python']}, {where['libc']}, load average {where['load']} at the start and "
        f"{where['load_after']} at the end. {where['visits']} visits of "
        f"{where['seconds_per_visit']:.0f} s, one after the other: Home, a dragged slider on "
        f"Explore, Traverse, Metrics. Made by `{where['command']}`.",
        "",
        "| when | resident, MB | of it own, MB | asked for of malloc, MB | sessions in memory "
        "| kept for a return | objects | media, MB |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        lines.append(
            f"| {row['when']} | {row['rss']:.0f} | {row['own']:.0f} "
            f"| {row['malloc_used'] / 2**20:.0f} | {row['there']} | {row['kept']} "
            f"| {row['objects']:,} | {row['media'] / 2**20:.1f} |"
        )
    lines += ["", where["growth"], ""]
    return "\n".join(lines)


def growth(rows: list[dict[str, Any]]) -> str:
    """What a visit adds, once all pages have been opened often enough, in one sentence."""
    later = [row for row in rows if row["visits"] >= 10 and row["when"].endswith(" visits")]
    if len(later) < 2:
        return "Too few visits to tell a leak from warming up."
    first, last = later[0], later[-1]
    visits, own = last["visits"] - first["visits"], last["own"] - first["own"]
    used = (last["malloc_used"] - first["malloc_used"]) / 2**20
    objects = (last["objects"] - first["objects"]) / visits
    return (
        f"From visit {first['visits']} to visit {last['visits']}: {own:+.0f} MB of its own "
        f"({own / visits:+.2f} MB per visit), {used:+.1f} MB of what is asked for of malloc, "
        f"{objects:+,.0f} objects per visit. What is resident and not asked for of malloc are free "
        "pieces, Python's small objects and the libraries' own data."
    )


def main() -> None:
    """Measure, print, and write the results."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--visits", type=int, default=40)
    parser.add_argument("--grace", type=float, default=150.0, help="seconds of quiet at the end")
    parser.add_argument("--out", type=Path, default=ROOT / "benchmarks" / "results")
    options = parser.parse_args()

    from playwright.sync_api import sync_playwright

    path = find_browser()
    if path is None:
        parser.error(f"no browser found: {HOW_TO}")
    load = round(os.getloadavg()[0], 1)
    rows: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        (folder / "sitecustomize.py").write_text(PROBE)
        os.environ["RIVAE_PROBE"] = scratch
        os.environ["PYTHONPATH"] = os.pathsep.join(
            [scratch, *filter(None, [os.environ.get("PYTHONPATH")])]
        )
        os.environ["RIVAE_LABELS"] = str(folder / "labels.db")
        pids: list[int] = []

        def note(when: str, visits: int) -> None:
            row = {"when": when, "visits": visits, **ask(folder, pids[0])}
            rows.append(row)
            print({name: row[name] for name in row if name != "types"}, flush=True)

        with sync_playwright() as playwright, app(folder / "runs", pids) as address:
            browser = playwright.chromium.launch(executable_path=path, args=CHROMIUM_ARGS)
            note("before the first", 0)
            started = time.perf_counter()
            for n in range(1, options.visits + 1):
                visit(browser, address, RUNS[n % len(RUNS)])
                if n % EVERY == 0 or n == options.visits:
                    note(f"{n} visits", n)
            spent = (time.perf_counter() - started) / options.visits
            if options.grace:
                time.sleep(options.grace)
                note(f"{options.grace:.0f} s later", options.visits)
                visit(browser, address, RUNS[0])
                note("and one visit more", options.visits + 1)
            version = browser.version
            browser.close()
    where = {
        "command": f"python benchmarks/session_memory.py --visits {options.visits} "
        f"--grace {options.grace:.0f}",
        "machine": platform.machine(),
        "cpus": os.cpu_count(),
        "load": load,
        "load_after": round(os.getloadavg()[0], 1),
        "chromium": version.split(".")[0],
        "python": platform.python_version(),
        "libc": " ".join(platform.libc_ver()),
        "date": time.strftime("%Y-%m-%d"),
        "visits": options.visits,
        "seconds_per_visit": spent,
        "growth": growth(rows),
    }
    options.out.mkdir(parents=True, exist_ok=True)
    told = json.dumps({**where, "rows": rows}, indent=1)
    (options.out / "session-memory.json").write_text(told + "\n")
    text = report(rows, where)
    (options.out / "session-memory.md").write_text(text)
    print(text)


if __name__ == "__main__":
    main()
