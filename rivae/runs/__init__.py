"""Run folders: one run, what training records in it, archives, the trash, where runs are kept.

The only code that reads or writes the files of a run. It may import ``models``, ``data`` and
``base``; search, training and the rooms above import it. Begin with ``run.Run``, then
``folders.find_run``.
"""

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
