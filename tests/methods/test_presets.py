"""Presets: those of the registered data sets stay as they are, every other shape has one."""

import itertools
import json

import numpy as np
import pytest
import torch

from benchmarks.preset_choice import CHANGED, TODAY
from rivae.base.errors import DataError
from rivae.data import dataset_names
from rivae.models.presets import find_preset, preset_for, preset_names, trains_as_batch
from rivae.models.presets.by_shape import PICTURES, VECTORS, by_shape
from rivae.models.registry import METHODS, method_config
from tests.conftest import ROOT

# Every setting of a preset, its own defaults included: "*" is its value where no data set is named.
# Whoever changes a preset on purpose changes the line there and says so: results of before are of
# other settings. A method or data set that the file does not name is not compared.
WRITTEN = json.loads((ROOT / "tests" / "methods" / "presets.json").read_text())
PLACES = {**WRITTEN["data"], **WRITTEN["shapes"]}


def complete(method, preset):
    """ "method.joint_epochs" and the like with their values, as JSON has them."""
    return {
        f"{part}.{name}": value
        for part, settings in (
            ("method", method_config(method, preset.method).model_dump(mode="json")),
            ("dataset", preset.dataset),
            ("training", preset.training),
        )
        for name, value in settings.items()
    }


def at_place(place, monkeypatch):
    """The arguments of ``find_preset`` for a data set, or for one whose items have these shapes."""
    if place in WRITTEN["data"]:
        return PLACES[place]
    of_shape = by_shape(*map(tuple, PLACES[place]))
    monkeypatch.setattr("rivae.models.presets._of_data", lambda name, data: of_shape)
    return "synth", {}


@pytest.mark.parametrize("place", PLACES)
def test_a_preset_changes_only_on_purpose(place, monkeypatch):
    dataset, data = at_place(place, monkeypatch)
    changed = []
    for names, rows in WRITTEN["presets"].items():
        method, preset = names.split(", ")
        said = complete(method, find_preset(dataset, method, preset, data))
        for name in {**said, **rows}:
            now, row = said.get(name, "-"), rows.get(name, {"*": "not in the file"})
            if now != (before := row.get(place, row["*"])):
                changed.append(f"{names}, {name}: {before} -> {now}")
    assert not changed, "\n".join(["", *changed])


@pytest.mark.parametrize("method", METHODS)
def test_no_setting_is_given_in_every_preset_of_a_method(method):
    """What all of them would say is said once, as the default of its class."""
    given = []
    for place, preset in itertools.product(PLACES, preset_names()):
        with pytest.MonkeyPatch.context() as patch:
            dataset, data = at_place(place, patch)
            given.append(set(find_preset(dataset, method, preset, data).method))
    assert set.intersection(*given) == set()


def test_data_without_presets_of_their_own_have_the_defaults_of_the_class():
    for method, preset in itertools.product(METHODS.first, preset_names()):
        said = preset_for(by_shape(VECTOR, VECTOR), method, preset).method
        sizes = {"n_components", "dim_v", "embedder", "network", "hidden"}
        assert not sizes & set(said), "the networks are those of vectors"
        rates = {"learning_rate", "init_learning_rate", "epochs", "joint_epochs"}
        assert preset == "paper" or not rates & set(said)


def test_what_data_of_another_package_say_goes_before_their_shape(monkeypatch):
    own = {
        "default": {"all": {"dim_v": 7}, "rivae": {"lambda_reg": 3.0}, "training": {"patience": 4}},
        "paper": {"dataset": {"image_size": 64}},
    }
    monkeypatch.setattr("rivae.data.registry.DATASETS", {"split-digits": Says(own)}, raising=False)
    made = {
        names: find_preset("split-digits", *names)
        for names in itertools.product(("rivae", "dcca"), preset_names())
    }
    monkeypatch.undo()
    for (method, preset), said in made.items():
        usual = find_preset("split-digits", method, preset)
        other = {key for key in said.method if said.method[key] != usual.method.get(key)}
        wanted = {"dim_v"} if preset == "default" else set()
        assert other == wanted | (
            {"lambda_reg"} if (method, preset) == ("rivae", "default") else set()
        )
    assert made["dcca", "default"].training == {"patience": 4}
    assert made["dcca", "paper"].dataset == {"image_size": 64}


