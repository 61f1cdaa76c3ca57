"""The command for a graphics card: its checks compare the CPU with itself here, and the table
says what failed, what is not possible and what was not run.
"""

import json
import math
import sys
import time
from importlib import import_module

import pytest
import torch

from benchmarks import gpu
from benchmarks import gpu_checks as checks
from benchmarks import gpu_speed as speed
from rivae.jobs.devices import CardUse
from rivae.models.registry import METHODS

CPU = torch.device("cpu")
# What the machines with cards that we know of may lack, and what only the app needs.
ABSENT = (
    "streamlit",
    "plotly",
    "faiss",
    "umap",
    "sqlalchemy",
    "wordcloud",
    "kaleido",
    "sklearn",
    "scipy",
    "pandas",
)


@pytest.mark.parametrize("method", tuple(METHODS))
def test_the_cpu_has_the_loss_of_the_cpu(method):
    found = checks.same_loss(CPU, method)
    assert found.passed and max(found.figures["gradient"]) == 0
    assert len(found.figures["stages"]) == len(found.figures["loss"]) >= 1


@pytest.mark.parametrize("factors", [(1.001, 1), (1, 1.01), (math.nan, 1), (1, math.nan)])
def test_another_loss_or_gradient_fails(monkeypatch, factors):
    whole, calls = checks.loss_and_gradient, []

    def other(*arguments):
        calls.append(arguments)
        by_loss, by_gradient = factors if len(calls) == 2 else (1, 1)
        found = whole(*arguments)
        return {k: (loss * by_loss, g * by_gradient) for k, (loss, g) in found.items()}

    monkeypatch.setattr(checks, "loss_and_gradient", other)
    assert not checks.same_loss(CPU, "cos-sim").passed


@pytest.mark.slow
def test_another_recurrence_fails(monkeypatch):
    assert checks.same_recurrence(CPU).figures == {"apart": 0.0}
    forward = checks.BiGRU.forward
    monkeypatch.setattr(checks.BiGRU, "forward", lambda self, *given: 1.001 * forward(self, *given))
    assert not checks.same_recurrence(CPU).passed


@pytest.mark.slow
def test_a_resumed_run_has_the_same_weights_and_another_has_not(tmp_path, monkeypatch):
    found = checks.same_resumed(CPU, tmp_path / "same", (4,))
    assert found.passed and found.figures["apart"] == {4: 0.0}

    fit = checks.fit

    def forgets(config, data, root, **rest):
        if rest.get("resume"):
            config = config.model_copy(update={"seed": 9})
            return fit(config, data, root / "new", **{**rest, "resume": False})
        return fit(config, data, root, **rest)

    monkeypatch.setattr(checks, "fit", forgets)
    assert not checks.same_resumed(CPU, tmp_path / "other", (4,)).passed


@pytest.mark.slow
def test_bfloat16_has_to_change_the_numbers_a_little(tmp_path, monkeypatch):
    assert checks.bf16(CPU, tmp_path / "both").passed
    short = checks.short_config
    monkeypatch.setattr(
        checks, "short_config", lambda **given: short(**{**given, "precision": "float32"})
    )
    assert not checks.bf16(CPU, tmp_path / "float32").passed


def test_the_card_that_the_page_reads_is_that_of_pytorch():
    gib = 2**30
    card = CardUse(0, "NVIDIA H200", 0.5, gib, 140 * gib)
    read = speed.card_reading
    assert read([card], ("cpu", "gpu:0"), card.name, 139 * gib).passed
    assert not read([card], ("cpu",), card.name, 139 * gib).passed
    assert not read([card], ("cpu", "gpu:0"), card.name, 70 * gib).passed
    assert not read([card], ("cpu", "gpu:0"), "another", 139 * gib).passed
    assert not read([], ("cpu",), card.name, 139 * gib).passed


