"""Settings read from the schema, their values as text, drafts and sweeps."""

import itertools
from typing import Literal

import pytest
from pydantic import Field

from rivae.app.forms.draft import Draft, check, draft_of
from rivae.app.forms.field_text import expected, text_of, value_of, values_of
from rivae.app.forms.fields import (
    GROUPS,
    _of_model,
    all_fields,
    dataset_fields,
    method_fields,
    stage_lengths,
    training_fields,
)
from rivae.app.forms.sweep import MAX_RUNS, open_datasets, runs_of
from rivae.base.config import read_config
from rivae.base.errors import ConfigError, DataError
from rivae.cli.demo import DEMOS as MADE_AS
from rivae.data import dataset_names, settings_class
from rivae.jobs.launch import make_config
from rivae.models.base import MethodConfig
from rivae.models.presets import preset_names
from rivae.models.registry import METHODS, method_config
from rivae.models.settings import NETWORK, WEIGHT
from tests.conftest import ROOT

DEMOS = sorted((ROOT / "assets" / "demo").glob("*/config.json"))
COMBINATIONS = list(itertools.product(dataset_names(), tuple(METHODS), preset_names()))


def found(fields):
    return {field.label: field for field in fields}


# The schema


class Inner(MethodConfig):
    width: int = Field(default=3, ge=1, le=9)


class New(MethodConfig):
    """A method of tomorrow."""

    warm_up_epochs: int = Field(default=7, ge=0, description="before all")
    lambda_new: float = Field(default=0.5, ge=0)
    g_hidden: tuple[int, ...] = (8, 8)
    way: Literal["a", "b"] = "b"
    inner: Inner | None = None
    nets: Inner | None = Field(default=None, json_schema_extra=NETWORK)
    push: float = Field(default=1.0, title="Push", json_schema_extra=WEIGHT)
    odd: dict[str, int] = {}
    needed: float | None


def test_a_new_setting_appears_by_itself():
    fields = found(_of_model("method", New))
    shown = {name: (field.group, field.kind) for name, field in fields.items()}
    assert shown == {
        "warm_up_epochs": ("Stage lengths", "whole"),
        "lambda_new": ("Loss weights", "number"),
        "g_hidden": ("Networks", "numbers"),
        "way": ("Other", "choice"),
        "inner": ("Other", "part"),
        "inner.width": ("Other", "whole"),
        "nets": ("Networks", "part"),
        "nets.width": ("Networks", "whole"),
        "push": ("Loss weights", "number"),
        "odd": ("Other", "json"),
        "needed": ("Other", "number"),
    }
    assert fields["warm_up_epochs"].help == "before all" and fields["warm_up_epochs"].default == 7
    assert "whole" in (wanted := expected(fields["inner.width"])) and wanted.endswith("1 to 9")
    assert fields["inner"].inside == {"width": 3} and fields["needed"].optional
    assert value_of(fields["odd"], '{"a": 1}') == {"a": 1}
    assert fields["warm_up_epochs"].title == "Warm up epochs", "a title of its own says it better"
    assert fields["inner.width"].above == fields["inner"].title == "Inner"


@pytest.mark.parametrize("method", tuple(METHODS))
def test_every_setting_of_a_method_is_a_field(method):
    names = {field.label.partition(".")[0] for field in method_fields(method)}
    assert names == set(METHODS[method].config_class.model_fields)
    assert stage_lengths(method), "no method trains without epochs"
    assert all(field.group in GROUPS for field in all_fields("synth", method))


def test_data_sets_tell_their_settings():
    synth = found(dataset_fields("synth"))
    assert synth["factor_distribution"].choices == ("gaussian", "uniform", "laplace")
    assert synth["n_pairs"].default == 3000 and "number of pairs" in synth["n_pairs"].help
    assert found(dataset_fields("split-mnist"))["folder"].is_path
    assert "device" not in found(training_fields()), "it is chosen with the machine's slots"


@pytest.mark.parametrize("method", tuple(METHODS))
def test_every_setting_has_a_title_and_a_line_of_help(method):
    for dataset in dataset_names():
        for field in all_fields(dataset, method):
            assert 0 < len(field.title) <= 26, (field.path, field.title)
            said = field.kind == "part" or field.help
            assert said or method not in METHODS.first, field.path
            assert field.label.count(".") == bool(field.above), "its part has a title too"


def test_the_joint_stage_comes_last():
    epochs = [f.label for f in all_fields("synth", "rivae") if f.group == "Stage lengths"]
    assert epochs == ["init_epochs", "unfold_epochs", "ivae_epochs", "joint_epochs"]


# Values as text


