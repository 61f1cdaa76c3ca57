"""How long a test waits for what has to happen: longer than the slowest machine needs.

A wait ends as soon as it has happened, so patience costs time only where something is wrong.
"""

import time
from collections.abc import Callable
from typing import Any

import pytest

PATIENCE_S = 400
IDLE = "[data-testid=stApp][data-test-script-state=notRunning]"  # no script of the app runs


def until(
    condition: Callable[[], Any], what: str, seconds: float = PATIENCE_S, every: float = 0.05
) -> Any:
    """The first true value of ``condition``; fails with ``what`` when none comes in time."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if value := condition():
            return value
        time.sleep(every)
    pytest.fail(f"did not happen within {seconds:.0f} s: {what}")


def over(task: Any) -> Any:
    """A background task, once it runs no more."""
    until(lambda: not task.running, "the task ends")
    return task
