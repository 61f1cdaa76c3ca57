"""Several processes that train one run together come to the numbers of one process."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file

from rivae.launch import train
from rivae.runs import Run
from tests.training.tiny import smooth_settings, tiny_config

pytestmark = [
    pytest.mark.skipif(os.name != "posix", reason="torchrun and gloo as on Linux"),
    pytest.mark.slow,
]
ROOT = Path(__file__).resolve().parents[2]
# Seven and five pairs among two or three processes: shares of unequal size.
DIGITS = {"dataset": "split-digits", "batch_size": 11}
CASES = {
    "synth": tiny_config("synth"),
    "smooth start": tiny_config("smooth", **smooth_settings(), batch_size=13),
    "unfolded heads": tiny_config("unfolded", unfold_epochs=2),
    "all mismatches": tiny_config("softmax", n_mismatches=None, loss_form="softmax"),
    "hardest mismatches": tiny_config("hardest", n_mismatches=2, mismatches="hardest"),
    "exact derivative": tiny_config("jvp", reg_form="jvp", lb_trains_embedders=True),
    "prior pull, best epoch": tiny_config("pull", prior_pull=0.1, training={"select": "best"}),
    "dropout": tiny_config("dropout", **DIGITS),
    "cos-sim-lvm": tiny_config("cos-sim-lvm", "cos-sim-lvm", **DIGITS),
    "info-nce": tiny_config("info-nce", "info-nce", temperature_form="learned", **DIGITS),
    "info-nce-ica": tiny_config("info-nce-ica", "info-nce-ica"),
    "cos-sim": tiny_config("cos-sim", "cos-sim", n_mismatches=3),
    "bi-vae-on-v": tiny_config("bi-vae-on-v", "bi-vae-on-v"),
    "rbi-vae": tiny_config("rbi-vae", "rbi-vae"),
    "dcca": tiny_config("dcca", "dcca"),
}


def torchrun(root, configs, processes=2, stop=0):
    """Train ``configs`` below ``root`` in processes of one group; what each of them said."""
    listed = root / "configs.json"
    listed.write_text(json.dumps([config.model_dump(mode="json") for config in configs]))
    line = [
        sys.executable, "-m", "torch.distributed.run", "--standalone",
        f"--nproc-per-node={processes}", str(ROOT / "tests" / "training" / "ddp_worker.py"),
        str(root), str(listed), str(stop),
    ]  # fmt: skip
    env = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        line, env=env, cwd=root, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr[-4000:]
    return [
        [(root / f"{config.name}.rank{rank}").read_text() for rank in range(processes)]
        for config in configs
    ]


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    """Where every case was trained by one process."""
    root = tmp_path_factory.mktemp("alone")
    for config in CASES.values():
        train([config], root)
    return root


@pytest.fixture(scope="module")
def together(tmp_path_factory):
    """Where every case was trained by two."""
    root = tmp_path_factory.mktemp("together")
    said = torchrun(root, CASES.values())
    assert said == [["done", "done"]] * len(CASES)
    return root


def numbers(row):
    """The terms of a metrics row, by name."""
    return {k: v for k, v in row.items() if isinstance(v, float)}


def check_alike(one, other, rtol=1e-5):
    """Rows and weights of two runs, equal to rounding."""
    rows = list(zip(one.metrics(), other.metrics(), strict=True))
    assert rows
    for a, b in rows:
        assert numbers(a) == pytest.approx(numbers(b), rel=rtol, abs=5e-6), a["epoch"]
        assert (a["epoch"], a["stage"], a["step"]) == (b["epoch"], b["stage"], b["step"])
        assert a.get("validation", {}).keys() == b.get("validation", {}).keys()
    weights = load_file(one.path / "model.safetensors")
    others = load_file(other.path / "model.safetensors")
    assert weights.keys() == others.keys()
    for name, value in weights.items():
        np.testing.assert_allclose(others[name], value, rtol=1e-3, atol=1e-4, err_msg=name)


@pytest.mark.parametrize("case", CASES)
def test_two_processes_train_like_one(case, alone, together):
    name = CASES[case].name
    assert Run(together / name).status.state == "finished"
    check_alike(Run(alone / name), Run(together / name))
