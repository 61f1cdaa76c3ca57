"""Selections of a run: kept whole through kills and two writers, and read with care."""

import json
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rivae.base.errors import ConfigError, DataError, RunError
from rivae.runs import selections as module
from rivae.runs.selections import (
    MAX_SELECTIONS,
    N_MARKS,
    SELECTIONS,
    find_selection,
    keep_selection,
    read_selections,
    remove_selection,
    rename_selection,
    restore_selection,
    selections,
    stamp,
)


@pytest.fixture
def run(bare_run):
    return bare_run


def test_what_is_kept_is_read_renamed_removed_and_brought_back(run):
    rng = np.random.default_rng(0)
    rows = rng.integers(0, 1000, 50)
    first = keep_selection(run, rows, "  Sweet things ")
    second = keep_selection(run, [3])
    assert first.rows == tuple(sorted({int(r) for r in rows})) and first.name == "Sweet things"
    assert (first.id, second.id) == ("s1", "s2") and first.mark != second.mark and second.name
    assert selections(run) == (first, second)
    renamed = rename_selection(run, "s2", "one")
    assert selections(run) == (first, renamed) and renamed.rows == second.rows
    assert remove_selection(run, "s1") == first and selections(run) == (renamed,)
    third = keep_selection(run, [1, 2])
    assert third.id == "s3" and third.mark == first.mark, "an id is never given again, a mark is"
    restore_selection(run, first)
    restore_selection(run, first)
    assert selections(run) == (renamed, third, first)


def test_a_selection_is_found_by_id_or_name(run):
    first, second = keep_selection(run, [1], "Sweet Things"), keep_selection(run, [2], "s1")
    found = selections(run)
    assert find_selection(found, "s1") == first, "an id comes before a name"
    assert find_selection(found, "sweet-things") == find_selection(found, "SWEET things") == first
    with pytest.raises(ConfigError, match="Sweet Things"):
        find_selection(found, "sweat things")
    rename_selection(run, second.id, "sweet  things")
    with pytest.raises(ConfigError, match="s1 or s2"):
        find_selection(selections(run), "sweet things")


@pytest.mark.parametrize("rows", [[], [-1, 2], [0.5], ["a"], [[]]])
def test_what_is_no_selection_is_refused_and_nothing_is_lost(run, rows):
    kept = keep_selection(run, [1])
    with pytest.raises(ConfigError):
        keep_selection(run, rows)
    for name in ("two\nlines", "  ", "x" * 61):
        with pytest.raises(ConfigError):
            rename_selection(run, kept.id, name)
    with pytest.raises(ConfigError, match="s1"):
        remove_selection(run, "s9")
    assert selections(run) == (kept,)


def test_limits(run, monkeypatch):
    monkeypatch.setattr(module, "MAX_ROWS", 10)
    with pytest.raises(ConfigError, match="10"):
        keep_selection(run, range(11))
    for i in range(MAX_SELECTIONS):
        keep_selection(run, [i])
    with pytest.raises(ConfigError, match=str(MAX_SELECTIONS)):
        keep_selection(run, [0])
    marks = [one.mark for one in selections(run)]
    assert all(marks.count(mark) == MAX_SELECTIONS // N_MARKS for mark in range(N_MARKS))
    run.data_change = "other data"
    assert selections(run) == ()
    with pytest.raises(RunError):
        keep_selection(run, [0])


def test_many_writers_lose_nothing(run):
    def work(start):
        return [keep_selection(run, [10 * start + i]).id for i in range(3)]

    with ThreadPoolExecutor(8) as pool:
        ids = [one for some in pool.map(work, range(8)) for one in some]
    assert len(set(ids)) == 24
    assert {one.id for one in selections(run)} == set(ids)
    assert sorted(row for one in selections(run) for row in one.rows) == sorted(
        10 * start + i for start in range(8) for i in range(3)
    )


KEEP = """
import sys
from rivae.runs import Run
from rivae.runs.selections import keep_selection, remove_selection
run = Run(sys.argv[1])
Run.require_same_data = lambda run: None
while True:
    one = keep_selection(run, range(5000))
    print(one.id, flush=True)
    if int(one.id[1:]) % 20 == 0:
        for i in range(int(one.id[1:]) - 19, int(one.id[1:])):
            remove_selection(run, f"s{i}")
"""


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_a_kill_loses_nothing_that_was_acknowledged(tmp_path, seed):
    (tmp_path / "config.json").write_text("{}")
    code = [sys.executable, "-c", KEEP, str(tmp_path)]
    with subprocess.Popen(code, stdout=subprocess.PIPE, text=True) as process:
        process.stdout.readline()
        time.sleep(float(np.random.default_rng(seed).uniform(0, 0.3)))
        os.kill(process.pid, signal.SIGKILL)
        said = ["s1", *process.stdout.read().split()]
    kept = read_selections(tmp_path / SELECTIONS)
    assert int(kept[-1].id[1:]) >= int(said[-1][1:])
    assert all(one.rows == tuple(range(5000)) for one in kept)


@given(st.binary(max_size=60) | st.text(max_size=40).map(str.encode))
def test_any_other_content_is_one_sentence(content):
    with pytest.raises(DataError, match=SELECTIONS):
        read_selections(content)


@pytest.mark.parametrize(
    "change",
    [
        {"id": "x1"}, {"id": "s9"}, {"mark": N_MARKS}, {"mark": "0"}, {"rows": []},
        {"rows": [2, 1]}, {"rows": [1, 1]}, {"rows": [-1]}, {"rows": [1.5]}, {"name": ""},
        {"name": "a\nb"}, {"name": "x" * 61}, {"more": 1},
    ],
)  # fmt: skip
def test_a_file_that_was_changed_by_hand_is_refused_whole(run, change):
    keep_selection(run, [1, 2], "one")
    path = run.path / SELECTIONS
    content = json.loads(path.read_text())
    content["selections"][0] |= change
    path.write_text(json.dumps(content))
    with pytest.raises(DataError, match=SELECTIONS):
        selections(run)
    with pytest.raises(DataError):
        keep_selection(run, [3])
    assert json.loads(path.read_text()) == content, "it stays as it is"


def test_the_stamp_changes_with_every_change(run):
    stamps = [stamp(run)]
    keep_selection(run, [1])
    stamps.append(stamp(run))
    rename_selection(run, "s1", "b")
    stamps.append(stamp(run))
    remove_selection(run, "s1")
    stamps.append(stamp(run))
    assert stamps[0] is None and len(set(stamps)) == 4
