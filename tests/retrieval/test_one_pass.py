"""Questions that wait for one another are answered together, each with its own answer."""

import threading

import numpy as np
import pytest

from rivae.retrieval.one_pass import OnePass
from rivae.retrieval.two_stage import TwoStageIndex


def together(ask, questions, first_in):
    """Ask all questions in threads; the first one is being answered while the others come."""
    answers = {}

    def act(n):
        try:
            answers[n] = ask(questions[n])
        except ValueError as error:
            answers[n] = error

    threads = [threading.Thread(target=act, args=[n]) for n in range(len(questions))]
    threads[0].start()
    assert first_in.wait(10)
    for thread in threads[1:]:
        thread.start()
    return threads, answers


@pytest.fixture
def doubling():
    """A ``OnePass`` that doubles and, in its first pass, waits until it is let go."""
    first_in, go, sizes = threading.Event(), threading.Event(), []

    def work(rows):
        sizes.append(len(rows))
        if len(sizes) == 1:
            first_in.set()
            assert go.wait(10)
        if (rows < 0).any():
            raise ValueError("negative")
        return 2 * rows

    return OnePass(work, most=4), first_in, go, sizes


def end(threads, go, waiting, n):
    while len(waiting) < n:
        pass
    go.set()
    for thread in threads:
        thread.join(10)


def test_what_comes_during_a_pass_is_answered_in_the_next_as_far_as_it_has_room(doubling):
    ask, first_in, go, sizes = doubling
    questions = [np.full((size, 3), float(n)) for n, size in enumerate((1, 2, 1, 1, 2, 9))]
    threads, answers = together(ask, questions, first_in)
    end(threads, go, ask._waiting, 5)
    assert sum(sizes) == 16 and sizes[0] == 1 and 9 in sizes and len(sizes) < 6
    for n, question in enumerate(questions):
        assert np.array_equal(answers[n], 2 * question)


def test_an_error_ends_one_question_and_leaves_the_others(doubling):
    ask, first_in, go, _ = doubling
    questions = [np.ones((1, 3)), -np.ones((1, 3)), np.ones((1, 3)), np.ones((1, 3))]
    threads, answers = together(ask, questions, first_in)
    end(threads, go, ask._waiting, 3)
    failed = [n for n in answers if isinstance(answers[n], ValueError)]
    assert 1 in failed and len(failed) <= 2, "whoever asked for it, and whoever ran its pass"
    for n in set(range(4)) - set(failed):
        assert np.array_equal(answers[n], 2 * questions[n])
    assert np.array_equal(ask(questions[0]), 2 * questions[0])


def test_many_threads_get_what_one_would():
    rng = np.random.default_rng(0)
    index = TwoStageIndex.of(rng.standard_normal((5000, 12)))
    queries = rng.standard_normal((64, 12))
    alone = [index.search(query[None], 7) for query in queries]
    found = {}

    def act(mine):
        for n in mine:
            found[n] = index.search(queries[n][None], 7)

    threads = [threading.Thread(target=act, args=[range(n, 64, 8)]) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for n, (ids, distances) in enumerate(alone):
        assert np.array_equal(found[n][0], ids) and np.array_equal(found[n][1], distances)
