"""Features of tiny checkpoints with random weights, made here: CLIP, ResNet, ViT, BERT."""

from __future__ import annotations

import json
import shutil
import socket
import time

import numpy as np
import pytest
import torch
from PIL import Image

from rivae.base.errors import ConfigError, DataError
from rivae.data import load_dataset
from rivae.data.features import hub, making
from rivae.data.features.contract import Encoder, short_text
from rivae.data.features.making import make_features
from rivae.data.features.sources.checkpoint import Checkpoint
from rivae.data.features.text_model import pooled, pooling_modes, tokenized
from rivae.data.store import PairStore
from rivae.data.store.pixels import picture

transformers = pytest.importorskip("transformers", reason="the extra 'features' is missing")


@pytest.fixture(scope="module")
def clip(tmp_path_factory):
    """A CLIP of two layers; its folder holds safetensors, a tokenizer and a picture processor."""
    folder = tmp_path_factory.mktemp("clip")
    torch.manual_seed(0)
    layers = {
        "hidden_size": 32,
        "intermediate_size": 48,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "projection_dim": 16,
    }
    text = {
        **layers,
        "vocab_size": 300,
        "max_position_embeddings": 24,
        "bos_token_id": 1,
        "eos_token_id": 2,
        "pad_token_id": 0,
    }
    vision = {**layers, "image_size": 32, "patch_size": 8}
    config = transformers.CLIPConfig(text_config=text, vision_config=vision, projection_dim=16)
    transformers.CLIPModel(config).save_pretrained(folder)
    tokenizer(folder)
    processor(folder)
    return folder


def tokenizer(folder):
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers

    words = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    words.pre_tokenizer = pre_tokenizers.Whitespace()
    marks = ["[PAD]", "[BOS]", "[EOS]", "[UNK]"]
    words.train_from_iterator(
        ["a dark dim grey light bright bar cups paint top upper lower bottom brush"] * 3,
        trainers.WordPieceTrainer(vocab_size=200, special_tokens=marks),
    )
    transformers.PreTrainedTokenizerFast(
        tokenizer_object=words,
        pad_token="[PAD]",
        bos_token="[BOS]",
        eos_token="[EOS]",
        unk_token="[UNK]",
        model_max_length=24,
    ).save_pretrained(folder)


def processor(folder):
    transformers.CLIPImageProcessorPil(
        size={"shortest_edge": 32}, crop_size={"height": 32, "width": 32}
    ).save_pretrained(folder)


@pytest.fixture
def store(small_store, tmp_path):
    folder = tmp_path / "pairs"
    shutil.copytree(small_store, folder, ignore=shutil.ignore_patterns("cache", "features"))
    return folder


@pytest.fixture(scope="module")
def bert(tmp_path_factory):
    """A sentence encoder of two layers, without a file on how to pool."""
    folder = tmp_path_factory.mktemp("bert")
    torch.manual_seed(0)
    config = transformers.BertConfig(
        vocab_size=300,
        hidden_size=16,
        intermediate_size=24,
        num_hidden_layers=2,
        num_attention_heads=2,
        max_position_embeddings=24,
    )
    transformers.BertModel(config, add_pooling_layer=False).save_pretrained(folder)
    tokenizer(folder)
    return folder


@pytest.mark.slow
def test_both_sides_of_a_clip_become_the_views(store, clip):
    """Its texts beside the words; uploads and typed texts go the same way."""
    checkpoint = Checkpoint(str(clip))
    make_features(store, checkpoint, "clip", batch_size=100)
    data = load_dataset("pairs", store=str(store), features="clip")
    assert data.x1.shape == (16,) and data.x2.blocks == (len(data.vocabulary.words), 16)
    asked = data.from_upload(data.picture(7)), data.from_text(short_text(data.recipe(7)))
    for view, row in zip((data.x1, data.x2), asked, strict=True):
        torch.testing.assert_close(row[:, -16:], view.batch([7])[:, -16:], rtol=3e-2, atol=3e-2)
    images = checkpoint.pictures(images=[picture(PairStore(store), 7)], return_tensors="pt")
    with torch.no_grad():
        expected = checkpoint.model.get_image_features(**images).pooler_output[0]
    found = data.x1.batch([7])[0]
    torch.testing.assert_close(found, 4 * expected / expected.norm(), rtol=5e-2, atol=5e-2)
    assert not torch.equal(data.x2.batch([7]), data.x2.batch([8]))