class Says:
    """A data set with presets of its own."""

    def __init__(self, presets):
        self.presets = presets


# RIVAE's stages, and what the others call theirs.
STAGES = {
    "init_epochs": ("init_epochs",),
    "ivae_epochs": ("model_epochs", "g_epochs"),
    "joint_epochs": ("joint_epochs",),
}


COMPARED = {names.split(", ")[0] for names in WRITTEN["presets"]} - {"rivae"}


def chosen_otherwise(dataset):
    """The methods whose preset is not the same care, because the validation table says so."""
    named = CHANGED.get(dataset.removesuffix("-hard"), {})  # it keeps what Sprites has
    return {method for method, settings in named.items() if TODAY in settings}


@pytest.mark.parametrize("dataset", [name for name in dataset_names() if name != "recipe1m"])
def test_every_method_has_the_same_care(dataset):
    lead = method_config("rivae", find_preset(dataset, "rivae", "default").method).model_dump()
    for method in COMPARED - chosen_otherwise(dataset):
        own = find_preset(dataset, method, "default").method
        known = method_config(method, own).model_dump()
        assert known["schedule"] == "cosine"
        if METHODS[method].has_latent and lead["axes"] in ("independent", "words"):
            assert known["axes"] in (lead["axes"], "independent")
        heads = {tuple(known[key]) for key in ("head_hidden", "g_hidden") if key in known}
        assert heads <= {tuple(lead["head_hidden"])}
        for stage, names in STAGES.items():
            for name in names:
                assert known.get(name, np.inf) >= lead[stage], (method, name)
        if "epochs" not in known:
            continue
        # One stage: of a model on other embeddings, or of everything.
        first = "ivae_epochs" if method == "bi-vae-on-v" else "init_epochs"
        begun = 0 if lead["init"] == "contrast" else lead[first]  # a contrast counts steps
        assert known["epochs"] >= begun + lead["joint_epochs"], method


VECTOR, SIGNAL, DIGIT = (6,), (40, 9), (1, 8, 4)
PHOTOGRAPH, WIDE, ODD = (3, 96, 96), (3, 64, 128), (3, 65, 65)


@pytest.mark.parametrize(
    ("shapes", "kinds"),
    [
        ((VECTOR, VECTOR), ("mlp", "mlp")),
        ((SIGNAL, VECTOR), ("mlp", "mlp")),
        ((DIGIT, DIGIT), ("mlp", "mlp")),
        ((DIGIT, VECTOR), ("mlp", "mlp")),
        ((ODD, ODD), ("mlp", "mlp")),
        ((PHOTOGRAPH, (400,)), ("small-resnet", "mlp")),
        (((400,), PHOTOGRAPH), ("mlp", "small-resnet")),
        ((PHOTOGRAPH, WIDE), ("small-resnet", "small-resnet")),
        (((1, 36, 36), (1, 36, 36)), ("small-resnet", "small-resnet")),
    ],
)
def test_every_shape_has_networks_that_take_it(monkeypatch, shapes, kinds):
    monkeypatch.setattr("rivae.models.presets._of_data", lambda name, data: by_shape(*shapes))
    for method, preset in itertools.product(tuple(METHODS), preset_names()):
        found = find_preset("synth", method, preset).method
        config = method_config(method, found)
        with torch.device("meta"):
            built = METHODS[method](config, *shapes)
        assert sum(stage.epochs for stage in built.stages()) > 10
        if "embedder2" in type(config).model_fields:
            second = config.embedder2 or config.embedder
            assert (config.embedder.kind, second.kind) == kinds


