import json

import numpy as np
import pytest
import torch

from rivae.errors import DataError
from rivae.retrieval.exact import NumpyIndex
from rivae.retrieval.storage import content_key, open_index, save_index, weights_digest


def test_round_trip(tmp_path):
    points = np.random.default_rng(0).normal(size=(20, 3))
    save_index(tmp_path, "abc", NumpyIndex(points))
    opened = open_index(tmp_path, "abc")
    np.testing.assert_array_equal(opened.points, points)
    assert open_index(tmp_path, "other") is None
    assert sorted(p.name for p in tmp_path.iterdir()) == ["index-abc.json", "index-abc.npy"]


def damage_truncate(folder):
    path = folder / "index-k.npy"
    path.write_bytes(path.read_bytes()[:-9])


def damage_flip(folder):
    path = folder / "index-k.npy"
    data = bytearray(path.read_bytes())
    data[-5] ^= 1
    path.write_bytes(bytes(data))


def damage_missing(folder):
    (folder / "index-k.npy").unlink()


def damage_schema(folder):
    path = folder / "index-k.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "schema": 99}))


def damage_key(folder):
    path = folder / "index-k.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "key": "x"}))


def damage_json(folder):
    (folder / "index-k.json").write_text("[1")


def damage_pickle(folder):
    np.save(folder / "index-k.npy", np.array([{"a": 1}], dtype=object), allow_pickle=True)


@pytest.mark.parametrize(
    "damage",
    [
        damage_truncate,
        damage_flip,
        damage_missing,
        damage_schema,
        damage_key,
        damage_json,
        damage_pickle,
    ],
)
def test_a_damaged_file_is_refused_and_named(tmp_path, damage):
    save_index(tmp_path, "k", NumpyIndex(np.eye(4)))
    damage(tmp_path)
    with pytest.raises(DataError, match=r"index-k.*delete"):
        open_index(tmp_path, "k")


def test_the_key_follows_weights_data_and_rows():
    def key(name="a", value=0.0, data="data", ids=range(4)):
        weights = weights_digest({name: torch.full((3,), value)}.items())
        return content_key(weights, data, np.array(ids))

    assert key() == key()
    others = [key(value=1e-7), key("b"), key(data="other"), key(ids=[3, 2, 1, 0])]
    assert len({key(), *others}) == 5


def test_one_digest_of_the_weights_serves_many_keys():
    weights = weights_digest({"a": torch.zeros(3)}.items())
    first, second = (content_key(weights, "data", np.arange(n)) for n in (3, 4))
    assert first != second and first == content_key(weights, "data", np.arange(3))