@pytest.mark.slow
def test_a_picture_model_gives_one_side_and_words_stay(store, tmp_path):
    config = transformers.ResNetConfig(
        embedding_size=8, hidden_sizes=[8, 16], depths=[1, 1], layer_type="basic"
    )
    torch.manual_seed(0)
    transformers.ResNetModel(config).save_pretrained(tmp_path / "resnet")
    processor(tmp_path / "resnet")
    make_features(store, Checkpoint(str(tmp_path / "resnet")), "resnet", batch_size=200)
    data = load_dataset("pairs", store=str(store), features="resnet")
    assert data.x1.shape == (16,) and "bright" in data.x2.vocabulary


def test_a_text_encoder_gives_the_other_side(store, bert):
    """The mean of its tokens, beside the words."""
    encoder = Checkpoint(str(bert))
    assert encoder.sides == ("texts",)
    text = "a dark bar"
    inputs = transformers.AutoTokenizer.from_pretrained(bert)(text, return_tensors="pt")
    with torch.no_grad():
        hidden = encoder.model(inputs["input_ids"]).last_hidden_state[0]
    found = encoder.encode_texts(["paint top upper lower bottom brush cups", text, ""])
    torch.testing.assert_close(found[1], hidden.mean(0), rtol=5e-2, atol=5e-2)
    assert found.isfinite().all()
    make_features(store, encoder, "bert", batch_size=100)
    data = load_dataset("pairs", store=str(store), features="bert")
    assert data.x2.blocks == (len(data.vocabulary.words), 16) and data.accepts_text
    with pytest.raises(ConfigError, match="reads no pictures"):
        encoder.encode_pictures([data.picture(0)])


def test_the_folder_says_how_to_pool(bert, tmp_path):
    """By switches, or by names in newer versions; another way is one sentence."""
    folder = tmp_path / "bert"
    shutil.copytree(bert, folder)
    (folder / "1_Pooling").mkdir()
    said = folder / "1_Pooling" / "config.json"
    for settings, modes in (
        ({"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False}, ("cls",)),
        ({"pooling_mode_max_tokens": True, "pooling_mode_mean_tokens": True}, ("max", "mean")),
        ({"embedding_dimension": 16, "pooling_mode": "lasttoken"}, ("last",)),
    ):
        said.write_text(json.dumps(settings))
        encoder = Checkpoint(str(folder))
        assert encoder.encode_texts(["dim"]).shape == (1, 16 * len(modes))
        assert pooling_modes(folder) == modes
    said.write_text(json.dumps({"pooling_mode": "magic"}))
    with pytest.raises(DataError, match=r"'magic'.*choose one of cls"):
        Checkpoint(str(folder))


def test_pooling_by_hand():
    """Padding counts nowhere, on either side."""
    hidden = torch.tensor([[[9.0], [1.0], [4.0]], [[2.0], [7.0], [-9.0]]])
    mask = torch.tensor([[0, 1, 1], [1, 1, 0]])
    modes = ("mean", "cls", "max", "last", "mean_sqrt_len")
    expected = [[2.5, 1, 4, 4, 5 / 2**0.5], [4.5, 2, 7, 7, 9 / 2**0.5]]
    torch.testing.assert_close(pooled(hidden, mask, modes), torch.tensor(expected))


def test_a_pooling_layer_that_the_file_lacks_is_not_drawn_at_random(tmp_path):
    torch.manual_seed(0)
    config = transformers.ViTConfig(
        hidden_size=16,
        intermediate_size=24,
        num_hidden_layers=1,
        num_attention_heads=2,
        image_size=32,
        patch_size=8,
    )
    transformers.ViTModel(config, add_pooling_layer=False).save_pretrained(tmp_path)
    processor(tmp_path)
    grey = [Image.new("RGB", (40, 40), (90, 120, 30))]
    rows = [Checkpoint(str(tmp_path)).encode_pictures(grey) for _ in range(2)]
    assert torch.equal(*rows) and rows[0].shape == (1, 16)


@pytest.mark.slow
def test_weights_that_changed_meanwhile_encode_nothing(store, bert, tmp_path):
    folder = tmp_path / "bert"
    shutil.copytree(bert, folder)
    make_features(store, Checkpoint(str(folder)), "bert", batch_size=100)
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, "layer_norm_eps": 1e-3}))
    data = load_dataset("pairs", store=str(store), features="bert")
    with pytest.raises(DataError, match="other weights"):
        data.from_text("a dark bar")
    shutil.rmtree(folder)
    with pytest.raises(DataError, match="neither"):
        data.from_text("a dark bar")


