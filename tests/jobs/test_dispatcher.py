"""Real trainers of some seconds under a real agent: every death, cancellation and resumption."""

import errno
import ipaddress
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from rivae.base.files import ADVICE
from rivae.jobs import dispatcher, locks
from rivae.jobs.agent import GRACE_S, log_path
from rivae.jobs.dispatcher import ANOTHER, is_dispatching, run_dispatcher
from rivae.jobs.ledger import Ledger
from rivae.jobs.records import jobs_folder
from rivae.jobs.rounds import Dispatcher
from rivae.runs import Run
from tests.disks import files_of_at_most
from tests.training.tiny import files_of, tiny_config
from tests.waiting import PATIENCE_S, until

pytestmark = [
    pytest.mark.skipif(os.name != "posix", reason="needs flock and process groups"),
    pytest.mark.slow,
    pytest.mark.xdist_group("dispatcher"),  # what is trained once for all serves one process
]
ROOT = Path(__file__).resolve().parents[2]


EPOCHS = 30  # long enough that a signal after the fifth finds it at work on a fast machine too
LOOK_S = 0.3  # between two looks at every process of the machine, which take as long as a step


def config(name="run", epochs=EPOCHS, **settings):
    """One to three seconds of training; the state is kept after every epoch."""
    return tiny_config(name, joint_epochs=epochs, training={"validate_every": 15}, **settings)


class Queue:
    """A queue with one job and a dispatcher that the test turns by hand."""

    def __init__(self, root, **options):
        self.root, self.ledger = root, Ledger(root)
        self.folder = jobs_folder(root)
        self.dispatcher = Dispatcher(root, ["cpu"])
        self.options = options
        self.listening, self.readable = set(), set()  # all that was seen meanwhile, see ``look``
        self.looked = 0.0

    def look(self):
        """Who listens to whom now, and which files of the queue others may read."""
        if time.monotonic() - self.looked < LOOK_S:
            return
        self.looked = time.monotonic()
        self.listening |= listening(processes_of(self.job.id))
        for path in (self.folder, *self.folder.iterdir()):
            with suppress(FileNotFoundError):
                if path.stat().st_mode & 0o077:
                    self.readable.add(path.name)

    def add(self, *configs, **options):
        self.job = self.ledger.add(configs or [config()], **options)[0]
        return self

    @property
    def now(self):
        return self.ledger.job(self.job.id)

    @property
    def run(self):
        return Run(self.root / self.job.run)

    def until(self, condition, what):
        deadline = time.monotonic() + PATIENCE_S
        while not condition():
            said = log_path(self.root, self.job.id)
            log = said.read_text()[-2000:] if said.exists() else ""
            assert time.monotonic() < deadline, f"{what}: {self.now}\n{log}"
            self.dispatcher.round()
            self.look()
            time.sleep(0.05)
        return self

    def training(self, epoch=5):
        """Wait until some epochs are done."""

        def far():
            return self.run.path.exists() and len(self.run.metrics()) >= epoch

        return self.until(far, "it trains")

    def ended(self, state):
        self.until(lambda: not self.now.alive and self.now.state != "queued", "it ends")
        assert self.now.state == state, (self.now, log_path(self.root, self.job.id).read_text())
        self.until(lambda: not processes_of(self.job.id), "nothing is left running")
        return self

    def pid(self, who):
        return locks.holder(locks.lock_path(self.folder, self.job.id, who))