def test_bi_vae_averages_large_pictures():
    def downsample(*shapes):
        return by_shape(*shapes)["default"].get("bi-vae", {}).get("downsample", 1)

    assert downsample(DIGIT, DIGIT) == 1 and downsample(PHOTOGRAPH, (400,)) == 1
    assert downsample(PHOTOGRAPH, PHOTOGRAPH) == 4
    assert downsample((3, 36, 36), PHOTOGRAPH) == 4, "36 can be halved twice"
    assert downsample((3, 512, 512), (3, 512, 512)) == 8


def test_the_shape_is_asked_where_a_data_set_has_no_file(monkeypatch):
    asked = []

    def shapes(name, settings):
        asked.append((name, settings))
        return PHOTOGRAPH, (settings["words"],)

    monkeypatch.setattr("rivae.models.presets.item_shapes", shapes)
    data = {"words": 50, "split_seed": 123}
    first, again = (find_preset("split-digits", "rivae", "default", data) for _ in range(2))
    assert asked == [("split-digits", data)], "once: a data set may have to be loaded for it"
    assert first.method["dim_v"] == PICTURES["default"]["all"]["dim_v"] and first == again
    assert find_preset("synth", "rivae", "default", data).method["dim_v"] == 3
    # What is not here yet can be chosen all the same.
    monkeypatch.setattr("rivae.models.presets.item_shapes", _not_here)
    elsewhere = find_preset("split-digits", "rivae", "default", {"split_seed": 124})
    assert elsewhere == preset_for(VECTORS, "rivae")


def _not_here(name, settings):
    raise DataError(f"{name} is not here")


def test_a_batch_of_seeds_wants_small_known_networks():
    assert trains_as_batch(find_preset("synth", "rivae", "default").method)
    assert not trains_as_batch(find_preset("sprites", "rivae", "default").method)
    assert not trains_as_batch({"epochs": 3})


# The supplement's numbers for Recipe1M (its sections on networks and on optimisation).
WORDS_AND_PICTURES = {"dim_v": 1024, "shared": True, "n_components": 30}
START_OF_ALL = {"init": "cos-sim-lvm", "init_epochs": 30}
SUPPLEMENT = {
    "rivae": {
        **WORDS_AND_PICTURES,
        **START_OF_ALL,
        "head_hidden": (100,),
        "ivae_epochs": 20,
        "learning_rate": 1e-3,
        "milestones": ((10, 0.1), (40, 0.1)),  # epochs 30 and 60, 20 of which are of stage 1
        "mismatches": "hardest",
        "lambda_reg": 0.1,
        "eta": (1e-3, 1e-3),
        "n_mismatches": 1,
    },
    "rbi-vae": {
        **WORDS_AND_PICTURES,
        **START_OF_ALL,
        "form": "linear",
        "gamma": 100.0,
        "discriminator_hidden": (100,) * 6,
        "lambda_reg": 0.1,
    },
    "dcca": {**WORDS_AND_PICTURES, **START_OF_ALL, "g_hidden": (100,)},
    "bi-vae-on-v": {**WORDS_AND_PICTURES, **START_OF_ALL},
    "cos-sim-lvm": {**WORDS_AND_PICTURES, "n_mismatches": 1, "loss_form": "hinge"},
}


@pytest.mark.parametrize("method", SUPPLEMENT)
def test_the_paper_preset_of_pairs_has_the_supplements_numbers(method):
    found = find_preset("pairs", method, "paper")
    settings = method_config(method, found.method).model_dump()
    wanted = SUPPLEMENT[method]
    assert {name: settings[name] for name in wanted} == wanted
    assert settings["embedder"]["kind"] == "resnet50-attention"
    assert settings["embedder2"]["kind"] == "recipe-rnn"
    assert (settings["embedder2"]["rnn_size"], settings["embedder2"]["word_dim"]) == (300, 300)
    if "cos_sim" in settings:  # one random mismatch per pair, also in the start
        assert settings["cos_sim"]["n_mismatches"] == 1
        assert settings["cos_sim"]["loss_form"] == "hinge"
