"""Files of runs in training, read while they grow, are torn, cut, replaced or damaged."""

import json
import math
import os
import threading
from pathlib import Path

import numpy as np
import pytest

from rivae.jobs import history
from rivae.jobs.devices import TrainerUse, read_card, trainer_use, use_text
from rivae.jobs.history import RunHistory, Thinned, history_of
from rivae.jobs.launch import resume, run_lock, train
from rivae.jobs.ledger import Ledger
from rivae.jobs.locks import hold, lock_path
from rivae.jobs.overview import entries, pace_of, progress_of
from rivae.jobs.tail import BLOCK, GrowingRows, tail_rows
from rivae.jobs.units import duration
from rivae.runs import Run
from rivae.runs.records import MetricsLog, Status
from tests.training.tiny import StopAfter, tiny_config, untrained_run


def write(path: Path, rows, mode="a"):
    with path.open(mode) as stream:
        stream.writelines(json.dumps(row) + "\n" for row in rows)


def rows_of(first, last, **more):
    return [
        {"epoch": e, "stage": "joint", "step": 10 * e, "objective": float(e), **more}
        for e in range(first, last + 1)
    ]


@pytest.fixture
def metrics(tmp_path):
    return tmp_path / "metrics.jsonl"


# a growing file


def test_only_new_bytes_are_read_and_a_torn_line_waits(metrics):
    write(metrics, rows_of(1, 3))
    file = GrowingRows(metrics)
    assert file.look() == "grown" and len(list(file.rows())) == 3
    assert file.look() == "same" and list(file.rows()) == []
    with metrics.open("a") as stream:
        stream.write('{"epoch": 4, "obj')
    assert file.look() == "grown" and list(file.rows()) == []
    with metrics.open("a") as stream:
        stream.write('ective": 4}\n')
    assert file.look() == "grown"
    assert [row["epoch"] for row in file.rows()] == [4] and file.damaged == 0


def test_a_line_torn_by_a_kill_is_left_out_and_the_next_one_read(metrics):
    metrics.write_text('{"epoch": 1}\n{"epoch": 2, "ob')
    file = GrowingRows(metrics)
    file.look()
    assert len(list(file.rows())) == 1
    MetricsLog(metrics).append({"epoch": 2})  # as the resumed trainer closes and goes on
    file.look()
    assert [row["epoch"] for row in file.rows()] == [2] and file.damaged == 1


def test_a_file_that_was_cut_or_replaced_is_read_anew(metrics):
    write(metrics, rows_of(1, 9))
    file = GrowingRows(metrics)
    file.look(), list(file.rows())
    MetricsLog(metrics).truncate(4)
    assert file.look() == "replaced" and len(list(file.rows())) == 4
    text = metrics.read_text().replace('"stage": "joint"', '"stage": "other"')
    with metrics.open("r+") as stream:  # in place: the same inode, and longer than before
        stream.write(text + text)
    assert file.look() == "replaced" and {row["stage"] for row in file.rows()} == {"other"}
    metrics.unlink()
    assert file.look() == "gone" and list(file.rows()) == [] and file.look() == "same"
    write(metrics, rows_of(1, 2))
    assert file.look() == "grown" and len(list(file.rows())) == 2


def test_a_line_without_end_is_passed_over_in_bounded_memory(metrics):
    metrics.write_bytes(b'{"epoch": 1}\n' + b"x" * (3 * BLOCK) + b'\n{"epoch": 2}\n[1]\n\n')
    file = GrowingRows(metrics)
    file.look()
    assert [row["epoch"] for row in file.rows()] == [1, 2]
    assert file.damaged == 2


def test_the_tail_holds_whole_rows_only(metrics):
    write(metrics, rows_of(1, 500))
    with metrics.open("a") as stream:
        stream.write('{"epoch": 501')
    found = tail_rows(metrics, 1000)
    assert found[-1]["epoch"] == 500 and 5 < len(found) < 20
    assert tail_rows(metrics.with_name("none")) == []


