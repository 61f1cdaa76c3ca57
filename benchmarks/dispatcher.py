"""How long a queue is without a dispatcher after somebody has killed it.

    python benchmarks/dispatcher.py             30 kills
    python benchmarks/dispatcher.py --kills 60

One run waits in a queue while another one is said to train, so that nothing is started. The app's
own watch (``rivae.app.server.watch_queue``) looks after the dispatcher, which is killed at random
moments: while it works, and while it starts. Counted is the time until another one holds the
queue's lock. Needs Linux; writes ``benchmarks/results/dispatcher.md``.
"""

from __future__ import annotations

import argparse
import os
import platform
import random
import signal
import statistics
import sys
import tempfile
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

AT_MOST_S = 5.0  # what the app promises
MOMENTS = (0.0, 3.0)  # seconds between the first sign of a dispatcher and its death


def holder(root: Path, besides: int = 0) -> int:
    """The pid of the dispatcher that holds the lock, once it is another one than ``besides``."""
    from rivae.jobs import dispatcher
    from rivae.jobs.records import jobs_folder

    while True:
        last = dispatcher._started.get(jobs_folder(root).resolve())
        if last is not None and last.pid != besides and dispatcher.is_dispatching(root):
            return last.pid
        time.sleep(0.005)


Times = list[tuple[float, float]]


def begun(root: Path) -> int:
    """How many dispatchers have begun their first round so far."""
    from rivae.jobs.dispatcher import AT_WORK
    from rivae.jobs.records import jobs_folder

    return (jobs_folder(root) / "dispatcher.log").read_text().count(AT_WORK)


def measure(root: Path, kills: int, seed: int) -> tuple[Times, Times]:
    """Seconds until another one holds the lock, and until it works, after the dispatcher was killed
    at work and while it was starting.
    """
    from rivae.jobs import dispatcher
    from rivae.jobs.records import jobs_folder

    draw = random.Random(seed)
    at_work: Times = []
    starting: Times = []
    for n in range(kills):
        pid = holder(root)
        while not begun(root):
            time.sleep(0.005)
        time.sleep(draw.uniform(*MOMENTS))
        os.kill(pid, signal.SIGKILL)
        killed = time.monotonic()
        if n % 3 == 2:  # the next one as well, before it holds the lock
            while (young := dispatcher._started[jobs_folder(root).resolve()]).pid == pid:
                time.sleep(0.005)
            time.sleep(draw.uniform(0.0, 0.3))
            young.send_signal(signal.SIGKILL)
            pid, killed = young.pid, time.monotonic()
        before = begun(root)
        holder(root, besides=pid)
        held = time.monotonic() - killed
        while begun(root) == before:
            time.sleep(0.005)
        works = time.monotonic() - killed
        (starting if n % 3 == 2 else at_work).append((held, works))
        print(f"{n + 1}: {held:.1f} s, {works:.1f} s", flush=True)
    return at_work, starting


def report(rows: dict[str, Times], load: tuple[float, float]) -> str:
    """The times as a table for a person."""
    lines = [
        "# How long a queue is without a dispatcher",
        "",
        f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, load "
        f"average {load[0]:.1f} at the start and {load[1]:.1f} at the end. Made by "
        "`python benchmarks/dispatcher.py`.",
        "",
        "| killed | times | another one is there, median / longest, s | it works, median / "
        f"longest, s | over {AT_MOST_S:.0f} s |",
        "|---|---|---|---|---|",
    ]
    for name, times in rows.items():
        held, works = zip(*times, strict=True)
        late = sum(each > AT_MOST_S for each in works)
        lines.append(
            f"| {name} | {len(times)} | {statistics.median(held):.2f} / {max(held):.2f} "
            f"| {statistics.median(works):.2f} / {max(works):.2f} | {late} |"
        )
    return "\n".join([*lines, ""])


def main() -> None:
    """Measure, print, and write the results."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--kills", type=int, default=30)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=ROOT / "benchmarks" / "results")
    options = parser.parse_args()

    from rivae.app.server import watch_queue
    from rivae.base.config import DatasetConfig, MethodChoice, RunConfig
    from rivae.jobs import dispatcher, locks
    from rivae.jobs.ledger import Ledger
    from rivae.jobs.records import jobs_folder

    before = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch)
        os.environ.update(RIVAE_RUNS=scratch, RIVAE_CPU_SLOTS="1")
        ledger = Ledger(root)
        configs = [
            RunConfig(name=name, dataset=DatasetConfig(name="synth"), method=MethodChoice())
            for name in ("works", "waits")
        ]
        works, _ = ledger.add(configs)
        ledger.claim(works.id, ["cpu"])
        stop = threading.Event()
        with locks.hold(locks.lock_path(jobs_folder(root), works.id, "rank0")):
            watch = threading.Thread(target=watch_queue, args=[stop])
            watch.start()
            try:
                at_work, starting = measure(root, options.kills, options.seed)
            finally:
                stop.set()
                watch.join()
                last = dispatcher._started.pop(jobs_folder(root).resolve(), None)
                if last is not None:
                    last.kill()
                    last.wait()
    text = report({"at work": at_work, "as it starts": starting}, (before, os.getloadavg()[0]))
    (options.out / "dispatcher.md").write_text(text)
    print(text)


if __name__ == "__main__":
    main()
