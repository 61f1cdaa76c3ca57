"""Cells in several processes at once: the parent hands them out and keeps the table.

Every worker is ``python -m rivae.benchmark.processes`` in its own session, and runs one cell:
Ctrl-C reaches only the parent, which stops the workers and lets them save. A worker's only argument
is JSON, {"cell", "root"}; it writes one line of JSON per run ({"rows"}) and per message ({"say"})
to stdout. When its stdin closes, the parent is gone and the worker stops as for SIGTERM: training
saves its checkpoint.
"""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rivae.base.installed import PACKAGE_ROOT
from rivae.benchmark.cell import Say, run_cell
from rivae.benchmark.plan import Cell
from rivae.benchmark.rows import Row, make_row

PATIENCE = 60.0  # seconds that a stopped worker has to save its checkpoint


def run_in_processes(cells: Sequence[Cell], root: Path, say: Say, jobs: int) -> Iterator[list[Row]]:
    """``run_cell`` of every cell, ``jobs`` at a time; rows come as runs finish.

    A worker that ends without all its rows (killed for memory, an error of the program) leaves
    rows with state "not run".
    """
    messages: queue.Queue[tuple[int, dict[str, Any] | None]] = queue.Queue()
    waiting = list(enumerate(cells))
    workers: dict[int, subprocess.Popen[str]] = {}
    left = {
        i: [(draw, seed) for draw in cell.draws for seed in cell.seeds]
        for i, cell in enumerate(cells)
    }
    try:
        while waiting or workers:
            while waiting and len(workers) < jobs:
                i, cell = waiting.pop(0)
                say(f"[{i + 1}/{len(cells)}] {cell.title}")
                workers[i] = _start(cell, root)
                threading.Thread(
                    target=_listen, args=(i, workers[i], messages), daemon=True
                ).start()
            i, message = messages.get()
            if message is None:
                code = workers.pop(i).wait()
                if left[i]:
                    say(f"{cells[i].title}: its process ended with code {code}")
                    yield [_lost(cells[i], draw, seed, code) for draw, seed in left[i]]
            elif "say" in message:
                say(message["say"])
            else:
                done = {(row["draw"], row["seed"]) for row in message["rows"]}
                left[i] = [run for run in left[i] if run not in done]
                yield message["rows"]
    finally:
        _stop(list(workers.values()))


def _start(cell: Cell, root: Path) -> subprocess.Popen[str]:
    path = os.pathsep.join(filter(None, [str(PACKAGE_ROOT), os.environ.get("PYTHONPATH", "")]))
    task = json.dumps({"cell": asdict(cell), "root": str(root.absolute())})
    return subprocess.Popen(
        [sys.executable, "-m", "rivae.benchmark.processes", task],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env={**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": path},
    )


def _listen(
    i: int,
    worker: subprocess.Popen[str],
    messages: queue.Queue[tuple[int, dict[str, Any] | None]],
) -> None:
    assert worker.stdout is not None
    for line in worker.stdout:
        messages.put((i, json.loads(line)))
    messages.put((i, None))


def _lost(cell: Cell, draw: int, seed: int, code: int) -> Row:
    return make_row(
        dataset=cell.dataset,
        method=cell.method,
        preset=cell.preset,
        settings=cell.settings_text,
        size=cell.size,
        draw=draw,
        seed=seed,
        state="not run",
        message=f"its process ended with code {code}",
    )


def _stop(workers: list[subprocess.Popen[str]]) -> None:
    for worker in workers:
        worker.terminate()
    for worker in workers:
        try:
            worker.wait(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            worker.kill()
            worker.wait()


def cell_from_json(value: dict[str, Any]) -> Cell:
    """The cell that ``dataclasses.asdict`` turned into JSON."""
    return Cell(
        **{
            **value,
            "seeds": tuple(value["seeds"]),
            "draws": tuple(value["draws"]),
            "settings": tuple((key, setting) for key, setting in value["settings"]),
        }
    )


def main() -> int:
    """The worker: run one cell; 130 when stopped."""
    # Output of libraries must not come between the lines of JSON.
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)

    def send(message: dict[str, Any]) -> None:
        out.write(json.dumps(message) + "\n")
        out.flush()

    def stop(signum: int, frame: Any) -> None:
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, stop)
    task = json.loads(sys.argv[1])
    threading.Thread(target=_end_with_parent, daemon=True).start()
    try:
        for rows in run_cell(
            cell_from_json(task["cell"]), Path(task["root"]), lambda line: send({"say": line})
        ):
            send({"rows": rows})
    except KeyboardInterrupt:
        return 130
    return 0


def _end_with_parent() -> None:
    # Not through sys.stdin, whose lock this thread would hold when the interpreter ends.
    while os.read(0, 4096):
        pass
    os.kill(os.getpid(), signal.SIGTERM)


if __name__ == "__main__":
    sys.exit(main())