# thinned curves


def test_short_curves_are_kept_as_they_are():
    kept = Thinned(10)
    for epoch in range(1, 11):
        kept.add("a", epoch, {"loss": epoch**2})
    curve = kept.curve("loss")
    np.testing.assert_array_equal(curve.x, np.arange(1, 11))
    np.testing.assert_array_equal(curve.y, np.arange(1, 11) ** 2)
    assert curve.per_point == 1 and (curve.low == curve.high).all()


def test_long_curves_are_means_of_equal_blocks_with_their_extremes():
    values = np.random.default_rng(0).normal(size=10_000)
    values[777], values[5_000] = 99.0, -99.0
    kept = Thinned(600)
    for epoch, value in enumerate(values, 1):
        kept.add("first" if epoch <= 1_001 else "second", epoch, {"loss": float(value)})
    curve, n = kept.curve("loss"), kept.curve("loss").per_point
    assert n == 32 and 300 <= len(curve.x) <= 600
    assert curve.high.max() == 99.0 and curve.low.min() == -99.0
    second = values[1_001:]
    block = second[: len(second) // n * n].reshape(-1, n)
    at = np.searchsorted(curve.x, 1_002)
    np.testing.assert_allclose(curve.y[at : at + len(block)], block.mean(1))
    np.testing.assert_allclose(curve.low[at : at + len(block)], block.min(1))
    assert (np.diff(curve.x) > 0).all(), "no block spans two stages"
    assert kept.stages == [("first", 1, 1_001), ("second", 1_002, 10_000)]


def test_what_is_not_finite_is_a_gap_and_spoils_no_mean():
    kept = Thinned(4)
    for epoch in range(1, 9):
        bad = math.nan if epoch <= 2 else math.inf if epoch == 3 else float(epoch)
        kept.add("a", epoch, {"loss": bad})
    curve = kept.curve("loss")
    assert math.isnan(curve.y[0]) and curve.y[1] == 4.0 and curve.last == 7.5


def test_epochs_that_go_back_are_refused_and_stages_and_names_are_bounded():
    kept = Thinned(100)
    assert kept.add("a", 5, {"loss": 1.0}) and not kept.add("a", 5, {"loss": 2.0})
    for epoch in range(6, 5_000):
        kept.add(f"stage {epoch}", epoch, {f"term {epoch}": 1.0})
    assert len(kept.stages) <= 32 and len(kept.names) <= 48
    assert len(kept.curve("loss").x) == 1 and len(kept.curve("none").x) == 0


# histories


def test_a_history_follows_a_run_and_starts_anew_with_it(tmp_path, metrics):
    history = RunHistory(tmp_path)
    assert history.look().epoch == 0
    write(metrics, rows_of(1, 4))
    write(metrics, rows_of(5, 5, validation={"recall_at_1": 0.5, "mcc": None}))
    write(tmp_path / "timing.jsonl", [{"epoch": e, "seconds": 1, "wall": 2} for e in range(1, 6)])
    now = history.look()
    assert now.epoch == 5 and now.damaged == 0 and list(now.terms) == ["objective"]
    assert now.last_scores["recall_at_1"] == 0.5 and math.isnan(now.last_scores["mcc"])
    np.testing.assert_allclose(now.seconds_at(np.array([1.0, 5.0])), [2, 10])
    assert history.look() is now, "nothing is made anew that did not change"
    MetricsLog(metrics).truncate(2)
    MetricsLog(tmp_path / "timing.jsonl").truncate(2)
    cut = history.look()
    assert cut.epoch == 2 and cut.version != now.version and not cut.last_scores
    np.testing.assert_allclose(cut.seconds_at(np.array([2.0])), [4])


def test_damaged_rows_are_counted_and_never_raise(tmp_path, metrics):
    metrics.write_bytes(
        b'\xff\xfe\n{"epoch": "x"}\n{"epoch": 1e999}\n{"epoch": true}\n[]\n{"epoch": -3}\n'
        b'{"epoch": 1, "stage": ["a"], "objective": 1' + b"0" * 400 + b', "validation": 3}\n'
        b'{"epoch": 1}\n{"epoch": 2, "objective": null}\n'
    )
    (tmp_path / "timing.jsonl").write_text('{"epoch": 1, "wall": -4}\n{"epoch": 1, "wall": "x"}\n')
    now = RunHistory(tmp_path).look()
    assert now.epoch == 2 and now.damaged == 9
    assert np.isnan(now.terms["objective"].y).all()


def test_histories_are_shared_bounded_and_safe_between_threads(tmp_path, monkeypatch):
    monkeypatch.setattr(history, "MAX_HISTORIES", 3)
    for n in range(5):
        (tmp_path / str(n)).mkdir()
        write(tmp_path / str(n) / "metrics.jsonl", rows_of(1, 200))
    seen, errors = [], []

    def look(folder):
        try:
            for _ in range(30):
                seen.append(history_of(folder).epoch)
        except (KeyError, ValueError, IndexError, RuntimeError) as error:
            errors.append(error)

    threads = [threading.Thread(target=look, args=(tmp_path / str(n % 5),)) for n in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors and set(seen) == {200} and len(history._histories) <= 3
    first = history_of(tmp_path / "0")
    assert history_of(tmp_path / "0") is first


def test_a_real_run_writes_what_is_watched(tmp_path):
    with pytest.raises(KeyboardInterrupt):
        train([tiny_config("run")], tmp_path, StopAfter(6))
    run, history = Run(tmp_path / "run"), RunHistory(tmp_path / "run")
    assert history.look().epoch == 6
    resume([run])
    now = history.look()
    assert now.epoch == 9 and now.damaged == 0
    assert [row["epoch"] for row in run.timing.rows()] == list(range(1, 10))
    assert all(0 < row["seconds"] <= row["wall"] for row in run.timing.rows())
    assert [name for name, n in run.status.stages if n] == [name for name, _, _ in now.stages]
    assert sum(n for _, n in run.status.stages) == run.status.total_epochs == 9
    assert {"mcc", "recall_at_1"} <= set(now.scores)


# speed


def test_the_pace_is_that_of_the_stage_at_work():
    status = Status(total_epochs=100, stages=[("slow", 10), ("none", 0), ("fast", 60), ("z", 30)])
    timing = [{"epoch": e, "seconds": 8.0, "wall": 10.0} for e in range(1, 11)]
    timing += [{"epoch": 11, "seconds": 1.0, "wall": 50.0}]  # waited for its tables
    timing += [{"epoch": e, "seconds": 1.0, "wall": 2.0} for e in range(12, 31)]
    metrics = [{"epoch": 29, "step": 2900}, {"epoch": 30, "step": 3000}]
    pace = pace_of(status, timing, metrics)
    assert (pace.epoch_s, pace.steps_s, pace.left_s, pace.rough) == (2.0, 100.0, 140.0, True)
    assert pace_of(status, timing, metrics, since_s=1.5).left_s == 138.5
    assert pace_of(status, timing, metrics, since_s=1e9).left_s == 138.0
    in_last = [{"epoch": 90, "seconds": 1.0, "wall": 2.0}]
    assert not pace_of(status, in_last, []).rough


def test_a_pace_of_damaged_or_no_rows_is_unknown():
    assert pace_of(Status(), [], []).epoch_s is None
    odd = [{"epoch": "x"}, {"epoch": 1, "seconds": None, "wall": 1}, {"epoch": 1, "wall": math.inf}]
    assert pace_of(Status(total_epochs=5), odd, [{"epoch": None, "step": "x"}]).left_s is None


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (0, "0 s"),
        (89, "89 s"),
        (100, "2 min"),
        (5400, "1 h 30 min"),
        (7200, "2 h"),
        (3 * 86400 + 7200, "3 d 2 h"),
        (86400, "1 d"),
        (math.inf, "unknown"),
    ],
)
def test_times_are_said_in_words(seconds, said):
    assert duration(seconds) == said


