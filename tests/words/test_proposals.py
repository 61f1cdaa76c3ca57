"""When a training ends its axes have proposed names, and grow with what names them."""

import numpy as np
import pytest

from rivae.cli.demo import accept_names
from rivae.exploring.words.axis_names import axis_names
from rivae.exploring.words.item_terms import ItemTerms
from rivae.exploring.words.naming import MIN_FACTOR
from rivae.exploring.words.proposals import proposed_names
from rivae.jobs.launch import choose_axes, make_config, train
from rivae.retrieval.model import LatentModel
from rivae.runs import Run
from rivae.runs.axis_names import AxisName
from rivae.training.alignment.base import AxisChange
from rivae.training.alignment.steps import carried_change, turned


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    root = tmp_path_factory.mktemp("runs")
    config = make_config(
        "synth",
        "info-nce-ica",
        name="named",
        dataset_settings={"n_pairs": 1000},
        method_settings={"embedder": {"kind": "mlp", "hidden": [32]}, "epochs": 10},
    )
    (run,) = train([config], root)
    return run


def correlations(run, method, rows):
    """Of each axis with each factor, over ``rows``."""
    data = run.load_dataset()
    z, factors = LatentModel(method).latents(data, rows), data.factors[rows]
    return np.corrcoef(z.T, factors.T)[: z.shape[1], z.shape[1] :]


def test_a_finished_training_proposes_names_that_grow_with_z(trained):
    data, method = trained.load_dataset(), trained.load_method()
    found = axis_names(trained, 2)
    assert found and all(name.proposed and name.direction == 1 for name in found.values())
    of_train = correlations(trained, method, data.splits["train"])
    of_test = correlations(trained, method, data.splits["test"])
    specs = [spec.name for spec in data.factor_specs]
    for j, name in found.items():
        k = specs.index(name.name)
        assert of_train[j, k] == pytest.approx(np.abs(of_train[j]).max())
        assert name.held_out.score == pytest.approx(abs(of_test[j, k]), abs=1e-6)
        assert 0 < name.held_out.chance < 0.5 and name.held_out.n == len(data.splits["test"])


def test_axes_are_turned_in_the_model_and_in_its_record(trained, tmp_path):
    """Starting from the same model mirrored, the end is the same."""
    data, method = trained.load_dataset(), trained.load_method()
    carried = carried_change(trained, 2)
    first = turned(method, carried.undone())
    mirrored = turned(first, AxisChange(-np.eye(2), np.zeros(2), ""))
    run = Run.create(trained.config, tmp_path)
    choose_axes(mirrored, data, run)
    z, again = (LatentModel(m).latents(data, data.splits["test"]) for m in (method, mirrored))
    assert again == pytest.approx(z, abs=1e-3)
    assert carried_change(run, 2).matrix == pytest.approx(-carried.matrix, abs=1e-4)
    run.write_model(mirrored)
    assert axis_names(run, 2).keys() == axis_names(trained, 2).keys()


def test_axes_as_trained_stay_and_say_their_direction(trained):
    data, method = trained.load_dataset(), trained.load_method()
    mirror = turned(method, AxisChange(-np.eye(2), np.zeros(2), ""))
    directions = [name.direction for name in proposed_names(mirror, data) if name]
    assert directions and set(directions) == {-1}


def test_a_name_from_words_is_judged_by_those_of_both_poles(trained):
    terms = ItemTerms(trained.load_dataset())
    terms._sets = [("kale",), ("sugar",), ("kale", "sugar"), ()] + [()] * 996
    name = AxisName(0, "kale, spinach", 1, low="sugar")
    assert terms.property_of(name, np.arange(4)).tolist() == [1, -1, 0, 0]


def test_demo_runs_keep_the_names_that_hold_on_other_items(trained):
    before = axis_names(trained, 2)
    accept_names(trained, 2)
    for j, name in axis_names(trained, 2).items():
        assert name.proposed == (before[j].held_out.score < MIN_FACTOR)
