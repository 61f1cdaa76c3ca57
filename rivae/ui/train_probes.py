"""Estimates that visitors asked for: one process at a time, shared by all sessions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rivae.errors import RunError
from rivae.ui.background import Job, Tasks, start_process

if TYPE_CHECKING:
    from rivae.config import RunConfig
    from rivae.jobs.estimate import Estimate

MAX_KEPT = 100  # an estimate is 2 kB

tasks = Tasks(
    MAX_KEPT, RunError, "another estimate is being made: wait for it, or stop it"
)


def job_of(config: RunConfig) -> Job | None:
    """The work on an estimate for runs like this one, going on or over, or None."""
    from rivae.jobs.estimate import estimate_key

    return tasks.get(estimate_key(config))


def estimate_of(config: RunConfig) -> Estimate | None:
    """What was measured for runs like this one, or None."""
    from rivae.jobs.estimate import Estimate

    job = job_of(config)
    return None if job is None or job.result is None else Estimate.from_dict(job.result)


def start(config: RunConfig) -> Job:
    """Begin to measure, or join who measures the same.

    Raises:
        RunError: something else is being measured.
    """
    from rivae.jobs.estimate import estimate_key

    key, settings = estimate_key(config), config.model_dump_json()
    module = "rivae.ui.train_probe_job"
    return tasks.start(
        key, lambda: start_process(key, f"Estimate for {config.name}", module, [settings])
    )
