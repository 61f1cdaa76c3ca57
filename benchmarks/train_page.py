"""What a refresh of the Train page costs with 50 finished, 3 running and 3 queued runs.

    python benchmarks/train_page.py

Times are those of the Python code of a refresh (of the part that renews itself while something
runs, or of the whole page), without the browser; the runs are made here and nothing trains. Writes
``benchmarks/results/train-page.md``.
"""

from __future__ import annotations

import os
import platform
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
os.environ.setdefault("OMP_NUM_THREADS", "1")

FINISHED, RUNNING, QUEUED = 50, 3, 3
EPOCHS = 5_000
TIMES = 30


def make_runs(root: Path) -> list[Any]:
    """The folders and the queue; the runs that are at work."""
    from rivae.jobs.launch import make_config
    from rivae.jobs.ledger import Ledger
    from rivae.jobs.ledger_db import changing, update
    from rivae.jobs.records import boot_id
    from rivae.runs import Run

    ledger, at_work = Ledger(root), []
    for n in range(FINISHED + RUNNING):
        config = make_config("synth", name=f"run-{n:02}", seed=n)
        run, over = Run.create(config, root), n < FINISHED
        with run.log.path.open("w") as log, run.timing.path.open("w") as timing:
            for epoch in range(1, EPOCHS + 1):
                log.write(row_of(epoch))
                timing.write(f'{{"epoch": {epoch}, "seconds": 0.1, "wall": 0.12}}\n')
        run.set_status(
            state="finished" if over else "running",
            epoch=EPOCHS,
            total_epochs=EPOCHS if over else 2 * EPOCHS,
            stages=[("joint", 2 * EPOCHS)],
        )
        if over and n % 2:
            continue  # trained from the command line
        job = ledger.add_existing(config)
        with changing(ledger.path) as db:
            state = "finished" if over else "running"
            update(db, job.id, state=state, boot=boot_id(), slots="" if over else f"cpu:{n}")
        if not over:
            at_work.append(run)
    ledger.add([make_config("synth", name=f"queued-{n}", seed=n) for n in range(QUEUED)])
    return at_work


def row_of(epoch: int) -> str:
    """A row of metrics as RIVAE writes it."""
    terms = ", ".join(
        f'"{name}": {1 / epoch + n}'
        for n, name in enumerate(("objective", "reconstruction", "kl", "retrieval", "regulariser"))
    )
    scores = (
        ', "validation": {"score": 0.5, "recall_at_1": 0.4, "recall_at_10": 0.8, '
        '"median_rank": 2.0, "mcc": 0.9, "r2": 0.8}'
        if epoch % 5 == 0
        else ""
    )
    return (
        f'{{"epoch": {epoch}, "stage": "joint", "step": {20 * epoch}, '
        f'"learning_rate": 0.001, {terms}{scores}}}\n'
    )


def measured(act: Callable[[], Any], before: Callable[[], Any] | None = None) -> list[float]:
    """Milliseconds of some calls, the first one apart."""
    found = []
    for _ in range(TIMES):
        if before is not None:
            before()
        started = time.perf_counter()
        act()
        found.append((time.perf_counter() - started) * 1e3)
    return found


def script_of(part: str) -> Callable[..., None]:
    """A script for AppTest that runs one part of the page and keeps its time."""

    def script(part: str) -> None:
        import time

        import streamlit as st

        from rivae.app.train import parts, runs
        from rivae.app.train import run as train_run

        started = time.perf_counter()
        if part == "page":
            runs.panel()
        elif part == "list":
            found = parts.entries()[0]
            runs._live(tuple(entry.id for entry in found if entry.live))
        else:
            train_run._watched("run-50", "running")
        st.session_state["took"] = (time.perf_counter() - started) * 1e3

    return script


def refreshes(part: str, before: Callable[[], Any] | None = None) -> list[float]:
    """Milliseconds of the part's script, the first run of it first."""
    from streamlit.testing.v1 import AppTest

    at = AppTest.from_function(script_of(part), args=(part,), default_timeout=120)
    found = []
    for _ in range(TIMES):
        if before is not None:
            before()
        at.run()
        assert not at.exception, at.exception
        found.append(float(at.session_state["took"]))
    return found


def main() -> int:
    """Measure and write the table."""
    from rivae.app.shell import cache
    from rivae.jobs import history, overview
    from rivae.jobs.launch import run_lock
    from rivae.jobs.ledger import Ledger

    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        root = Path(folder) / "runs"
        root.mkdir()
        os.environ["RIVAE_RUNS"] = str(root)
        at_work = make_runs(root)
        for run in at_work:
            stack.enter_context(run_lock(run))
        epoch = [EPOCHS]

        def another_epoch() -> None:
            epoch[0] += 1
            with at_work[0].log.path.open("a") as stream:
                stream.write(row_of(epoch[0]))
            at_work[0].timing.append({"epoch": epoch[0], "seconds": 0.1, "wall": 0.12})

        def all_entries() -> None:
            found = overview.entries(Ledger(root).jobs(), cache.runs(), root)
            for entry in found:
                if entry.at_work:
                    overview.progress_of(entry)

        started = time.perf_counter()
        history.history_of(at_work[0].path)
        first = (time.perf_counter() - started) * 1e3
        rows = [
            ("list: what trains and waits, renewed every 2 s", refreshes("list")),
            ("whole page: the list, ten of the runs that are over", refreshes("page")),
            ("one run at work, nothing new", refreshes("run")),
            ("one run at work, one more epoch", refreshes("run", another_epoch)),
            ("of these: states of all runs, progress of three", measured(all_entries)),
            (
                "of these: reading one more epoch of a run",
                measured(lambda: history.history_of(at_work[0].path), another_epoch),
            ),
        ]
    text = table(rows, first)
    (ROOT / "benchmarks" / "results" / "train-page.md").write_text(text)
    print(text)
    return 0


def table(rows: list[tuple[str, list[float]]], first: float) -> str:
    """The results as Markdown."""
    load = os.getloadavg()[0]
    lines = [
        f"# The Train page with {FINISHED} finished, {RUNNING} running and {QUEUED} queued runs",
        "",
        f"{platform.machine()}, one thread, load average {load:.1f} at the end. "
        f"{EPOCHS:,} epochs per run. Python code of a refresh, {TIMES} of each; made by "
        "`python benchmarks/train_page.py`.",
        "",
        "| refresh | first, ms | then median / p95, ms |",
        "|---|---|---|",
    ]
    for name, times in rows:
        later = sorted(times[1:])
        p95 = later[min(int(0.95 * len(later)), len(later) - 1)]
        lines.append(f"| {name} | {times[0]:.0f} | {statistics.median(later):.1f} / {p95:.1f} |")
    lines += ["", f"Reading {EPOCHS:,} epochs of a run for the first time: {first:.0f} ms.", ""]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
