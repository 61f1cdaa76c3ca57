"""An engine that goes away in the middle, and comes back: the same ids, and who found them."""

import threading

import numpy as np
import pytest

from rivae.retrieval import fallback
from rivae.retrieval.engine import EngineGoneError, QdrantIndex, connect, open_engine, push
from rivae.retrieval.fallback import Engine, FallingBack
from rivae.retrieval.indexes.two_stage import TwoStageIndex

clients = pytest.importorskip("qdrant_client", reason="the extra 'qdrant' is missing")
pytestmark = pytest.mark.filterwarnings("ignore:Local mode:UserWarning")
KEY = "b" * 32


class Switched:
    """A client of an engine that can be taken away: then it asks where nobody listens."""

    def __init__(self, client):
        self.client, self.nobody, self.is_there = client, connect("http://127.0.0.1:9", 2), True

    def __getattr__(self, name):
        return getattr(self.client if self.is_there else self.nobody, name)


@pytest.fixture
def points():
    return np.random.default_rng(0).normal(size=(700, 5))


@pytest.fixture
def switched(points):
    client = Switched(clients.QdrantClient(":memory:"))
    push(client, KEY, TwoStageIndex.of(points), lambda rows: [{} for _ in rows])
    return client


@pytest.fixture
def opened():
    return []


@pytest.fixture
def index(switched, points, opened):
    def find():
        return open_engine(switched, KEY)

    def here():
        opened.append(threading.current_thread())
        return TwoStageIndex.of(points)

    return FallingBack(Engine(), find, here, find())


@pytest.mark.parametrize(
    ("n_failures", "seconds", "is_gone"), [(1, 0, False), (2, 0, True), (1, 3, True)]
)
def test_what_fails_once_and_soon_is_asked_again(n_failures, seconds, is_gone, monkeypatch):
    """As a connection that was idle and just closed; what hangs is asked once."""
    now = [0.0]
    monkeypatch.setattr(fallback.time, "monotonic", lambda: now[0])
    asked, engine = [], Engine()

    def ask():
        asked.append(now[0])
        now[0] += seconds
        if len(asked) <= n_failures:
            raise EngineGoneError
        return "answer"

    assert engine.answer(ask) == (None if is_gone else "answer")
    assert engine.is_gone is is_gone
    assert len(asked) == (1 if seconds else 2)


def test_ids_stay_the_same_while_it_goes_and_comes_back(
    index, switched, points, opened, monkeypatch
):
    own, rng = TwoStageIndex.of(points), np.random.default_rng(1)
    some = np.arange(2, 700, 3)
    parts = index.subset(some), own.subset(some)

    def are_equal():
        queries = rng.normal(size=(4, 5))
        for there, here in ((index, own), parts):
            np.testing.assert_array_equal(there.search(queries, 7)[0], here.search(queries, 7)[0])
            np.testing.assert_array_equal(there.nearest(queries), here.nearest(queries))
            np.testing.assert_allclose(
                there.all_squared_distances(queries), here.all_squared_distances(queries), rtol=1e-4
            )
            assert (there.n_items, there.n_features) == (here.n_items, here.n_features)
        np.testing.assert_array_equal(index.rows(some), own.rows(some))

    are_equal()
    usual = index.searched_by
    assert not opened and not index.engine.is_gone
    switched.is_there = False
    are_equal()
    assert index.engine.is_gone
    assert index.searched_by == parts[0].searched_by != usual
    assert len(opened) == 1
    switched.is_there = True
    are_equal()
    assert index.engine.is_gone, "it is not asked again within a minute"
    monkeypatch.setattr(fallback, "ASKED_AGAIN_S", 0.0)
    are_equal()
    assert index.searched_by == usual
    assert len(opened) == 1


def test_one_that_was_not_there_from_the_beginning_is_found_later(switched, points, monkeypatch):
    switched.is_there = False
    engine = Engine()
    index = FallingBack(
        engine, lambda: open_engine(switched, KEY), lambda: TwoStageIndex.of(points)
    )
    query = points[:1]
    expected = index.search(query, 3)[0]
    assert index.there is None
    switched.is_there = True
    monkeypatch.setattr(fallback, "ASKED_AGAIN_S", 0.0)
    np.testing.assert_array_equal(index.search(query, 3)[0], expected)
    assert index.there is not None


def test_what_was_chosen_while_it_was_gone_is_asked_there_again(
    index, switched, points, monkeypatch
):
    some = np.arange(1, 700, 2)
    switched.is_there = False
    index.search(points[:1], 1)
    part, expected = index.subset(some), TwoStageIndex.of(points).subset(some)
    np.testing.assert_array_equal(part.search(points[:2], 4)[0], expected.search(points[:2], 4)[0])
    assert part.there is None
    switched.is_there = True
    monkeypatch.setattr(fallback, "ASKED_AGAIN_S", 0.0)
    np.testing.assert_array_equal(part.search(points[:2], 4)[0], expected.search(points[:2], 4)[0])
    assert isinstance(part.there, QdrantIndex)


def test_many_threads_open_the_items_here_once(index, switched, opened):
    switched.is_there = False
    threads = [threading.Thread(target=index.search, args=(np.zeros((1, 5)), 3)) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(opened) == 1
