"""Who is at work, and what the queue makes of files that are none of its own."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rivae.base.errors import RunError
from rivae.cli import main
from rivae.jobs import locks
from rivae.jobs.agent import Trainers, log_path
from rivae.jobs.dispatcher import ensure_dispatcher, is_dispatching
from rivae.jobs.file_ledger import FileLedger, TrainerReport
from rivae.jobs.ledger import Ledger
from rivae.jobs.records import jobs_folder, make_private
from rivae.jobs.tail import MAX_LINE, log_tail
from tests.training.tiny import tiny_config

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs flock and process groups")
ENV = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[2])}


@pytest.fixture
def lock(tmp_path):
    return locks.lock_path(tmp_path, "job", "rank0")


@pytest.fixture
def in_time():
    """Something that waits for ever fails instead."""

    def over(number, frame):
        raise AssertionError("it waits for ever")

    before = signal.signal(signal.SIGALRM, over)
    signal.alarm(120)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


def test_a_process_holds_its_lock_from_birth_to_death(lock):
    process = locks.start_holding(lock, [sys.executable, "-c", "import time; time.sleep(600)"], ENV)
    try:
        assert locks.holder(lock) == process.pid, "before it has done anything itself"
        with pytest.raises(BlockingIOError):
            locks.hold(lock)
    finally:
        process.kill()
        process.wait()
    assert locks.holder(lock) is None and not locks.is_alive(lock.parent, "job")


def test_one_whose_starter_died_in_between_says_itself_who_it_is(lock):
    may_begin = lock.with_name("may-begin")
    program = (
        "import sys, time; from pathlib import Path; from rivae.jobs.locks import keep\n"
        "while not Path(sys.argv[2]).exists(): time.sleep(0.01)\n"
        "stream = keep(Path(sys.argv[1])); print('kept', flush=True); time.sleep(600)"
    )
    line = [sys.executable, "-c", program, str(lock), str(may_begin)]
    with locks.start_holding(lock, line, ENV, stdout=subprocess.PIPE) as process:
        try:
            os.truncate(lock, 0)  # as if its starter had not come to write the number
            assert locks.holder(lock) is None
            may_begin.touch()
            assert process.stdout.readline() == b"kept\n" and locks.holder(lock) == process.pid
            assert "RIVAE_LOCK" not in os.environ
        finally:
            process.kill()


class Sleepers(Trainers):
    """Trainers that only wait, or do what ``program`` says."""

    def __init__(self, root, processes, program="import time; time.sleep(600)", **options):
        super().__init__(root, "job", processes, **options)
        self.line = [sys.executable, "-c", program]


def test_when_one_dies_all_are_started_again_as_often_as_allowed(tmp_path, capfd, monkeypatch):
    monkeypatch.setattr(signal, "signal", lambda *args: None)
    make_private(jobs_folder(tmp_path))
    program = (
        "import os, time\n"
        "os.write(1, (os.environ['RANK'] + chr(10)).encode())\n"
        "time.sleep(600 if os.environ['RANK'] == '0' else 0.2)\n"
        "os.kill(os.getpid(), 9)"
    )
    assert Sleepers(tmp_path, 2, program, env=ENV).run(restarts=1) == 1
    out, err = capfd.readouterr()
    assert sorted(out.split()).count("1") == 2, "the one that dies, twice"
    assert err.count("a trainer died (signal 9)") == 2
    assert not locks.is_alive(jobs_folder(tmp_path), "job"), "the one that waits was ended with it"


def test_what_ended_properly_is_not_started_again(tmp_path, monkeypatch):
    monkeypatch.setattr(signal, "signal", lambda *args: None)
    make_private(jobs_folder(tmp_path))
    assert Sleepers(tmp_path, 2, "", env=ENV).run(restarts=3) == 0


@pytest.mark.parametrize("ask", ["pipe", "zeros"])
def test_no_file_of_the_queue_can_hold_it_up(tmp_path, monkeypatch, capsys, in_time, ask):
    """A pipe that nobody writes to, or a device that never ends, where a file is expected."""

    def put(path):
        path.unlink(missing_ok=True)
        os.mkfifo(path) if ask == "pipe" else path.symlink_to("/dev/zero")

    monkeypatch.setenv("RIVAE_RUNS", str(tmp_path))
    ledger, folder = Ledger(tmp_path), jobs_folder(tmp_path)
    job = ledger.add([tiny_config("run")])[0]
    ledger.claim(job.id, ["cpu"])
    for who in (locks.AGENT, "rank0"):
        put(locks.lock_path(folder, job.id, who))
    put(locks.beat_path(folder, job.id))
    put(log_path(tmp_path, job.id))
    put(folder / "dispatcher.lock")
    put(folder / "dispatcher.log")
    put(folder / f"{job.id}.said.json")
    put(folder / f"{job.id}.task.json")
    assert locks.holders(folder, job.id) == [] and not locks.is_alive(folder, job.id)
    assert locks.seconds_silent(folder, job.id) >= 0
    with pytest.raises(OSError, match=r"plain file|No such device"):
        locks.hold(locks.lock_path(folder, job.id, "rank0"))
    assert FileLedger(tmp_path).report(job.id) == TrainerReport()
    with pytest.raises(RunError, match=f"job {job.id} .*folder"):
        FileLedger(tmp_path).job(job.id)
    assert not is_dispatching(tmp_path)
    with pytest.raises(OSError, match=r"plain file|No such device"):
        ensure_dispatcher(tmp_path)
    assert main(["jobs"]) == 0 and main(["logs", "run"]) == 0
    assert "run has no log" in capsys.readouterr().err
    locks.clean(folder, job.id)
    assert not list(folder.glob("*.rank0.lock"))
    put(ledger.path)
    assert main(["jobs"]) == 1
    assert "cannot be used" in capsys.readouterr().err


def test_a_queue_that_was_open_to_others_is_closed(tmp_path):
    folder = jobs_folder(tmp_path)
    folder.mkdir(mode=0o755)
    folder.chmod(0o755)
    (folder / "ledger.db").touch()
    (folder / "ledger.db").chmod(0o644)
    Ledger(tmp_path).add([tiny_config("run")])
    assert folder.stat().st_mode & 0o777 == 0o700
    assert {path.stat().st_mode & 0o777 for path in folder.iterdir()} == {0o600}


@given(st.binary(max_size=200))
def test_properties_whatever_a_lock_says_only_its_holder_is_named(tmp_path_factory, content):
    path = tmp_path_factory.mktemp("locks") / "job.rank0.lock"
    path.write_bytes(content)
    assert locks.holder(path) is None, "nobody holds it"
    with locks.hold(path):
        assert locks.holder(path) == os.getpid()
        path.write_bytes(content)
        named = locks.holder(path)
        assert named is None or (1 < named < 2**22 and int(content[:20]) == named)


@given(st.binary(max_size=2_000), st.integers(1, 50), st.integers(1, 500))
def test_properties_a_log_of_anything_is_shown_as_plain_lines(tmp_path_factory, content, n, most):
    path = tmp_path_factory.mktemp("logs") / "job.log"
    path.write_bytes(content)
    lines = log_tail(path, n, most)
    assert len(lines) <= n and all(len(line) <= MAX_LINE for line in lines)
    assert all(ord(sign) >= 32 for line in lines for sign in line)


@given(st.binary(max_size=300))
def test_properties_a_slip_of_anything_says_nothing(tmp_path_factory, content):
    root = tmp_path_factory.mktemp("slips")
    make_private(jobs_folder(root))
    (jobs_folder(root) / "job.said.json").write_bytes(content)
    (jobs_folder(root) / "job.task.json").write_bytes(content)
    assert isinstance(FileLedger(root).report("job"), TrainerReport)
    with pytest.raises(RunError):
        FileLedger(root).job("job")
