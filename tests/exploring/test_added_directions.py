"""Directions from levels, their scores, and moving along one without the others."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rivae.base.errors import DataError
from rivae.exploring.axes.directions import DirectionFinder, moves_alone
from rivae.exploring.axes.levels import cross_fitted, spread
from rivae.exploring.axes.scores import axis_score, shared_axes


def world(seed=0, n=400, d=5):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, d)) @ (rng.normal(size=(d, d)) + 2 * np.eye(d)) + rng.normal(size=d)


@given(st.integers(0, 10_000), st.integers(2, 7), st.sampled_from([1e-6, 1.0, 1e6]))
def test_an_axis_moves_its_own_reading_and_reads_its_levels(seed, d, unit):
    z = world(seed, d=d)
    rng = np.random.default_rng(seed)
    signal = z @ rng.normal(size=d)
    levels = unit * (signal + 0.3 * signal.std() * rng.normal(size=len(z)))
    finder = DirectionFinder([z], 10.0)
    axis = finder.direction(finder.weights([z], levels))
    assert np.isclose(axis.reads @ axis.moves, 1)
    readings = z @ axis.reads + axis.offset
    np.testing.assert_allclose(np.percentile(readings, [0.5, 99.5]), [-10, 10], atol=1e-6)
    assert np.corrcoef(readings, levels)[0, 1] > 0.9
    # What z changes by is its regression on the reading.
    slope = np.cov(z.T, readings)[:-1, -1] / readings.var(ddof=1)
    np.testing.assert_allclose(axis.moves, slope, rtol=1e-6, atol=1e-9 * np.abs(slope).max())


def test_reading_and_moving_are_one_vector_in_white_coordinates():
    z = world()
    finder = DirectionFinder([z], 10.0)
    axis = finder.direction(finder.weights([z], z @ np.arange(1.0, 6.0)))
    white = finder.white
    read, moved = np.linalg.solve(white.to, axis.reads), axis.moves @ white.to
    np.testing.assert_allclose(
        read / np.linalg.norm(read), moved / np.linalg.norm(moved), atol=1e-6
    )


@given(st.integers(0, 10_000), st.integers(0, 4))
def test_moving_alone_leaves_the_other_readings(seed, n_others):
    rng = np.random.default_rng(seed)
    covariance = np.cov(world(seed, d=6).T)
    own, others = rng.normal(size=6), rng.normal(size=(n_others, 6))
    if n_others > 1:
        others[-1] = others[0] * 2  # one that repeats another takes nothing more away
    moves = moves_alone(own, others, covariance)
    if moves is None:
        return
    assert np.isclose(own @ moves, 1)
    np.testing.assert_allclose(others @ moves, 0, atol=1e-6 * np.abs(moves).max() * 10)
    # No other move that does so is shorter in white coordinates.
    for _ in range(5):
        step = rng.normal(size=6)
        free = np.linalg.svd(np.vstack([own, others]))[2][np.linalg.matrix_rank([own, *others]) :]
        other = moves + free.T @ (free @ step)
        assert other @ np.linalg.solve(covariance, other) >= moves @ np.linalg.solve(
            covariance, moves
        ) - 1e-6 * abs(moves @ np.linalg.solve(covariance, moves))


def test_an_axis_that_others_say_cannot_move_alone():
    own = np.array([1.0, 2.0, 0.0])
    assert moves_alone(own, np.array([[1.0, 0, 0], [0, 1.0, 0]]), np.eye(3)) is None
    assert moves_alone(own, np.array([[0, 0, 1.0]]), np.eye(3)) is not None


def test_a_z_that_says_nothing_gives_no_axis():
    with pytest.raises(DataError, match="not finite or too few"):
        DirectionFinder([np.full((9, 2), np.nan)], 10.0)
    finder = DirectionFinder([world()], 10.0)
    with pytest.raises(DataError, match="z says nothing"):
        finder.direction(np.zeros(5))


def test_chance_is_what_unrelated_levels_reach():
    rng = np.random.default_rng(0)
    scores = [axis_score(rng.normal(size=60), rng.normal(size=60), "first") for _ in range(60)]
    above = np.mean([abs(score.score) > score.chance for score in scores])
    covered = np.mean([score.low <= 0 <= score.high for score in scores])
    assert above <= 0.13 and covered >= 0.85
    x = rng.normal(size=80)
    sure = axis_score(x, 2 * x + 1, "second")
    assert sure.score > 0.999 and sure.chance < 0.4 and sure.asks == "second" and sure.n == 80
    assert axis_score(np.ones(20), x[:20], "first").score == 0


@given(st.integers(0, 1000), st.integers(5, 95))
def test_the_score_of_a_tag_does_not_depend_on_how_rare_it_is(seed, n_with):
    rng = np.random.default_rng(seed)
    has = np.repeat([1.0, 0.0], [n_with, 100 - n_with])
    expected = 1 / np.sqrt(2)  # two groups one s.d. from their middle, each with that s.d.
    noise = np.concatenate([_white(rng, n_with), _white(rng, 100 - n_with)])
    assert axis_score(2 * has - 1 + noise, has, "first").score == pytest.approx(expected, abs=1e-9)


def _white(rng, n):
    x = rng.normal(size=n)
    return (x - x.mean()) / x.std()


def test_shared_axes_are_those_that_read_alike():
    rng = np.random.default_rng(0)
    x = rng.normal(size=500)
    others = np.stack([-x + 0.1 * rng.normal(size=500), rng.normal(size=500)], axis=1)
    (shared,) = shared_axes(x, others, ["z1", "a2"], ["one", "two"])
    assert shared.id == "z1" and shared.name == "one" and shared.correlation < -0.95


def test_few_labels_are_spread_by_what_texts_say():
    rng = np.random.default_rng(0)
    texts = rng.normal(size=(600, 40))
    truth = texts @ rng.normal(size=40)
    known = truth[:25] + 0.2 * rng.normal(size=25)
    alone = spread(texts[:25], known, texts[25:])
    typed = truth + 4 * rng.normal(size=600)
    helped = spread(texts[:25], known, texts[25:], (typed[:25], typed[25:]))
    r = [np.corrcoef(guess, truth[25:])[0, 1] for guess in (alone, helped)]
    assert 0.4 < r[0] < r[1]


def test_held_out_readings_come_from_axes_without_the_item():
    rows, levels = np.arange(20), np.tile([0.0, 1.0], 10)
    seen = []

    def reading(fit, own, others):
        assert not set(fit) & set(others) and np.ptp(own) > 0
        seen.extend(others.tolist())
        return np.full(len(others), own.mean())

    readings = cross_fitted(rows, levels, reading)
    assert sorted(seen) == rows.tolist()
    np.testing.assert_allclose(readings, 0.5)  # every fold has its share of both levels
