import json

import numpy as np
import pytest
import torch

from rivae.base.errors import DataError
from rivae.retrieval.registry import INDEXES
from rivae.retrieval.storage import content_key, open_index, save_index, weights_digest

POINTS = np.random.default_rng(0).normal(size=(400, 6))
PARTS = ("lead", "rest", "centre", "axes", "order", "boxes", "twins")


def save(folder, kind="brute-force"):
    return save_index(folder, "k", INDEXES[kind], 400, POINTS.__getitem__)


def opened_from(folder, key="k", kind="brute-force"):
    return open_index(folder, key, INDEXES[kind])


@pytest.mark.parametrize("kind", INDEXES)
def test_round_trip(tmp_path, kind):
    made, opened = save(tmp_path, kind), opened_from(tmp_path, kind=kind)
    everything = np.arange(400)
    np.testing.assert_array_equal(opened.rows(everything), made.rows(everything))
    np.testing.assert_allclose(opened.rows(everything), POINTS, atol=1e-5)
    for kept, again in zip(made.search(POINTS, 5), opened.search(POINTS, 5), strict=True):
        np.testing.assert_array_equal(kept, again)
    assert opened_from(tmp_path, "other", kind) is None
    # Files of a new kind of index have its name, too.
    ends = {f.name.removeprefix("index-k").removeprefix(f"-{kind}") for f in tmp_path.iterdir()}
    assert ends == {".json", *(f"-{part}.npy" for part in INDEXES[kind].parts)}


def test_a_large_index_is_mapped_not_read(tmp_path):
    save(tmp_path, "two-stage")
    opened = opened_from(tmp_path, kind="two-stage")
    assert all(
        isinstance(getattr(opened.points, part).base, np.memmap) for part in ("lead", "rest")
    )


def damage_truncate(folder):
    path = folder / "index-k-points.npy"
    path.write_bytes(path.read_bytes()[:-9])


def damage_flip(folder):
    path = folder / "index-k-points.npy"
    data = bytearray(path.read_bytes())
    data[-5] ^= 1
    path.write_bytes(bytes(data))


def damage_missing(folder):
    (folder / "index-k-points.npy").unlink()


def damage_schema(folder):
    path = folder / "index-k.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "schema": 99}))


def damage_key(folder):
    path = folder / "index-k.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "key": "x"}))


def damage_json(folder):
    (folder / "index-k.json").write_text("[1")


def damage_name(folder):
    path = folder / "index-k.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "index": "other"}))


def damage_pickle(folder):
    np.save(folder / "index-k-points.npy", np.array([{"a": 1}], dtype=object), allow_pickle=True)


@pytest.mark.parametrize(
    "damage",
    [
        damage_truncate,
        damage_flip,
        damage_missing,
        damage_schema,
        damage_key,
        damage_json,
        damage_name,
        damage_pickle,
    ],
)
def test_a_damaged_file_is_refused_and_named(tmp_path, damage):
    save(tmp_path)
    damage(tmp_path)
    with pytest.raises(DataError, match=r"index-k.*delete"):
        opened_from(tmp_path)


@pytest.mark.parametrize("kind", ["brute-force", "two-stage"])
@pytest.mark.parametrize("asked", ["brute-force", "two-stage"])
def test_files_from_before_heads_named_their_index_still_open(tmp_path, kind, asked):
    made, path = save(tmp_path, kind), tmp_path / "index-k.json"
    head = json.loads(path.read_text())
    assert head.pop("index") == kind
    path.write_text(json.dumps(head))
    opened = opened_from(tmp_path, kind=asked)
    assert type(opened) is type(made)
    for kept, again in zip(made.search(POINTS, 5), opened.search(POINTS, 5), strict=True):
        np.testing.assert_array_equal(kept, again)


@pytest.mark.parametrize("part", PARTS)
def test_a_damaged_part_of_a_large_index_is_found(tmp_path, part):
    save(tmp_path, "two-stage")
    path = tmp_path / f"index-k-{part}.npy"
    data = bytearray(path.read_bytes())
    data[-5 if part != "twins" else 70] ^= 1
    path.write_bytes(bytes(data))
    with pytest.raises(DataError, match=r"index-k.*delete"):
        opened_from(tmp_path, kind="two-stage")


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
