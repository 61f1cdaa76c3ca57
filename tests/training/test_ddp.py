"""Several processes that train one run together come to the numbers of one process."""

import json
import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file

from rivae.jobs.launch import train
from rivae.runs import Run
from rivae.training.distributed import Group
from tests.training.ddp_worker import gradients
from tests.training.tiny import contrast_settings, smooth_settings, tiny_config
from tests.waiting import PATIENCE_S

pytestmark = [
    pytest.mark.skipif(os.name != "posix", reason="gloo as on Linux"),
    pytest.mark.slow,
    pytest.mark.xdist_group("ddp"),  # what is trained once for all serves one process
]
ROOT = Path(__file__).resolve().parents[2]
# Eleven pairs among two or three processes are shares of unequal size.
DIGITS = {"dataset": "split-digits", "batch_size": 11}
CASES = {
    "synth": tiny_config("synth"),
    "smooth start": tiny_config("smooth", **smooth_settings(), batch_size=13),
    "hardest mismatches": tiny_config("hardest", n_mismatches=2, mismatches="hardest"),
    "prior pull, best epoch": tiny_config("pull", prior_pull=0.1, training={"select": "best"}),
    "dropout": tiny_config("dropout", **DIGITS),
    "info-nce": tiny_config("info-nce", "info-nce", temperature_form="learned", **DIGITS),
    "rbi-vae": tiny_config("rbi-vae", "rbi-vae"),
    # After a short start its correlations are so ill-conditioned that the last bit of one number
    # changes the third digit, in one process as well. So does a large rate on some processors: Adam
    # takes whole steps along gradients that are rounding errors.
    "dcca": tiny_config("dcca", "dcca", init="none", regulariser=0.1, learning_rate=1e-5),
    "early stopping": tiny_config(
        "patience", joint_epochs=40, joint_learning_rate=1e-9, training={"patience": 3}
    ),
}
# What shares nothing else than the cases above.
MORE = {
    "unfolded heads": tiny_config("unfolded", unfold_epochs=2, ask_both_ways=True),
    "contrastive start": tiny_config("contrast", **contrast_settings()),
    "all mismatches": tiny_config("softmax", n_mismatches=None, loss_form="softmax"),
    "exact derivative": tiny_config("jvp", reg_form="jvp", lb_trains_embedders=True),
    "cos-sim-lvm": tiny_config("cos-sim-lvm", "cos-sim-lvm", **DIGITS),
    "info-nce-ica": tiny_config("info-nce-ica", "info-nce-ica"),
    "cos-sim": tiny_config("cos-sim", "cos-sim", n_mismatches=3),
    "bi-vae-on-v": tiny_config("bi-vae-on-v", "bi-vae-on-v"),
}
STOPPED = [CASES["dropout"], MORE["unfolded heads"], CASES["hardest mismatches"]]
NORMED = {"kind": "small-resnet", "channels": [4, 4], "hidden": [8]}
REFUSED = [
    tiny_config("pixels", "bi-vae"),
    tiny_config("few", batch_size=2),
    tiny_config("normed", "cos-sim", dataset="split-digits", embedder=NORMED),
]


def trained(root, configs, processes=2, stop=0):
    """Train ``configs`` below ``root`` in processes of one group; what each of them said."""
    listed = root / "configs.json"
    listed.write_text(json.dumps([config.model_dump(mode="json") for config in configs]))
    program = ROOT / "tests" / "training" / "ddp_worker.py"
    line = [sys.executable, str(program), str(root), str(listed), str(stop)]
    env = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "OMP_NUM_THREADS": "1",
        "WORLD_SIZE": str(processes),
        "RIVAE_MEETING": str(root / f"met.{stop}"),
    }
    workers, said = [], root / "said"
    with said.open("w") as stream:
        for rank in range(processes):
            env["RANK"] = str(rank)
            workers.append(subprocess.Popen(line, env=env, cwd=root, stdout=stream, stderr=stream))
    try:
        for worker in workers:
            assert worker.wait(timeout=PATIENCE_S) == 0, said.read_text()[-4000:]
    finally:
        for worker in workers:
            worker.kill()
            worker.wait()
    return [
        [(root / f"{config.name}.rank{rank}").read_text() for rank in range(processes)]
        for config in configs
    ]


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    """The run of a configuration, trained by one process when it is first asked for."""
    root = tmp_path_factory.mktemp("alone")
    configs = {config.name: config for config in [*CASES.values(), *MORE.values()]}
    return cache(lambda name: train([configs[name]], root)[0])


def trained_by_two(root, cases):
    said = trained(root, cases.values())
    assert said == [["done", "done"]] * len(cases)
    return root