def processes_of(job_id):
    """Every living process whose command line names the job."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = path.read_bytes().split(b"\0")
        except OSError:
            continue
        if job_id.encode() in words:
            found.append(int(path.parent.name))
    return found


def listening(pids):
    """The addresses at which these processes, and those of their sessions, can be reached."""
    sockets, found = set(), set()
    for path in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if os.getsid(int(path.name)) in pids:
                for handle in (path / "fd").iterdir():
                    with suppress(OSError):
                        sockets.add(str(handle.readlink()))
    for name in ("tcp", "tcp6", "udp", "udp6"):
        waiting = "0A" if name.startswith("tcp") else "07"
        for line in Path(f"/proc/net/{name}").read_text().splitlines()[1:]:
            words = line.split()
            if words[3] == waiting and f"socket:[{words[9]}]" in sockets:
                raw = bytes.fromhex(words[1].partition(":")[0])
                # Words of four bytes, each the other way round.
                turned = b"".join(raw[i : i + 4][::-1] for i in range(0, len(raw), 4))
                found.add(ipaddress.ip_address(turned))
    return found


@pytest.fixture
def queue(tmp_path):
    (tmp_path / "runs").mkdir()
    made = Queue(tmp_path / "runs").add()
    yield made
    locks.send(made.folder, made.job.id, signal.SIGKILL)


def test_a_queued_run_is_trained_like_one_from_the_command_line(queue, whole):
    queue.ended("finished")
    assert files_of(queue.run) == whole
    assert queue.now.attempts == 1 and queue.now.slots == () and queue.now.ended
    assert not queue.listening, "a run in one process listens to nobody"
    assert not queue.readable, "the queue is its owner's alone"
    queue.until(lambda: not list(queue.folder.glob(f"{queue.job.id}.*.lock")), "tidied up")


def test_killed_cancelled_and_resumed_it_ends_with_the_same_numbers(queue, whole):
    queue.training()
    os.kill(queue.pid("rank0"), signal.SIGKILL)
    queue.until(lambda: queue.now.attempts == 2, "it is started again")
    queue.training(len(queue.run.metrics()) + 2)
    queue.ledger.cancel(queue.job.id)
    started = time.monotonic()
    queue.ended("cancelled")
    assert time.monotonic() - started < GRACE_S, "it was not killed"
    assert "resume it" in queue.now.message and queue.run.status.state == "interrupted"
    assert 7 <= len(queue.run.metrics()) < EPOCHS
    queue.ledger.resume(queue.job.id)
    queue.ended("finished")
    assert files_of(queue.run) == whole


@pytest.mark.slow(rare=True)
def test_the_death_of_the_whole_group_is_noticed_by_another_dispatcher(queue, whole):
    queue.training()
    for pid in locks.holders(queue.folder, queue.job.id):
        os.killpg(pid, signal.SIGKILL)
    queue.dispatcher = Dispatcher(queue.root, ["cpu"])
    queue.ended("finished")
    assert files_of(queue.run) == whole and queue.now.attempts == 2


@pytest.mark.slow(rare=True)
def test_a_trainer_outlives_its_agent(queue, whole):
    queue.training()
    os.kill(queue.pid(locks.AGENT), signal.SIGKILL)
    queue.ended("finished")
    assert files_of(queue.run) == whole and queue.now.attempts == 1


def test_it_is_not_started_again_for_ever(tmp_path):
    queue = Queue(tmp_path).add(max_restarts=1)
    for n in (1, 2):
        queue.until(lambda n=n: queue.now.attempts == n and queue.pid("rank0"), f"start {n}")
        os.kill(queue.pid("rank0"), signal.SIGKILL)
    queue.ended("failed")
    assert "2 times" in queue.now.message


@pytest.mark.slow(rare=True)
def test_cancelled_while_it_starts_nothing_is_left(queue):
    queue.dispatcher.round()
    assert queue.now.state == "starting"
    queue.ledger.cancel(queue.job.id)
    queue.ended("cancelled")
    assert not queue.run.path.exists() or queue.run.status.state in ("created", "interrupted")


@pytest.mark.slow(rare=True)
def test_one_that_does_not_listen_is_killed(queue):
    queue.training()
    os.kill(queue.pid("rank0"), signal.SIGSTOP)  # hears neither the flag nor SIGTERM
    queue.ledger.cancel(queue.job.id)
    queue.ended("cancelled")


def test_one_that_hangs_is_started_anew(queue):
    queue.training()
    os.kill(queue.pid("rank0"), signal.SIGSTOP)
    queue.dispatcher.hang_s = 1.0
    queue.until(lambda: queue.now.attempts == 2, "it is started again")
    queue.dispatcher.hang_s = 3600.0
    stopped = len(queue.run.metrics())
    queue.until(lambda: len(queue.run.metrics()) > stopped, "and goes on")


def test_what_cannot_train_fails_with_its_sentence(tmp_path):
    broken = config("broken")
    dataset = broken.dataset.model_copy(update={"settings": {"n_pairs": -5}})
    queue = Queue(tmp_path).add(broken.model_copy(update={"dataset": dataset}))
    queue.ended("failed")
    assert "n_pairs" in queue.now.message and queue.now.attempts == 1
    assert not queue.run.path.exists()


def test_a_full_disk_and_a_reboot_are_clear_states_and_damage_nothing(tmp_path, whole, monkeypatch):
    queue = Queue(tmp_path).add(config("run"))
    (tmp_path / ".jobs").mkdir(exist_ok=True)
    with files_of_at_most(40_000):  # what is started now
        queue.dispatcher.round()
    queue.ended("failed")
    assert ADVICE[errno.EFBIG] in queue.now.message and "resume" in queue.now.message
    queue.ledger.resume(queue.job.id)
    queue.training(len(queue.run.metrics()) + 5)
    monkeypatch.setattr("rivae.jobs.rounds.boot_id", lambda: "another boot")
    for pid in locks.holders(queue.folder, queue.job.id):
        os.killpg(pid, signal.SIGKILL)
    queue.ended("lost")
    assert "machine restarted" in queue.now.message
    monkeypatch.undo()
    queue.ledger.resume(queue.job.id)
    queue.ended("finished")
    assert files_of(queue.run) == whole


def test_a_run_for_cards_that_are_not_there_says_so(tmp_path):
    queue = Queue(tmp_path).add(tiny_config("cards", training={"device": "cuda"}))
    queue.ended("failed")
    assert "graphics card" in queue.now.message


def test_one_slot_runs_one_at_a_time_in_their_order(tmp_path):
    queue = Queue(tmp_path)
    first, second = queue.add(config("a", 3), config("b", 3)).ledger.jobs()
    queue.job = second
    while queue.now.state == "queued":
        others = queue.ledger.jobs("starting", "running")
        assert len(others) <= 1
        queue.dispatcher.round()
        time.sleep(0.05)
    assert queue.ledger.job(first.id).state == "finished"
    queue.ended("finished")


def test_there_is_one_dispatcher_and_its_death_stops_nothing(queue, whole):
    line = [sys.executable, "-m", "rivae.jobs.dispatcher", str(queue.root)]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(line, cwd=ROOT, env=env, start_new_session=True) as process:
        try:
            until(lambda: queue.run.path.exists() and queue.run.metrics(), "it trains")
            assert is_dispatching(queue.root)
            assert run_dispatcher(queue.root, idle_s=0) == ANOTHER, "there is one already"
        finally:
            process.kill()
            process.wait()
    assert not is_dispatching(queue.root) and queue.now.state == "running"
    queue.ended("finished")
    assert files_of(queue.run) == whole and queue.now.attempts == 1


def test_what_is_queued_as_a_dispatcher_goes_is_not_left_waiting(tmp_path, monkeypatch):
    ledger, turns = Ledger(tmp_path), []

    def turn(made, idle_s):
        turns.append(made)
        if len(turns) == 1:
            ledger.add([config()])  # by somebody who sees that a dispatcher is there
            assert is_dispatching(tmp_path)
        else:
            ledger.cancel(ledger.jobs()[0].id)

    monkeypatch.setattr(dispatcher, "_dispatch", turn)
    assert run_dispatcher(tmp_path, slots=["cpu"]) == 0 and len(turns) == 2
