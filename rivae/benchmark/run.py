"""Run the cells of a plan, one by one or in several processes; the report grows as runs finish.

Every worker is ``python -m rivae.benchmark.run`` in its own session, and runs one cell: Ctrl-C
reaches only the parent, which stops the workers and lets them save. A worker's only argument is
JSON, {"cell", "root"}; it writes one line of JSON per run ({"rows"}) and per message ({"say"}) to
stdout. When its stdin closes, the parent is gone and the worker stops as for SIGTERM: training
saves its checkpoint.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Generator, Iterator, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from rivae.base.errors import ConfigError, RivaeError
from rivae.base.installed import PACKAGE_ROOT
from rivae.benchmark.cell import Say, is_done, not_run, run_cell
from rivae.benchmark.chance import chance_rows
from rivae.benchmark.plan import Cell, completed_row
from rivae.benchmark.report import write_report
from rivae.benchmark.rows import Row, line_key, merge, read_rows
from rivae.benchmark.tables import RIDGE_CCA
from rivae.models.registry import METHODS
from rivae.runs.data_record import content_now

PATIENCE = 60.0  # seconds that a stopped worker has to save its checkpoint


def benchmark(
    cells: Sequence[Cell],
    root: Path,
    out: Path,
    say: Say,
    jobs: int = 1,
    training: bool = True,
    again: bool = False,
) -> list[Row]:
    """Run the cells. The same call continues after an interruption, also on another machine: runs
    are skipped if ``out`` has their scores with the same settings and after every step.

    Args:
        cells: from ``rivae.benchmark.plan.plan``, all of one size.
        root: folder of the run folders; finished runs in it are reused.
        out: folder of ``results.parquet`` and the report. Lines of other cells are kept.
        say: receives one line of progress at a time.
        jobs: the number of processes that train at once; 1 trains in this process.
        training: False uses finished runs only and trains none.
        again: train and measure also what ``out`` has.

    Raises:
        ConfigError: when ``out`` holds results of another size.
    """
    rows = [completed_row(row) for row in read_rows(out)]
    sizes = {row["size"] for row in rows} | {cell.size for cell in cells}
    if len(sizes) > 1:
        raise ConfigError(
            f"{out} would hold {' and '.join(sorted(sizes))} results together: name another --out"
        )
    rows = merge(rows, _chance(cells, rows, say))
    parts = [part for cell in cells for part in _parts(cell)]
    if training and not again:
        parts = [rest for part in parts if (rest := _not_stored(part, rows, root))]
    last_write, took = 0.0, 0.0
    try:
        # Closed at once when stopped, so that no worker outlives the command.
        with contextlib.closing(_results(parts, root, say, jobs, training)) as results:
            for new in results:
                rows = merge(rows, new)
                # Reports of many runs take seconds: they get at most 5 % of the time.
                if time.monotonic() - last_write > 20 * took:
                    start = time.monotonic()
                    write_report(rows, out)
                    last_write = time.monotonic()
                    took = last_write - start
    finally:
        write_report(rows, out)
    return rows


def _parts(cell: Cell) -> list[Cell]:
    try:
        return cell.parts()
    except RivaeError:
        return [cell]  # running it reports why it cannot be configured


def _not_stored(part: Cell, rows: Sequence[Row], root: Path) -> Cell | None:
    """The part without runs whose scores are among the rows; None if all are.

    Runs in the folder ``root`` are kept: their scores may be newer, and cost nothing.
    """
    try:
        configs = part.configs()
    except RivaeError:
        return part  # running it reports why it cannot be configured
    latent = METHODS[part.method].has_latent
    settings = part.settings_json
    stored_runs = {
        (row["draw"], row["seed"])
        for row in rows
        if line_key(row) == part.line_key
        and row["config"] == settings
        and row["data"] in ("", content_now(configs[0]))
        and row["state"] in ("finished", "failed")
        and (row["chosen"] is not None or not latent or row["state"] == "failed")
    }
    part_runs = [(draw, seed) for draw in part.draws for seed in part.seeds]
    missing = [
        run
        for run, config in zip(part_runs, configs, strict=True)
        if run not in stored_runs or (root / config.name).exists()
    ]
    draws, seeds = (
        (tuple(dict.fromkeys(numbers)) for numbers in zip(*missing, strict=True))
        if missing
        else ((), ())
    )
    return replace(part, draws=draws, seeds=seeds) if missing else None


def _chance(cells: Sequence[Cell], rows: Sequence[Row], say: Say) -> list[Row]:
    """The chance levels that are not yet among the rows."""
    draws: dict[str, set[int]] = {}
    settings: dict[str, dict[str, Any]] = {}
    for cell in cells:
        draws.setdefault(cell.dataset, set()).update(cell.draws)
        settings[cell.dataset] = cell.data_settings
    chance: list[Row] = []
    for dataset, needed_draws in draws.items():
        old_draws = {
            row["draw"] for row in rows if row["dataset"] == dataset and row["method"] == RIDGE_CCA
        }
        missing = tuple(sorted(needed_draws - old_draws))
        if missing:
            say(f"chance level of {dataset}")
            try:
                chance += chance_rows(dataset, missing, cells[0].size, settings=settings[dataset])
            except RivaeError as error:
                say(f"skipped: {error}")
    return chance


def _results(
    parts: Sequence[Cell], root: Path, say: Say, jobs: int, training: bool
) -> Generator[list[Row]]:
    # Finished runs come first: they cost nothing.
    finished_parts = [part for part in parts if not training or is_done(part, root)]
    for part in finished_parts:
        yield from run_cell(part, root, say, training)
    other_parts = [part for part in parts if part not in finished_parts]
    if other_parts and len(other_parts) < len(parts):
        say(f"{len(finished_parts)} of {len(parts)} parts are already finished")
    if jobs > 1:
        yield from run_in_processes(other_parts, root, say, jobs)
        return
    for i, part in enumerate(other_parts):
        say(f"[{i + 1}/{len(other_parts)}] {part.title}")
        yield from run_cell(part, root, say)


# Several processes


def run_in_processes(cells: Sequence[Cell], root: Path, say: Say, jobs: int) -> Iterator[list[Row]]:
    """``run_cell`` of every cell, ``jobs`` at a time; rows come as runs finish.

    A worker that ends without all its rows (killed for memory, an error of the program) leaves
    rows with state "not run".
    """
    messages: queue.Queue[tuple[int, dict[str, Any] | None]] = queue.Queue()
    waiting = list(enumerate(cells))
    workers: dict[int, subprocess.Popen[str]] = {}
    missing = {
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
                if missing[i]:
                    reason = f"its process ended with code {code}"
                    say(f"{cells[i].title}: {reason}")
                    yield [not_run(cells[i], draw, seed, reason) for draw, seed in missing[i]]
            elif "say" in message:
                say(message["say"])
            else:
                finished_runs = {(row["draw"], row["seed"]) for row in message["rows"]}
                missing[i] = [run for run in missing[i] if run not in finished_runs]
                yield message["rows"]
    finally:
        _stop(list(workers.values()))


def _start(cell: Cell, root: Path) -> subprocess.Popen[str]:
    path = os.pathsep.join(filter(None, [str(PACKAGE_ROOT), os.environ.get("PYTHONPATH", "")]))
    task = json.dumps({"cell": asdict(cell), "root": str(root.absolute())})
    return subprocess.Popen(
        [sys.executable, "-m", "rivae.benchmark.run", task],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env={**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": path},
    )


def _listen(
    i: int, worker: subprocess.Popen[str], messages: queue.Queue[tuple[int, dict[str, Any] | None]]
) -> None:
    assert worker.stdout is not None
    for line in worker.stdout:
        messages.put((i, json.loads(line)))
    messages.put((i, None))


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
