"""Sources of features as parts: what each promises, and that a new one is used."""

import shutil

import numpy as np
import pytest
import torch

from rivae.base.errors import ConfigError, DataError
from rivae.base.reading.documents import read_json
from rivae.cli.main import main
from rivae.data import load_dataset
from rivae.data.importing.feature_sources import statistics
from rivae.data.importing.features import FEATURES, make_features, open_encoder
from rivae.data.store import PairStore
from rivae.data.store.features import SIDES, feature_sides
from rivae.data.store.pixels import picture
from tests.documented import WAYS, added, example


@pytest.fixture
def store(small_store, tmp_path, monkeypatch):
    monkeypatch.setattr(statistics, "MAX_FIT", 60)
    monkeypatch.setattr(statistics, "N_PATCHES", 16)
    monkeypatch.setattr(statistics, "COMPONENTS", (20, 20))
    folder = tmp_path / "pairs"
    shutil.copytree(small_store, folder, ignore=shutil.ignore_patterns("cache", "features"))
    return folder


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
    assert about == {"checkpoint": source.name, "n_items": len(opened)}
    kept = np.load(folder / "features" / "made" / "pictures.npy").astype(np.float32)
    again = open_encoder(source.name, opened).encode_pictures([picture(opened, i) for i in (3, 9)])
    unit = torch.nn.functional.normalize(again.float()).numpy()
    np.testing.assert_allclose(unit, kept[[3, 9]], atol=2e-3)
    if "texts" not in encoder.sides:
        with pytest.raises(ConfigError):
            encoder.encode_texts(["soup"])
    else:
        assert encoder.encode_texts(["soup", "salad"]).shape[0] == 2


@pytest.mark.parametrize("name", FEATURES)
def test_what_every_source_promises(name, store):
    promises(FEATURES[name], store)


def test_a_new_source_encodes_a_store(mean_colour, store, capsys):
    promises(mean_colour, store)
    assert main(["features", str(store), "mean-colour", "--as", "colours"]) == 0
    assert load_dataset("pairs", store=str(store), features="colours").x1.shape == (3,)
    capsys.readouterr()
    with pytest.raises(SystemExit):
        main(["features", "--sources"])
    assert mean_colour.blurb in capsys.readouterr().out


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
