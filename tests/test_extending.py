"""A new data set is one file, and a new method is: then everything trains with it.

Neither has a preset file. Both are those that ``docs/extending.md`` prints.
"""

import pytest

from rivae.app.forms.draft import Draft, check
from rivae.app.forms.fields import all_fields, stage_lengths
from rivae.app.forms.sweep import runs_of
from rivae.base.errors import ConfigError
from rivae.data import load_dataset
from rivae.data.names import DATASETS
from rivae.exploring.explorer import Explorer
from rivae.jobs.launch import make_config, train
from rivae.models.presets import find_preset
from rivae.models.registry import METHODS
from tests.documented import added, example


@pytest.fixture
def waves(tmp_path):
    """The data set of the documentation: a file beside the others."""
    with added(DATASETS, "file", "waves", example("A data set"), tmp_path):
        yield


@pytest.fixture
def nearest(tmp_path):
    """The method of the documentation, registered as a notebook does."""
    with added(METHODS, "registered", "nearest", example("A method"), tmp_path):
        yield


def trained(method, folder):
    """One short run: a few epochs of every stage, presets for all the rest."""
    lengths = dict.fromkeys(stage_lengths(method), 2)
    config = make_config(
        "waves",
        method,
        name=method,
        dataset_settings={"n_pairs": 60},
        method_settings=lengths,
        training={"checkpoint_seconds": 60, "validate_every": 1},
    )
    (run,) = train([config], folder)
    return run


@pytest.mark.slow
def test_every_method_trains_on_a_new_data_set(waves, tmp_path):
    for method in METHODS:
        run = trained(method, tmp_path / "runs")
        assert run.status.state == "finished", method
        explorer = Explorer.open(run)
        hits = explorer.topk(explorer.encode(explorer.search_rows[0]), k=3)
        assert len(hits.ids) == 3 and set(hits.ids) <= set(explorer.search_rows), method
    with pytest.raises(ConfigError, match="'n_pairs' of waves: input should be greater"):
        load_dataset("waves", n_pairs=2)


def test_a_new_method_trains_on_a_new_data_set(waves, nearest, tmp_path):
    run = trained("nearest", tmp_path / "runs")
    assert run.status.state == "finished"
    losses = [row["objective"] for row in run.log.rows() if "objective" in row]
    assert losses[-1] < losses[0]


def test_both_have_presets_and_a_form_without_a_file(waves, nearest):
    assert not find_preset("waves", "nearest", "default").method, "its own defaults stay"
    settings = find_preset("sprites", "nearest", "default").method
    assert settings["dim_v"] == find_preset("sprites", "rivae", "default").method["dim_v"]
    assert settings["learning_rate"] == 2e-3 and "push" not in settings, "its own default stays"
    assert "n_components" not in settings and "temperature" not in settings
    for method in METHODS:
        for preset in ("default", "paper"):
            checked = check(Draft("waves", method, preset))
            assert not checked.troubles and not checked.changed
    fields = {field.path: field for field in all_fields("waves", "nearest")}
    assert fields["dataset.n_pairs"].help == "number of pairs"
    assert fields["dataset.n_pairs"].bounds == "of at least 30"
    assert fields["method.push"].group == "Loss weights"
    wrong = check(Draft("waves", "nearest", entries={"dataset.n_pairs": "2", "method.push": "-1"}))
    assert set(wrong.troubles) == {"dataset.n_pairs", "method.push"}
    (config,) = runs_of(Draft("waves", "nearest", entries={"dataset.n_pairs": "90"}))
    assert config.dataset.settings == {"n_pairs": 90} and config.name == "waves-nearest-s0"
    assert METHODS["nearest"].axis_names(2) == ["v1", "v2"]
