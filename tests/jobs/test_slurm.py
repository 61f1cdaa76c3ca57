"""Runs handed to submitit: its local executor for real, and Slurm's commands played by a script."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytest.importorskip("submitit", reason="submitit is an optional package")

from rivae.base.errors import ConfigError
from rivae.jobs import locks
from rivae.jobs.dispatcher import make_dispatcher
from rivae.jobs.file_ledger import FileLedger
from rivae.jobs.rounds import Dispatcher
from rivae.jobs.slurm import ClusterDispatcher, ClusterSettings, read_settings
from tests.jobs import fake_slurm
from tests.jobs.test_dispatcher import EPOCHS, Queue, config
from tests.training.tiny import files_of

pytestmark = [
    pytest.mark.skipif(os.name != "posix", reason="needs flock and process groups"),
    pytest.mark.slow,
    pytest.mark.xdist_group("dispatcher"),  # what is trained once for all serves one process
]


class ClusterQueue(Queue):
    """A queue whose dispatcher hands its jobs to submitit."""

    def __init__(self, root, name="local-submitit", **settings):
        super().__init__(root)
        self.dispatcher = ClusterDispatcher(root, name, ClusterSettings(**settings))


@pytest.fixture
def queue(tmp_path):
    made = ClusterQueue(tmp_path).add(config())
    yield made
    locks.send(made.folder, made.job.id, signal.SIGKILL)


def test_it_trains_through_submitit_without_the_ledger_and_leaves_no_files_of_it(queue, whole):
    queue.training()
    (queue.folder / "ledger.db").rename(queue.root / "elsewhere.db")  # on a node it is out of reach
    said = FileLedger(queue.root).report
    enough = min(len(queue.run.metrics()) + 10, EPOCHS)
    while len(queue.run.metrics()) < enough:
        assert said(queue.job.id).state == "running"
        time.sleep(0.02)
    (queue.root / "elsewhere.db").rename(queue.folder / "ledger.db")
    queue.ended("finished")
    assert files_of(queue.run) == whole and queue.now.attempts == 1 and queue.now.slots == ()
    assert not queue.listening and not queue.readable
    queue.until(lambda: not list((queue.folder / "submitit").glob("*_*")), "tidied up")


@pytest.mark.slow(rare=True)
def test_cancelled_it_stops_and_goes_on_when_resumed(queue, whole):
    queue.training()
    queue.ledger.cancel(queue.job.id)
    queue.ended("cancelled")
    assert queue.run.status.state == "interrupted" and "resume it" in queue.now.message
    queue.ledger.resume(queue.job.id)
    queue.ended("finished")
    assert files_of(queue.run) == whole


@pytest.mark.slow(rare=True)
def test_one_that_does_not_listen_is_killed(queue):
    queue.training()
    os.kill(queue.pid("rank0"), signal.SIGSTOP)
    queue.ledger.cancel(queue.job.id)
    queue.ended("cancelled")


def test_preempted_it_goes_on(queue, whole):
    queue.training()
    os.kill(queue.pid(locks.AGENT), signal.SIGUSR2)  # what Slurm sends, by submitit's settings
    queue.ended("finished")
    assert files_of(queue.run) == whole and queue.now.attempts == 2


@pytest.mark.slow(rare=True)
def test_a_lost_node_puts_it_into_the_queue_again(queue, whole):
    queue.training()
    for pid in locks.holders(queue.folder, queue.job.id):
        os.killpg(pid, signal.SIGKILL)
    queue.ended("finished")
    assert files_of(queue.run) == whole and queue.now.attempts == 2


@pytest.mark.slow(rare=True)
def test_not_for_ever(tmp_path):
    queue = ClusterQueue(tmp_path).add(max_restarts=1)
    for n in (1, 2):
        queue.until(lambda n=n: queue.now.attempts == n and queue.pid("rank0"), f"start {n}")
        for pid in locks.holders(queue.folder, queue.job.id):
            os.killpg(pid, signal.SIGKILL)
    queue.ended("failed")
    assert "2 times" in queue.now.message


@pytest.mark.slow(rare=True)
def test_another_dispatcher_takes_up_what_runs(queue, whole):
    queue.training()
    queue.dispatcher = ClusterDispatcher(queue.root, "local-submitit", ClusterSettings())
    queue.ended("finished")
    assert files_of(queue.run) == whole and queue.now.attempts == 1


@pytest.mark.slow(rare=True)
def test_what_cannot_train_fails_with_its_sentence(tmp_path):
    broken = config("broken")
    dataset = broken.dataset.model_copy(update={"settings": {"n_pairs": -5}})
    queue = ClusterQueue(tmp_path).add(broken.model_copy(update={"dataset": dataset}))
    queue.ended("failed")
    assert "n_pairs" in queue.now.message


@pytest.mark.slow(rare=True)
def test_slots_are_a_number_of_runs_at_a_time(tmp_path):
    queue = ClusterQueue(tmp_path, at_once=2)
    queue.add(*(config(name, 3) for name in "abc"))
    queue.dispatcher.round()
    assert [job.state for job in queue.ledger.jobs()] == ["starting", "starting", "queued"]
    for job in queue.ledger.jobs():
        queue.job = job
        queue.ended("finished")


# Slurm itself


@pytest.fixture
def slurm(tmp_path, monkeypatch):
    """A queue on a Slurm of one node."""
    folder = tmp_path / "slurm"
    folder.mkdir()
    fake_slurm.install(folder)
    monkeypatch.setenv("SLURM_FAKE", str(folder))
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setattr("rivae.jobs.slurm.ASK_S", 1.0)
    made = ClusterQueue(tmp_path, "slurm", partition="short", timeout_min=90, setup=["true"])
    made.add(config())
    yield made
    for state in folder.glob("*.state"):
        fake_slurm.end(folder, state.stem, "CANCELLED")


def scripts(queue):
    """What was handed to sbatch, in its order; named after the job's number."""
    return sorted((queue.root / "slurm").glob("*.sh"))


