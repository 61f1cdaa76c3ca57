"""Configurations: complete, bounded, and wrong ones explained in one sentence."""

import json

import pytest

from rivae.base.config import RunConfig, parse_config, training_config
from rivae.base.errors import ConfigError
from rivae.jobs.launch import make_config


def test_a_configuration_survives_json():
    config = make_config("synth", name="a", seed=3, training={"patience": 4})
    assert parse_config(json.dumps(config.model_dump(mode="json")), "x") == config
    assert config.schema_version == 1 and config.training.patience == 4


def test_settings_are_complete():
    config = make_config("synth", "rivae", "paper", name="a", method_settings={"lambda_reg": 0.5})
    settings = config.method.settings
    assert settings["lambda_reg"] == 0.5 and settings["reg_form"] == "literal"
    assert settings["cos_sim"]["margin"] == 0.3 and settings["embedder"]["hidden"] == [25]
    assert config.method.preset == "paper" and config.training.clip_norm is None


@pytest.mark.parametrize(
    "name", ["cos_sim.temperature", "embedder.input_dropout", "contrast.temperature"]
)
def test_a_part_of_a_setting_changes_alone(name):
    setting, part = name.split(".")
    before = make_config("kitchen", name="a").method.settings
    after = make_config("kitchen", name="a", method_settings={name: 0.37}).method.settings
    assert after == before | {setting: before[setting] | {part: 0.37}}
    assert before[setting][part] != 0.37


@pytest.mark.parametrize("name", ["eta.first", "nothing.part", "embedder.nothing"])
def test_a_part_that_is_not_there_is_said(name):
    with pytest.raises(ConfigError, match=name):
        make_config("kitchen", name="a", method_settings={name: 1})


def test_paths_are_kept_absolute(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    config = make_config("split-mnist", name="a", dataset_settings={"folder": "mnist"})
    assert config.dataset.settings["folder"] == str(tmp_path / "mnist")
    home = make_config("sprites", name="a", dataset_settings={"path": "~/x.npz"})
    assert home.dataset.settings["path"].startswith("/")


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ({"dataset": "imagenet"}, "no data set 'imagenet': choose one of synth, synth-modulated"),
        ({"method": "gan"}, "there is no method 'gan'"),
        ({"preset": "best"}, "no preset 'best': choose default or paper"),
        ({"name": "My Run"}, "'My Run' cannot name a run: use at most 80 of a-z, 0-9"),
        ({"name": "a/b"}, "'a/b' cannot name a run"),
        ({"name": ".hidden"}, "cannot name a run"),
        ({"name": "a\n"}, "cannot name a run"),
        ({"seed": 2**31}, "setting 'seed' of the run: input should be less than"),
        ({"training": {"epochs": 3}}, "training has no setting 'epochs': choose from device"),
        ({"training": {"device": "gpu"}}, "'gpu'.* cpu, cuda or"),
        ({"training": {"patience": 0}}, "'patience' of training: input should be greater"),
        ({"training": {"clip_norm": float("nan")}}, "'clip_norm' of training"),
        ({"method_settings": {"axis": 1}}, "rivae has no setting 'axis'"),
        ({"method_settings": {"axis_reach": 1e-320}}, "'axis_reach' of rivae: 9.99989e-321 is too"),
        ({"method_settings": {"eta": [1e-320, 1]}}, "rivae: 9.99989e-321 is too close to 0"),
        ({"method_settings": {"learning_rate": 1e300}}, "rivae: .* is too large: choose"),
        ({"training": {"clip_norm": 1e-320}}, "training: 9.99989e-321 is too close to 0: choose"),
    ],
    ids=lambda value: str(value) if isinstance(value, dict) else "",
)
def test_wrong_ones_are_explained_in_one_sentence(arguments, reason):
    with pytest.raises(ConfigError, match=reason) as error:
        make_config(**{"dataset": "synth", "name": "a", **arguments})
    assert "\n" not in str(error.value).replace("a\n", "a")


def test_a_configuration_cannot_be_changed():
    config = make_config("synth", name="a")
    with pytest.raises(ValueError, match="frozen"):
        config.seed = 4
    assert training_config({}).select == "last"
    assert RunConfig(name="a", dataset={"name": "synth"}).method.name == "rivae"
