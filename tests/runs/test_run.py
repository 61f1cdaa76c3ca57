"""One run folder: robust against damage, foreign files and hostile settings."""

import json

import pytest
import torch
from safetensors.torch import save_file

from rivae.base.config import MAX_CONFIG_BYTES
from rivae.base.errors import ConfigError, RunError
from rivae.models.old_defaults import OLD_DEFAULTS, with_old_defaults
from rivae.models.registry import method_config
from rivae.runs import Run
from rivae.runs.evaluation_file import AGAIN, Evaluation
from tests.training.tiny import tiny_config


def change_config(run, change):
    raw = json.loads((run.path / "config.json").read_text())
    change(raw)
    (run.path / "config.json").write_text(json.dumps(raw))
    return Run(run.path)


# A new folder.


def test_a_new_run_holds_its_configuration(tmp_path):
    config = tiny_config("new")
    run = Run.create(config, tmp_path / "deep" / "runs")
    assert Run(run.path).config == config and run.id == "new"
    assert run.status.state == "created" and run.status.started
    assert run.metrics() == [] and run.evaluation is None and not run.ready
    assert {path.name for path in run.path.iterdir()} == {
        "config.json",
        "status.json",
        "checkpoints",
    }
    assert [path.name for path in run.path.parent.iterdir()] == ["new"]


def test_settings_that_were_left_out_are_written_down(tmp_path):
    config = tiny_config("new", "dcca")
    few = config.method.model_copy(update={"settings": {"n_components": 2}})
    run = Run.create(config.model_copy(update={"method": few}), tmp_path)
    assert run.config.method.settings == method_config("dcca", {"n_components": 2}).model_dump(
        mode="json"
    )


def test_a_run_of_before_means_the_defaults_of_its_time(run):
    """Written without a rate, when DCCA's was 5e-3 and its networks had 25 units."""
    few = {"name": "dcca", "settings": {"n_components": 4, "cos_sim": {"margin": 0.2}}}
    kept = change_config(run, lambda raw: raw.update(method=few)).config.method.settings
    meant = method_config("dcca", kept)
    assert (meant.n_components, meant.dim_v, meant.learning_rate) == (4, 3, 5e-3)
    assert (meant.g_epochs, meant.joint_epochs) == (100, 300)
    assert (meant.embedder.hidden, meant.embedder.activation) == ((25,), "tanh")
    assert (meant.cos_sim.loss_form, meant.cos_sim.margin) == ("hinge", 0.2)


@pytest.mark.parametrize("name", OLD_DEFAULTS)
def test_old_defaults_are_settings_that_have_another_default_now(name):
    before, now = (method_config(name, s).model_dump() for s in (OLD_DEFAULTS[name], {}))
    assert {setting for setting in now if now[setting] != before[setting]} == set(
        OLD_DEFAULTS[name]
    )
    assert with_old_defaults(name, now) == now and with_old_defaults("own", {"a": 1}) == {"a": 1}


def test_a_name_is_taken_once(tmp_path):
    Run.create(tiny_config("new"), tmp_path)
    with pytest.raises(RunError, match=r"run named new .*--name.* resume"):
        Run.create(tiny_config("new", seed=1), tmp_path)
    assert Run(tmp_path / "new").config.seed == 0
    assert len(list(tmp_path.iterdir())) == 1


def test_a_folder_that_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(RunError, match=r"cannot write runs to .*file"):
        Run.create(tiny_config("new"), tmp_path / "file")


