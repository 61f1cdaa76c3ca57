"""An index, and rows of numbers, whose making was stopped or killed go on where that was, and have
the same bytes.
"""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from rivae.base.files import locked
from rivae.base.scratch import LOCK, TO_RESUME
from rivae.retrieval import reading, room
from rivae.retrieval.registry import INDEXES
from rivae.retrieval.storage import kept_rows, save_index
from tests.retrieval.points import KINDS, hard_points

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs flock")
PART, TWO_STAGES = 256, INDEXES["two-stage"]
BUILD = f"""
import sys, time
from pathlib import Path
import numpy as np
from rivae.retrieval import reading, room
from rivae.retrieval.registry import INDEXES
from rivae.retrieval.storage import save_index
room.NOTE_S, reading._FEWEST, n_read = 0.0, {PART}, 0
reading._MOST = {PART}
points = np.load(sys.argv[2])
def read(positions):
    global n_read
    n_read += 1
    if n_read == 6:
        while not any(Path(sys.argv[1]).glob("*/" + room.HEAD)):
            time.sleep(0.01)
        print("at work", flush=True)
        time.sleep(600)
    return points[positions]
save_index(Path(sys.argv[1]), "k", INDEXES["two-stage"], len(points), read)
"""


class StoppedError(Exception):
    """Somebody stops the build."""


@pytest.fixture(autouse=True)
def small_parts(monkeypatch):
    for name in ("_FEWEST", "_MOST"):
        monkeypatch.setattr(reading, name, PART)
    monkeypatch.setattr(room, "NOTE_S", 0.0)


def kept(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


class Reading:
    """Reads points; how many parts it has read, and stops after some."""

    def __init__(self, points, most=10**9):
        self.points, self.most, self.n_parts = points, most, -1  # the first are a sample

    def __call__(self, positions):
        if self.n_parts >= self.most:
            raise StoppedError
        self.n_parts += 1
        return self.points[positions]


def build(folder, points, most=10**9, key="k"):
    read = Reading(points, most)
    save_index(folder, key, TWO_STAGES, len(points), read)
    return read


@pytest.mark.parametrize("kind", KINDS)
def test_stopped_anywhere_it_has_the_bytes_of_one_go(tmp_path, kind):
    rng = np.random.default_rng(3)
    points = hard_points(kind, rng)
    whole, pieces = tmp_path / "whole", tmp_path / "pieces"
    n_parts, n_read = build(whole, points).n_parts, 0
    while True:
        most = int(rng.integers(1, n_parts))
        try:
            read = build(pieces, points, most)
        except StoppedError:
            assert [path.name[: len(TO_RESUME)] for path in pieces.iterdir()] == [TO_RESUME]
            n_read += most
            assert n_read < 3 * n_parts, "it does not go on"
        else:
            assert read.n_parts < n_parts, "it began again"
            break
    assert kept(pieces) == kept(whole)


def test_rows_that_were_stopped_go_on(tmp_path):
    rows = hard_points("on a grid", np.random.default_rng(0)).astype(np.float32)
    n_parts = -(-len(rows) // PART)

    def made(most):
        read = Reading(rows, most)
        read.n_parts = 0  # no sample
        return kept_rows(tmp_path, "rows", lambda: "k", rows.shape, read), read.n_parts

    with pytest.raises(StoppedError):
        made(n_parts - 3)
    found, n_read = made(10**9)
    assert np.array_equal(found, rows) and n_read <= 5
    assert np.array_equal(made(0)[0], rows), "they are kept"
    assert [path.name for path in tmp_path.iterdir()] == ["rows-k.npy"]
    assert np.array_equal(kept_rows(None, "rows", str, rows.shape, Reading(rows)), rows)


def test_killed_it_goes_on(tmp_path):
    points = hard_points("on a grid", np.random.default_rng(0))
    np.save(tmp_path / "points.npy", points)
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    n_parts = build(whole, points).n_parts
    line = [sys.executable, "-c", BUILD, str(killed), str(tmp_path / "points.npy")]
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[2])}
    with subprocess.Popen(line, env=env, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "at work\n"
        process.send_signal(signal.SIGKILL)
    assert build(killed, points).n_parts < n_parts
    assert kept(killed) == kept(whole)


@pytest.mark.parametrize("what", ["other points", "a broken note", "a broken file", "more items"])
def test_what_another_build_left_is_not_used(tmp_path, what):
    points = hard_points("on a sphere", np.random.default_rng(0))
    before = points[::-1] + 0.5 if what == "other points" else points
    before = before[:-300] if what == "more items" else before
    with pytest.raises(StoppedError):
        build(tmp_path / "a", before, 6)
    (left,) = (tmp_path / "a").iterdir()
    if what == "a broken note":
        (left / room.HEAD).write_text('{"n_done": 100')
    if what == "a broken file":
        (left / "rest.npy").write_bytes((left / "rest.npy").read_bytes()[:-50])
    n_parts = build(tmp_path / "b", points).n_parts
    assert build(tmp_path / "a", points).n_parts == n_parts
    assert kept(tmp_path / "a") == kept(tmp_path / "b")


def test_two_builds_at_once_do_not_share_a_folder(tmp_path):
    points = hard_points("on a sphere", np.random.default_rng(0))
    with pytest.raises(StoppedError):
        build(tmp_path / "a", points, 6)
    (left,) = (tmp_path / "a").iterdir()
    noted = json.loads((left / room.HEAD).read_text())
    with locked(left / LOCK):
        n_parts = build(tmp_path / "a", points).n_parts
        assert json.loads((left / room.HEAD).read_text()) == noted
    assert n_parts == build(tmp_path / "b", points).n_parts


def test_what_somebody_else_began_does_not_keep_it_from_being_kept(tmp_path):
    points = hard_points("on a sphere", np.random.default_rng(0))
    with pytest.raises(StoppedError):
        build(tmp_path / "a", points, 6)
    (left,) = (tmp_path / "a").iterdir()
    (left / LOCK).unlink()
    (left / LOCK).mkdir()  # as one without the right to it, for root as well
    for name in ("a", "b"):
        build(tmp_path / name, points)
    assert kept(tmp_path / "a") == kept(tmp_path / "b") != {}


def test_a_disk_that_is_full_leaves_nothing_behind(tmp_path, monkeypatch):
    def full(path, n_bytes):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(room, "reserve", full)
    with pytest.raises(OSError, match="No space"):
        build(tmp_path / "a", hard_points("on a grid", np.random.default_rng(0)))
    assert not any((tmp_path / "a").iterdir())
