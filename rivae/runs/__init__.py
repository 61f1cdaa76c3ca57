"""Run folders: one run, what training records in it, and where runs are kept and found."""

from rivae.runs.folders import (
    DEMO_ROOT,
    default_roots,
    find_run,
    is_read_only,
    list_runs,
    runs_root,
)
from rivae.runs.records import MetricsLog, State, Status
from rivae.runs.run import Run

__all__ = [
    "DEMO_ROOT",
    "MetricsLog",
    "Run",
    "State",
    "Status",
    "default_roots",
    "find_run",
    "is_read_only",
    "list_runs",
    "runs_root",
]
