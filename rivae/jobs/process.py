"""One trainer of a job: ``python -m rivae.jobs.process ROOT JOB [files]``, started by the agent.

With ``files`` the ledger is on another machine (``rivae.jobs.file_ledger``).

It continues from the run's last checkpoint if there is one. An end with a reason (a diverged loss,
wrong settings, a full disk, a cancellation) is written into the ledger and is a proper end; only
after a crash does the agent start it again.
"""

from __future__ import annotations

import logging
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

from rivae.base.config import RunConfig
from rivae.base.errors import RivaeError, RunError
from rivae.data.names import IMPORTED
from rivae.jobs.file_ledger import FileLedger
from rivae.jobs.ledger import Ledger
from rivae.jobs.locks import beat_path, keep, lock_path
from rivae.jobs.preview import Previews
from rivae.jobs.records import USUAL_PRIORITY, Job, State, jobs_folder
from rivae.jobs.tracking import Tracking
from rivae.runs import Run
from rivae.training.distributed import joined

LOOK_S = 0.5  # between two looks at the ledger
BEHIND = 10  # added to the niceness of a job behind the usual ones
log = logging.getLogger("rivae.jobs")


TrainerLedger = Ledger | FileLedger


class Cancelled(KeyboardInterrupt):
    """The run was asked to stop; the trainer marks it as interrupted."""


class Pulse:
    """Called every step: shows that the trainer is alive, and stops it when it is cancelled."""

    def __init__(self, ledger: TrainerLedger, job_id: str) -> None:
        self.ledger, self.job_id = ledger, job_id
        self.beat = beat_path(jobs_folder(ledger.root), job_id)
        self._last_look = 0.0

    def __call__(self) -> None:
        now = time.monotonic()
        if now - self._last_look < LOOK_S:
            return
        self._last_look = now
        self.beat.touch(mode=0o600)
        try:
            cancelling = self.ledger.job(self.job_id).cancelling
        except RunError as error:  # e.g. a full disk: training may still continue
            log.warning("%s", error)
            return
        if cancelling:
            raise Cancelled


def main(argv: Sequence[str]) -> int:
    """Train one job to its end; 0 where the ledger knows how it ended."""
    logging.basicConfig(format="%(asctime)s %(message)s", level=logging.INFO)
    root, job_id = Path(argv[0]), argv[1]
    rank = int(os.environ.get("RANK", "0"))
    lock = keep(lock_path(jobs_folder(root), job_id, f"rank{rank}"))
    signal.signal(signal.SIGTERM, _interrupt)
    ledger = FileLedger(root) if "files" in argv[2:] else Ledger(root)
    try:
        return _train(ledger, ledger.job(job_id), rank)
    finally:
        lock.close()


def _interrupt(number: int, frame: Any) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # a second one would interrupt saving
    raise KeyboardInterrupt


def _train(ledger: TrainerLedger, job: Job, rank: int) -> int:
    if job.config is None:
        raise RunError(job.message)
    if not job.alive:
        return 0  # it has ended already, which another process of its group did not know
    if job.priority < USUAL_PRIORITY and hasattr(os, "nice"):
        os.nice(BEHIND)  # those who wait for a page come first
    pulse = Pulse(ledger, job.id)
    pulse.beat.touch(mode=0o600)
    if rank == 0:
        log.info("start %d of %s", ledger.count_start(job.id), job.run)
        ledger.advance(job.id, "running")
    try:
        _fit(ledger, job, pulse, rank)
    except KeyboardInterrupt:
        entry = ledger.job(job.id)
        if entry.cancelling and rank == 0:
            return _end(ledger, job, "cancelled", _how_far(Run(ledger.root / job.run)))
        # Shutdown, a signal, or the death of another process of the run: the agent restarts it,
        # unless the ledger has its end.
        return 0 if entry.cancelling or not entry.alive else 128 + signal.SIGTERM
    except RivaeError as error:
        return _end(ledger, job, "failed", str(error))
    except Exception as error:
        log.exception("the trainer failed")
        first = (str(error).splitlines() or [""])[0][:300]
        return _end(ledger, job, "failed", f"{type(error).__name__}: {first}")
    return _end(ledger, job, "finished", "") if rank == 0 else 0


