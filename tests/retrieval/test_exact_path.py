"""Exact change points against brute force, on real leaky-ReLU decoders."""

import numpy as np
import pytest
import torch

from rivae.base.errors import ConfigError
from rivae.retrieval import contenders
from rivae.retrieval.exact_path import exact_change_points, exact_paths, find_kinks
from rivae.retrieval.indexes import two_stage
from rivae.retrieval.indexes.two_stage import TwoStageIndex
from rivae.retrieval.registry import INDEXES
from rivae.retrieval.retriever import Retriever
from tests.retrieval.points import KINDS, brute, hard_points
from tests.retrieval.small import SmallMethod, small_data

DATA = small_data(n=1500, duplicates=100)


def retriever_of(**settings):
    return Retriever(SmallMethod(**settings), DATA, np.arange(len(DATA)))


def test_kinks_of_a_hand_made_function():
    bends = np.array([-1.5, 0.25, 0.2500001, 2.0])

    def evaluate(line, t):
        sharp = np.maximum(t[:, None] - bends, 0) * [1.0, -2.0, 3.0, 0.5]
        return np.where(line[:, None] == 0, sharp, t[:, None] * [1.0, 2.0, 3.0, 4.0])

    line, start, end = find_kinks(evaluate, 2, np.array([-3.0, -3.0]), np.array([3.0, 5.0]))
    np.testing.assert_array_equal(np.unique(line), [0, 1])
    assert (start[line == 1], end[line == 1]) == (-3.0, 5.0)
    found = start[line == 0]
    assert all(np.abs(found - bend).min() < 1e-9 for bend in bends)
    assert len(found) <= 12
    np.testing.assert_array_equal(found[1:], end[line == 0][:-1])


def test_kinks_are_where_the_neurons_switch():
    method = SmallMethod(n_components=1, hidden=6).double()
    first = method.f[0]
    switches = (-first.bias / first.weight[:, 0]).detach().numpy()

    def evaluate(line, t):
        with torch.no_grad():
            return method.hidden(torch.tensor(t)[:, None]).numpy()

    _, start, _ = find_kinks(evaluate, 1, np.array([-20.0]), np.array([20.0]))
    inside = switches[np.abs(switches) < 20]
    assert all(np.abs(start - s).min() < 1e-8 for s in inside)
    # Neurons of the second layer add at most one bend per linear piece of the first; a few cuts
    # where nothing bends are allowed.
    assert len(start) <= 2 * (1 + len(inside) + 6 * (len(inside) + 1))


@pytest.mark.parametrize("hidden", [5, 40])
@pytest.mark.parametrize("reach", [3.0, 30.0])
def test_no_sample_disagrees(hidden, reach):
    retriever = retriever_of(n_components=3, hidden=hidden)
    rng = np.random.default_rng(1)
    anchors = rng.normal(size=(4, 3))
    paths = exact_paths(retriever, anchors, [0, 1, 2], -reach, reach)
    assert sum(len(p.ids) for row in paths for p in row) > 60
    for anchor, row in zip(anchors, paths, strict=True):
        for path in row:
            t = np.sort(rng.uniform(-reach, reach, 4000))
            t = t[np.abs(t[:, None] - path.starts).min(axis=1) > 1e-8 * reach]
            z = np.repeat(anchor[None], len(t), axis=0)
            z[:, path.dim] = t
            np.testing.assert_array_equal(path.at(t), retriever.nearest(z, 1)[0][:, 0])


def test_both_sides_of_every_change_point():
    retriever = retriever_of(n_components=2)
    path = exact_change_points(retriever, np.array([0.2, -0.4]), 1, -5.0, 5.0)
    assert path.starts[0] == -5.0
    assert (np.diff(path.starts) > 0).all()
    assert (path.ids[1:] != path.ids[:-1]).all()
    wide = np.diff([*path.starts, 5.0]) > 1e-6

    def nearest(t):
        return retriever.nearest(np.array([[0.2, t]]), 1)[0][0, 0]

    for i in np.flatnonzero(wide):
        assert nearest(path.starts[i] + 5e-7) == path.ids[i]
    for i in np.flatnonzero(wide[:-1]):
        assert nearest(path.starts[i + 1] - 5e-7) == path.ids[i]