@pytest.mark.parametrize(
    ("setting", "text", "value"),
    [
        ("joint_epochs", " 40 ", 40),
        ("lambda_reg", "1e-3", 0.001),
        ("lambda_reg", "2", 2),
        ("joint_learning_rate", "", None),
        ("head_hidden", "[8, 16]", [8, 16]),
        ("head_hidden", "", []),
        ("eta", "0.3,0.1", [0.3, 0.1]),
        ("shared", "Yes", True),
        ("milestones", "15: 0.5, 45:0.1", [[15, 0.5], [45, 0.1]]),
        ("init", "smooth", "smooth"),
        ("anchor", "", None),
        ("embedder2", "no", False),
    ],
)
def test_text_is_read(setting, text, value):
    field = found(method_fields("rivae"))[setting]
    assert value_of(field, text) == value
    if value != []:
        assert value_of(field, text_of(value)) == value, "and written so that it is read again"


@pytest.mark.parametrize(
    ("setting", "text"),
    [
        ("joint_epochs", "1.5"),
        ("joint_epochs", ""),
        ("joint_epochs", "1_000"),
        ("joint_epochs", "nan"),
        ("lambda_reg", "x"),
        ("lambda_reg", "inf"),
        ("eta", "0.3"),
        ("eta", "1, 2, 3"),
        ("head_hidden", "8 16"),
        ("milestones", "15"),
        ("shared", "maybe"),
        ("milestones", "1:2:3"),
        ("init", "elsewhere"),
        ("lambda_reg", "9" * 5000),
    ],
)
def test_bad_text_is_one_sentence(setting, text):
    with pytest.raises(ConfigError) as error:
        value_of(found(method_fields("rivae"))[setting], text)
    assert setting in str(error.value) and len(str(error.value)) < 250


def test_several_values():
    fields = found(method_fields("rivae"))
    assert values_of(fields["lambda_reg"], "0.1, 1,10") == [0.1, 1, 10]
    assert values_of(fields["eta"], "1, 1; 0.3, 0.1") == [[1, 1], [0.3, 0.1]]
    for text in ("", " , ", "1, 1.0", "1, x"):
        with pytest.raises(ConfigError, match="lambda_reg"):
            values_of(fields["lambda_reg"], text)


# Drafts


@pytest.mark.parametrize(("dataset", "method", "preset"), COMBINATIONS)
def test_a_draft_of_a_preset_is_the_preset(dataset, method, preset):
    draft = Draft(dataset, method, preset)
    checked = check(draft)
    assert not checked.changed and not checked.troubles
    (config,) = runs_of(draft)
    assert config == make_config(dataset, method, preset, name=config.name)
    typed = Draft(dataset, method, preset, entries=checked.texts)
    assert not check(typed).changed, "what is shown reads back to what it is"
    assert not draft_of(config).entries


@pytest.mark.parametrize(
    ("entries", "where"),
    [
        ({"method.lambda_reg": "-1"}, "method.lambda_reg"),
        ({"method.lambda_reg": "much"}, "method.lambda_reg"),
        ({"method.embedder.hidden": "9000"}, "method.embedder.hidden"),
        ({"method.embedder2": "yes", "method.embedder2.dropout": "1"}, "method.embedder2.dropout"),
        ({"method.milestones": "-1: 0.5"}, "method.milestones"),
        ({"training.validate_every": "0"}, "training.validate_every"),
        ({"dataset.n_pairs": "many"}, "dataset.n_pairs"),
        ({"method.init": "cos-sim-lvm", "method.anchor": "1, 1"}, ""),
    ],
)
def test_what_is_wrong_is_said_where_it_is(entries, where):
    draft = Draft(entries=entries)
    checked = check(draft)
    assert list(checked.troubles) == [where]
    assert where == "" or checked.texts[where] == entries[where], "nothing typed is lost"
    with pytest.raises(ConfigError) as error:
        runs_of(draft)
    assert str(error.value) == checked.troubles[where]


def test_a_draft_goes_there_and_back():
    config = make_config(
        "synth",
        "rivae",
        "paper",
        name="old",
        seed=4,
        dataset_settings={"n_pairs": 300},
        method_settings={"lambda_reg": 0.7, "embedder2": {"hidden": [9]}, "head_hidden": [5]},
        training={"clip_norm": 3.0, "patience": 9},
    )
    draft = draft_of(config)
    assert draft.entries == {
        "method.embedder2": "yes",
        "method.embedder2.hidden": "9",
        "method.head_hidden": "5",
        "method.lambda_reg": "0.7",
        "dataset.n_pairs": "300",
        "training.clip_norm": "3",
        "training.patience": "9",
    }
    assert runs_of(draft) == [config]
    other = draft.take_back("method.lambda_reg", "method.embedder2")
    (changed,) = runs_of(other)
    assert changed.method.settings["embedder2"] is None, "its hidden layers mean nothing then"
    assert changed.method.settings["lambda_reg"] == 0.1


