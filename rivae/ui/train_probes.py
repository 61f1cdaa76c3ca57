"""Estimates that visitors asked for: one process at a time, shared by all sessions."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from rivae.errors import RunError
from rivae.ui.background import Job, start_process

if TYPE_CHECKING:
    from rivae.config import RunConfig
    from rivae.jobs.estimate import Estimate

MAX_KEPT = 100  # an estimate is 2 kB

_lock = threading.Lock()
_jobs: dict[str, Job] = {}


def job_of(config: RunConfig) -> Job | None:
    """The work on an estimate for runs like this one, going on or over, or None."""
    from rivae.jobs.estimate import estimate_key

    return _jobs.get(estimate_key(config))


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

    key = estimate_key(config)
    with _lock:
        known = _jobs.get(key)
        if known is not None and (known.running or known.result is not None):
            return known
        if any(job.running for job in _jobs.values()):
            raise RunError("another estimate is being made: try again in some seconds")
        _jobs.pop(key, None)
        for old in list(_jobs)[: -MAX_KEPT + 1]:
            _jobs.pop(old)
        job = _jobs[key] = start_process(
            key, "rivae.ui.train_probe_job", [config.model_dump_json()],
            "python -m rivae train … --dry-run",
        )  # fmt: skip
    return job
