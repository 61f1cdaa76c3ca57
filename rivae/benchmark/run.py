"""Run the cells of a plan; the report in the folder grows as runs finish."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Generator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from rivae.base.errors import ConfigError, RivaeError
from rivae.benchmark.cell import Say, is_done, run_cell
from rivae.benchmark.chance import chance_rows
from rivae.benchmark.plan import Cell, completed_row
from rivae.benchmark.processes import run_in_processes
from rivae.benchmark.report import write_report
from rivae.benchmark.rows import Row, line_key, merge, read_rows
from rivae.benchmark.tables import CHANCE
from rivae.models.registry import METHODS
from rivae.runs.data_record import content_now


def benchmark(
    cells: Sequence[Cell],
    root: Path,
    out: Path,
    say: Say,
    jobs: int = 1,
    training: bool = True,
    again: bool = False,
) -> list[Row]:
    """Run the cells. It can be stopped at any time; the same call then continues.

    Runs whose scores ``out`` has, with the same settings and after every step, are left out, so
    that another machine continues where one stopped.

    Args:
        cells: from ``rivae.benchmark.plan.plan``, all of one size.
        root: folder of the run folders; finished runs in it are reused.
        out: folder of ``results.parquet`` and the report. Lines of other cells stay, so a table
            can be made step by step.
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
        parts = [left for part in parts if (left := _not_stored(part, rows, root))]
    written, took = 0.0, 0.0
    try:
        # Closed at once when stopped, so that no worker outlives the command.
        with contextlib.closing(_results(parts, root, say, jobs, training)) as results:
            for new in results:
                rows = merge(rows, new)
                # With many runs a report takes seconds: it must not cost more than the runs do.
                if time.monotonic() - written > 20 * took:
                    started = time.monotonic()
                    write_report(rows, out)
                    written = time.monotonic()
                    took = written - started
    finally:
        write_report(rows, out)
    return rows


def _parts(cell: Cell) -> list[Cell]:
    try:
        return cell.parts()
    except RivaeError:
        return [cell]  # running it reports why it cannot be configured


def _not_stored(part: Cell, rows: Sequence[Row], root: Path) -> Cell | None:
    """The part without draws and seeds whose scores are among the rows; None if all are.

    Runs in the folder ``root`` stay: what is measured there may be newer, and costs nothing.
    """
    try:
        configs = part.configs()
    except RivaeError:
        return part  # running it reports why it cannot be configured
    latent = METHODS[part.method].has_latent
    own = part.settings_json
    stored = {
        (row["draw"], row["seed"])
        for row in rows
        if line_key(row) == part.line_key
        and row["config"] == own
        and row["data"] in ("", content_now(configs[0]))
        and row["state"] in ("finished", "failed")
        and (row["chosen"] is not None or not latent or row["state"] == "failed")
    }
    wanted = [(draw, seed) for draw in part.draws for seed in part.seeds]
    left = [
        run
        for run, config in zip(wanted, configs, strict=True)
        if run not in stored or (root / config.name).exists()
    ]
    draws, seeds = (
        (tuple(dict.fromkeys(numbers)) for numbers in zip(*left, strict=True)) if left else ((), ())
    )
    return replace(part, draws=draws, seeds=seeds) if left else None


def _chance(cells: Sequence[Cell], rows: Sequence[Row], say: Say) -> list[Row]:
    """The chance levels that are not yet among the rows."""
    draws: dict[str, set[int]] = {}
    settings: dict[str, dict[str, Any]] = {}
    for cell in cells:
        draws.setdefault(cell.dataset, set()).update(cell.draws)
        settings[cell.dataset] = cell.data_settings
    found: list[Row] = []
    for dataset, wanted in draws.items():
        known = {r["draw"] for r in rows if r["dataset"] == dataset and r["method"] in CHANCE}
        missing = tuple(sorted(wanted - known))
        if missing:
            say(f"chance level of {dataset}")
            try:
                found += chance_rows(dataset, missing, cells[0].size, settings=settings[dataset])
            except RivaeError as error:
                say(f"skipped: {error}")
    return found


def _results(
    parts: Sequence[Cell], root: Path, say: Say, jobs: int, training: bool
) -> Generator[list[Row]]:
    # Finished runs come first: they cost nothing.
    done = [part for part in parts if not training or is_done(part, root)]
    for part in done:
        yield from run_cell(part, root, say, training)
    left = [part for part in parts if part not in done]
    if left and len(left) < len(parts):
        say(f"{len(done)} of {len(parts)} parts are already finished")
    if jobs > 1:
        yield from run_in_processes(left, root, say, jobs)
        return
    for i, part in enumerate(left):
        say(f"[{i + 1}/{len(left)}] {part.title}")
        yield from run_cell(part, root, say)
