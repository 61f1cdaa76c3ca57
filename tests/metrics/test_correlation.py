import numpy as np
import pytest

from rivae.base.errors import DataError
from rivae.data.base import FactorSpec
from rivae.metrics.correlation import correlation_table
from rivae.retrieval.traversal import Traversal


def path(rows, values):
    """A traversal of made-up ids: rows (q, J, T)."""
    ids = np.asarray(rows)[..., None]
    values = np.asarray(values, dtype=float)
    z = np.zeros((len(ids), 2))
    return Traversal(z, np.arange(len(values)), values, ids, np.zeros(ids.shape))


FACTORS = np.array([[0.0, 5.0, 1.0], [1.0, 5.0, 0.0], [2.0, 5.0, 2.0], [3.0, 5.0, 1.0]])
SPECS = (
    FactorSpec("a", "continuous"),
    FactorSpec("constant", "ordinal"),
    FactorSpec("class", "categorical"),
)


def test_table_by_hand():
    values = [[0.0, 1.0, 2.0, 3.0]] * 2
    made = path([[[0, 1, 2, 3], [3, 2, 1, 0]], [[0, 1, 2, 3], [0, 0, 0, 0]]], values)
    table = correlation_table(made, FACTORS, SPECS)
    assert table.factor_names == ("a", "constant")
    assert table.left_out == ("class",)
    np.testing.assert_allclose(table.absolute[:, 0], [1.0, 0.5])
    np.testing.assert_allclose(table.signed[:, 0], [1.0, -0.5])
    np.testing.assert_allclose(table.spread[:, 0], [0.0, 0.5])
    np.testing.assert_allclose(table.undefined, [[0.0, 1.0], [0.5, 1.0]])
    np.testing.assert_array_equal(table.absolute[:, 1], 0)


def test_opposite_queries_cancel_only_with_their_sign():
    made = path([[[0, 1, 2]], [[2, 1, 0]]], [[0.0, 1.0, 2.0]])
    table = correlation_table(made, FACTORS, SPECS)
    assert table.absolute[0, 0] == pytest.approx(1)
    assert table.signed[0, 0] == pytest.approx(0)


def test_agrees_with_numpy():
    rng = np.random.default_rng(0)
    factors = rng.normal(size=(50, 3))
    specs = tuple(FactorSpec(n, "continuous") for n in "abc")
    rows = rng.integers(0, 50, size=(6, 4, 30))
    values = np.cumsum(rng.uniform(size=(4, 30)), axis=1)
    table = correlation_table(path(rows, values), factors, specs)
    for j in range(4):
        for k in range(3):
            each = [np.corrcoef(values[j], factors[rows[q, j], k])[0, 1] for q in range(6)]
            assert table.absolute[j, k] == pytest.approx(np.abs(each).mean())
            assert table.signed[j, k] == pytest.approx(np.mean(each))


def test_a_constant_of_awkward_digits_is_still_constant():
    factors = np.full((5, 1), 0.1 + 0.2)
    made = path([[[0, 1, 2, 3, 4]]], [[0.1, 0.2, 0.3, 0.4, 0.5]])
    assert correlation_table(made, factors, SPECS[:1]).undefined[0, 0] == 1


def test_without_numeric_factors_or_queries():
    made = path([[[0, 1]]], [[0.0, 1.0]])
    with pytest.raises(DataError, match="no factor is numeric"):
        correlation_table(made, FACTORS[:, 2:], SPECS[2:])
    with pytest.raises(DataError, match="query"):
        correlation_table(path(np.zeros((0, 1, 2), int), [[0.0, 1.0]]), FACTORS, SPECS)
