"""An index in Qdrant, by its client and by its own engine in this process: the same ids, payloads,
a push resumed.
"""

import socket

import numpy as np
import pytest

from rivae.base.errors import ConfigError
from rivae.retrieval.engine import BATCH, collection_name, connect, open_engine, push
from rivae.retrieval.indexes.two_stage import TwoStageIndex
from tests.retrieval.points import KINDS, hard_points

pytestmark = pytest.mark.filterwarnings("ignore:Local mode:UserWarning")
KEY = "a" * 32
QDRANT = "the extra 'qdrant' is missing"


def tagged(positions):
    return [{"tags": ["even"] if i % 2 == 0 else [], "factor_0": i / 100} for i in positions]


@pytest.fixture(params=["client in Python", "engine"])
def client(request, tmp_path):
    # Slow to import, and every worker collects this file.
    clients = pytest.importorskip("qdrant_client", reason=QDRANT)
    if request.param == "client in Python":
        return clients.QdrantClient(":memory:")
    pytest.importorskip("qdrant_edge", reason="Qdrant's engine is missing")
    from tests.retrieval.edge import EdgeClient

    return EdgeClient(tmp_path)


@pytest.mark.parametrize("kind", KINDS)
def test_it_finds_what_two_stages_find(client, kind):
    rng = np.random.default_rng(0)
    points = hard_points(kind, rng)[:800]
    own = TwoStageIndex.of(points)
    there = push(client, KEY, own, tagged)
    assert (there.n_items, there.n_features) == (own.n_items, own.n_features)
    at = points[rng.integers(0, len(points), 6)]
    queries = np.concatenate([at, at + points.std(axis=0) * rng.normal(size=at.shape), -at])
    for k in (1, 10):
        expected, distances = own.search(queries, k)
        found, squared = there.search(queries, k)
        np.testing.assert_array_equal(found, expected)
        np.testing.assert_allclose(squared, distances, rtol=1e-12)
    some = np.arange(3, 800, 7)
    np.testing.assert_array_equal(there.rows(some), own.rows(some))
    np.testing.assert_allclose(
        there.all_squared_distances(queries[:3]),
        own.all_squared_distances(queries[:3]),
        rtol=1e-5,
        atol=1e-9 * np.abs(points).max() ** 2,
    )


def test_some_of_the_items(client):
    points = hard_points("on a grid", np.random.default_rng(1))[:500]
    own, queries = TwoStageIndex.of(points), points[:9]
    there = push(client, KEY, own, tagged)
    for some in (np.arange(1, 500, 3), np.array([400, 7, 20, 3])):
        expected = own.subset(some).search(queries, 5)[0][:, : len(some)]
        np.testing.assert_array_equal(there.subset(some).search(queries, 5)[0], expected)
    even = there.having(["even"], {0: (1.0, 2.0)})
    np.testing.assert_array_equal(even.chosen, np.arange(100, 201, 2))
    expected = own.subset(even.chosen).search(queries, 5)[0]
    np.testing.assert_array_equal(even.search(queries, 5)[0], expected)
    fewer = even.having(factors={0: (0.0, 1.5)})
    np.testing.assert_array_equal(fewer.chosen, np.arange(100, 151, 2))
    with pytest.raises(ConfigError, match="ask for less"):
        even.having(["odd"])


def test_a_push_that_was_stopped_goes_on(client):
    points = np.random.default_rng(2).normal(size=(2 * BATCH + 9, 3))
    own, told, asked = TwoStageIndex.of(points), [], []

    def stops(positions):
        asked.append(int(positions[0]))
        if positions[0] == BATCH and len(asked) == 2:
            raise KeyboardInterrupt
        return tagged(positions)

    with pytest.raises(KeyboardInterrupt):
        push(client, KEY, own, stops, told.append)
    assert open_engine(client, KEY) is None, "it is not complete"
    there = push(client, KEY, own, stops, told.append)
    assert asked == [0, BATCH, BATCH, 2 * BATCH]
    assert told == [0, BATCH, BATCH, 2 * BATCH, len(points)]
    np.testing.assert_array_equal(there.search(points[:5], 3)[0], own.search(points[:5], 3)[0])
    assert open_engine(client, "b" * 32) is None


@pytest.mark.parametrize(
    "change",
    [
        {"axes": "AAAA"},
        {"axes": "?"},
        {"n_features": 10**9},
        {"n_items": "x"},
        {"centre": None},
    ],
)
def test_a_collection_of_somebody_else_is_refused(client, change):
    push(client, KEY, TwoStageIndex.of(np.eye(4)), tagged)
    name = collection_name(KEY)
    about = client.get_collection(name).config.metadata | change
    client.update_collection(name, metadata=about)
    with pytest.raises(ConfigError, match="not one of ours"):
        open_engine(client, KEY)


def test_no_engine(monkeypatch):
    pytest.importorskip("qdrant_client", reason=QDRANT)
    with pytest.raises(ConfigError, match="no address"):
        connect("localhost")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        nobody = connect(f"http://127.0.0.1:{free.getsockname()[1]}")
        with pytest.raises(ConfigError) as told:
            open_engine(nobody, KEY)
        assert told.value.__cause__ is not None and len(str(told.value).splitlines()) == 1
