"""``rivae jobs``, ``cancel``, ``logs`` and ``worker``: the queue of training runs."""

from __future__ import annotations

import argparse
import logging
import re
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rivae.base.config import RunConfig
from rivae.base.errors import ConfigError, RivaeError, RunError
from rivae.cli.common import add_command, print_json, print_table
from rivae.jobs.records import MAX_RESTARTS, RESTARTS, Job
from rivae.runs import Run, runs_root

if TYPE_CHECKING:
    from rivae.jobs.ledger import Ledger

SLOT = re.compile(r"(cpu|gpu)(:\d{1,3})?")
FOLLOW_S = 0.3
ANOTHER_DISPATCHER = "another dispatcher is already starting these runs: nothing to do here"
SHOWN, SHOWN_BYTES = 200, 1 << 16  # of a log
HEADER = ("run", "job", "state", "epoch", "slots", "priority", "starts", "queued", "message")


def add_commands(commands: Any) -> None:
    """Register the commands of the queue."""
    add_command(
        commands,
        "jobs",
        _jobs,
        "list the queue of training runs",
        "  rivae train synth --queue\n  rivae jobs\n  rivae jobs --json",
    )
    parser = add_command(
        commands,
        "cancel",
        _cancel,
        "remove runs from the queue, or stop them within seconds",
        "  rivae cancel synth-rivae-s0\n  rivae resume synth-rivae-s0 --queue",
    )
    parser.add_argument("runs", nargs="+", metavar="run", help="runs or job ids of `rivae jobs`")

    parser = add_command(
        commands,
        "logs",
        _logs,
        "print the log of a queued run",
        "  rivae logs synth-rivae-s0\n  rivae logs synth-rivae-s0 -f",
    )
    parser.add_argument("run_id", metavar="run", help="a run or job id of `rivae jobs`")
    parser.add_argument(
        "-f", "--follow", action="store_true", help="follow the log until the run ends"
    )

    parser = add_command(
        commands,
        "worker",
        _worker,
        "start queued runs as slots are free, in the foreground",
        "  rivae worker\n  rivae worker --slots cpu,gpu:0\n  rivae worker --until-idle",
    )
    parser.add_argument("--slots", help="e.g. cpu,gpu:0; all of this machine by default")
    parser.add_argument("--until-idle", action="store_true", help="stop when the queue is empty")


def find_job(ledger: Ledger, name: str) -> Job:
    """The entry of a run, or with this id.

    Raises:
        RunError: when there is none.
    """
    for job in ledger.jobs():
        if name in (job.run, job.id):
            return job
    raise RunError(f"'{name}' is not in the queue: `rivae jobs` lists the queue")


def add_queue_options(parser: argparse.ArgumentParser, *, new: bool) -> None:
    """Add the options of `train` and `resume` for the queue."""
    parser.add_argument("--queue", action="store_true", help="train in the background")
    if new:
        parser.add_argument("--priority", type=int, default=5, help="0 to 9, the highest first")
    parser.add_argument(
        "--restarts", type=int, default=RESTARTS, help=f"after a crash, 0 to {MAX_RESTARTS}"
    )


def queue_new(configs: Sequence[RunConfig], args: argparse.Namespace) -> int:
    """Queue new runs and say how to watch them."""
    from rivae.jobs.ledger import Ledger

    ledger = Ledger(runs_root())
    jobs = ledger.add(configs, priority=args.priority, max_restarts=args.restarts)
    return _queued(ledger, jobs, args.json)


def queue_again(runs: Sequence[Run], args: argparse.Namespace) -> int:
    """Queue unfinished runs, and say how to watch them.

    Raises:
        RunError: one is finished, queued, training, or in another folder; those before it are
            queued.
    """
    from rivae.jobs.ledger import Ledger

    root = runs_root()
    ledger, jobs = Ledger(root), []
    for run in runs:
        if run.path.parent.resolve() != root.resolve():
            raise RunError(f"{run.id} is not among your runs: resume it without --queue")
        if run.status.state == "finished":
            raise RunError(f"run {run.id} is already finished: there is nothing to resume")
        # The folder's name counts, whatever its configuration says.
        config = run.config.model_copy(update={"name": run.id})
        jobs.append(ledger.add_existing(config, max_restarts=args.restarts))
    return _queued(ledger, jobs, args.json)


def _queued(ledger: Ledger, jobs: Sequence[Job], as_json: bool) -> int:
    from rivae.jobs.dispatcher import ensure_dispatcher

    ensure_dispatcher(ledger.root)
    if as_json:
        print_json([{"run": job.run, "job": job.id, "state": job.state} for job in jobs])
        return 0
    for job in jobs:
        print(f"{job.run}: queued")
    print(f"  watch it: rivae logs {jobs[0].run} -f   all: rivae jobs   in the app: rivae serve")
    return 0