def test_a_tokenizer_without_a_mask_gets_none(clip, bert, tmp_path):
    """SigLIP learned to read its padding; the mean of a sentence leaves padding out."""
    for kind, folder, has_mask in (("clip", clip, False), ("bert", bert, True)):
        shutil.copytree(folder, tmp_path / kind)
        path = tmp_path / kind / "tokenizer_config.json"
        own = json.loads(path.read_text())
        path.write_text(json.dumps({**own, "model_input_names": ["input_ids"]}))
        checkpoint = Checkpoint(str(tmp_path / kind))
        tokens = checkpoint.tokens or checkpoint._texts.tokens
        assert ("attention_mask" in tokenized(tokens, ["dim"], True, 8)) is has_mask
        assert checkpoint.encode_texts(["dim"]).shape == (1, 16)


@pytest.mark.parametrize("listening", [False, True])
def test_a_name_on_the_hub_fails_at_once_without_a_network(monkeypatch, listening):
    """Whether it is refused or nobody ever answers."""
    monkeypatch.setenv("no_proxy", "*")
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        if listening:
            silent.listen()
        address = f"http://127.0.0.1:{silent.getsockname()[1]}"
        monkeypatch.setattr(hub.huggingface_hub().constants, "ENDPOINT", address)
        start = time.monotonic()
        with pytest.raises(DataError, match="cannot be reached: give a local folder"):
            hub.checkpoint_folder("openai/clip-vit-base-patch32-of-nobody")
    assert time.monotonic() - start < 4, "1.5 s, and what a busy machine adds"


@pytest.mark.slow
def test_a_stopped_run_goes_on_and_ends_the_same(store, clip, tmp_path):
    checkpoint = Checkpoint(str(clip))
    make_features(store, checkpoint, "whole", batch_size=20)

    def stop(side, share):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        make_features(store, checkpoint, "parts", batch_size=20, progress=stop)
    with pytest.raises(DataError, match=r"no features 'parts'"):
        load_dataset("pairs", store=str(store), features="parts")
    shares = []
    make_features(
        store,
        checkpoint,
        "parts",
        batch_size=20,
        progress=lambda side, share: shares.append((side, share)),
    )
    assert shares[0] == ("pictures", pytest.approx(40 / len(PairStore(store))))
    for side in ("pictures", "texts"):
        one, two = (np.load(store / "features" / n / f"{side}.npy") for n in ("whole", "parts"))
        np.testing.assert_array_equal(one, two)


@pytest.mark.slow
def test_refused_features_leave_the_name_free(store, clip, monkeypatch):
    """Also for another checkpoint; what a killed run left stays."""
    checkpoint = Checkpoint(str(clip))
    good = checkpoint.encode_texts
    monkeypatch.setattr(checkpoint, "encode_texts", lambda *a: torch.full((100, 4), torch.nan))
    with pytest.raises(DataError, match="not finite for texts"):
        make_features(store, checkpoint, "x", batch_size=100)
    assert not (store / "features" / "x").exists()
    monkeypatch.setattr(checkpoint, "encode_texts", good)
    full = OSError(28, "No space left on device")
    with monkeypatch.context() as patch:
        patch.setattr(making, "reserve", raising(full))
        with pytest.raises(DataError, match="No space left on device; make room and run the same"):
            make_features(store, checkpoint, "x", batch_size=400)
    make_features(store, checkpoint, "x", batch_size=400)


def raising(error):
    def fail(*args):
        raise error

    return fail


def test_bad_checkpoints_and_names(store, clip, tmp_path):
    with pytest.raises(DataError, match=r"names0 .*Hugging Face"):
        Checkpoint(str(tmp_path))
    pickled = tmp_path / "pickled"
    shutil.copytree(clip, pickled)
    (pickled / "model.safetensors").unlink()
    torch.save({}, pickled / "pytorch_model.bin")
    with pytest.raises(DataError, match="with safetensors"):
        Checkpoint(str(pickled))
    with pytest.raises(DataError, match="cannot name a data set"):
        make_features(store, Checkpoint(str(clip)), "../up")


def test_the_most_telling_words_come_first(small_store):
    text = short_text(PairStore(small_store).recipe(3))
    assert text.startswith("A ") and text.index("cups") < text.index("Paint it")


@pytest.mark.parametrize("scale", [1e-30, 1e-20, 1e30])
def test_features_of_every_scale_become_directions(store, scale):
    """And a picture that says nothing to a checkpoint is no gap among numbers."""

    class Constant(Encoder):
        name = "constant"

        def encode_pictures(self, batch):
            found = torch.arange(1.0, 1 + 3 * len(batch)).reshape(-1, 3) * scale
            found[0] *= 0
            return found

    make_features(store, Constant(), "scaled", batch_size=50)
    matrix = np.load(store / "features" / "scaled" / "pictures.npy")
    lengths = np.linalg.norm(matrix.astype(np.float64), axis=1)
    assert (lengths[::50] == 0).all()
    np.testing.assert_allclose(np.delete(lengths, np.s_[::50]), 1, rtol=1e-3)