# the machine


def test_lines_of_the_drivers_program_are_read():
    card = read_card("0, NVIDIA H200, 97, 1024, 143771")
    assert card is not None
    assert (card.name, card.busy, card.memory_used) == ("NVIDIA H200", 0.97, 2**30)
    shared = read_card("1, A, B, [N/A], 0, 10")
    assert shared is not None and shared.name == "A, B" and math.isnan(shared.busy)
    assert "busy" not in use_text(None, [shared])
    assert read_card("No devices were found") is None and read_card("x, y, z, a, b") is None


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
def test_the_trainers_use_is_that_of_the_holder_of_its_lock(tmp_path):
    assert trainer_use(tmp_path, "job") is None
    with hold(lock_path(tmp_path, "job", "rank0")):
        use = trainer_use(tmp_path, "job")
        sum(n * n for n in range(300_000))
        again = trainer_use(tmp_path, "job")
    assert use is not None and use.processes == 1 and use.memory > 2**20
    assert again is not None and again.cores >= 0 and "CPU cores" in use_text(again, [])
    lock_path(tmp_path, "job", "rank0").write_text(str(os.getpid()))
    assert trainer_use(tmp_path, "job") is None, "a pid without its lock is believed in no case"
    assert use_text(TrainerUse(1.0, 2**30, 1), []) == "1.0 CPU cores, 1.0 GB of memory"


