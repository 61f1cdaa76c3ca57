"""Atomic files and the lock that dies with its process."""

import json
import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from rivae.app.metrics.benchmark import results_file
from rivae.base import paths
from rivae.base.errors import ConfigError, LabelError, RivaeError
from rivae.base.files import (
    is_locked,
    locked,
    private_file,
    private_folder,
    remove_temporaries,
    write_atomic,
    write_json,
)
from rivae.data.store.manifest import data_root
from rivae.labels.database import parse_url
from rivae.labels.opening import labels_url
from rivae.runs import runs_root
from rivae.runs.named_files import open_folders
from tests.waiting import until


def test_write_json_takes_numpy_and_replaces_what_json_lacks(tmp_path):
    path = tmp_path / "x.json"
    value = {"a": np.float32(0.5), "b": np.arange(2), "c": float("nan"), 3: (1, -float("inf"))}
    write_json(path, value)
    assert json.loads(path.read_text()) == {"a": 0.5, "b": [0, 1], "c": None, "3": [1, None]}


def test_writing_leaves_no_other_file_and_replaces_the_old_one(tmp_path):
    path = tmp_path / "x"
    write_atomic(path, b"old")
    write_atomic(path, b"new")
    assert path.read_bytes() == b"new" and len(list(tmp_path.iterdir())) == 1


def test_leftovers_of_a_kill_are_removed(tmp_path):
    kept = {"last", ".lock", "other.tmp", ".notes.tmp"}
    for name in (".last.77.tmp", ".last.77-140.tmp", *kept):
        (tmp_path / name).write_bytes(b"x")
    remove_temporaries(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == kept


@pytest.mark.skipif(os.name != "posix", reason="rights are those of POSIX systems")
def test_private_files_and_folders_are_their_owners_alone(tmp_path):
    def rights(path):
        return stat.S_IMODE(path.stat().st_mode)

    folder = tmp_path / "a" / "b"
    private_folder(folder)
    write_json(folder / "x.json", {}, private=True)
    private_file(folder / "new")
    assert [rights(p) for p in (folder, folder / "x.json", folder / "new")] == [
        0o700,
        0o600,
        0o600,
    ]
    (folder / "new").write_text("kept")
    # What was open to all is closed; a file that its group may write is shared on purpose.
    for before, after in ((0o644, 0o600), (0o666, 0o660), (0o660, 0o660), (0o400, 0o400)):
        (folder / "new").chmod(before)
        private_file(folder / "new")
        assert rights(folder / "new") == after
    assert (folder / "new").read_text() == "kept"
    folder.chmod(0o755)
    private_folder(folder)
    assert rights(folder) == 0o755, "a folder that was there may be shared"


@pytest.mark.skipif(os.name != "posix", reason="locks are known on POSIX systems only")
def test_a_lock_is_held_once_and_seen_from_outside(tmp_path):
    path = tmp_path / ".lock"
    assert not is_locked(path)
    with locked(path):
        assert is_locked(path)
        with pytest.raises(BlockingIOError), locked(path, patience=0):
            pass
    assert not is_locked(path)
    with locked(path):
        pass


@pytest.mark.skipif(os.name != "posix", reason="locks are known on POSIX systems only")
def test_a_killed_process_holds_nothing(tmp_path, repo_root):
    path = tmp_path / ".lock"
    code = (
        "import sys, time; from pathlib import Path; from rivae.base.files import locked\n"
        "with locked(Path(sys.argv[1])): print('held', flush=True); time.sleep(60)"
    )
    holder = subprocess.Popen(
        [sys.executable, "-c", code, str(path)], cwd=repo_root, stdout=subprocess.PIPE, text=True
    )
    assert holder.stdout.readline() == "held\n"
    assert is_locked(path)
    holder.send_signal(signal.SIGKILL)
    # Not yet reaped: a zombie, whose process id still exists, holds no lock either.
    until(lambda: not is_locked(path), "its death frees the lock")
    holder.wait()
    holder.stdout.close()


# Paths that people write.


def test_a_home_folder_is_meant_wherever_a_path_is_read(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "me"))
    assert paths.home_path("~/x") == tmp_path / "me" / "x"
    assert paths.home_path("a/~/x") == Path("a/~/x") and paths.home_path("~x.csv") == Path("~x.csv")
    unknown = "~nobody-of-this-name/x"
    for name in ("", "store"):
        with pytest.raises(ConfigError, match=f"{name}.*nobody-of-this-name"):
            paths.home_path(unknown, name)
    Path("~nobody-of-this-name").mkdir()  # then it is a name like any other
    assert paths.home_path(unknown) == Path(unknown)


def test_variables_hold_a_home_folder(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    for variable, read in (
        ("RIVAE_RUNS", runs_root),
        ("RIVAE_DATA", data_root),
        ("RIVAE_LABELS", lambda: Path(labels_url())),
        ("RIVAE_FILES", lambda: open_folders()[0]),
        ("RIVAE_RESULTS", lambda: results_file().parent),
    ):
        monkeypatch.setenv(variable, "~/kept")
        assert read() == tmp_path / "kept", variable
        monkeypatch.setenv(variable, "~nobody-of-this-name/kept")
        with pytest.raises(RivaeError, match=variable):
            read()
    assert Path(parse_url("sqlite:///~/l.db").database) == tmp_path / "l.db"
    assert Path(parse_url("~/l.db").database) == tmp_path / "l.db"
    with pytest.raises(LabelError):
        parse_url("~nobody-of-this-name/l.db")