def _jobs(args: argparse.Namespace) -> int:
    from rivae.jobs.ledger import Ledger

    ledger = Ledger(runs_root())
    jobs = ledger.jobs()
    if args.json:
        print_json([_as_json(ledger, job) for job in jobs])
    elif not jobs:
        print("nothing is queued yet: try `rivae train synth --queue`")
    else:
        print_table([_row(ledger, job) for job in jobs], HEADER)
    return 0


def _row(ledger: Ledger, job: Job) -> list[str]:
    state = f"{job.state}, stopping" if job.cancelling else job.state
    return [
        job.run,
        job.id,
        state,
        _epochs(ledger.root / job.run),
        " ".join(job.slots) or "–",
        str(job.priority),
        str(job.attempts),
        job.queued[:16].replace("T", " "),
        job.message,
    ]


def _epochs(folder: Path) -> str:
    try:
        status = Run(folder).status
    except RunError:
        return "–"
    return f"{status.epoch}/{status.total_epochs}"


def _as_json(ledger: Ledger, job: Job) -> dict[str, Any]:
    row = {key: value for key, value in asdict(job).items() if key != "config"}
    if job.config is not None:
        row |= {"data set": job.config.dataset.name, "method": job.config.method.name}
    return {**row, "path": str(ledger.root / job.run)}


def _cancel(args: argparse.Namespace) -> int:
    from rivae.jobs.dispatcher import ensure_dispatcher
    from rivae.jobs.ledger import Ledger

    ledger = Ledger(runs_root())
    jobs = [find_job(ledger, name) for name in args.runs]  # all are there, or none is cancelled
    rows: list[dict[str, Any]] = []
    failures: list[str] = []
    for job in jobs:
        try:
            after = ledger.cancel(job.id)
        except RivaeError as error:
            failures.append(str(error))
            rows.append({"run": job.run, "error": str(error)})
            continue
        if after.alive:
            ensure_dispatcher(ledger.root)  # it ends the process
        rows.append(
            {"run": job.run, "job": job.id, "state": after.state, "cancelling": after.cancelling}
        )
        if not args.json:
            how = "stops within seconds" if after.alive else "is removed from the queue"
            print(f"{job.run} {how}")
    if args.json:
        print_json(rows)
    for failure in failures:
        print(f"rivae: {failure}", file=sys.stderr)
    return 1 if failures else 0


def _logs(args: argparse.Namespace) -> int:
    from rivae.jobs.agent import log_path
    from rivae.jobs.ledger import Ledger
    from rivae.jobs.tail import log_tail

    ledger = Ledger(runs_root())
    job = find_job(ledger, args.run_id)
    path = log_path(ledger.root, job.id)
    if args.follow:
        args.resume_hint = f"{job.run} continues; `rivae cancel {job.run}` stops it"
        _follow(ledger, job, path)
        return 0
    lines = log_tail(path, SHOWN, SHOWN_BYTES)
    if args.json:
        print_json(lines)
        return 0
    for line in lines:
        print(line)
    if not lines:
        print(f"{job.run} has no log yet: it is {job.state}", file=sys.stderr)
    return 0


def _follow(ledger: Ledger, job: Job, path: Path) -> None:
    """Print the end of a log, and new lines until the run ends."""
    from rivae.jobs.tail import GrowingText

    log = GrowingText(path, SHOWN_BYTES)
    while True:
        is_over = not job.alive and job.state != "queued"
        for text in log.new():
            sys.stdout.write(text)
            sys.stdout.flush()
        if is_over:
            print(f"{job.run} is {job.state}{': ' + job.message if job.message else ''}")
            return
        time.sleep(FOLLOW_S)
        job = ledger.job(job.id)


def parse_slots(text: str) -> tuple[str, ...]:
    """ "cpu,gpu:0" as slots; ConfigError for anything else."""
    slots = tuple(part.strip() for part in text.split(","))
    if not all(SLOT.fullmatch(slot) for slot in slots) or len(set(slots)) < len(slots):
        raise ConfigError(f"'{text}' names no slots: write e.g. cpu,gpu:0")
    return tuple(f"{slot}:0" if slot == "gpu" else slot for slot in slots)


def _worker(args: argparse.Namespace) -> int:
    from rivae.jobs.dispatcher import run_dispatcher

    root = runs_root()
    slots = parse_slots(args.slots) if args.slots else None
    logging.basicConfig(format="%(asctime)s %(message)s", level=logging.INFO)
    args.resume_hint = "trainings continue; start `rivae worker` again for queued runs"
    # Long enough for one round before the worker counts as idle.
    idle_s = 2.0 if args.until_idle else float("inf")
    print(
        f"starting runs in {root} as slots become free; Ctrl-C stops this, not the trainings",
        file=sys.stderr,
    )
    if run_dispatcher(root, idle_s=idle_s, slots=slots):
        raise RunError(ANOTHER_DISPATCHER)
    return 0
