"""One trainer of a job: ``python -m rivae.jobs.process ROOT JOB``, started by torchrun.

It goes on from the run's last checkpoint where there is one. What ends a training for a reason
(a diverged loss, wrong settings, a full disk, a cancellation) is written into the ledger and is a
proper end; only a death without a word makes torchrun start it again.
"""

from __future__ import annotations

import logging
import os
import signal
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rivae.errors import RivaeError, RunError
from rivae.jobs.ledger import Ledger
from rivae.jobs.locks import beat_path, hold, lock_path
from rivae.jobs.records import Job, State, jobs_folder
from rivae.runs import Run

LOOK_S = 0.5  # between two looks at the ledger
log = logging.getLogger("rivae.jobs")


class Cancelled(KeyboardInterrupt):
    """The run was asked to stop; the trainer marks it as interrupted."""


class Pulse:
    """Shows that the trainer goes on, and stops it when the ledger says so; called every step."""

    def __init__(self, ledger: Ledger, job_id: str) -> None:
        self.ledger, self.job_id = ledger, job_id
        self.beat = beat_path(jobs_folder(ledger.root), job_id)
        self._looked = 0.0

    def __call__(self) -> None:
        now = time.monotonic()
        if now - self._looked < LOOK_S:
            return
        self._looked = now
        self.beat.touch()
        try:
            cancelling = self.ledger.job(self.job_id).cancelling
        except RunError as error:  # e.g. a full disk: training itself may still go on
            log.warning("%s", error)
            return
        if cancelling:
            raise Cancelled


def main(argv: Sequence[str]) -> int:
    """Train one job to its end; 0 where the ledger knows how it ended."""
    logging.basicConfig(format="%(asctime)s %(message)s", level=logging.INFO)
    root, job_id = Path(argv[0]), argv[1]
    rank = int(os.environ.get("RANK", "0"))
    lock = hold(lock_path(jobs_folder(root), job_id, f"rank{rank}"))
    signal.signal(signal.SIGTERM, _interrupt)
    ledger = Ledger(root)
    try:
        return _train(ledger, ledger.job(job_id), rank)
    finally:
        lock.close()


def _interrupt(number: int, frame: Any) -> None:
    raise KeyboardInterrupt


def _train(ledger: Ledger, job: Job, rank: int) -> int:
    if job.config is None:
        raise RunError(job.message)
    pulse = Pulse(ledger, job.id)
    pulse.beat.touch()
    if rank == 0:
        log.info("start %d of %s", ledger.count_start(job.id), job.run)
        ledger.advance(job.id, "running")
    try:
        pulse()
        _fit(job, ledger.root, pulse)
    except KeyboardInterrupt:
        if not ledger.job(job.id).cancelling:
            return 128 + signal.SIGTERM  # the machine goes down, or somebody else's signal
        return _end(ledger, job, "cancelled", _how_far(Run(ledger.root / job.run)))
    except RivaeError as error:
        return _end(ledger, job, "failed", str(error))
    except Exception as error:
        log.exception("the trainer failed")
        first = (str(error).splitlines() or [""])[0][:300]
        return _end(ledger, job, "failed", f"{type(error).__name__}: {first}")
    return _end(ledger, job, "finished", "")


def _fit(job: Job, root: Path, pulse: Pulse) -> None:
    from rivae.launch import resume, train

    assert job.config is not None
    run = Run(root / job.run)
    if not (run.path / "config.json").is_file():
        train([job.config], root, _tell, pulse)
    elif run.status.state != "finished":
        resume([run], _tell, pulse)


def _tell(row: dict[str, Any]) -> None:
    if "note" in row:
        log.info("%s", row["note"])
        return
    scores = row.get("validation") or {}
    said = "".join(f" {name} {value:.3g}" for name, value in scores.items())
    log.info("%s epoch %d of %d, loss %.4g, %.2f s%s", row["stage"], row["epoch"],
             row["total_epochs"], row["objective"], row["seconds"], said)  # fmt: skip


def _how_far(run: Run) -> str:
    try:
        return f"stopped at epoch {run.status.epoch}: it goes on from there when it is resumed"
    except RunError:
        return "stopped before the first epoch"


def _end(ledger: Ledger, job: Job, state: State, message: str) -> int:
    log.info("%s%s", state, f": {message}" if message else "")
    ledger.advance(job.id, state, message)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