def test_sampling_never_finds_an_item_that_the_exact_path_misses():
    retriever = retriever_of(n_components=2)
    path = exact_change_points(retriever, np.zeros(2), 0, -10.0, 10.0)
    z = np.zeros((201, 2))
    z[:, 0] = np.linspace(-10, 10, 201)
    sampled = set(retriever.nearest(z, 1)[0][:, 0])
    assert sampled <= set(path.ids)
    assert len(sampled) < len(path.ids)


@pytest.mark.slow
@pytest.mark.parametrize(("part", "few"), [(False, 0), (True, 0), (True, two_stage.FEW)])
def test_many_items_have_the_same_paths_as_few(part, few, monkeypatch):
    """Contenders of a path, among points kept in float32, against brute force over all of them."""
    monkeypatch.setattr(two_stage, "FEW", few)
    many = Retriever(SmallMethod(), DATA, np.arange(len(DATA)), kind=INDEXES["two-stage"])
    if part:
        many = many.subset(np.arange(0, len(DATA), 3))
    rng = np.random.default_rng(3)
    for anchor in rng.normal(size=(3, 2)):
        for path in exact_paths(many, anchor[None], [0, 1], -8.0, 8.0)[0]:
            assert len(path.ids) > 4
            t = np.sort(rng.uniform(-8, 8, 3000))
            t = t[np.abs(t[:, None] - path.starts).min(axis=1) > 1e-6]
            z = np.repeat(anchor[None], len(t), axis=0)
            z[:, path.dim] = t
            np.testing.assert_array_equal(path.at(t), many.nearest(z, 1)[0][:, 0])


@pytest.mark.parametrize("kind", KINDS)
def test_nobody_else_is_nearest_on_a_path(kind):
    """Points that are hard to tell apart, on a path between some of them."""
    rng = np.random.default_rng(4)
    points = hard_points(kind, rng)
    index = TwoStageIndex.of(points)
    corners = points[rng.integers(0, len(points), 6)]
    near = index.along(corners)
    assert len(near.positions) <= len(points)
    share = rng.uniform(size=(5, 40, 1))
    places = (corners[:-1, None] * (1 - share) + corners[1:, None] * share).reshape(-1, 12)
    places = np.concatenate([corners, places])
    own = index.points.at(np.arange(index.n_items))
    expected, _, distances = brute(index.points.turned(places), own, 1)
    found = near.nearest(places)
    at = np.take_along_axis(distances, found[:, None], axis=1)
    np.testing.assert_array_equal(at, np.take_along_axis(distances, expected, axis=1))
    np.testing.assert_array_equal(found, expected[:, 0])


def test_a_path_through_the_middle_of_a_sphere_ends(monkeypatch):
    """There a search of one place reads most tiles, and no halving of the path leaves fewer."""
    rng = np.random.default_rng(7)
    points = rng.normal(size=(40_000, 16))
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    index, halved = TwoStageIndex.of(points), []
    halves = contenders._halves

    def counted(*args):
        halved.append(1)
        assert len(halved) < 200, "it is halved without end"
        return halves(*args)

    monkeypatch.setattr(contenders, "_halves", counted)
    path = np.linspace(points[3], -points[3], 9)
    near = index.along(path)
    places = np.linspace(points[3], -points[3], 400)
    np.testing.assert_array_equal(near.nearest(places), index.search(places, 1)[0][:, 0])


def test_one_item_is_one_stretch():
    one = Retriever(SmallMethod(), DATA, [7])
    path = exact_change_points(one, np.zeros(2), 0, -1.0, 1.0)
    np.testing.assert_array_equal(path.ids, [7])
    np.testing.assert_array_equal(path.starts, [-1.0])


class Curved(SmallMethod):
    def hidden(self, z):
        return torch.tanh(super().hidden(z))


def test_a_curved_decoder_is_refused():
    curved = Retriever(Curved(), DATA, np.arange(50))
    with pytest.raises(ConfigError, match="not piecewise linear"):
        exact_change_points(curved, np.zeros(2), 0, -1.0, 1.0)


@pytest.mark.parametrize(("dim", "low", "high"), [(2, 0, 1), (-1, 0, 1), (0, 1, 1), (0, 0, np.inf)])
def test_bad_requests_are_refused(dim, low, high):
    with pytest.raises(ConfigError):
        exact_change_points(retriever_of(), np.zeros(2), dim, low, high)
