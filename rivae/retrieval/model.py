"""A trained method as functions of numpy arrays, for reading only, and the space that is searched.

The space is V itself, or its exact projection onto the last hidden layer: f(z) = h(z) W + b with h
in R^m and V of dimension D. With the thin QR W' = Q R, item v becomes p = [Q'(v - b), r] with
r = |(I - QQ')(v - b)| and a query becomes q = [R h, 0]; then |q - p| = |f(z) - v| exactly, in m + 1
instead of D dimensions.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from rivae.base.arrays import Floats, Ints
from rivae.base.config import Asks
from rivae.base.errors import ConfigError, DataError
from rivae.data.base import PairedDataset, View
from rivae.models.base import Method
from rivae.retrieval.exact import distinct_rows

_BATCH = 512  # rows embedded at once, and
_NUMBERS = 1 << 23  # numbers of them: large pictures need memory for their features, too
_CHUNK = 8192  # items per block: bounds the memory of the residual at 8192 * D numbers
_LITTLE = 1e-3  # of a squared length


def require_asks(method: Method, asks: Asks, data: PairedDataset) -> None:
    """ConfigError where the view ``asks`` of the data cannot be the query."""
    if asks != "first" and not method.asks_both_ways:
        raise ConfigError(
            f"this {method.title} can only be asked with the {data.view_names[0]}: train RIVAE "
            "with ask_both_ways=true"
        )


class LatentModel:
    """Encoder and embedders as trained (float32), decoder and score in float64.

    The decoder is a float64 copy on the CPU: its rounding (1e-16) then never decides an order,
    and single and batched searches agree. Nothing here changes state, so several threads may
    call it at once.
    """

    def __init__(self, method: Method) -> None:
        """Raises DataError where a weight is NaN or infinite: no search would be right."""
        if not all(bool(weight.isfinite().all()) for weight in method.state_dict().values()):
            raise DataError("a weight is NaN or infinite: the model diverged, retrain it")
        self.method = method.eval()
        self.device = next(iter(method.state_dict().values())).device
        self._double = copy.deepcopy(method).to("cpu").double().eval()
        for parameter in self._double.parameters():
            parameter.requires_grad_(False)
        self.n_components = int(method.n_components)
        weight, bias = self._double.output_layer()
        self.weight: Floats = weight.detach().numpy().copy()
        self.bias: Floats = bias.detach().numpy().copy()

    def encode_x1(self, x1: Tensor) -> tuple[Floats, Floats]:
        """Mean and log variance of P(z|v1) of a query batch (n, *x1.shape), each (n, d)."""
        with torch.inference_mode():
            mu, log_var = self.method.encode(x1.to(self.device))
            return mu.double().cpu().numpy(), log_var.double().cpu().numpy()

    def encode_x2(self, x2: Tensor) -> tuple[Floats, Floats]:
        """Mean and log variance of P(z|v2) of a batch (n, *x2.shape) that asks, each (n, d)."""
        with torch.inference_mode():
            mu, log_var = self.method.encode_target(x2.to(self.device))
            return mu.double().cpu().numpy(), log_var.double().cpu().numpy()

    def encode(self, view: View, rows: Ints) -> tuple[Floats, Floats]:
        """Mean and log variance of P(z|v1) of data rows, each (n, d)."""
        mu, log_var = self._each(self.method.encode, (view,), rows)
        return mu, log_var

    def encode_asking(self, asks: Asks, data: PairedDataset, rows: Ints) -> tuple[Floats, Floats]:
        """Mean and log variance of z of data rows whose view ``asks`` is the query, (n, d) each.

        Raises:
            ConfigError: this view cannot ask.
        """
        require_asks(self.method, asks, data)
        if asks == "first":
            return self.encode(data.x1, rows)
        if asks == "second":
            mu, log_var = self._each(self.method.encode_target, (data.x2,), rows)
        else:
            mu, log_var = self._each(self.method.encode_both, (data.x1, data.x2), rows)
        return mu, log_var

    def latents(
        self,
        data: PairedDataset,
        rows: Ints,
        asks: Asks = "first",
        encoded: tuple[Floats, Floats] | None = None,
    ) -> Floats:
        """The z of data rows that factor metrics use, (n, d).

        The mean of the queries' z, or that of Q(z|v1,v2) where v1 asks and fixes only the factors'
        distribution. ``encoded`` is what ``encode_asking`` makes of the rows, where that is known.
        """
        if data.query_fixes == "factors" or asks != "first":
            return (encoded or self.encode_asking(asks, data, rows))[0]
        return self.encode_pairs(data.x1, data.x2, rows)

    def encode_pairs(self, view1: View, view2: View, rows: Ints) -> Floats:
        """z of the pairs in data rows (n, d), see ``Method.encode_pair``."""
        return self._each(self.method.encode_pair, (view1, view2), rows)[0]

    def embed_targets(self, view: View, rows: Ints) -> Floats:
        """v2 of data rows, (n, D) float64 holding the trained float32 values."""
        return self._each(self.method.embed_target, (view,), rows, self.weight.shape[1])[0]

    def embed_queries(self, view: View, rows: Ints) -> Floats:
        """v1 of data rows, (n, D) float64 holding the trained float32 values."""
        return self._each(self.method.embed_query, (view,), rows, self.weight.shape[1])[0]

    def _each(
        self,
        of: Callable[..., Tensor | tuple[Tensor, ...]],
        views: Sequence[View],
        rows: Ints,
        width: int | None = None,
    ) -> list[Floats]:
        """What ``of`` makes of data rows, a part of them at a time; (n, d), or (n, width), each."""
        nothing = np.empty((0, self.n_components if width is None else width))
        pieces: list[list[Floats]] = []
        with torch.inference_mode():
            size = max(1, min(_BATCH, _NUMBERS // max(math.prod(view.shape) for view in views)))
            for start in range(0, len(rows), size):
                part = rows[start : start + size]
                outputs = of(*(view.batch(part).to(self.device) for view in views))
                values = outputs if isinstance(outputs, tuple) else (outputs,)
                pieces.append([value.double().cpu().numpy() for value in values])
        return [np.concatenate(column) for column in zip(*pieces, strict=True)] or [nothing] * 2

    def hidden(self, z: Floats) -> Floats:
        """Last hidden layer h(z) of f, (n, m); z (n, d) as ``checked_z`` returns it."""
        with torch.inference_mode():
            hidden: NDArray[np.float64] = self._double.hidden(torch.from_numpy(z)).numpy()
        return hidden

    def decode(self, z: Floats) -> Floats:
        """f(z) = E[v2|z], (n, D)."""
        return self.hidden(z) @ self.weight + self.bias

    def score(self, z: Floats, squared_distances: Floats) -> Floats:
        """The method's relevance score of z (n, d) for its items (n, k)."""
        with torch.inference_mode():
            score = self._double.score(torch.from_numpy(z), torch.from_numpy(squared_distances))
        return np.asarray(score.numpy(), dtype=np.float64)


