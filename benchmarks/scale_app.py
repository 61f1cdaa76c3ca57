"""The app on a run of very many items: a drag in a browser, many users, memory.

Measured by ``benchmarks/scale.py``, with ``RIVAE_DATA`` set. The users are one client on the same
machine; each sends ten places of its sliders a second and waits for an answer before it sends the
next, as a browser does.
"""

from __future__ import annotations

import asyncio
import itertools
import os
import shutil
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
from drag import CHROMIUM_ARGS, ROOT, app, measure

from rivae.app.serve import WORKERS

RUN, USERS, SECONDS, PAUSE = "scale", 20, 10.0, 0.1
WORDS = "lemon rice"  # a condition, and what another visitor searches
MOST_S = 3600.0  # for the first opening


def dragged(folder: Path) -> dict[str, Any]:
    """From the hand to the painted pictures, and the memory of the server after it."""
    from playwright.sync_api import sync_playwright

    from rivae.base.browser import find_browser

    pids: list[int] = []
    with app(folder / "runs", pids) as address:
        asyncio.run(_opened(address))
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=find_browser(), args=CHROMIUM_ARGS)
            page = browser.new_page(viewport={"width": 1360, "height": 900})
            page.add_init_script(path=str(ROOT / "benchmarks" / "drag_probe.js"))
            found = measure(page, address, RUN, SECONDS, 60.0, "&rows=all")
            timings = {name: found[name] for name in ("drag", "key press")}
            among = measure(page, address, RUN, SECONDS, 60.0, f"&rows=all&only={quote(WORDS)}")
            timings["drag among items with words"] = among["drag"]
            with _searching(address) as searches:
                busy = measure(page, address, RUN, SECONDS, 60.0, "&rows=all")
            timings["drag while another searches"] = busy["drag"]
            browser.close()
        memory = memory_of(pids[0])
    others = {"n": len(searches), "median_ms": float(np.median(searches))}
    return {
        "dimensions": found["dimensions"],
        **timings,
        "the other's searches": others,
        "server": memory,
    }


@contextmanager
def _searching(address: str) -> Iterator[list[float]]:
    """Another visitor, who searches all texts each second: the ms of each search so far."""
    from httpx2 import Client

    took, over = list[float](), threading.Event()

    def ask() -> None:
        with Client(base_url=address, trust_env=False, timeout=60) as client:
            for n in itertools.count():
                began = time.perf_counter()
                question = {"run": RUN, "rows": "all", "only": f"{WORDS} number {n}"}
                client.post("/rivae/api/run/found", json=question).raise_for_status()
                took.append(1000 * (time.perf_counter() - began))
                if over.wait(1):
                    break

    other = threading.Thread(target=ask)
    other.start()
    try:
        yield took
    finally:
        over.set()
        other.join()


def opened_first(folder: Path) -> dict[str, Any]:
    """The first time that anybody opens the run: until a browser shows ten items, and until all
    items are searched; the memory of the app, and of the process that embeds the items.
    """
    from httpx2 import Client
    from playwright.sync_api import sync_playwright

    from rivae.base.browser import find_browser

    for kept in (folder / "runs").glob("*/cache"):
        shutil.rmtree(kept)
    pids: list[int] = []
    most: dict[int, list[float]] = {}
    with app(folder / "runs", pids) as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_browser(), args=CHROMIUM_ARGS)
        page = browser.new_page(viewport={"width": 1360, "height": 900})
        began = time.perf_counter()
        page.goto(f"{address}/explore?run={RUN}&q=mean&rows=all")
        page.get_by_test_id("tile").nth(9).wait_for(timeout=1000 * MOST_S)
        first = time.perf_counter() - began
        with Client(base_url=address, trust_env=False, timeout=60) as client:
            while True:
                for pid, row in processes_of(pids[0]).items():
                    most[pid] = [
                        max(pair) for pair in zip(row[:2], most.get(pid, row), strict=False)
                    ]
                found = client.post("/rivae/api/run/topk", json=_question(np.zeros(30), [])).json()
                if found["among"] == _n_items():
                    break
                if time.perf_counter() > began + MOST_S:
                    raise TimeoutError("the run was not opened in time")
                time.sleep(0.5)
        whole = time.perf_counter() - began
        browser.close()
    server = most.pop(pids[0])
    others = [max(column) for column in zip(*most.values(), strict=True)] or [0.0, 0.0]
    return {
        "first ten items, s": first,
        "all items, s": whole,
        "server": {"rss_mb": server[0], "own_mb": server[1]},
        "embedding": {"rss_mb": others[0], "own_mb": others[1]},
    }


def _n_items() -> int:
    from rivae.data.store import PairStore, find_store

    return len(PairStore(find_store(RUN)))


def many_users(folder: Path, workers: int) -> dict[str, Any]:
    """Twenty users at once."""
    os.environ[WORKERS] = str(workers)  # also more than `--workers` allows here
    pids: list[int] = []
    with app(folder / "runs", pids) as address:
        return asyncio.run(_asked(address, pid=pids[0]))


