"""Steps on the axes as parts: what each promises, and that a new one is a choice everywhere."""

import json

import numpy as np
import pytest

from rivae.app.forms.fields import method_fields
from rivae.base.errors import ConfigError
from rivae.cli.main import main
from rivae.data import load_dataset
from rivae.jobs.launch import train
from rivae.models.methods import method_config
from rivae.training.alignment.base import AS_TRAINED, ONLY_SCALED, TrainedAxes
from rivae.training.alignment.registry import STEPS, step_of
from rivae.training.alignment.steps import (
    ALIGNMENT,
    applicable_changes,
    axis_change,
    carried_change,
    training_means,
)
from tests.documented import WAYS, added, example
from tests.retrieval.small import SmallMethod, small_data
from tests.training.tiny import tiny_config

# Stored runs and results have these names; settings and tables list them in this order.
STORED = ["as trained", "scaled", "independent", "modulated", "words"]


@pytest.fixture(params=WAYS)
def principal(request, tmp_path_factory):
    """The step of the documentation."""
    code, folder = example("A step on the axes"), tmp_path_factory.mktemp("stranger")
    with added(STEPS, request.param, "principal", code, folder):
        method_fields.cache_clear()
        yield STEPS["principal"]
    method_fields.cache_clear()


def test_stored_names_keep_their_order():
    assert list(STEPS)[: len(STORED)] == STORED
    assert [step_of(step.note) for step in STEPS.values()] == list(STEPS)
    assert step_of(f"independent components did not converge: {ONLY_SCALED}") == "scaled"
    assert step_of("axes of a step elsewhere") == "axes of a step elsewhere"
    assert [name for name in STORED if STEPS[name].picks] == ["modulated", "words"]


@pytest.mark.parametrize("name", STEPS)
def test_what_every_step_promises(name):
    promises(STEPS[name])


def promises(step):
    assert step.title and step.blurb and step.note
    method, data = SmallMethod(), small_data()
    method.config = method_config("rivae", {})
    if not step.suits(data):
        assert step.needs and STEPS[step.instead].suits(data)
        return
    rows, mu = data.splits["train"], training_means(method, data)
    change = step.find(TrainedAxes(method, data, rows, mu, 10.0, 0))
    d = method.n_components
    assert change.matrix.shape == (d, d) and change.offset.shape == (d,)
    assert np.linalg.cond(change.matrix) < 1e6
    assert change.step in (step.name, "scaled") and (change.note == step.note) == (
        change.step == step.name
    )
    if step is not AS_TRAINED:
        low, high = np.percentile(mu @ change.matrix + change.offset, [0.5, 99.5], axis=0)
        np.testing.assert_allclose([low, high], [[-10.0] * d, [10.0] * d], atol=1e-6)
    assert np.array_equal(axis_change(method, data, step.name, 0).matrix, change.matrix)


def test_a_new_step_trains_and_is_measured(principal, tmp_path):
    promises(principal)
    (run,) = train([tiny_config("run", "cos-sim-lvm", axes="principal")], tmp_path)
    assert json.loads((run.path / ALIGNMENT).read_text())["note"] == principal.note
    method = run.load_method()
    assert carried_change(run, method.n_components).step == "principal"
    found = applicable_changes(method, load_dataset("synth", n_pairs=150), 0)
    assert list(found) == ["as trained", "scaled", "independent", "principal"]


def test_a_new_step_is_a_choice_of_the_form_and_the_command_line(
    principal, tmp_path, monkeypatch, capsys
):
    (axes,) = (each for each in method_fields("rivae") if each.path == "method.axes")
    assert axes.kind == "choice" and axes.choices == (*STORED, "principal")
    monkeypatch.setenv("RIVAE_RUNS", str(tmp_path))
    asked = ["train", "synth", "--method", "cos-sim-lvm", "--name", "own", "--quiet"]
    for setting in ("dataset.n_pairs=60", "epochs=1", "axes=principal"):
        asked += ["--set", setting]
    assert main(asked) == 0, capsys.readouterr().err
    (file,) = tmp_path.rglob(ALIGNMENT)
    assert json.loads(file.read_text())["note"] == principal.note


def test_an_unknown_step_is_one_sentence(capsys):
    with pytest.raises(ConfigError, match=r"'axes' of rivae: .+'sorted': choose one"):
        method_config("rivae", {"axes": "sorted"})
    assert main(["train", "synth", "--set", "axes=sorted"]) != 0
    assert "'sorted'" in capsys.readouterr().err
