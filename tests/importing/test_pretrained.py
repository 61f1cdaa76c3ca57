"""Features of a tiny CLIP and a tiny ResNet with random weights, made here."""

from __future__ import annotations

import shutil

import numpy as np
import pytest
import torch

from rivae.base.errors import DataError
from rivae.data import load_dataset
from rivae.data.features import making
from rivae.data.features.contract import Encoder
from rivae.data.features.making import make_features, short_text
from rivae.data.features.sources.checkpoint import Checkpoint
from rivae.data.store import PairStore
from rivae.data.store.pixels import picture

transformers = pytest.importorskip("transformers", reason="the extra 'features' is missing")


@pytest.fixture(scope="module")
def clip(tmp_path_factory):
    """A CLIP of two layers; its folder holds safetensors, a tokenizer and a picture processor."""
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers

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
    processor(folder)
    return folder


def processor(folder):
    transformers.CLIPImageProcessorPil(
        size={"shortest_edge": 32}, crop_size={"height": 32, "width": 32}
    ).save_pretrained(folder)


@pytest.fixture
def store(small_store, tmp_path):
    folder = tmp_path / "pairs"
    shutil.copytree(small_store, folder, ignore=shutil.ignore_patterns("cache", "features"))
    return folder


def test_both_sides_of_a_clip_become_the_views(store, clip):
    checkpoint = Checkpoint(str(clip))
    make_features(store, checkpoint, "clip", batch_size=100)
    data = load_dataset("pairs", store=str(store), features="clip")
    assert data.x1.shape == data.x2.shape == (16,)
    images = checkpoint.pictures(images=[picture(PairStore(store), 7)], return_tensors="pt")
    with torch.no_grad():
        expected = checkpoint.model.get_image_features(**images).pooler_output[0]
    found = data.x1.batch([7])[0]
    torch.testing.assert_close(found, 4 * expected / expected.norm(), rtol=2e-3, atol=2e-3)
    assert not torch.equal(data.x2.batch([7]), data.x2.batch([8]))


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
