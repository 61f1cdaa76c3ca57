"""Weights named by an address of the hub, from a cache as the hub's library keeps it."""

import pytest
import torch
from safetensors.torch import save_file

from rivae.base.errors import ConfigError
from rivae.jobs.launch import make_config
from rivae.models.nets.weight_files import hub_file, read_weights

COMMIT = "a" * 40
WEIGHTS = {"conv1.weight": torch.arange(6.0).reshape(2, 3), "fc.bias": torch.zeros(2)}


@pytest.fixture
def kept(tmp_path, monkeypatch):
    """One model in the folder where the library looks first; nothing is fetched."""
    constants = pytest.importorskip("huggingface_hub.constants")
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    model = tmp_path / "models--owner--net"
    (model / "refs").mkdir(parents=True)
    (model / "refs" / "main").write_text(COMMIT)
    snapshot = model / "snapshots" / COMMIT
    snapshot.mkdir(parents=True)
    save_file(WEIGHTS, snapshot / "model.safetensors")
    save_file({"conv1.weight": WEIGHTS["conv1.weight"] + 1}, snapshot / "other.safetensors")
    return snapshot


def test_an_address_names_the_file_that_was_fetched(kept):
    assert hub_file("hf://owner/net") == str(kept / "model.safetensors")
    assert hub_file(f"hf://owner/net@{COMMIT}/other.safetensors") == str(kept / "other.safetensors")


@pytest.mark.parametrize(("file", "more"), [("", 0), ("/other.safetensors", 1)])
def test_weights_are_read_from_there(kept, file, more):
    expected = {"conv1.weight": torch.zeros(2, 3)}
    found = read_weights(f"hf://owner/net{file}", expected, skip="fc.")
    assert found.keys() == {"conv1.weight"}
    assert torch.equal(found["conv1.weight"], WEIGHTS["conv1.weight"] + more)


@pytest.mark.parametrize(
    ("address", "sentence"),
    [
        ("hf://owner/gone", "cannot be fetched"),
        ("hf://owner/net/gone.safetensors", "cannot be fetched"),
        ("hf://owner/net/weights.bin", "names no weights on the hub"),  # could run code
        ("hf://owner", "names no weights on the hub"),
        ("hf://../../etc/passwd", "names no weights on the hub"),
        ("hf://owner/net@../x", "names no weights on the hub"),
    ],
)
def test_what_cannot_be_had_is_said_in_a_sentence(kept, address, sentence):
    with pytest.raises(ConfigError, match=sentence):
        hub_file(address)


def test_an_address_stays_as_it_is_in_a_config():
    embedder = {"kind": "resnet50-attention", "weights": "hf://timm/resnet50.tv_in1k"}
    config = make_config("pairs", name="a", method_settings={"embedder": embedder})
    assert config.method.settings["embedder"]["weights"] == embedder["weights"]
