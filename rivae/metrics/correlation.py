"""The paper's correlation table: position on an axis against factor of the retrieved item (Sec. 4).

For each query and axis j, z_j runs along its traversal and the top-1 item is looked up at
every point; c_jk is the Pearson correlation of z_j with factor k of those items, averaged over
queries as |corr|.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from rivae.base.arrays import Floats
from rivae.base.errors import DataError
from rivae.data.factors import FactorSpec
from rivae.metrics.base import check_specs

if TYPE_CHECKING:
    from rivae.retrieval.traversal import Traversal


@dataclass(frozen=True)
class CorrelationTable:
    """Correlations between J axes and K numeric factors.

    Attributes:
        absolute: (J, K) mean over queries of |corr|, in [0, 1]; the paper's c.
        signed: (J, K) mean over queries of corr, in [-1, 1].
        spread: (J, K) s.d. over queries of |corr|.
        undefined: (J, K) share of queries whose factor is constant along the path, where the
            correlation has no value; they count as 0.
        factor_names: K names. Categorical factors have no Pearson correlation:
        left_out: their names.
        n_queries: queries averaged.
    """

    absolute: Floats
    signed: Floats
    spread: Floats
    undefined: Floats
    factor_names: tuple[str, ...]
    left_out: tuple[str, ...]
    n_queries: int

    def to_dict(self) -> dict[str, object]:
        """As plain JSON-ready values."""
        return {
            "absolute": self.absolute.tolist(),
            "signed": self.signed.tolist(),
            "spread": self.spread.tolist(),
            "undefined_share": self.undefined.tolist(),
            "factor_names": list(self.factor_names),
            "left_out": list(self.left_out),
            "n_queries": self.n_queries,
        }


def numeric_factors(specs: tuple[FactorSpec, ...]) -> list[int]:
    """Columns whose values can be correlated: continuous and ordinal ones."""
    return [k for k, spec in enumerate(specs) if spec.kind != "categorical"]


def path_correlations(values: Floats, path: Floats) -> Floats:
    """Pearson correlation of values (J, T) with path (q, J, T, K), shape (q, J, K).

    Points where the factor is NaN (items without a label) are skipped. NaN where
    the factor or the values are constant along the path, or fewer than two points are left.
    """
    if np.isnan(path).any():
        return _known_correlations(values, path)
    t = values - values.mean(axis=1, keepdims=True)
    f = path - path.mean(axis=2, keepdims=True)
    covariance = np.einsum("jt,qjtk->qjk", t, f)
    square_t = np.einsum("jt,jt->j", t, t)[None, :, None]
    square_f = np.einsum("qjtk,qjtk->qjk", f, f)
    # Exact constancy is tested on the values themselves; the centred ones may round above zero.
    constant = (np.ptp(path, axis=2) == 0) | (np.ptp(values, axis=1) == 0)[None, :, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        correlation = covariance / np.sqrt(square_t * square_f)
    return np.where(constant, np.nan, np.clip(correlation, -1.0, 1.0))


def _known_correlations(values: Floats, path: Floats) -> Floats:
    is_known = ~np.isnan(path)
    n = np.maximum(is_known.sum(axis=2, keepdims=True), 1)
    t = np.where(is_known, values[None, :, :, None], 0.0)
    f = np.where(is_known, path, 0.0)
    t = np.where(is_known, t - t.sum(axis=2, keepdims=True) / n, 0.0)
    f = np.where(is_known, f - f.sum(axis=2, keepdims=True) / n, 0.0)
    constant = np.ptp(values, axis=1)[None, :, None] == 0
    for series in (path, np.broadcast_to(values[None, :, :, None], path.shape)):
        high = np.where(is_known, series, -np.inf).max(axis=2)
        low = np.where(is_known, series, np.inf).min(axis=2)
        constant = constant | (high <= low)  # also where no point is known
    square = np.einsum("qjtk,qjtk->qjk", t, t) * np.einsum("qjtk,qjtk->qjk", f, f)
    with np.errstate(divide="ignore", invalid="ignore"):
        correlation = np.einsum("qjtk,qjtk->qjk", t, f) / np.sqrt(square)
    return np.where(constant, np.nan, np.clip(correlation, -1.0, 1.0))


def correlation_table(
    traversal: Traversal, factors: Floats, specs: tuple[FactorSpec, ...]
) -> CorrelationTable:
    """The table of a traversal, over its queries.

    Args:
        traversal: from ``rivae.retrieval.traversal.traverse``.
        factors: (N, K) of all data rows.
        specs: K specifications; categorical factors are skipped.

    Raises:
        DataError: if no factor is numeric, or the traversal has no query.
    """
    check_specs(factors, specs)
    columns = numeric_factors(specs)
    if not columns:
        raise DataError("no factor is numeric: a correlation table needs one")
    if not len(traversal.z_ref):
        raise DataError("a correlation table needs at least one query")
    path = factors[traversal.ids[..., 0]][..., columns]
    correlation = path_correlations(traversal.values, path)
    missing = np.isnan(correlation)
    without_gaps = np.where(missing, 0.0, correlation)
    return CorrelationTable(
        absolute=np.abs(without_gaps).mean(axis=0),
        signed=without_gaps.mean(axis=0),
        spread=np.abs(without_gaps).std(axis=0),
        undefined=missing.mean(axis=0),
        factor_names=tuple(specs[k].name for k in columns),
        left_out=tuple(s.name for k, s in enumerate(specs) if k not in columns),
        n_queries=len(traversal.z_ref),
    )
