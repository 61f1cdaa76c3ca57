"""The session-state keys of Runs, named once."""

from __future__ import annotations

from typing import Final

RUNS: Final = "compare_runs"
