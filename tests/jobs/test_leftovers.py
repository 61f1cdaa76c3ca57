"""What processes that are killed leave behind is removed at the next start, and nothing else."""

import os
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

from rivae.base.scratch import LOCK, remove_abandoned, scratch_folder
from rivae.jobs import leftovers
from rivae.jobs.leftovers import OLD_S, sweep
from rivae.runs import Run
from tests.training.tiny import tiny_config

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs flock")
ROOT = Path(__file__).resolve().parents[2]
# Each stops in the middle of its work, once it has said so.
WAITS = "print('at work', flush=True); import time; time.sleep(600)"
FOLDER = f"""
from rivae.base.scratch import scratch_folder
with scratch_folder("rivae-probe-") as folder:
    (folder / "half").write_text("half")
    {WAITS}
"""
INDEX = f"""
import sys
from pathlib import Path
import numpy as np
from rivae.retrieval.registry import INDEXES
from rivae.retrieval.storage import save_index
def read(rows):
    if any(Path(sys.argv[1]).glob(".begun-*/*.npy")):
        {WAITS}
    return np.random.default_rng(0).normal(size=(len(rows), 8)).astype(np.float32)
save_index(Path(sys.argv[1]), "a" * 32, INDEXES["two-stage"], 3000, read)
"""
RUN = f"""
import sys
from pathlib import Path
from rivae.runs import run
def write_json(*_):
    {WAITS}
run.write_json = write_json
from tests.training.tiny import tiny_config
run.Run.create(tiny_config("half"), Path(sys.argv[1]))
"""
FILE = f"""
import sys
from pathlib import Path
from rivae.base.files import write_atomic_with
def write(stream):
    stream.write(b"half")
    stream.flush()
    {WAITS}
write_atomic_with(Path(sys.argv[1]) / "config.json", write)
"""
IMPORT = f"""
import sys
from pathlib import Path
from rivae.jobs import archive_import
with archive_import._waiting_room(Path(sys.argv[1])) as folder:
    (folder / "config.json").write_text("half")
    {WAITS}
"""


