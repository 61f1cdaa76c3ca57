"""A run in two processes through the queue: finished, killed, cancelled, gone on with."""

import os
import signal

import pytest

from rivae.jobs import locks
from rivae.jobs.launch import train
from tests.jobs.test_dispatcher import Queue, config
from tests.training.test_ddp import numbers
from tests.training.tiny import files_of, tiny_config

pytestmark = [
    pytest.mark.skipif(os.name != "posix", reason="needs flock and process groups"),
    pytest.mark.slow,
    pytest.mark.xdist_group("two processes"),  # what is trained once for all serves one process
]

EPOCHS = 25  # long enough that a signal after the fifth finds it at work on a fast machine too


@pytest.fixture
def queue(tmp_path):
    made = Queue(tmp_path).add(config(epochs=EPOCHS), processes=2)
    yield made
    locks.send(made.folder, made.job.id, signal.SIGKILL)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The same run, trained in two processes without interruption."""
    queue = Queue(tmp_path_factory.mktemp("two")).add(config(epochs=EPOCHS), processes=2)
    queue.ended("finished")
    assert queue.listening, "two do listen to each other"
    assert all(address.is_loopback for address in queue.listening), queue.listening
    assert not queue.readable
    return queue.run


def test_it_comes_to_the_numbers_of_one_process(whole, tmp_path):
    (alone,) = train([config(epochs=EPOCHS)], tmp_path)
    # Later on rounding errors have grown, as between two machines.
    for one, two in zip(alone.metrics()[:20], whole.metrics()[:20], strict=True):
        assert numbers(one) == pytest.approx(numbers(two), rel=1e-4, abs=1e-5)


@pytest.mark.parametrize("who", ["rank0", pytest.param("rank1", marks=pytest.mark.slow(rare=True))])
def test_when_one_is_killed_both_go_on_from_the_checkpoint(queue, whole, who):
    queue.training()
    os.kill(queue.pid(who), signal.SIGKILL)
    queue.ended("finished")
    assert files_of(queue.run) == files_of(whole) and queue.now.attempts == 2


@pytest.mark.slow(rare=True)
def test_cancelled_both_stop_and_go_on_when_resumed(queue, whole):
    queue.training()
    queue.ledger.cancel(queue.job.id)
    queue.ended("cancelled")
    assert queue.run.status.state == "interrupted" and len(queue.run.metrics()) < EPOCHS
    queue.ledger.resume(queue.job.id)
    queue.ended("finished")
    assert files_of(queue.run) == files_of(whole)


@pytest.mark.slow(rare=True)
def test_one_that_does_not_listen_is_killed_with_the_other(queue):
    queue.training()
    os.kill(queue.pid("rank1"), signal.SIGSTOP)
    queue.ledger.cancel(queue.job.id)
    queue.ended("cancelled")


def test_a_method_that_cannot_share_fails_with_its_sentence(tmp_path):
    queue = Queue(tmp_path).add(tiny_config("pixels", "bi-vae"), processes=2)
    queue.ended("failed")
    assert "train it in one process" in queue.now.message and queue.now.attempts == 1
    assert not queue.run.path.exists()


@pytest.mark.slow(rare=True)
def test_a_disk_that_only_the_first_finds_full_ends_both(tmp_path):
    queue = Queue(tmp_path).add(config(epochs=EPOCHS), processes=2)
    queue.training()
    checkpoints = queue.run.path / "checkpoints"
    checkpoints.rename(checkpoints.with_name("gone"))
    queue.ended("failed")
    assert "cannot write the run" in queue.now.message
