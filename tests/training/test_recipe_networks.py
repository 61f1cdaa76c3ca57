"""Training on pictures and words in order: where it starts, how it goes on, what is refused."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import torch
from safetensors.torch import load_file, save_file

from rivae.base.errors import ConfigError
from rivae.data import load_dataset
from rivae.data.importing import ImportSettings, PairsImport, run_import
from rivae.data.importing.mapping import make_mapping
from rivae.jobs.launch import make_config, resume, train
from rivae.models.nets.resnets import ResNet50Attention
from rivae.models.registry import build_method
from rivae.retrieval.model import LatentModel
from rivae.runs import Run
from tests.importing.conftest import jpeg, rows
from tests.training.tiny import ALWAYS, StopAfter, files_of, short

WORDS = ("salt", "sugar", "leek", "apple", "pepper", "cream")
RECIPE = {
    "kind": "recipe-rnn",
    "n_words": 60,
    "word_dim": 6,
    "rnn_size": 4,
    "hidden": [8],
    "dropout": 0.1,
}
PICTURE = {"kind": "small-resnet", "channels": [4, 6], "hidden": [8], "augment": 0.5}
NETWORKS = {"n_components": 2, "dim_v": 6, "embedder": PICTURE, "embedder2": RECIPE}


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """60 dishes of other words each, 16 px pictures."""
    folder = tmp_path_factory.mktemp("dishes")
    records = rows(60)
    for i, record in enumerate(records):
        record["ingredients"] = f"{WORDS[i % 6]}\n{WORDS[i % 5]} and {WORDS[i % 4]}"
        (folder / record["image"]).write_bytes(jpeg(i))
    pd.DataFrame(records).to_csv(folder / "table.csv", index=False)
    columns = make_mapping(list(records[0]), {})
    run_import(
        PairsImport(folder / "table.csv", [folder], columns),
        ImportSettings("mine", root=folder / "data"),
    )
    with (folder / "vectors.txt").open("w") as stream:
        stream.write(f"{len(WORDS)} 6\n")
        for i, word in enumerate(WORDS):
            stream.write(f"{word} {' '.join(str(float(i == k)) for k in range(6))}\n")
    return folder


def config_of(store, name="run", method="rivae", dataset=None, training=None, **settings):
    data = {
        "store": str(store / "data" / "mine"),
        "image_size": 16,
        "max_words": 50,
        "text": "tokens",
        "word_vectors": str(store / "vectors.txt"),
    }
    return make_config(
        "pairs",
        method,
        name=name,
        dataset_settings={**data, **(dataset or {})},
        method_settings={**short(method), **NETWORKS, **settings},
        training={**ALWAYS, "precision": "float32", **(training or {})},
    )


CASES = {
    "apart": {},
    "shared layer, bfloat16": {"shared": True, "training": {"precision": "bf16"}},
    "hardest, literal L_Reg": {
        "mismatches": "hardest",
        "hardest_from": 0.5,
        "n_mismatches": 2,
        "loss_form": "hinge",
        "reg_form": "literal",
    },
    "Cos-Sim-LVM": {"method": "cos-sim-lvm", "shared": True},
}


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_stopped_run_goes_on_to_the_same_bytes(store, tmp_path, case):
    config = config_of(store, **CASES[case])
    (whole,) = train([config], tmp_path / "whole")
    with pytest.raises(KeyboardInterrupt):
        train([config], tmp_path / "again", StopAfter(1))
    run = Run(tmp_path / "again" / "run")
    with pytest.raises(KeyboardInterrupt):
        resume([run], StopAfter(len(whole.metrics()) - 2))
    resume([run])
    assert files_of(run) == files_of(whole)


@pytest.mark.slow
def test_a_trained_model_opens_and_embeds_as_it_did(store, tmp_path):
    (run,) = train([config_of(store, shared=True)], tmp_path)
    data = run.load_dataset()
    method = run.load_method(data)
    assert method.embedder2.head.out is method.embedder1.head.out
    ids = data.splits["test"]
    model = LatentModel(method)  # float64 copy of the decoder beside float32 embedders
    v2 = model.embed_targets(data.x2, ids)
    np.testing.assert_allclose(np.linalg.norm(v2, axis=1), 1, rtol=1e-5)
    alone = np.concatenate([model.embed_targets(data.x2, ids[i : i + 1]) for i in range(len(ids))])
    np.testing.assert_allclose(alone, v2, atol=1e-5)
    z, _ = model.encode(data.x1, ids)
    assert np.isfinite(model.decode(z)).all()


@pytest.mark.slow
def test_training_starts_from_the_word_vectors_and_tunes_them(store, tmp_path):
    def table(run):
        return load_file(run.path / "model.safetensors")["embedder2.words.weight"]

    slow = {"init_learning_rate": 1e-9, "learning_rate": 1e-9, "joint_learning_rate": 1e-9}
    (still,) = train([config_of(store, "still", **slow)], tmp_path)
    vocabulary = still.load_dataset().x2.vocabulary
    place = [2 + vocabulary.index(word) for word in WORDS]
    # One factor scales the file's unit vectors to 1 in the mean square.
    expected = np.sqrt(6) * torch.eye(6)
    torch.testing.assert_close(table(still)[place], expected.float(), atol=1e-4, rtol=1e-4)
    (tuned,) = train([config_of(store, "tuned")], tmp_path)
    assert (table(tuned)[place] - expected).abs().max() > 1e-3
    none = {"word_vectors": "none"}
    (random,) = train([config_of(store, "random", dataset=none, **slow)], tmp_path)
    assert not torch.allclose(table(random)[place], expected.float(), atol=0.1)
    other = [i for i in range(62) if i not in place]
    torch.testing.assert_close(table(random)[other], table(still)[other], atol=1e-4, rtol=1e-4)
    assert not table(tuned)[0].any()


@pytest.mark.slow
def test_a_resumed_run_needs_no_file_of_vectors(store, tmp_path):
    vectors = tmp_path / "moved.txt"
    vectors.write_bytes((store / "vectors.txt").read_bytes())
    config = config_of(store, dataset={"word_vectors": str(vectors)})
    with pytest.raises(KeyboardInterrupt):
        train([config], tmp_path / "runs", StopAfter(2))
    vectors.unlink()
    (done,) = resume([Run(tmp_path / "runs" / "run")])
    assert done.status.state == "finished"


@pytest.mark.slow
def test_weights_of_a_file_start_the_picture_embedder(store, tmp_path):
    large = {"kind": "resnet50-attention", "hidden": [8]}
    donor = build_method("cos-sim", {"embedder": large}, (3, 32, 32), (3, 32, 32), [7]).embedder1
    assert isinstance(donor, ResNet50Attention)
    names = [k for k in donor.state_dict() if not k.startswith(("attention.", "head."))]
    save_file(
        {k: donor.state_dict()[k].contiguous() for k in names}, tmp_path / "resnet.safetensors"
    )
    config = config_of(
        store,
        method="cos-sim-lvm",
        dataset={"image_size": 32},
        epochs=1,
        learning_rate=1e-9,
        embedder={**large, "weights": str(tmp_path / "resnet.safetensors")},
        batch_size=8,
    )
    (run,) = train([config], tmp_path)
    own = run.load_method().embedder1
    torch.testing.assert_close(own.conv1.weight, donor.conv1.weight, atol=1e-6, rtol=0)
    config = config_of(
        store,
        "none",
        embedder={**large, "weights": str(tmp_path / "no.pth")},
        dataset={"image_size": 32},
    )
    with pytest.raises(ConfigError, match=r"no.pth cannot be read"):
        train([config], tmp_path)
    assert not (tmp_path / "none").exists()


def test_weights_and_vectors_are_absolute_paths_in_a_run(store, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    config = config_of(
        store,
        dataset={"word_vectors": "v.bin"},
        embedder={"kind": "resnet50-attention", "weights": "w.pth"},
    )
    assert config.dataset.settings["word_vectors"] == str(tmp_path / "v.bin")
    assert config.method.settings["embedder"]["weights"] == str(tmp_path / "w.pth")
    none = config_of(store, dataset={"word_vectors": "none"})
    assert none.dataset.settings["word_vectors"] == "none"


def test_the_paper_preset_brings_the_data_that_its_networks_read(store):
    paper = make_config("pairs", "rivae", "paper", name="p")
    assert paper.dataset.settings == {"text": "tokens", "image_size": 224, "max_words": 20_000}
    settings = paper.method.settings
    assert settings["embedder"]["kind"] == "resnet50-attention" and settings["shared"]
    assert settings["embedder2"]["kind"] == "recipe-rnn" and settings["dim_v"] == 1024
    assert settings["embedder2"]["n_words"] == paper.dataset.settings["max_words"]
    assert settings["mismatches"] == "hardest"
    own = make_config("pairs", "rivae", "paper", name="p", dataset_settings={"image_size": 64})
    assert own.dataset.settings["image_size"] == 64
    assert make_config("pairs", "bi-vae", "paper", name="p").dataset.settings == {}
    assert make_config("pairs", "rivae", "default", name="p").dataset.settings == {}


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"dataset": {"text": "words"}}, "recipe-rnn reads 296 word numbers"),
        ({"embedder2": {"kind": "mlp"}}, "would take word numbers for measurements"),
        ({"init": "smooth", "anchor": None}, "word numbers cannot be unfolded"),
        ({"embedder2": {**RECIPE, "n_words": 3}}, "recipe-rnn has room for 3: set its n_words"),
        ({"embedder2": {**RECIPE, "word_dim": 5}}, "vectors of 6 numbers, not 5: set word_dim=6"),
        ({"dataset": {"text": "letters"}}, "'text' of pairs: input should be 'words' or"),
        ({"dataset": {"word_vectors": ""}}, "'word_vectors' of pairs: string should have"),
        ({"shared": True, "embedder": {**PICTURE, "hidden": [9]}}, "not 9 and 8: let hidden"),
    ],
    ids=str,
)
def test_what_does_not_fit_is_refused_before_a_run_is_made(store, tmp_path, changes, reason):
    with pytest.raises(Exception, match=reason) as caught:
        train([config_of(store, **changes)], tmp_path)
    assert type(caught.value).__name__ in ("ConfigError", "DataError")
    assert "\n" not in str(caught.value) and not list(tmp_path.iterdir())


def test_several_seeds_cannot_train_as_one_batch(store, tmp_path):
    configs = [config_of(store, f"s{i}").model_copy(update={"seed": i}) for i in range(2)]
    with pytest.raises(ConfigError, match="train one seed at a time"):
        train(configs, tmp_path)


def test_a_method_on_the_data_themselves_refuses_word_numbers(store, tmp_path):
    config = make_config(
        "pairs",
        "bi-vae",
        name="b",
        method_settings=short("bi-vae"),
        dataset_settings=config_of(store).dataset.settings,
    )
    with pytest.raises(ConfigError, match="Bi-VAE would take word numbers"):
        train([config], tmp_path)


def test_the_same_pictures_with_either_text(store):
    settings = config_of(store).dataset.settings
    tokens = load_dataset("pairs", **settings)
    words = load_dataset("pairs", **{**settings, "text": "words"})
    assert set(tokens.x2.vocabulary) == set(words.x2.vocabulary)
    assert (words.settings["text"], tokens.settings["text"]) == ("words", "tokens")
    assert tokens.fingerprint != words.fingerprint