@pytest.fixture
def places(monkeypatch, tmp_path):
    """Folders of its own for all that is swept."""
    for name in ("tmp", "runs", "data", "labels"):
        (tmp_path / name).mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    monkeypatch.setattr(tempfile, "tempdir", None)
    monkeypatch.setenv("RIVAE_RUNS", str(tmp_path / "runs"))
    monkeypatch.setenv("RIVAE_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))
    yield tmp_path
    tempfile.tempdir = None


@contextmanager
def at_work(script, *words):
    """A process in the middle of its work."""
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    line = [sys.executable, "-c", script, *map(str, words)]
    with subprocess.Popen(line, cwd=ROOT, env=env, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout.readline() == "at work\n"
            yield process
        finally:
            process.kill()


def everything(root):
    return {path.relative_to(root) for path in root.rglob("*")}


def grow_old(root, seconds=OLD_S + 60):
    for path in root.rglob("*"):
        then = time.time() - seconds
        os.utime(path, (then, then), follow_symlinks=False)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("script", "place"),
    [
        (FOLDER, "tmp"),
        (INDEX, "runs/one/cache"),
        (RUN, "runs"),
        (FILE, "runs/one"),
        (FILE, "data/mine/cache"),
        (FILE, "labels"),
        (FILE, "caches/rivae/cli/demo-1"),
        (IMPORT, "runs"),
    ],
    ids=["folder", "index", "run", "file of a run", "cache of data", "labels", "caches", "import"],
)
def test_what_a_kill_leaves_is_removed_and_what_is_in_use_stays(places, script, place):
    folder = places / place
    folder.mkdir(parents=True, exist_ok=True)
    before = everything(places)
    with at_work(script, folder) as process:
        made = everything(places) - before
        assert made
        grow_old(places)
        sweep(places / "labels")
        assert everything(places) - before == made, "somebody works with it"
        process.send_signal(signal.SIGKILL)
        process.wait()
    grow_old(places)
    sweep(places / "labels")
    if script is INDEX:
        assert everything(places) - before == made, "the same build goes on there"
        grow_old(places, 8 * leftovers.DAY_S)
        sweep(places / "labels")
    assert everything(places) == before


def test_locked_folders_of_the_killed_go_at_once_and_at_the_next_use(places):
    with at_work(FOLDER) as process:
        process.kill()
        process.wait()
    (left,) = (places / "tmp").iterdir()
    with scratch_folder("rivae-probe-") as folder:
        assert not left.exists() and folder.is_dir()
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert not folder.exists()


def test_nothing_else_is_touched(places):
    tmp, runs = places / "tmp", places / "runs"
    (tmp / "rivae-explorer").mkdir()  # somebody's clone
    (tmp / "rivae-explorer" / "app.py").write_text("")
    (tmp / "rivae-notes.txt").write_text("")
    (places / "precious").mkdir()
    (places / "precious" / LOCK).write_text("")
    (tmp / "rivae-probe-link").symlink_to(places / "precious")
    (tmp / "rivae-probe-odd").mkdir()
    (tmp / "rivae-probe-odd" / LOCK).symlink_to(places / "precious" / LOCK)
    run = Run.create(tiny_config("kept"), runs)
    (run.path / "checkpoints" / ".last.safetensors.tmp").write_text("no pid")
    (run.path / ".mine.1.txt").write_text("")
    (runs / ".kept.999999.tmp").symlink_to(run.path)
    (run.path / f".x.{os.getpid()}-1.tmp").write_text("of this process")
    (runs / ".notes.d.999999.tmp.bak").mkdir()
    (places / "data" / ".mine~abc.partial").mkdir()  # resumes with the same command
    grow_old(places)
    (run.path / ".y.999999-1.tmp").write_text("just written, maybe on another machine")
    before = everything(places)
    sweep()
    assert everything(places) == before


def test_another_users_files_stay(places, monkeypatch):
    with at_work(FOLDER) as process:
        process.kill()
        process.wait()
    (places / "runs" / ".x.999999-1.tmp").write_text("")
    grow_old(places)
    before = everything(places)
    me = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: me + 1)
    sweep()
    assert everything(places) == before
    monkeypatch.undo()


def test_a_folder_that_is_taken_away_before_it_is_locked_is_made_again(places, monkeypatch):
    from rivae.base import scratch

    usual, taken = scratch.take_lock, []

    def slow(stream, *rest):
        if not taken:
            taken.append(Path(stream.name).parent)
            shutil.rmtree(taken[0])
        usual(stream, *rest)

    monkeypatch.setattr(scratch, "take_lock", slow)
    with scratch_folder("rivae-x-") as folder:
        assert folder.is_dir() and folder != taken[0]


def test_folders_of_former_versions_had_no_lock(places):
    index = places / "runs" / "one" / "cache" / f".index-{'a' * 32}-abcd_123"
    probe = places / "tmp" / "rivae-probe-abcd_123"
    for folder in (index, probe):
        folder.mkdir(parents=True)
        (folder / "half").write_text("")
    (index.parent / ".index-link").symlink_to(places)
    sweep()
    assert not index.exists() and probe.exists(), "somebody may work with it"
    grow_old(places, 2 * leftovers.DAY_S)
    sweep()
    assert not probe.exists() and (index.parent / ".index-link").is_symlink()


def test_a_new_folder_that_is_taken_for_a_leftover_is_made_again(places, monkeypatch):
    usual, made = tempfile.mkdtemp, []

    def taken(**named):
        made.append(usual(**named))
        if len(made) == 1:
            Path(made[0]).rmdir()
        return made[-1]

    monkeypatch.setattr(tempfile, "mkdtemp", taken)
    with scratch_folder("rivae-x-") as folder:
        assert folder.is_dir() and str(folder) == made[1]


def test_a_folder_that_cannot_be_read_stops_nothing(places, monkeypatch):
    monkeypatch.setattr(Path, "iterdir", lambda path: (_ for _ in ()).throw(PermissionError()))
    remove_abandoned(places / "tmp", "rivae-")
    sweep()