class Space(Protocol):
    """Maps items and queries to points whose distance is |f(z) - v|."""

    @property
    def n_features(self) -> int: ...

    def items(self, v: Floats) -> Floats:
        """Points (N, n_features) of the embeddings ``v`` (N, D)."""
        ...

    def queries(self, hidden: Floats) -> Floats:
        """Points (n, n_features) of the hidden layers ``hidden`` (n, m)."""
        ...


class FullSpace:
    """V itself; for a hidden layer that is not smaller than V."""

    def __init__(self, weight: Floats, bias: Floats) -> None:
        self.weight, self.bias = weight, bias
        m, dim_v = weight.shape
        # A decoder of pictures outputs pictures: no product of thousands by thousands.
        self.whole = m == dim_v == np.count_nonzero(weight) and bool((weight.diagonal() == 1).all())

    @property
    def n_features(self) -> int:
        return int(self.weight.shape[1])

    def items(self, v: Floats) -> Floats:
        return np.ascontiguousarray(v, dtype=np.float64)

    def queries(self, hidden: Floats) -> Floats:
        return hidden + self.bias if self.whole else hidden @ self.weight + self.bias


class ProjectedSpace:
    """The m + 1 coordinates of the module docstring."""

    def __init__(self, weight: Floats, bias: Floats) -> None:
        self.q, self.r = np.linalg.qr(weight.T)
        self.bias = bias

    @property
    def n_features(self) -> int:
        return int(self.r.shape[0]) + 1

    def items(self, v: Floats) -> Floats:
        distinct = distinct_rows(v)  # equal embeddings must become equal points
        points = np.empty((len(distinct.first), self.n_features))
        for start in range(0, len(points), _CHUNK):
            v_centred = v[distinct.first[start : start + _CHUNK]] - self.bias
            inside = v_centred @ self.q
            points[start : start + _CHUNK, :-1] = inside
            points[start : start + _CHUNK, -1] = self._residual(v_centred, inside)
        return points if distinct.group is None else points[distinct.group]

    def _residual(self, v_centred: Floats, inside: Floats) -> Floats:
        """|c - QQ'c| of rows c (n, D)."""
        whole = np.einsum("nd,nd->n", v_centred, v_centred)
        squares = whole - np.einsum("nm,nm->n", inside, inside)
        # The difference of squares has lost digits where little is left: there from the vectors.
        little = squares < _LITTLE * whole
        residual = np.sqrt(np.maximum(squares, 0.0))
        rests = v_centred[little] - inside[little] @ self.q.T
        residual[little] = np.linalg.norm(rests, axis=1)
        return np.asarray(residual)

    def queries(self, hidden: Floats) -> Floats:
        points = np.zeros((len(hidden), self.n_features))
        np.matmul(hidden, self.r.T, out=points[:, :-1])
        return points


def make_space(weight: Floats, bias: Floats) -> Space:
    """Project when that makes the points smaller (m + 1 < D), else keep V.

    Args:
        weight: (m, D) of the output layer.
        bias: (D,) of the output layer.
    """
    m, dim_v = weight.shape
    return ProjectedSpace(weight, bias) if m + 1 < dim_v else FullSpace(weight, bias)