def many_updates(folder: Path) -> dict[str, Any]:
    """The server's own memory after the first thousand answers and after ten thousand more."""
    pids: list[int] = []
    with app(folder / "runs", pids) as address:
        own: list[float] = []
        for updates in (1_000, 10_000):
            asyncio.run(_asked(address, updates // USERS))
            own.append(memory_of(pids[0])["own_mb"])
    return {
        "own_mb after 1,000": own[0],
        "own_mb after 11,000": own[1],
        "grew": own[1] / own[0] - 1,
    }


def memory_of(pid: int) -> dict[str, float]:
    """Megabytes of a process and those it started: resident, and what of it is their own."""
    each = list(processes_of(pid).values())
    return {
        "processes": len(each),
        "rss_mb": max(row[0] for row in each),
        "own_mb": sum(row[1] for row in each),
    }


def processes_of(pid: int) -> dict[int, list[float]]:
    """Of a process and those it started: megabytes resident, what of it is their own, and the
    seconds of the processor that they have used.
    """
    fields: dict[int, list[str]] = {}
    for status in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):  # it has just ended
            fields[int(status.parent.name)] = status.read_text().rpartition(")")[2].split()
    found = {}
    for one in (pid, *(one for one, said in fields.items() if int(said[1]) == pid)):
        with suppress(OSError, KeyError):
            said = Path(f"/proc/{one}/status").read_text().splitlines()
            lines = dict(line.split(":", 1) for line in said)
            memory = [int(lines[name].split()[0]) / 1024 for name in ("VmRSS", "RssAnon")]
            ticks = int(fields[one][11]) + int(fields[one][12])
            found[one] = [*memory, ticks / os.sysconf("SC_CLK_TCK")]
    return found


async def _opened(address: str) -> None:
    from httpx2 import AsyncClient

    async with AsyncClient(base_url=address, trust_env=False, timeout=60) as client:
        await _ready(client)


async def _ready(client: Any) -> int:
    """Wait until the run is open; how many axes it has."""
    deadline, n_items = time.perf_counter() + MOST_S, _n_items()
    while time.perf_counter() < deadline:
        found = await client.post("/rivae/api/run/topk", json=_question(np.zeros(30), []))
        if found.status_code == 200 and found.json()["among"] == n_items:
            return 30
        if found.status_code != 200:
            raise RuntimeError(found.text)
        await asyncio.sleep(0.5)
    raise TimeoutError("the run was not opened in time")


def _question(z: Any, have: list[int]) -> dict[str, Any]:
    return {
        "run": RUN,
        "rows": "all",
        "z": [*map(float, z)],
        "k": 10,
        "side": 0,
        "seq": 1,
        "have": have,
    }


async def _asked(address: str, most: int | None = None, pid: int | None = None) -> dict[str, Any]:
    """What the users saw; of the server ``pid`` what an answer costs, and its memory."""
    from httpx2 import AsyncClient, Limits

    limits = Limits(max_connections=USERS, max_keepalive_connections=USERS)
    took: list[float] = []
    async with AsyncClient(base_url=address, trust_env=False, timeout=60, limits=limits) as client:
        await _ready(client)
        for _ in range(60):  # and the workers
            await client.post("/rivae/api/run/topk", json=_question(np.zeros(30), []))
            await asyncio.sleep(0.25)
        began = time.perf_counter()
        before = _busy_s(pid) if pid is not None else (0.0, 0.0)
        await asyncio.gather(*(_user(client, n, began, took, most) for n in range(USERS)))
        seconds = time.perf_counter() - began
        after = _busy_s(pid) if pid is not None else (0.0, 0.0)
    found = {
        "users": USERS,
        "updates_per_s": len(took) / seconds / USERS,
        "median_ms": float(np.median(took)),
        "p95_ms": float(np.quantile(took, 0.95)),
    }
    if pid is None:
        return found
    whole, app_only = (1000 * (b - a) / len(took) for a, b in zip(before, after, strict=True))
    cost = {"cpu ms of an update": whole, "of it in the app": app_only}
    return {**found, **cost, "server": memory_of(pid)}


def _busy_s(pid: int) -> tuple[float, float]:
    """Seconds of the processor that a process and those it started have used, and it alone."""
    found = processes_of(pid)
    return sum(row[2] for row in found.values()), found[pid][2]


async def _user(client: Any, n: int, began: float, took: list[float], most: int | None) -> None:
    """Drags for ten seconds, or for ``most`` answers."""
    rng = np.random.default_rng(n)
    z, have = rng.standard_normal(30), []
    await asyncio.sleep(rng.uniform(0, PAUSE))
    given = 0
    while given < most if most else time.perf_counter() < began + SECONDS:
        given += 1
        z[rng.integers(30)] += rng.normal(0, 0.3)
        sent = time.perf_counter()
        found = (await client.post("/rivae/api/run/topk", json=_question(z, have))).json()
        took.append(1000 * (time.perf_counter() - sent))
        have = [*have, *found["ids"]][-200:]
        await asyncio.sleep(max(0.0, sent + PAUSE - time.perf_counter()))
