"""A trained method as functions of numpy arrays, for reading only."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Sequence

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from torch import Tensor

from rivae.base.arrays import FARTHEST, is_near, numbers_of
from rivae.base.config import Asks
from rivae.base.errors import ConfigError, DataError
from rivae.data.base import PairedDataset, View
from rivae.models.base import Method
from rivae.retrieval.base import Floats, Ints

_BATCH = 512  # rows embedded at once, and
_NUMBERS = 1 << 23  # numbers of them: large pictures need memory for their features, too


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
                found = of(*(view.batch(part).to(self.device) for view in views))
                values = found if isinstance(found, tuple) else (found,)
                pieces.append([value.double().cpu().numpy() for value in values])
        return [np.concatenate(column) for column in zip(*pieces, strict=True)] or [nothing] * 2

    def hidden(self, z: Floats) -> Floats:
        """Last hidden layer h(z) of f, (n, m)."""
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

    def check_z(self, z: ArrayLike) -> Floats:
        """``z`` as a contiguous float64 matrix (n, d); a single (d,) becomes (1, d).

        Raises:
            DataError: if it has another width, is masked, or holds anything but numbers, NaN,
                infinite values, or numbers beyond ``FARTHEST``.
        """
        z = np.require(
            numbers_of(z, "z", DataError), np.float64, ("C", "W")
        )  # torch warns of what it must not write
        if z.ndim == 1:
            z = z[None]
        if z.ndim != 2 or z.shape[1] != self.n_components:
            raise DataError(f"z has shape {z.shape}, expected (n, {self.n_components})")
        if not np.isfinite(z).all():
            raise DataError("z holds NaN or infinite values: choose finite latent values")
        if not is_near(z):
            raise DataError(f"z holds numbers beyond {FARTHEST:g}, too large to search with")
        return z