# Reading damaged folders.


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("{", "config.json is not valid JSON: restore it or delete the run"),
        ("[" * 100_000, "config.json is not valid JSON"),
        ("\xff\xfe\xfd", "config.json is not valid JSON"),
        ("[]", "settings of config.json: input should be a valid dictionary"),
        ("{}", "setting 'name' of config.json: field required"),
        ('{"schema_version": 99}', "written by a newer version: update rivae to open it"),
        (" " * (MAX_CONFIG_BYTES + 1), "config.json is too large"),
    ],
    ids=["cut off", "deep", "binary", "list", "empty", "newer", "large"],
)
def test_a_damaged_configuration_is_one_sentence(run, text, reason):
    (run.path / "config.json").write_bytes(text.encode("latin-1"))
    with pytest.raises(RunError, match=rf"^run good: .*{reason}"):
        _ = Run(run.path).config


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda raw: raw.update(name="../../etc"), "setting 'name' of config.json"),
        (lambda raw: raw.update(colour=1), "config.json has no setting 'colour'"),
        (lambda raw: raw["training"].update(device="mps"), "'mps' is not a device: choose cpu"),
        (lambda raw: raw["training"].update(checkpoint_seconds=-1), "checkpoint_seconds"),
        (lambda raw: raw.update(seed=-1), "setting 'seed' of config.json"),
    ],
)
def test_a_wrong_setting_is_named(run, change, reason):
    with pytest.raises(RunError, match=reason) as error:
        _ = change_config(run, change).config
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({"head_hidden": [10**9, 10**9]}, "head_hidden.0"),
        ({"head_hidden": [8192] * 16}, "choose smaller networks"),
        ({"embedder": {"kind": "mlp", "hidden": [5] * 100}}, "embedder.hidden"),
        ({"n_components": 10**7}, "n_components"),
        ({"invented": True}, "has no setting 'invented'"),
        ({"embedder": {"kind": "conv"}}, "set its kind to mlp"),
    ],
)
def test_hostile_settings_allocate_nothing(run, settings, reason):
    hostile = change_config(run, lambda raw: raw["method"]["settings"].update(settings))
    with pytest.raises(RunError, match=rf"^run good: config.json: .*{reason}"):
        hostile.load_method()


def test_an_unknown_method_or_data_set(run):
    for part, reason in (("method", "there is no method 'x'"), ("dataset", "no data set 'x'")):
        with pytest.raises((RunError, ConfigError), match=reason):
            change_config(run, lambda raw, part=part: raw[part].update(name="x")).load_method()


def test_a_damaged_status(run):
    for text in ("", "{", '{"state": "resting"}'):
        (run.path / "status.json").write_text(text)
        with pytest.raises(RunError, match=r"no readable status.json: resume it or delete"):
            _ = run.status
    run.set_status(state="finished")
    assert run.status.state == "finished"


def test_a_damaged_evaluation(run):
    run.write_evaluation(Evaluation.model_validate({"own": float("nan")}))
    assert run.evaluation.document() == {"own": None}
    for text in ("{", "[]", "[" * 100_000):
        (run.path / "evaluation.json").write_text(text)
        with pytest.raises(RunError, match=f"evaluation.json .*: {AGAIN}"):
            _ = run.evaluation


# The model.


def test_the_model_comes_back(run):
    data = run.load_dataset()
    method = run.load_method(data)
    assert not method.training and len(data) == 150
    assert all(p.dtype == torch.float32 for p in method.parameters())


def test_the_content_hash_names_the_weights(run):
    first = run.content_hash
    assert len(first) == 16 and first == Run(run.path).content_hash
    method = run.load_method()
    with torch.no_grad():
        method.decoder.out.bias[0] += 1
    run.write_model(method)
    assert run.content_hash != first


@pytest.mark.parametrize(
    "write",
    [
        lambda path: path.write_bytes(path.read_bytes()[:-9]),
        lambda path: path.write_bytes(b"PK\x03\x04 a zip file"),
        lambda path: path.write_bytes(b""),
        lambda path: save_file({"weight": torch.zeros(3)}, path),
    ],
    ids=["cut off", "foreign", "empty", "other tensors"],
)
def test_a_foreign_model_file_is_refused(run, write):
    write(run.path / "model.safetensors")
    with pytest.raises(RunError, match=r"model.safetensors is damaged or belongs to another conf"):
        run.load_method()


def test_a_run_without_a_model(tmp_path):
    run = Run.create(tiny_config("new"), tmp_path)
    for ask in (run.load_method, lambda: run.content_hash):
        with pytest.raises(RunError, match="run new has no trained model yet: let it finish or"):
            ask()
