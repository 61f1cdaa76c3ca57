"""A new data set is one file and one line, a new method too: then everything trains with it.

Neither has a preset file. The data set is the one that ``docs/extending.md`` prints.
"""

import importlib
import re
import sys

import pytest

import rivae.data
import rivae.models.methods
from rivae.app.forms.draft import Draft, check
from rivae.app.forms.fields import all_fields, stage_lengths
from rivae.app.forms.sweep import runs_of
from rivae.base.errors import ConfigError
from rivae.data import load_dataset, registry
from rivae.exploring.explorer import Explorer
from rivae.jobs.launch import make_config, train
from rivae.models.methods import method_class, method_names
from rivae.models.presets import find_preset
from tests.conftest import ROOT

# The nearest thing to nothing: both items through a network each, and z is what comes out.
METHOD = '''
"""Nearest: embeddings whose pairs lie close together, and no latent."""

import torch
from pydantic import Field

from rivae.models.methods.base import Method, MethodConfig, ParamGroup, Stage, parameters_of
from rivae.models.nets.layers import FixedAffine
from rivae.models.nets.embedders import build_embedders
from rivae.models.nets.settings import EmbedderPair


class NearestConfig(EmbedderPair, MethodConfig):
    """Settings of Nearest."""

    dim_v: int = Field(default=3, ge=2, le=64, title="Width of V")
    epochs: int = Field(default=7, ge=0, le=1000)
    learning_rate: float = Field(default=0.5, gt=0)
    push: float = Field(default=0.25, ge=0, description="weight of what keeps items apart")
    axes: str = "as trained"


class Nearest(Method):
    """v1 close to v2, far from the others."""

    name, title, config_class, has_latent = "nearest", "Nearest", NearestConfig, False

    def __init__(self, config, shape1, shape2, n_models=None):
        super().__init__()
        self.config = config
        self.n_components = self.dim_v = config.dim_v
        self.embedder1, self.embedder2 = build_embedders(
            shape1, shape2, config.dim_v, config, n_models
        )
        self.out = FixedAffine(config.dim_v, config.dim_v, n_models)

    def stages(self):
        return (Stage("nearest", self.config.epochs, self.config.learning_rate),)

    def param_groups(self, stage):
        return [ParamGroup(parameters_of(self))]

    def loss(self, batch):
        v1, v2 = self.embed_query(batch.x1), self.embed_target(batch.x2)
        near = ((v1 - v2) ** 2).sum(-1).mean(-1)
        apart = (v1.mean(-2) ** 2).sum(-1)
        return {"objective": near + self.config.push * apart, "near": near, "apart": apart}

    def embed_query(self, x1):
        return self.embedder1(x1)

    def embed_target(self, x2):
        return self.embedder2(x2)

    def encode_v(self, v1):
        return v1, torch.full_like(v1, -12.0)

    def hidden(self, z):
        return z

    def output_layer(self):
        return self.out.weight, self.out.bias

    def score(self, z, squared_distance):
        return -squared_distance
'''


@pytest.fixture
def waves(tmp_path, monkeypatch):
    """The data set of the documentation: a file beside the others, and a line in the registry."""
    text = (ROOT / "docs" / "extending.md").read_text()
    code = re.search(r"```python\n(.*?)```", text, re.DOTALL)[1]
    yield from _added(rivae.data, registry._MODULES, "waves", code, tmp_path, monkeypatch)


@pytest.fixture
def nearest(tmp_path, monkeypatch):
    """A method: a file beside the others, and a line in the registry."""
    classes = rivae.models.methods._CLASSES
    for _ in _added(rivae.models.methods, classes, "nearest", METHOD, tmp_path, monkeypatch):
        classes["nearest"] = importlib.import_module("rivae.models.methods.nearest").Nearest
        yield


def _added(package, names, name, code, tmp_path, monkeypatch):
    folder = tmp_path / package.__name__
    folder.mkdir()
    (folder / f"{name}.py").write_text(code)
    monkeypatch.setattr(package, "__path__", [*package.__path__, str(folder)])
    monkeypatch.setitem(names, name, name)
    yield
    sys.modules.pop(f"{package.__name__}.{name}", None)
    vars(package).pop(name, None)


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
    for method in method_names():
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
    settings = find_preset("waves", "nearest", "default").method
    assert settings["dim_v"] == find_preset("waves", "rivae", "default").method["dim_v"]
    assert settings["learning_rate"] == 1e-3 and "push" not in settings, "its own default stays"
    assert "n_components" not in settings and "temperature" not in settings
    for method in method_names():
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
    assert method_class("nearest").axis_names(2) == ["v1", "v2"]
