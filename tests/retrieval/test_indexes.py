"""Kinds of indexes as parts: what each promises, and that a new one is used for kept runs."""

import json

import numpy as np
import pytest

from rivae.base.errors import ConfigError, DataError
from rivae.cli.main import main
from rivae.exploring.explorer import Explorer
from rivae.retrieval.exact_path import exact_paths
from rivae.retrieval.registry import INDEXES, choose_index
from rivae.retrieval.retriever import Retriever
from rivae.retrieval.storage import build_index, kept_index, save_index
from rivae.runs import DEMO_ROOT, Run
from tests.documented import WAYS, added, example
from tests.retrieval.points import brute
from tests.retrieval.small import SmallMethod, small_data

DATA = small_data(n=300, duplicates=30)
POINTS = np.random.default_rng(0).normal(size=(500, 6))
POINTS[-50:] = POINTS[:50]


@pytest.fixture(params=WAYS)
def plain(request, tmp_path_factory):
    """The index of the documentation, which suits up to 2,000 items."""
    folder = tmp_path_factory.mktemp("stranger")
    with added(INDEXES, request.param, "plain", example("An index"), folder):
        yield INDEXES["plain"]


def counted(kind, monkeypatch):
    """What is done with this kind of index from now on."""
    done = []
    for action in ("build", "open"):
        of_kind = getattr(kind, action)

        def call(*args, _action=action, _of_kind=of_kind):
            done.append(_action)
            return _of_kind(*args)

        monkeypatch.setattr(kind, action, call)
    return done


@pytest.mark.parametrize("name", INDEXES)
def test_what_every_index_promises(name):
    kind = INDEXES[name]
    assert kind.name == name and kind.title and kind.blurb
    assert kind.priority == 0 or name not in INDEXES.first
    promises(kind)


def test_the_index_of_the_documentation_promises_the_same(plain):
    assert plain.priority > 0 and choose_index(2_000, 6) is plain
    assert choose_index(2_001, 6) is INDEXES["brute-force"]
    promises(plain)


def promises(kind):
    index = build_index(kind, len(POINTS), POINTS.__getitem__)
    assert (index.n_items, index.n_features) == POINTS.shape
    queries = np.random.default_rng(1).normal(size=(40, 6))
    expected, distances, every = brute(queries, POINTS, 7)
    positions, squared = index.search(queries, 7)
    np.testing.assert_array_equal(positions, expected)
    np.testing.assert_allclose(squared, distances, rtol=1e-5)
    np.testing.assert_allclose(index.all_squared_distances(queries), every, rtol=1e-4)
    np.testing.assert_allclose(index.rows(expected[0]), POINTS[expected[0]], atol=1e-5)
    np.testing.assert_array_equal(index.along(queries[:5]).nearest(queries[:5]), expected[:5, 0])
    some = index.subset(np.arange(100, 300))
    np.testing.assert_array_equal(some.search(queries, 3)[0], brute(queries, POINTS[100:300], 3)[0])
    assert index.search(queries, 10_000)[0].shape == (40, 500)
    with pytest.raises(DataError):
        build_index(kind, 3, lambda positions: np.full((len(positions), 2), np.nan))


def test_a_kept_run_uses_a_new_index(plain, tmp_path, monkeypatch):
    """Built once, opened once, and asked: the same items as by brute force."""

    def opened(**settings):
        return Retriever(SmallMethod(), DATA, np.arange(300), cache_dir=tmp_path, **settings)

    before = opened(kind=INDEXES["brute-force"])
    done = counted(plain, monkeypatch)
    z = np.random.default_rng(0).normal(size=(30, 2)) * 2
    for made in (["build", "open"], ["build", "open", "open"]):
        retriever = opened()
        assert done == made and isinstance(retriever.index, plain)
        np.testing.assert_array_equal(retriever.search(z, 8).ids, before.search(z, 8).ids)
    (head,) = tmp_path.glob("index-*-plain.json")
    assert json.loads(head.read_text())["index"] == "plain"
    for own in (retriever, retriever.subset(np.arange(0, 300, 2))):
        other = before if own is retriever else before.subset(own.ids)
        for path, same in zip(
            exact_paths(own, z[:1], [0, 1], -8, 8)[0],
            exact_paths(other, z[:1], [0, 1], -8, 8)[0],
            strict=True,
        ):
            np.testing.assert_array_equal(path.ids, same.ids)
            np.testing.assert_allclose(path.starts, same.starts, atol=1e-9)
        np.testing.assert_array_equal(own.true_ranks(own.ids[:9]), other.true_ranks(own.ids[:9]))
    opened(kind=INDEXES["brute-force"])
    assert len(done) == 3, "what another index has kept is used as before"


def test_a_run_is_explored_with_a_new_index(plain, tmp_path, monkeypatch, capsys):
    done = counted(plain, monkeypatch)
    explorer = Explorer.open(Run(DEMO_ROOT / "demo-digits"))
    assert "open" in done and isinstance(explorer.retriever.index, plain)
    done.clear()
    asked = ["traverse", "demo-digits", "--query", "3", "--dims", "1", "--out", str(tmp_path)]
    assert main(asked) == 0, capsys.readouterr().err
    assert "open" in done


@pytest.mark.parametrize("damage", ["head", "part", "name"])
def test_a_damaged_new_index_is_built_again(plain, tmp_path, monkeypatch, damage):
    save_index(tmp_path, "k", plain, 500, POINTS.__getitem__)
    head, part = tmp_path / "index-k-plain.json", tmp_path / "index-k-plain-points.npy"
    if damage == "head":
        head.write_text("[1]")
    elif damage == "part":
        part.write_bytes(part.read_bytes()[:-9])
    else:
        head.write_text(json.dumps({**json.loads(head.read_text()), "index": "brute-force"}))
    done = counted(plain, monkeypatch)
    for made in (["build", "open"], ["build", "open", "open"]):
        index = kept_index(tmp_path, lambda: "k", plain, 500, POINTS.__getitem__)
        np.testing.assert_array_equal(index.search(POINTS[:50], 1)[0].ravel(), np.arange(50))
        assert done == made


def test_what_does_not_fit_is_one_sentence(monkeypatch):
    with pytest.raises(ConfigError, match="'faiss': choose one of brute-force, two-stage"):
        INDEXES["faiss"]
    for kind in INDEXES.values():
        monkeypatch.setattr(kind, "suits", lambda *_: False)
    with pytest.raises(ConfigError, match="7 items of 3"):
        choose_index(7, 3)