# every run with its state


def test_the_queue_and_the_folders_are_joined(tmp_path):
    untrained_run(tmp_path)
    ledger = Ledger(tmp_path)
    ledger.add([tiny_config("queued"), tiny_config("over")])
    ledger.cancel(ledger.jobs()[1].id)
    stopped = Run.create(tiny_config("stopped"), tmp_path)
    stopped.set_status(state="running", epoch=3, total_epochs=9)
    at_work = Run.create(tiny_config("at-work"), tmp_path)
    at_work.set_status(state="running", epoch=3, total_epochs=9)
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "config.json").write_text("{")
    elsewhere = Run(tmp_path / "demo" / "queued")
    elsewhere.path.mkdir(parents=True)
    folders = [Run(p) for p in tmp_path.iterdir() if (p / "config.json").exists()]
    with run_lock(at_work):
        found = {e.id: e for e in entries(ledger.jobs(), [*folders, elsewhere], tmp_path)}
        progress = progress_of(found["at-work"])
    states = {name: entry.state for name, entry in found.items()}
    assert states == {
        "good": "finished",
        "queued": "queued",
        "over": "cancelled",
        "stopped": "interrupted",
        "at-work": "running",
        "broken": "broken",
    }
    assert found["queued"].run is None, "a demo run of this name is another run"
    assert found["good"].opens and not found["stopped"].opens
    assert found["broken"].message and progress.share == pytest.approx(1 / 3)
    assert (progress.epoch, progress.total) == (3, 9) and math.isnan(progress.loss)


def test_a_job_that_was_finished_from_a_terminal_is_finished(tmp_path):
    ledger = Ledger(tmp_path)
    job = ledger.add([tiny_config("good")])[0]
    ledger.cancel(job.id)
    untrained_run(tmp_path)
    entry = entries(ledger.jobs(), [Run(tmp_path / "good")], tmp_path)[0]
    assert entry.state == "finished" and entry.job is not None


def test_a_status_is_read_again_once_it_has_changed(tmp_path):
    run = untrained_run(tmp_path)
    assert entries([], [run], tmp_path)[0].state == "finished"
    run.set_status(state="failed", message="why")
    entry = entries([], [run], tmp_path)[0]
    assert (entry.state, entry.message) == ("failed", "why")