def test_the_clock_ends_a_training_after_its_steps(tmp_path):
    found = speed.speed(speed.synth_task, (64, 32), CPU, tmp_path, 0.1)
    assert found.passed and found.figures["precision"]
    assert found.figures["device_s"] > 0 and found.figures["core_s"] > 0


def test_food_that_is_not_there_is_not_possible(tmp_path):
    with pytest.raises(checks.NotHere, match="no data set 'nowhere'"):
        speed.food(CPU, tmp_path, "nowhere", 1.0)
    assert not list(tmp_path.iterdir())


def test_one_failure_does_not_stop_the_others(tmp_path):
    def fails():
        raise RuntimeError("CUDA error | of a kind\nand more")

    def not_here():
        raise checks.NotHere("one card")

    made = []
    planned = [
        ("a", fails),
        ("b", not_here),
        ("c", lambda: checks.Finding(True, "fine", {"x": 1.0})),
        ("d", lambda: checks.Finding(False, "too far")),
        ("late", lambda: made.append("late")),
    ]
    said = []
    times = iter([9.0] * 8 + [0.0] * 2)
    rows = gpu.run_checks(
        planned,
        lambda: next(times),
        lambda rows: gpu.write(tmp_path, {"torch": "2"}, rows, len(planned)),
        said.append,
    )
    states = [gpu.FAILED, gpu.NOT_HERE, gpu.PASSED, gpu.FAILED, gpu.NOT_HERE]
    assert [row.state for row in rows] == states and not made
    assert "[1 of 5] a" in said[0], "it says what it does before it does it"
    table = [line for line in (tmp_path / "gpu.md").read_text().splitlines() if line[:1] == "|"]
    assert len(table) == 2 + len(planned) and all(line.count("|") == 5 for line in table)
    kept = json.loads((tmp_path / "gpu.json").read_text())
    assert kept["rows"][2]["figures"] == {"x": 1.0}


def test_rows_that_were_not_run_are_counted(tmp_path):
    gpu.write(tmp_path, {}, [gpu.Row("a", gpu.PASSED, "fine")], 3)
    assert "2 of 3 not run" in (tmp_path / "gpu.md").read_text()


def test_without_a_card_one_sentence_and_no_file(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    before = {path: path.read_bytes() for path in gpu.RESULTS.glob("gpu*")}
    assert gpu.main([]) == gpu.main(["--out", str(tmp_path)]) == 2
    assert capsys.readouterr().out.splitlines()[1] == gpu.NO_CARD
    assert gpu.main(["--device", "cpu"]) == 2
    assert gpu.NO_OUT in capsys.readouterr().out
    assert {path: path.read_bytes() for path in gpu.RESULTS.glob("gpu*")} == before
    assert not list(tmp_path.iterdir())


def test_missing_packages_are_named():
    assert gpu.missing(lambda name: None if name == "PIL" else name).count("pillow") == 2
    assert gpu.missing(lambda name: name) == ""


def test_the_checks_need_no_package_of_the_app(monkeypatch):
    ours = [n for n in sys.modules if n.split(".")[0] in ("rivae", "benchmarks")]
    kept = {name: sys.modules.pop(name) for name in ours}
    for name in [n for n in sys.modules if n.split(".")[0] in ABSENT]:
        monkeypatch.delitem(sys.modules, name)
    for name in ABSENT:
        monkeypatch.setitem(sys.modules, name, None)
    try:
        fresh = import_module("benchmarks.gpu_speed")
        assert fresh is not speed and fresh.speed
    finally:
        for name in [n for n in sys.modules if n.split(".")[0] in ("rivae", "benchmarks")]:
            del sys.modules[name]
        sys.modules.update(kept)


def test_a_clock_without_time_still_makes_three_steps():
    clock = speed._Steps(CPU, 0.0, 100)
    for _ in range(3):
        clock()
    with pytest.raises(KeyboardInterrupt):
        clock()
    assert 0 <= clock.seconds() < time.monotonic()