@pytest.fixture(scope="module")
def together(tmp_path_factory):
    """Where every case was trained by two."""
    return trained_by_two(tmp_path_factory.mktemp("together"), CASES)


@pytest.fixture(scope="module")
def more_together(tmp_path_factory):
    """Where the other ones were."""
    return trained_by_two(tmp_path_factory.mktemp("more"), MORE)


def numbers(row):
    """The terms of a metrics row, by name."""
    return {k: v for k, v in row.items() if isinstance(v, float)}


def weights(run):
    """The weights at the end of training, before axes are chosen, which may magnify them."""
    saved = load_file(run.path / "checkpoints" / "last.safetensors")
    return {key: value for key, value in saved.items() if key.startswith("model/")}


def check_alike(one, other):
    """Rows and weights of two runs, equal to rounding."""
    rows = list(zip(one.metrics(), other.metrics(), strict=True))
    assert rows
    for a, b in rows:
        assert numbers(a) == pytest.approx(numbers(b), rel=1e-5, abs=1e-6), a["epoch"]
        assert (a["epoch"], a["stage"], a["step"]) == (b["epoch"], b["stage"], b["step"])
        assert a.get("validation", {}).keys() == b.get("validation", {}).keys()
    ours, theirs = weights(one), weights(other)
    assert ours.keys() == theirs.keys()
    if one.config.method.name == "dcca":
        # Correlations do not see the offsets of its networks, whose gradients are rounding errors.
        ours = {name: value for name, value in ours.items() if not name.endswith("bias")}
    for name, value in ours.items():
        np.testing.assert_allclose(theirs[name], value, rtol=1e-3, atol=1e-4, err_msg=name)


@pytest.mark.parametrize("case", CASES)
def test_two_processes_train_like_one(case, alone, together):
    shared = Run(together / CASES[case].name)
    assert shared.status.state == "finished"
    check_alike(alone(shared.id), shared)


@pytest.mark.slow(rare=True)
@pytest.mark.parametrize("case", MORE)
def test_so_do_they_in_the_other_forms(case, alone, more_together):
    shared = Run(more_together / MORE[case].name)
    assert shared.status.state == "finished"
    check_alike(alone(shared.id), shared)


def test_one_that_stops_early_stops_in_all(together):
    rows = Run(together / "patience").metrics()
    assert 8 < len(rows) < 30


def test_only_the_first_process_writes(together):
    for config in CASES.values():
        run = Run(together / config.name)
        epochs = [row["epoch"] for row in run.metrics()]
        assert (
            epochs == list(range(1, len(epochs) + 1)) == [row["epoch"] for row in run.timing.rows()]
        )
        assert not list(run.path.rglob("*.tmp")) and not (run.path / "preview.safetensors").exists()


@pytest.fixture(scope="module")
def three(tmp_path_factory):
    """What three processes said that were interrupted, or could not begin; and where."""
    root = tmp_path_factory.mktemp("three")
    configs = [*STOPPED, *REFUSED]
    said = trained(root, configs, processes=3, stop=23)
    return root, {config.name: words for config, words in zip(configs, said, strict=True)}


@pytest.mark.slow(rare=True)
def test_what_cannot_be_shared_says_so_and_leaves_nothing(three):
    root, said = three
    for config in REFUSED:
        assert len(set(said[config.name])) == 1, said
        assert not (root / config.name).exists()
    assert said["pixels"][0] == (
        "Bi-VAE cannot share its batches among 3 processes: train it in one process"
    )
    assert said["few"][0] == (
        "batches of 2 pairs cannot be shared among 3 processes: train in fewer processes or raise "
        "batch_size"
    )
    assert said["normed"][0].startswith("networks with batch normalisation")
    assert "train in one process" in said["normed"][0]


@pytest.mark.slow(rare=True)
def test_gradients_are_those_of_one_process(three):
    """Not only their direction, which is all that Adam and clipping look at."""
    whole = gradients(Group())
    for rank in range(3):
        found = np.load(three[0] / f"gradients.rank{rank}.npz")
        for name, value in whole.items():
            np.testing.assert_allclose(found[name], value, rtol=1e-5, err_msg=name)


@pytest.mark.slow(rare=True)
def test_three_processes_interrupted_together_go_on_to_the_same_numbers(alone, three):
    root, said = three
    for config in STOPPED:
        assert said[config.name] == ["KeyboardInterrupt"] * 3
        run = Run(root / config.name)
        assert run.status.state == "interrupted" and 0 < len(run.metrics()) < 9
    assert trained(root, STOPPED, processes=3) == [["done"] * 3] * len(STOPPED)
    for config in STOPPED:
        check_alike(alone(config.name), Run(root / config.name))
