"""Search is exact: same ids in the same order as brute force in V, ties by position."""

import numpy as np
import pytest

from rivae.errors import DataError
from rivae.retrieval.exact import NumpyIndex
from rivae.retrieval.faiss_index import FaissIndex
from rivae.retrieval.projection import FullSpace, ProjectedSpace, make_space
from rivae.retrieval.storage import build_index

BACKENDS = [NumpyIndex, FaissIndex]


def brute(queries, points, k):
    """Direct differences and a stable sort: the definition."""
    d = np.stack([((points - q) ** 2).sum(1) for q in queries])
    order = np.argsort(d, axis=1, kind="stable")[:, :k]
    return order, np.take_along_axis(d, order, axis=1), d


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
    np.testing.assert_allclose(squared, distances, rtol=1e-9, atol=1e-12)


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


@pytest.mark.parametrize("backend", BACKENDS)
def test_more_ties_than_spare_candidates(backend):
    """Forty different points at the same distance: the lowest positions win."""
    signs = np.array(np.meshgrid([-1, 1], [-1, 1], [-1, 1], [-1, 1], [-1, 1])).reshape(5, -1).T
    points = np.concatenate([[[9.0] * 5], signs, signs * 2.0])
    positions, _ = backend(points).search(np.zeros((1, 5)), 6)
    np.testing.assert_array_equal(positions, [[1, 2, 3, 4, 5, 6]])


@pytest.mark.parametrize("backend", BACKENDS)
def test_all_distances_and_exact_ties(backend):
    points = unit_vectors(200, 7, duplicates=60)
    queries = np.random.default_rng(0).normal(size=(37, 7))
    found = backend(points).all_squared_distances(queries)
    np.testing.assert_allclose(found, brute(queries, points, 1)[2], rtol=1e-9, atol=1e-12)
    same = (points[:, None] == points[None]).all(2)
    for i, j in np.argwhere(same):
        np.testing.assert_array_equal(found[:, i], found[:, j])


def test_float32_neighbours_are_told_apart():
    """Points that float32 cannot separate are still ordered as float64 orders them."""
    points = 1.0 + np.linspace(0, 1e-9, 60)[::-1, None] * np.ones((1, 4))
    query = np.ones((1, 4))
    positions, _ = FaissIndex(points).search(query, 5)
    np.testing.assert_array_equal(positions, [[59, 58, 57, 56, 55]])


def test_backend_is_chosen_by_size():
    points = unit_vectors(30, 4)
    assert isinstance(build_index(points, faiss_above=30), NumpyIndex)
    assert isinstance(build_index(points, faiss_above=29), FaissIndex)


@pytest.mark.parametrize("backend", BACKENDS)
def test_bad_input_is_refused(backend):
    with pytest.raises(DataError, match="NaN"):
        backend(np.full((3, 2), np.nan))
    with pytest.raises(DataError, match="at least one item"):
        backend(np.empty((0, 2)))
    index = backend(np.eye(3))
    with pytest.raises(DataError, match="NaN"):
        index.search(np.full((1, 3), np.nan), 1)
    with pytest.raises(DataError, match="expected"):
        index.search(np.zeros((1, 2)), 1)
    with pytest.raises(DataError, match="k must"):
        index.search(np.zeros((1, 3)), 0)
