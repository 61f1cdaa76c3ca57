"""Digit transitions along any straight axes of z, and a search for axes with less overlap."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from rivae.evaluation.of_run import N_QUERIES_DIGITS, evaluated_rows
from rivae.metrics.measures.digits import MAX_OVERLAP, digit_metrics, transition_table
from rivae.retrieval.base import Ints
from rivae.retrieval.retriever import Retriever
from rivae.runs import Run

Floats = NDArray[np.float64]

N_ITEMS = 2_000  # training items searched while axes are looked for
N_SEARCH_QUERIES = 150
SEARCH_POINTS, POINTS = 51, 201
BLOCK = 1 << 15
MAX_SKEW = 500.0  # condition number up to which axes of a search may lean towards each other


@dataclass(frozen=True)
class Field:
    """A trained latent space in the units that training gave z, with items to retrieve.

    Attributes:
        retriever: searches the items.
        matrix, offset: from these units to those of the model's axes, which were chosen later.
        anchors: (q, d) z of the queries.
        reference, reference_rows: (n, d) z of training rows, and which rows (n,).
        covariance: (d, d) of the aggregated conditional prior.
        classes: the class, 0 to 9, of every data row.
    """

    retriever: Retriever
    matrix: Floats
    offset: Floats
    anchors: Floats
    reference: Floats
    reference_rows: Ints
    covariance: Floats
    classes: Ints

    def digits(self, z: Floats) -> Ints:
        """Class of the nearest item of z (n, d)."""
        z = z @ self.matrix + self.offset
        parts = [self.retriever.nearest(z[i : i + BLOCK], 1)[0] for i in range(0, len(z), BLOCK)]
        return np.asarray(self.classes[np.concatenate(parts)[:, 0]])

    def table(
        self, axes: Floats, reach: str | float, dims: Ints | None = None, n_points: int = POINTS
    ) -> Floats:
        """The averaged transitions (J, 45) along axes (d, d), a direction in each row.

        Args:
            reach: "data", the central 99 % of the reference; "unit", -10 to 10 in steps of the
                axes' own length; or mean +- so many s.d. of the aggregated prior.
        """
        inverse = np.linalg.inv(axes)
        anchors, rows = self.anchors @ inverse, []
        for j in range(len(axes)) if dims is None else dims:
            values = np.linspace(*self._ends(inverse[:, j], reach), n_points)
            steps = values[None, :] - anchors[:, j, None]
            z = self.anchors[:, None, :] + steps[..., None] * axes[j]
            path = self.digits(z.reshape(-1, len(axes))).reshape(len(z), 1, n_points)
            rows.append(transition_table(path)[0])
        return np.array(rows)

    def _ends(self, coordinate: Floats, reach: str | float) -> tuple[float, float]:
        if reach == "unit":
            return -10.0, 10.0
        along = self.reference @ coordinate
        if reach == "data":
            low, high = np.percentile(along, [0.5, 99.5])
            return float(low), float(high)
        width = float(reach) * float(np.sqrt(coordinate @ self.covariance @ coordinate))
        return float(along.mean()) - width, float(along.mean()) + width


def fields(run: Run, seed: int = 0) -> tuple[Field, Field]:
    """The field of the test pairs, as the results measure them, and one of training pairs."""
    data = run.load_dataset()
    assert data.factors is not None
    method = run.load_method(data)
    whole = Retriever(method, data, data.splits["test"])
    queries, items, train, _ = evaluated_rows(data, N_QUERIES_DIGITS, seed)
    change = json.loads((run.path / "alignment.json").read_text())
    matrix, offset = np.array(change["matrix"]), np.array(change["offset"])
    back = np.linalg.inv(matrix)
    mu, log_var = whole.encode(train)
    mu = (mu - offset) @ back
    noise = back.T @ np.diag(np.exp(log_var).mean(axis=0)) @ back
    test = Field(
        whole.subset(items),
        matrix,
        offset,
        (whole.encode(queries)[0] - offset) @ back,
        mu,
        train,
        np.cov(mu.T) + noise,
        data.factors[:, 0].astype(np.int64),
    )
    seen = Retriever(method, data, train[:N_ITEMS], model=whole.model)
    first = min(N_ITEMS, len(mu) - N_SEARCH_QUERIES)  # apart from the items where there are enough
    return test, replace(test, retriever=seen, anchors=mu[first:][:N_SEARCH_QUERIES])


def clustered(field: Field, random_state: int) -> Field:
    """The field with clusters of its items for digits: nobody told them apart."""
    from sklearn.cluster import KMeans

    rows = field.retriever.ids
    v2 = field.retriever.model.embed_targets(field.retriever.data.x2, rows)
    classes = np.zeros_like(field.classes)
    classes[rows] = KMeans(10, n_init=4, random_state=random_state).fit_predict(v2)
    return replace(field, classes=classes)


def centre_axes(field: Field) -> Floats:
    """Towards the centre of each of ten classes from the mean of the centres, for ten dimensions.

    The ten differences span nine dimensions; a small share of the tenth makes them a basis.
    """
    classes = field.classes[field.reference_rows]
    centres = np.array([field.reference[classes == c].mean(axis=0) for c in range(10)])
    centres -= centres.mean(axis=0)
    _, spread, directions = np.linalg.svd(centres)
    axes = centres + spread.mean() / 10 * directions[-1]
    return np.asarray(axes / np.linalg.norm(axes, axis=1, keepdims=True))


def price(table: Floats, coverage_weight: float) -> float:
    """What the search makes small: overlap between 0 and 1, less the weighted coverage."""
    found = digit_metrics(table)
    return found["overlap"].score / MAX_OVERLAP - coverage_weight * found["coverage"].score


def search_axes(
    field: Field,
    axes: Floats,
    *,
    tries: int,
    coverage_weight: float,
    lean: bool,
    random_state: int,
) -> Floats:
    """Better axes by trial: turn two of them, keep what costs less, take smaller turns in time.

    Args:
        axes: (d, d) to start from.
        lean: axes may lean towards each other; otherwise pairs are turned.
    """
    rng = np.random.default_rng(random_state)
    table = field.table(axes, "data", n_points=SEARCH_POINTS)
    best = price(table, coverage_weight)
    for k in range(tries):
        i, j = rng.permutation(len(axes))[:2]
        angle = rng.normal() * 0.6 * 0.1 ** (k / tries)
        tried = axes.copy()
        if lean:
            tried[i] = axes[i] + angle * axes[j]
            if np.linalg.cond(tried) > MAX_SKEW:
                continue
        else:
            tried[i] = np.cos(angle) * axes[i] + np.sin(angle) * axes[j]
            tried[j] = np.cos(angle) * axes[j] - np.sin(angle) * axes[i]
        moved = table.copy()
        moved[[i, j]] = field.table(tried, "data", np.array([i, j]), SEARCH_POINTS)
        cost = price(moved, coverage_weight)
        if cost < best:
            axes, table, best = tried, moved, cost
    return axes
