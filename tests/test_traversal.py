import numpy as np
import pytest

from rivae.base.errors import ConfigError, DataError
from rivae.retrieval import traversal
from rivae.retrieval.ranges import grid, paper_grid, sigma_grid
from rivae.retrieval.retriever import Retriever
from rivae.retrieval.traversal import Traversal, traverse, traverse_plane
from tests.retrieval.small import SmallMethod, small_data

DATA = small_data()


@pytest.fixture(scope="module")
def retriever():
    return Retriever(SmallMethod(n_components=3), DATA, np.arange(200))


def test_paper_grid():
    values = paper_grid()
    assert len(values) == 201
    assert (values[0], values[-1]) == (-10.0, 10.0)
    np.testing.assert_allclose(np.diff(values), 0.1)


def test_sigma_grid(retriever):
    prior = retriever.prior(DATA.splits["test"])
    values = sigma_grid(prior)
    assert values.shape == (3, 100)
    np.testing.assert_allclose(values[:, 0], prior.mean - 10 * prior.std)
    np.testing.assert_allclose(values[:, -1], prior.mean + 10 * prior.std)


@pytest.mark.parametrize(
    "arguments",
    [
        {"low": 1, "high": 1, "n_points": 3},
        {"low": 0, "high": np.nan, "n_points": 3},
        {"low": 0, "high": 1},
        {"low": 0, "high": 1, "n_points": 3, "step": 0.5},
        {"low": 0, "high": 1, "n_points": 1},
        {"low": 0, "high": 1, "step": 0.3},
        {"low": 0, "high": 1, "step": -1},
    ],
)
def test_bad_grids_are_refused(arguments):
    with pytest.raises(ConfigError):
        grid(**arguments)


def one_by_one(retriever, z_ref, dims, table, k):
    ids = np.empty((len(z_ref), len(dims), table.shape[1], k), dtype=int)
    for q, anchor in enumerate(z_ref):
        for j, dim in enumerate(dims):
            for t, value in enumerate(table[j]):
                z = anchor.copy()
                z[dim] = value
                ids[q, j, t] = retriever.search(z, k).ids[0]
    return ids


def test_batched_equals_one_by_one(retriever, monkeypatch):
    monkeypatch.setattr(traversal, "_BLOCK", 7)  # blocks that cut through rows
    z_ref = np.random.default_rng(0).normal(size=(4, 3))
    anchors = z_ref.copy()
    table = np.array([np.linspace(-3, 3, 9), np.linspace(-1, 5, 9)])
    seen = []
    found = traverse(retriever, z_ref, table, dims=[2, 0], k=3, progress=seen.append)
    np.testing.assert_array_equal(found.ids, one_by_one(retriever, anchors, [2, 0], table, 3))
    np.testing.assert_array_equal(z_ref, anchors)
    np.testing.assert_array_equal(found.dims, [2, 0])
    assert found.squared_distances.shape == (4, 2, 9, 3)
    assert seen[-1] == 1.0
    assert seen == sorted(seen)


def test_the_forms_of_values_agree(retriever):
    line = np.linspace(-2, 2, 5)
    per_dim = np.stack([line, line + 1, line + 2])
    z = np.zeros(3)
    full = traverse(retriever, z, per_dim)
    assert full.ids.shape == (1, 3, 5, 1)
    np.testing.assert_array_equal(traverse(retriever, z, per_dim, dims=[1]).ids, full.ids[:, 1:2])
    turned = traverse(retriever, z, per_dim, dims=[2, 0, 1])
    np.testing.assert_array_equal(turned.ids, full.ids[:, [2, 0, 1]])
    mapped = traverse(retriever, z, {2: line + 2, 1: line + 1})
    np.testing.assert_array_equal(mapped.dims, [2, 1])
    np.testing.assert_array_equal(mapped.ids, full.ids[:, [2, 1]])
    np.testing.assert_array_equal(traverse(retriever, z, line, dims=[0]).ids, full.ids[:, :1])


@pytest.mark.parametrize(
    ("values", "dims"),
    [
        (np.zeros((2, 4)), None),
        (np.zeros(3), [3]),
        (np.zeros(3), [-1]),
        (np.zeros(3), [0, 0]),
        (np.zeros(3), []),
        ({0: [1.0, 2.0], 1: [1.0]}, None),
        ({0: [1.0]}, [1]),
        ([np.nan], None),
        (np.zeros((3, 0)), None),
        ({}, None),
    ],
)
def test_values_that_do_not_fit_are_refused(retriever, values, dims):
    with pytest.raises(ConfigError):
        traverse(retriever, np.zeros(3), values, dims)


def test_bad_anchors_are_refused(retriever):
    with pytest.raises(DataError):
        traverse(retriever, np.zeros(2), [0.0, 1.0])
    with pytest.raises(DataError):
        traverse(retriever, np.zeros(3), [0.0, 1.0], k=0)


def test_change_points_by_hand():
    ids = np.array([4, 4, 7, 7, 7, 4, 9])[None, None, :, None]
    made = Traversal(np.zeros((1, 1)), np.array([0]), np.zeros((1, 7)), ids, np.zeros(ids.shape))
    np.testing.assert_array_equal(made.change_points(0, 0), [0, 2, 5, 6])


def test_plane(retriever):
    z = np.array([0.3, -0.2, 0.7])
    a, b = np.linspace(-2, 2, 4), np.linspace(-3, 3, 5)
    ids = traverse_plane(retriever, z, 2, a, 0, b, k=2)
    assert ids.shape == (4, 5, 2)
    for i, value_a in enumerate(a):
        for j, value_b in enumerate(b):
            expected = retriever.search(np.array([[value_b, -0.2, value_a]]), 2).ids[0]
            np.testing.assert_array_equal(ids[i, j], expected)
    with pytest.raises(ConfigError, match="two different"):
        traverse_plane(retriever, z, 1, a, 1, b)
    with pytest.raises(ConfigError, match="one anchor"):
        traverse_plane(retriever, np.zeros((2, 3)), 0, a, 1, b)
