"""How sure the axes of a run folder are: read from its fits, kept, or silently unknown."""

import json
import shutil

import numpy as np
import pytest
import torch
from safetensors.torch import save_file

from rivae.base.config import DatasetConfig, MethodChoice, RunConfig
from rivae.cli import main
from rivae.exploring.explorer import Explorer
from rivae.runs import Run
from rivae.training.alignment.certainty import (
    FITS,
    MAX_FITS,
    ROWS,
    has_fits,
    kept_certainty,
    read_fits,
)


@pytest.fixture(scope="module")
def untrained(tmp_path_factory):
    """A run whose z are random functions of real pictures: enough to compare coordinates."""
    config = RunConfig(
        name="sure",
        dataset=DatasetConfig(name="split-digits"),
        method=MethodChoice(settings={"n_components": 3, "dim_v": 8, "init": "none"}),
    )
    run = Run.create(config, tmp_path_factory.mktemp("runs"))
    from rivae.models.registry import build_method

    data, choice = run.load_dataset(), config.method
    torch.manual_seed(0)
    run.write_model(build_method(choice.name, choice.settings, data.x1.shape, data.x2.shape))
    return run


@pytest.fixture
def run(untrained, tmp_path):
    shutil.copytree(untrained.path, tmp_path / "sure")
    return Run(tmp_path / "sure")


def latents(run):
    explorer = Explorer.open(run)
    return explorer.retriever.encode(explorer.data.splits["train"])[0]


def write_fits(run, fits, **more):
    run.unfolded.parent.mkdir(exist_ok=True)
    tensors = {
        "target": torch.zeros(3, 8),
        FITS: torch.tensor(fits, dtype=torch.float32).contiguous(),
    }
    save_file({**tensors, **more}, run.unfolded)


def test_without_fits_nothing_is_said(run):
    n = len(run.load_dataset().splits["train"])
    assert not has_fits(run) and Explorer.open(run).certainty == ()
    run.unfolded.parent.mkdir(exist_ok=True)
    save_file({"target": torch.zeros(n, 8)}, run.unfolded)  # of an older version
    assert not has_fits(run) and Explorer.open(run).certainty == ()
    assert not (run.path / "cache").exists() or not list((run.path / "cache").glob("certainty*"))


def test_axes_that_something_else_has_picked_are_not_asked_about(run):
    z = latents(run)
    write_fits(run, np.stack([z, z]))
    assert has_fits(run)
    config = json.loads((run.path / "config.json").read_text())
    config["method"]["settings"]["axes"] = "modulated"
    (run.path / "config.json").write_text(json.dumps(config))
    assert not has_fits(Run(run.path)) and Explorer.open(Run(run.path)).certainty == ()


def test_damaged_fits_and_those_of_other_data_say_nothing(run):
    n = len(run.load_dataset().splits["train"])
    for shape in ((2, n - 1, 3), (0, n, 3), (n, 3), (2, n, 0), (MAX_FITS + 1, n, 1)):
        write_fits(run, np.ones(shape))
        assert read_fits(run.unfolded, n) is None and Explorer.open(run).certainty == ()
    for number in (np.nan, 1.0):
        write_fits(run, np.full((2, n, 3), number))  # not finite, and standing still
        assert {axis.verdict for axis in Explorer.open(run).certainty} <= {"unsure"}
    whole = run.unfolded.read_bytes()
    for content in (b"", whole[:40], whole[:-5], b"\xff" * 100):
        run.unfolded.write_bytes(content)
        assert not has_fits(run) and Explorer.open(run).certainty == ()


@pytest.mark.slow
def test_the_fits_belong_to_the_rows_that_they_name(run, monkeypatch):
    z = latents(run)
    rng = np.random.default_rng(0)
    near = z / z.std(axis=0) + 0.1 * rng.normal(size=z.shape)
    fits = np.stack([np.column_stack([near[:, :2], rng.normal(size=(len(z), 1))])] * 2)
    some = np.sort(rng.choice(len(z), 400, replace=False))
    for most, rows in ((5000, slice(None)), (300, slice(None)), (5000, some), (300, some)):
        monkeypatch.setattr("rivae.training.alignment.certainty.MAX_ROWS", most)
        named = {} if isinstance(rows, slice) else {ROWS: torch.from_numpy(rows)}
        write_fits(run, fits[:, rows], **named)
        found = Explorer.open(run).certainty
        assert [axis.axis for axis in found] == [0, 1, 2] and found[0].n_fits == 2
        assert min(axis.inside for axis in found[:2]) > 0.9
        assert found[2].inside < 0.8 and found[2].verdict == "unsure"
    for wrong in (some[::-1].copy(), some[1:], some + len(z), some - 5 * len(z), some[None]):
        write_fits(run, fits[:, some], **{ROWS: torch.from_numpy(wrong)})
        assert read_fits(run.unfolded, len(z)) is None and Explorer.open(run).certainty == ()


def test_what_was_measured_is_kept_until_the_fits_change(run, monkeypatch):
    z = latents(run)
    write_fits(run, np.stack([z, z]))
    assert has_fits(run) and kept_certainty(run) is None
    found = Explorer.open(run).certainty
    assert kept_certainty(run) == found and len(found) == 3
    (file,) = (run.path / "cache").glob("certainty-*.json")
    assert json.loads(file.read_text())["axes"][0]["agreement"] == pytest.approx(1)
    file.write_text('{"axes": [{"axis": -1}]}')  # damaged: measured again
    assert kept_certainty(run) is None and Explorer.open(run).certainty == found
    noise = np.random.default_rng(0).normal(size=(2, *z.shape))
    write_fits(run, noise, other=torch.zeros(1))
    assert kept_certainty(run) is None
    assert {axis.verdict for axis in Explorer.open(run).certainty} == {"unsure"}


@pytest.mark.slow
def test_the_command_line_prints_what_it_means(run, monkeypatch, capsys):
    z = latents(run)
    noise = np.random.default_rng(0).normal(size=(2, *z.shape))
    write_fits(run, noise)
    monkeypatch.setenv("RIVAE_RUNS", str(run.path.parent))
    asked = ["evaluate", run.id, "--queries", "3", "--nulls", "0"]
    assert main(asked) == 0
    said = capsys.readouterr().out
    for axis in Explorer.open(run).certainty:
        assert f"z{axis.axis + 1}: {axis.reason(['z1', 'z2', 'z3'])}" in said
    assert main([*asked, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)[run.id]["certainty"]
    assert [axis["verdict"] for axis in told] == ["unsure"] * 3 and told[0]["reason"]
