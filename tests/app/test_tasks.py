"""Tasks in processes of their own: what a page is told of how they end."""

import pytest
from streamlit.testing.v1 import AppTest

from rivae.app.shell.report import ALONE
from rivae.app.work.tasks import Task, shared_out, start_process
from tests.waiting import PATIENCE_S


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


def work_alone(spec, progress):
    """What a cluster is asked to help with."""
    with shared_out(list):
        progress("working", 0.5)


def test_what_no_cluster_helps_with_says_why(until, monkeypatch):
    pytest.importorskip("distributed")
    why = []
    for address in ("", "tcp://127.0.0.1:9"):
        monkeypatch.setenv("RIVAE_CLUSTER", address)
        task = start_process("one", "One", "tests.app.test_tasks:work_alone", {})
        until(lambda: not task.running, "it ends")  # noqa: B023  (called in this round)
        assert (task.stage, task.error) == ("working", "")
        why.append(task.alone)
    assert not why[0] and "tcp://127.0.0.1:9" in why[1]


@pytest.mark.parametrize("password", ["", "correct horse"])
def test_only_who_may_change_things_reads_names_of_the_operators_machines(password):
    def script(task):
        from rivae.app.shell import report

        report.watch([task], "place")

    task = Task("one", "One", None, stage="working", alone="nobody answers at tcp://inside:8786")
    at = AppTest.from_function(script, args=(task,), default_timeout=PATIENCE_S)
    at.secrets = {"rivae": {"password": password}} if password else {}
    at.run()
    assert not at.exception
    (text,) = [bar.proto.text for bar in at.get("progress")]
    assert text.startswith("One: working")
    assert ("inside" in text) == (ALONE in text) == (not password)