def test_slurm_is_asked_for_what_the_settings_say(slurm, whole):
    slurm.ended("finished")
    assert files_of(slurm.run) == whole
    script = scripts(slurm)[0].read_text()
    for line in ("partition=short", "time=90", "nodes=1", "cpus-per-task=4", "job-name=rivae-run"):
        assert f"#SBATCH --{line}\n" in script
    assert "gpus" not in script and "\ntrue\n" in script


@pytest.mark.slow(rare=True)
def test_at_slurms_time_limit_it_is_handed_over_again(slurm, whole):
    slurm.training()
    subprocess.run(["expire", scripts(slurm)[0].stem], check=True)
    slurm.ended("finished")
    assert files_of(slurm.run) == whole and slurm.now.attempts == 2
    assert len(scripts(slurm)) == 2


@pytest.mark.slow(rare=True)
def test_slurm_cancels_one_that_does_not_listen(slurm):
    slurm.training()
    os.kill(slurm.pid("rank0"), signal.SIGSTOP)
    slurm.ledger.cancel(slurm.job.id)
    slurm.ended("cancelled")


@pytest.mark.slow(rare=True)
def test_one_cancelled_in_slurm_is_cancelled_here(slurm):
    slurm.training()
    subprocess.run(["scancel", scripts(slurm)[0].stem], check=True)
    slurm.ended("cancelled")
    assert "cancelled on the cluster" in slurm.now.message


@pytest.mark.slow(rare=True)
def test_another_dispatcher_asks_slurm_for_what_runs(slurm, whole):
    slurm.training()
    slurm.dispatcher = ClusterDispatcher(slurm.root, "slurm", ClusterSettings())
    slurm.ended("finished")
    assert files_of(slurm.run) == whole and slurm.now.attempts == 1


# settings


def test_the_executor_is_chosen_by_the_environment(tmp_path, monkeypatch):
    monkeypatch.delenv("RIVAE_EXECUTOR", raising=False)
    assert type(make_dispatcher(tmp_path)) is Dispatcher
    monkeypatch.setenv("RIVAE_EXECUTOR", "local-submitit")
    file = tmp_path / "cluster.toml"
    file.write_text("at_once = 7\ntimeout_min = 30\n")
    monkeypatch.setenv("RIVAE_SLURM", str(file))
    made = make_dispatcher(tmp_path)
    assert isinstance(made, ClusterDispatcher) and len(made.slots) == 7
    assert made.settings.timeout_min == 30


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("at_once = 0", "'at_once' of slurm.toml: "),
        ("partitions = 'gpu'", "'partitions': "),
        ("at_once =", "as TOML ("),
    ],
)
def test_wrong_settings_fail_a_job_with_their_sentence(tmp_path, text, sentence):
    (tmp_path / ".jobs").mkdir()
    file = tmp_path / ".jobs" / "slurm.toml"
    file.write_text(text)
    with pytest.raises(ConfigError) as caught:
        read_settings(file)
    assert sentence in str(caught.value) and "\n" not in str(caught.value)
    queue = Queue(tmp_path).add()
    queue.dispatcher = ClusterDispatcher(tmp_path, "slurm")
    queue.ended("failed")
    assert queue.now.message == str(caught.value)


@pytest.mark.parametrize(
    ("name", "hidden", "sentence"),
    [
        ("pbs", None, "there is no executor 'pbs': choose slurm or local-submitit"),
        ("slurm", None, "the cluster did not take the run"),
        ("local-submitit", "submitit", "clusters need the package submitit"),
    ],
)
def test_a_missing_cluster_or_package_fails_a_job_with_a_sentence(
    tmp_path, monkeypatch, name, hidden, sentence
):
    if hidden:
        monkeypatch.setitem(sys.modules, hidden, None)
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent))
    queue = Queue(tmp_path).add()
    queue.dispatcher = ClusterDispatcher(tmp_path, name)
    queue.ended("failed")
    assert sentence in queue.now.message and "\n" not in queue.now.message
