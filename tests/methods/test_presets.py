"""Presets: those of the registered data sets stay as they are, every other shape has one."""

import hashlib
import itertools
import json

import numpy as np
import pytest
import torch

from benchmarks.preset_choice import CHANGED, TODAY
from rivae.base.errors import DataError
from rivae.data import dataset_names
from rivae.models.presets import find_preset, preset_names, trains_as_batch
from rivae.models.presets.by_shape import PICTURES, VECTORS, by_shape
from rivae.models.registry import METHODS, method_config

# Of all methods, both presets, with and without embeddings from elsewhere. Whoever changes a
# preset on purpose puts the new digest here and says so: results of before are of other settings.
DIGESTS = {
    "synth": "c5e10d82dc39",
    "synth-modulated": "bc782e34e7af",
    "sprites": "eaf44709af60",
    "sprites-hard": "239e5f5a969e",
    "split-digits": "a86dc82ebe7b",
    "split-mnist": "c7fe160447e4",
    "kitchen": "c4de9b00e78c",
    "pairs": "720e1b65a752",
}


@pytest.mark.parametrize("dataset", dataset_names())
def test_a_preset_changes_only_on_purpose(dataset):
    found = [
        vars(find_preset(dataset, *names, {"features": features}))
        for *names, features in itertools.product(tuple(METHODS), preset_names(), ("", "own"))
    ]
    text = json.dumps(found, sort_keys=True)
    assert hashlib.sha256(text.encode()).hexdigest()[:12] == DIGESTS[dataset]


# RIVAE's stages, and what the others call theirs.
STAGES = {
    "init_epochs": ("init_epochs",),
    "ivae_epochs": ("model_epochs", "g_epochs"),
    "joint_epochs": ("joint_epochs",),
}


def chosen_otherwise(dataset):
    """The methods whose preset is not the same care, because the validation table says so."""
    named = CHANGED.get(dataset.removesuffix("-hard"), {})  # it keeps what Sprites has
    return {method for method, settings in named.items() if TODAY in settings}


@pytest.mark.parametrize("dataset", [name for name in dataset_names() if name != "recipe1m"])
def test_every_method_has_the_same_care(dataset):
    lead = find_preset(dataset, "rivae", "default").method
    for method in set(METHODS) - {"rivae"} - chosen_otherwise(dataset):
        own = find_preset(dataset, method, "default").method
        known = method_config(method, own).model_dump()
        assert known["schedule"] == "cosine"
        if METHODS[method].has_latent and lead.get("axes") in ("independent", "words"):
            assert known["axes"] in (lead["axes"], "independent")
        heads = {tuple(known[key]) for key in ("head_hidden", "g_hidden") if key in known}
        assert heads <= {tuple(lead.get("head_hidden", (10, 10)))}
        for stage, names in STAGES.items():
            for name in names:
                assert own.get(name, np.inf) >= lead.get(stage, 0), (method, name)
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
        if method != "bi-vae":
            second = config.embedder2 or config.embedder
            assert (config.embedder.kind, second.kind) == kinds


def test_bi_vae_averages_large_pictures():
    def downsample(*shapes):
        return by_shape(*shapes).default["bi-vae"].get("downsample", 1)

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
    assert first.method["dim_v"] == PICTURES.networks["dim_v"] and first == again
    assert find_preset("synth", "rivae", "default", data).method["dim_v"] == 3
    # What is not here yet can be chosen all the same.
    monkeypatch.setattr("rivae.models.presets.item_shapes", _not_here)
    elsewhere = find_preset("split-digits", "rivae", "default", {"split_seed": 124})
    assert elsewhere.method["dim_v"] == VECTORS.networks["dim_v"]


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