def _fit(ledger: TrainerLedger, job: Job, pulse: Callable[[], None], rank: int) -> None:
    if int(os.environ.get("WORLD_SIZE", "1")) == 1:
        pulse()  # cancelled before the long imports
    from rivae.jobs.launch import resume, train

    assert job.config is not None
    run = Run(ledger.root / job.run)
    previews = Previews(run) if rank == 0 else None
    tracking = Tracking(run, job.config)  # gets rows in rank 0 only

    def tell(row: dict[str, Any]) -> None:
        _tell(row)
        tracking(row)
        if previews is not None:
            previews(row)

    try:
        with joined(job.config.training.device) as group:
            group.step(pulse)
            # The leading process decides, as it may create the folder while others look.
            act = group.broadcast(_next_action(run))
            config = job.config
            with _shared_out(config) if group.leads else nullcontext():
                if group.leads and _make_features(config, pulse):
                    # Meanwhile the run that it refines may have got another name.
                    config = ledger.job(job.id).config or config
                group.wait()
                if act == "train":
                    train([config], ledger.root, tell, pulse, group)
                elif act == "resume":
                    resume([run], tell, pulse, group)
        tracking.finish(complete=True)
    finally:
        tracking.finish(complete=False)
    if previews is not None:
        previews.finish()
    if rank == 0:
        _find_added_axes(run)


@contextmanager
def _shared_out(config: RunConfig) -> Iterator[None]:
    """Let the cluster that ``RIVAE_CLUSTER`` names do what it can of the work."""
    from rivae.base.cluster import on_usual_cluster
    from rivae.data.views import places_of

    data = config.dataset
    with on_usual_cluster(lambda: places_of(data.name, data.settings)) as problem:
        if problem:
            log.warning("on this machine: %s", problem)
        yield


def _make_features(config: RunConfig, pulse: Callable[[], None]) -> bool:
    """Compute the features that the run reads and its data do not have yet, from where a process
    that was killed left off; False where all are there.
    """
    settings = config.dataset.settings
    if config.dataset.name != IMPORTED or not settings.get("features"):
        return False
    from rivae.data.features.making import make_missing, missing_features
    from rivae.data.store import find_store

    folder, features = find_store(settings["store"]), settings["features"]
    if not missing_features(folder, features):
        return False

    def tell(stage: str, share: float) -> None:
        pulse()
        if stage not in messages:
            log.info("%s", stage)
        messages.add(stage)

    messages: set[str] = set()
    make_missing(folder, features, tell)
    return True


def _find_added_axes(run: Run) -> None:
    """Ask the new model for the axes that were added to the run that it refines; what cannot be
    found does not matter to the training.
    """
    if (name := run.config.refines) is None or run.status.state != "finished":
        return
    from rivae.exploring.axes.adding import refit_lacking

    try:
        axes, problems = refit_lacking(run, Run(run.path.with_name(name)))
    except RivaeError as error:
        axes, problems = [], [str(error)]
    for text in [*(f"axis {axis.name} was found again" for axis in axes), *problems]:
        log.info("%s", text)


def _next_action(run: Run) -> str:
    if not (run.path / "config.json").is_file():
        return "train"
    return "nothing" if run.status.state == "finished" else "resume"


def _tell(row: dict[str, Any]) -> None:
    if "note" in row:
        log.info("%s", row["note"])
        return
    scores = row.get("validation") or {}
    score_text = "".join(f" {name} {value:.3g}" for name, value in scores.items())
    log.info(
        "%s epoch %d of %d, loss %.4g, %.2f s%s",
        row["stage"],
        row["epoch"],
        row["total_epochs"],
        row["objective"],
        row["seconds"],
        score_text,
    )


def _how_far(run: Run) -> str:
    try:
        return f"stopped at epoch {run.status.epoch}: resume it to continue from there"
    except RunError:
        return "stopped before the first epoch"


def _end(ledger: TrainerLedger, job: Job, state: State, message: str) -> int:
    log.info("%s%s", state, f": {message}" if message else "")
    ledger.advance(job.id, state, message)
    return 0


if __name__ == "__main__":
    status = main(sys.argv[1:])
    if int(os.environ.get("WORLD_SIZE", "1")) > 1:
        from rivae.training.distributed import leave

        leave(status)
    sys.exit(status)
