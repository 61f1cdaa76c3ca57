"""Work in several threads comes back in order, is bounded, and ends with whoever takes it."""

import threading
import time

import pytest

from rivae.base.ahead import AHEAD, ahead
from tests.waiting import PATIENCE_S


def test_results_come_in_order_with_their_errors():
    def work(n):
        time.sleep(0.002 * (n % 3))
        if n % 7 == 3:
            raise ValueError(n)
        return n * n

    for n, (given, done) in enumerate(ahead(range(60), work, 4)):
        assert given == n
        if n % 7 == 3:
            with pytest.raises(ValueError, match=str(n)):
                done()
        else:
            assert done() == n * n


def test_it_is_never_far_ahead_and_works_in_several_threads():
    asked, threads = [], set()
    together = threading.Barrier(3, timeout=PATIENCE_S)

    def given():
        for n in range(200):
            asked.append(n)
            yield n

    def work(n):
        if n < 3:
            together.wait()  # passes only when three threads are at work
        threads.add(threading.get_ident())
        return n

    for n, (_, done) in enumerate(ahead(given(), work, 3)):
        assert done() == n
        assert len(asked) <= n + 3 * AHEAD + 1
    assert len(threads) == 3


def test_a_taker_that_stops_ends_the_threads():
    begun = []
    results = ahead(range(1000), lambda n: begun.append(n) or time.sleep(0.01), 2)
    next(results)
    results.close()
    n = len(begun)
    time.sleep(0.1)
    assert len(begun) == n < 1000


def test_without_threads_work_waits_until_it_is_asked_for():
    begun = []
    given = ahead("abc", begun.append, 0)
    one, done = next(given)
    assert one == "a" and begun == []
    done()
    assert begun == ["a"] and [one for one, _ in given] == ["b", "c"]
