"""Search is exact: same ids in the same order as brute force in V, ties by position."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rivae.base.errors import DataError
from rivae.retrieval.indexes import two_stage
from rivae.retrieval.indexes.brute_force import NumpyIndex
from rivae.retrieval.indexes.two_stage import TwoStageIndex
from rivae.retrieval.model import FullSpace, ProjectedSpace, make_space
from rivae.retrieval.registry import INDEXES, choose_index
from rivae.retrieval.storage import build_index
from rivae.retrieval.turned import TILE, choose_leading
from tests.retrieval.points import KINDS, brute, hard_points

BACKENDS = [NumpyIndex, TwoStageIndex.of]


def layer(m, dim_v, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(m, dim_v)), rng.normal(size=dim_v)


def unit_vectors(n, dim_v, seed=1, duplicates=0):
    rng = np.random.default_rng(seed)
    v = rng.normal(size=(n, dim_v))
    v /= np.linalg.norm(v, axis=1, keepdims=True)
    if duplicates:
        v[rng.permutation(n)[:duplicates]] = v[rng.integers(0, n, duplicates)]
    return v


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(("m", "dim_v", "kind"), [(10, 64, ProjectedSpace), (20, 8, FullSpace)])
@pytest.mark.parametrize("duplicates", [0, 300])
@pytest.mark.parametrize("k", [1, 10])
def test_same_order_as_brute_force_in_v(backend, m, dim_v, kind, duplicates, k):
    weight, bias = layer(m, dim_v)
    v = unit_vectors(900, dim_v, duplicates=duplicates)
    hidden = np.random.default_rng(2).normal(size=(60, m)) * np.geomspace(0.1, 30, 60)[:, None]
    space = make_space(weight, bias)
    assert isinstance(space, kind)
    positions, squared = backend(space.items(v)).search(space.queries(hidden), k)
    expected, distances, _ = brute(hidden @ weight + bias, v, k)
    np.testing.assert_array_equal(positions, expected)
    single = backend is not NumpyIndex  # points are kept in float32
    np.testing.assert_allclose(squared, distances, rtol=1e-5 if single else 1e-9, atol=1e-12)


@pytest.mark.parametrize("m", [8, 15, 16])
def test_projection_only_when_smaller(m):
    space = make_space(*layer(m, 16))
    assert isinstance(space, ProjectedSpace if m + 1 < 16 else FullSpace)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("k", [1, 4, 500])
def test_a_collapsed_embedding_is_ordered_by_position(backend, k):
    points = np.tile([[0.3, 0.1, 0.7]], (70, 1))
    positions, _ = backend(points).search(np.zeros((3, 3)), k)
    np.testing.assert_array_equal(positions, np.tile(np.arange(min(k, 70)), (3, 1)))


def test_more_ties_than_spare_candidates():
    """Forty different points at the same distance: the lowest positions win."""
    signs = np.array(np.meshgrid([-1, 1], [-1, 1], [-1, 1], [-1, 1], [-1, 1])).reshape(5, -1).T
    points = np.concatenate([[[9.0] * 5], signs, signs * 2.0])
    positions, _ = NumpyIndex(points).search(np.zeros((1, 5)), 6)
    np.testing.assert_array_equal(positions, [[1, 2, 3, 4, 5, 6]])


@pytest.mark.parametrize("backend", BACKENDS)
def test_all_distances_and_exact_ties(backend):
    points = unit_vectors(200, 7, duplicates=60)
    queries = np.random.default_rng(0).normal(size=(37, 7))
    found = backend(points).all_squared_distances(queries)
    single = backend is not NumpyIndex
    expected = brute(queries, points, 1)[2]
    np.testing.assert_allclose(found, expected, rtol=1e-5 if single else 1e-9, atol=1e-12)
    same = (points[:, None] == points[None]).all(2)
    for i, j in np.argwhere(same):
        np.testing.assert_array_equal(found[:, i], found[:, j])


def kept(index):
    """The points that an index holds, as it sees them."""
    return index.rows(np.arange(index.n_items))


@pytest.mark.parametrize("kind", KINDS)
def test_two_stages_are_brute_force_over_the_points_kept(kind):
    rng = np.random.default_rng(0)
    points = hard_points(kind, rng)
    index = TwoStageIndex.of(points)
    np.testing.assert_allclose(kept(index), points, rtol=1e-6, atol=1e-6 * np.abs(points).max())
    at = points[rng.integers(0, len(points), 40)]
    spread = points.std(axis=0)
    queries = np.concatenate([at, at + spread * rng.normal(size=at.shape), at + 30 * spread, -at])
    stored = index.points
    middle = [stored.centre + share * (at - stored.centre) for share in (0.5, 0.1, 1e-9, 0.0)]
    queries = np.concatenate([queries, *middle])
    turned, own = stored.turned(queries), stored.at(np.arange(index.n_items))
    expected, distances, _ = brute(turned, own, 10)
    positions, squared = index.search(queries, 10)
    np.testing.assert_array_equal(positions, expected)
    np.testing.assert_allclose(squared, distances, rtol=1e-12)
    for one, query in zip(positions, queries, strict=True):  # alone as in a batch
        np.testing.assert_array_equal(index.search(query[None], 10)[0][0], one)


@pytest.mark.parametrize("kind", KINDS)
def test_the_nearest_alone_is_that_of_brute_force(kind):
    rng = np.random.default_rng(0)
    points = hard_points(kind, rng)
    at = points[rng.integers(0, len(points), 300)]
    near = at + points.std(axis=0) * rng.normal(size=at.shape)
    queries = np.concatenate([at, near, -at])
    expected, distances, _ = brute(queries, points, 1)
    positions, squared = NumpyIndex(points).search(queries, 1)
    np.testing.assert_array_equal(positions, expected)
    np.testing.assert_array_equal(squared, distances)


def test_two_points_that_float32_cannot_tell_apart_are_told():
    points = np.random.default_rng(0).normal(size=(500, 8))
    points[7] = points[3] + 1e-10
    nearer_7, nearer_3 = points[7] + 1e-9, points[3] - 1e-9
    index = NumpyIndex(points)
    assert index.search(np.stack([nearer_7, nearer_3]), 1)[0].ravel().tolist() == [7, 3]
    far = NumpyIndex(np.array([[1e30, 0.0], [2e30, 0.0]]))  # their squares are beyond float32
    assert far.search(np.array([[1.2e30, 0.0], [1.9e30, 1.0]]), 1)[0].ravel().tolist() == [0, 1]


def test_no_bound_exceeds_the_distance_by_more_than_it_allows_for():
    rng = np.random.default_rng(1)
    for kind in KINDS:
        index = TwoStageIndex.of(hard_points(kind, rng))
        stored, queries = index.points, hard_points(kind, rng)[:50]
        turned = stored.turned(queries)
        reduced, squares = index.reduced(turned), (turned**2).sum(axis=1)
        exact = brute(turned, stored.at(np.arange(index.n_items)), 1)[2]
        by_tile = index._bounds(np.arange(index.n_tiles), reduced, None)
        bounds = by_tile.transpose(1, 0, 2).reshape(50, -1)[:, stored.places]
        excess = squares[:, None] + bounds - exact
        assert (excess <= index.error(turned)[:, None]).all(), kind
        of_tile = np.stack([index.box_distances(one, one) for one in reduced])
        of_tile = of_tile[:, stored.places // TILE]
        assert (of_tile - exact <= index.error(turned)[:, None]).all(), kind
        for share in (0.99, 0.5, 0.1, 1e-3, 1e-9, 0.0):
            for query in share * turned:
                bounds = index.tile_bounds(query, index.reduced(query[None]))
                exact = brute(query[None], stored.at(np.arange(index.n_items)), 1)[2][0]
                excess = bounds[stored.places // TILE] - exact
                assert (excess <= index.error(query[None])).all(), (kind, share)


def test_few_tiles_are_read_for_the_average_of_points_on_a_sphere():
    rng = np.random.default_rng(6)
    points = rng.normal(size=(40_000, 4)) @ rng.normal(size=(4, 30))
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    index = TwoStageIndex.of(points)
    read = []
    below = index.below
    index.below = lambda tiles, *rest: read.append(len(tiles)) or below(tiles, *rest)
    directions = points[:100] - points.mean(axis=0)
    for share in (0.5, 0.1, 0.03):
        read.clear()
        index.search(points.mean(axis=0) + share * directions, 5)
        assert np.median(read) < index.n_tiles / 3, share


def test_tiles_hold_neighbours_and_most_are_not_read():
    rng = np.random.default_rng(5)
    points = rng.uniform(size=(40_000, 3)) @ rng.normal(size=(3, 30))
    index = TwoStageIndex.of(points)
    read = []
    below = index.below
    index.below = lambda tiles, *rest: read.append(len(tiles)) or below(tiles, *rest)
    index.search(points[:100], 5)
    assert len(read) == 100 and np.median(read) < index.n_tiles / 6
    assert sorted(index.points.order) == list(range(40_000))


@pytest.mark.parametrize("few", [0, 60, two_stage.FEW])
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("order", ["ascending", "shuffled"])
def test_a_part_is_searched_as_if_it_were_alone(backend, order, few, monkeypatch):
    monkeypatch.setattr(two_stage, "FEW", few)
    rng = np.random.default_rng(2)
    points = np.round(rng.normal(size=(1500, 6)), 1)
    part = rng.permutation(1500)[:200]
    part = np.sort(part) if order == "ascending" else part
    queries = rng.normal(size=(30, 6))
    some = backend(points).subset(part)
    assert (some.n_items, some.n_features) == (200, 6)
    again = some.subset(np.arange(50, 100))
    for index, own in ((some, points[part]), (again, points[part][50:100])):
        expected, _, distances = brute(queries, own, 7)
        np.testing.assert_allclose(kept(index), own, atol=1e-5)
        np.testing.assert_allclose(index.all_squared_distances(queries), distances, rtol=1e-4)
        _, squared = index.search(queries, 7)
        near = np.take_along_axis(distances, expected, axis=1)
        np.testing.assert_allclose(squared, near, rtol=1e-4)  # equal but for ties on the grid
    assert some.search(queries, 500)[0].shape == (30, 200)


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 99), size=st.integers(1, 400), k=st.integers(1, 12))
def test_few_items_are_found_as_those_of_many_are(kind, seed, size, k):
    """Points that are copied, against their tiles: the same ids in the same order."""
    rng = np.random.default_rng(seed)
    points = hard_points(kind, rng)
    part = np.sort(rng.permutation(len(points))[:size])
    queries = np.concatenate([points[part[:5]], points[:5] + rng.normal(size=(5, 12))])
    index = TwoStageIndex.of(points)
    few, among = two_stage.Few(index, part), two_stage.Among(index, part)
    expected, distances = among.search(queries, k)
    positions, squared = few.search(queries, k)
    np.testing.assert_array_equal(positions, expected)
    np.testing.assert_allclose(squared, distances, rtol=1e-9, atol=1e-12 * distances.max())
    np.testing.assert_array_equal(few.rows(positions[0]), among.rows(positions[0]))


def test_leading_columns_follow_what_varies():
    rng = np.random.default_rng(3)
    flat = rng.normal(size=(4000, 80)) * np.where(np.arange(80) < 10, 1.0, 1e-3)
    full = rng.normal(size=(4000, 80))
    assert 8 <= choose_leading(flat, 1_000_000) <= 16
    assert choose_leading(full, 1_000_000) > 30


def test_an_index_is_chosen_by_size():
    points = unit_vectors(30, 4)
    for n, kind, made in (
        (50_000, "brute-force", NumpyIndex),
        (50_001, "two-stage", TwoStageIndex),
    ):
        assert choose_index(n, 4) is INDEXES[kind]
        assert isinstance(build_index(INDEXES[kind], 30, points.__getitem__), made)


@pytest.mark.parametrize("backend", BACKENDS)
def test_bad_points_are_refused(backend):
    with pytest.raises(DataError, match="NaN"):
        backend(np.full((3, 2), np.nan))
    with pytest.raises(DataError, match="at least one item"):
        backend(np.empty((0, 2)))