@pytest.mark.parametrize("path", DEMOS, ids=lambda path: path.parent.name)
def test_a_demo_run_can_be_trained_again_as_it_was(path):
    """Written by older versions, which knew fewer settings."""
    config = read_config(path)
    complete = method_config(config.method.name, config.method.settings)
    (again,) = runs_of(draft_of(config))
    assert again.method.settings == complete.model_dump(mode="json")
    assert again.training == config.training
    (asked, built) = (
        settings_class(config.dataset.name).model_validate(found.dataset.settings)
        for found in (config, again)
    )
    assert asked == built


@pytest.mark.parametrize("path", DEMOS, ids=lambda path: path.parent.name)
def test_what_is_compared_in_the_demo_runs_is_of_todays_presets(path):
    """Which give every method the same care."""
    config = read_config(path)
    complete = method_config(config.method.name, config.method.settings).model_dump(mode="json")
    today = make_config(*MADE_AS[config.name], name=config.name)
    if config.name == "demo-digits":  # compared with nothing, and links to its z are kept
        assert complete.pop("reg_every") == 1 and today.method.settings.pop("reg_every") == 4
    assert complete == today.method.settings
    assert config.training == today.training


def test_features_choose_other_networks():
    (config,) = runs_of(Draft("pairs", "rivae", entries={"dataset.features": "clip"}))
    assert config.method.settings["embedder"]["kind"] == "mlp"
    assert draft_of(config).entries == {"dataset.features": "clip"}


# Sweeps


def names(draft, *taken):
    return [config.name for config in runs_of(draft, lambda name: name in taken)]


def test_values_times_seeds():
    draft = Draft(seeds="0-1", sweep="method.lambda_reg", values="0, 0.1")
    assert names(draft) == [
        "synth-rivae-lambda_reg-0-s0",
        "synth-rivae-lambda_reg-0-s1",
        "synth-rivae-lambda_reg-0.1-s0",
        "synth-rivae-lambda_reg-0.1-s1",
    ]
    configs = runs_of(draft)
    assert [config.method.settings["lambda_reg"] for config in configs] == [0, 0, 0.1, 0.1]
    assert [config.seed for config in configs] == [0, 1, 0, 1]
    assert names(Draft(name="mine", sweep="method.eta", values="1, 1; 0.3, 0.1")) == [
        "mine-eta-1_1",
        "mine-eta-0.3_0.1",
    ]
    assert names(Draft(name="mine", sweep="dataset.g_seed", values="3;4", seeds="7"))[1] == (
        "mine-g_seed-4"
    )


def test_names_are_free_or_refused():
    assert names(Draft(seeds="0-1"), "synth-rivae-s1") == ["synth-rivae-2-s0", "synth-rivae-2-s1"]
    with pytest.raises(ConfigError, match="mine-s1 already exists"):
        names(Draft(name="mine", seeds="0-1"), "mine-s1")
    with pytest.raises(ConfigError, match="cannot name a run"):
        names(Draft(name="Not a name"))


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"seeds": "many"}, "names no seeds"),
        ({"seeds": f"0-{MAX_RUNS}"}, "more than the 200"),
        ({"seeds": "0-99", "sweep": "method.lambda_reg", "values": "1,2,3"}, "300 runs are more"),
        ({"sweep": "method.lambda_reg", "values": ""}, "give the values of lambda_reg"),
        ({"sweep": "method.lambda_reg", "values": "1, -1"}, "of at least 0"),
        ({"sweep": "method.gamma", "values": "1"}, "there is no setting 'gamma'"),
        ({"preset": "other"}, "there is no preset"),
        ({"dataset": "nothing"}, "there is no data set"),
        ({"method": "nothing"}, "there is no method"),
    ],
)
def test_what_cannot_be_queued(changes, said):
    with pytest.raises(ConfigError, match=said):
        runs_of(Draft(**changes))


def test_data_sets_are_opened_before_runs_are_queued(monkeypatch):
    monkeypatch.delenv("RIVAE_MNIST", raising=False)
    open_datasets(runs_of(Draft(entries={"dataset.n_pairs": "30"})))
    with pytest.raises(ConfigError, match="n_pairs must be"):
        open_datasets(runs_of(Draft(sweep="dataset.n_pairs", values="30, 3")))
    with pytest.raises(DataError, match="split-mnist needs the folder"):
        open_datasets(runs_of(Draft("split-mnist")))
