"""Which rows of a batch belong to this process, when several train one model together.

Every process embeds its own rows, which is where the time goes. The embeddings of all are then
gathered, and every process computes the same loss of the full batch: mismatches, batch
covariances and means are those of one process, also where a batch does not divide evenly.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor


class PeerLostError(KeyboardInterrupt):
    """Another process of the run has ended: this one stops as if it were interrupted."""


@contextmanager
def exchanging() -> Iterator[None]:
    """Around every exchange between processes.

    Raises:
        PeerLostError: another process is gone.
    """
    try:
        yield
    except RuntimeError as error:  # what torch.distributed raises for a closed connection
        raise PeerLostError("another process of this run has ended") from error


class Share:
    """The rows of process ``rank`` out of ``size``; alone, the default, it has them all.

    ``start`` is called before each batch with B, the rows of the full batch.
    """

    def __init__(self, rank: int = 0, size: int = 1) -> None:
        self.rank, self.size = rank, size
        self._counts = [0] * size

    def start(self, n_rows: int) -> None:
        """A batch of ``n_rows`` follows: contiguous shares, the first ones a row larger."""
        each, more = divmod(n_rows, self.size)
        self._counts = [each + (r < more) for r in range(self.size)]

    @property
    def _rows(self) -> slice:
        before = sum(self._counts[: self.rank])
        return slice(before, before + self._counts[self.rank])

    def own(self, rows: Tensor) -> Tensor:
        """This process's share of ``rows`` (B, ...), shape (n, ...)."""
        return rows if self.size == 1 else rows[self._rows]

    def every(self, m: int) -> tuple[slice, Share]:
        """Which own rows are among every ``m``-th row of the full batch, and the share of those.

        They are the same rows whatever the number of processes.
        """
        before, counts, part = 0, list[int](), Share(self.rank, self.size)
        for n in self._counts:
            counts.append(len(range(-before % m, n, m)))
            before += n
        part._counts = counts
        return slice(-sum(self._counts[: self.rank]) % m, None, m), part

    def whole_shape(self, shape: torch.Size) -> torch.Size:
        """The shape that own rows of ``shape`` (n, ...) have in the full batch, (B, ...).

        Every process draws random numbers for the full batch, so that each row gets the numbers
        that one process would give it.
        """
        return shape if self.size == 1 else torch.Size((sum(self._counts), *shape[1:]))

    def whole(self, rows: Tensor) -> Tensor:
        """The rows of all processes (B, ...) out of the own ones (n, ...), with their gradients.

        Raises:
            PeerLostError: another process is gone.
        """
        if self.size == 1:
            return rows
        all_rows: Tensor = _Gather.apply(rows, self)  # type: ignore[no-untyped-call]
        return all_rows

    def _gather(self, rows: Tensor) -> Tensor:
        most = max(self._counts)
        buffer = rows.new_zeros(most, *rows.shape[1:])
        buffer[: len(rows)] = rows
        parts = [torch.empty_like(buffer) for _ in self._counts]
        with exchanging():
            dist.all_gather(parts, buffer)
        return torch.cat([part[:n] for part, n in zip(parts, self._counts, strict=True)])


class _Gather(torch.autograd.Function):
    """All processes' rows; backwards, the own share of the gradient times the processes.

    Every process computes the same loss of the same rows, so the gradients of all for these rows
    would be ``size`` equal summands. With that factor the mean over the processes of a parameter's
    gradient is the gradient of one process, both of parameters behind the gathered rows, which
    each process sees in full, and of those before them, of which each sees its share.
    """

    @staticmethod
    def forward(ctx: Any, rows: Tensor, share: Share) -> Tensor:
        ctx.share = share
        return share._gather(rows)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> tuple[Tensor, None]:
        return ctx.share.size * ctx.share.own(gradients[0]), None
