"""Tasks in processes of their own: what a page is told of how they end."""

import pytest

from rivae.app.work.tasks import start_process


@pytest.mark.parametrize("stopped", [True, False])
def test_only_what_nobody_stopped_has_failed(until, stopped):
    task = start_process("one", "One", "tests.app.interrupted_work:fail_when_interrupted", {})
    until(lambda: task.stage == "working", "it works")
    if stopped:
        task.cancel()
    else:
        task.process.terminate()
    until(lambda: not task.running, "it ends")
    assert task.error == ("" if stopped else "broken off")
    assert task.result is None and task.cancelled == stopped
