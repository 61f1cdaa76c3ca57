"""Tasks in processes of their own: what a page is told of how they end."""

import time

import pytest

from rivae.ui.work.tasks import start_process


def until(true, seconds=60):
    end = time.monotonic() + seconds
    while not true() and time.monotonic() < end:
        time.sleep(0.02)
    assert true()


@pytest.mark.parametrize("stopped", [True, False])
def test_only_what_nobody_stopped_has_failed(stopped):
    task = start_process("one", "One", "tests.ui.interrupted_work:fail_when_interrupted", {})
    until(lambda: task.stage == "working")
    if stopped:
        task.cancel()
    else:
        task.process.terminate()
    until(lambda: not task.running)
    assert task.error == ("" if stopped else "broken off")
    assert task.result is None and task.cancelled == stopped
