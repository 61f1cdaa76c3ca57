"""Both views of training pairs in their principal components, and their covariance there.

Means and covariances are sums over the pairs, which a cluster can share: each shard of them is
summed about the same pivots, and the shards are added in order, so that they are the same numbers
wherever they were made. A view of several sources is a row of blocks, which count alike: each is
divided by the root of its mean variance first.
"""

from __future__ import annotations

import time
import zipfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from rivae.base.ahead import ahead
from rivae.base.cluster import spread
from rivae.base.errors import DataError
from rivae.base.files import write_cache

ROWS_AT_ONCE = 2048
SHARD = 64 * ROWS_AT_ONCE  # rows whose sums are one piece of work
KEEP_S = 30.0  # between two times that sums are kept: so much work a stop may cost
# Principal components below this share of the largest variance are rounding errors.
_FLOOR = 1e-7
Floats = NDArray[np.float64]
Singles = NDArray[np.float32]
Rows = NDArray[np.int64]
Watch = Callable[[float], None]


class View(Protocol):
    """What is read of a view: see ``rivae.data.base.View``; ``blocks`` where it has several."""

    @property
    def shape(self) -> tuple[int, ...]: ...

    def batch(self, ids: Any) -> Any: ...


@dataclass(frozen=True)
class Side:
    """One view in its principal components: (x - mean) @ axes has the ``variances``."""

    mean: Floats
    axes: Floats
    variances: Floats
    mean_variance: float  # of a number of the view, after the blocks were made alike


def in_components(
    views: tuple[View, View], rows: Rows, watch: Watch, sums_file: Path | None = None
) -> tuple[tuple[Side, Side], Floats]:
    """Both sides of training pairs, and C_12 in their components (k1, k2).

    Args:
        views: of a cluster's work ``rivae.data.views.Views``, which is opened there.
        watch: called with the share that is done; an exception of it ends the work.
        sums_file: of these views and rows; sums are put there now and then: stopped work resumes
            with them.

    Raises:
        DataError: numbers that are not finite, or a view that is constant.
    """
    if len(rows) <= max(_length(view) for view in views):
        return _from_rows(views, rows, watch)
    return _from_moments(views, rows, watch, sums_file)


def _length(view: View) -> int:
    return int(np.prod(view.shape))


def batches(view: View, rows: Rows) -> Iterator[NDArray[np.float32]]:
    """Rows of a view (n, D), a part at a time.

    Raises:
        DataError: numbers that are not finite.
    """
    for start in range(0, len(rows), ROWS_AT_ONCE):
        part = view.batch(rows[start : start + ROWS_AT_ONCE]).flatten(1).numpy()
        if not np.isfinite(part).all():
            raise DataError("a view holds NaN or infinite values: remove or repair those rows")
        yield part


def _block_scales(view: View, variances: Floats) -> Floats:
    """(D,) factors that give all blocks of a view the mean variance 1."""
    scales, start = np.ones(len(variances)), 0
    for size in getattr(view, "blocks", None) or (len(variances),):
        mean = float(variances[start : start + size].mean())
        scales[start : start + size] = 1.0 / np.sqrt(mean) if mean > 0 else 0.0
        start += size
    if not scales.any():
        raise DataError("all items of one view are the same: nothing can be learned from them")
    return scales


def _from_rows(
    views: tuple[View, View], rows: Rows, watch: Watch
) -> tuple[tuple[Side, Side], Floats]:
    """Both sides and C_12 in their components, where there are fewer pairs than numbers."""
    sides, scores = [], []
    for k, view in enumerate(views):
        x = np.concatenate(list(batches(view, rows))).astype(np.float64)
        watch(0.1 + 0.4 * k)
        mean = x.mean(0)
        x -= mean
        scales = _block_scales(view, (x**2).mean(0))
        u, spread, axes = np.linalg.svd(x * scales, full_matrices=False)
        keep = spread > np.sqrt(_FLOOR) * spread[0]
        variances = spread[keep] ** 2 / len(x)
        sides.append(
            Side(
                mean,
                scales[:, None] * axes[keep].T,
                variances,
                float((spread**2).sum()) / x.size,
            )
        )
        scores.append(u[:, keep] * spread[keep])
        watch(0.4 + 0.4 * k)
    return (sides[0], sides[1]), scores[0].T @ scores[1] / len(rows)


def _from_moments(
    views: tuple[View, View], rows: Rows, watch: Watch, sums_file: Path | None = None
) -> tuple[tuple[Side, Side], Floats]:
    """The same from sums over the pairs, read once: memory does not grow with their number."""
    n = len(rows)

    def tell(n_of_shard: int) -> None:
        watch(0.5 * (n_done + n_of_shard) / n)

    pivots = [next(batches(view, rows[:ROWS_AT_ONCE])).mean(0) for view in views]
    sums = _Sums.read(sums_file, pivots)
    n_done = 0 if sums is None else sums.n
    if n_done:
        tell(0)
    kept_at = time.monotonic()
    shards = [rows[start : start + SHARD] for start in range(n_done, n, SHARD)]
    for _, result in spread(shards, _Summing(views, pivots, tell), 0, 1, _called):
        of_shard = result()
        sums = of_shard if sums is None else sums.plus(of_shard)
        n_done = sums.n
        if sums_file is not None and time.monotonic() - kept_at >= KEEP_S:
            sums.keep(sums_file, pivots)
            kept_at = time.monotonic()
        tell(0)
    assert sums is not None
    shifts = [total / n for total in sums.totals]
    cross = sums.cross / n - np.outer(*shifts)
    moments = zip(views, pivots, shifts, sums.squares, strict=True)
    # Both at once: half of the time on two cores, and the same numbers.
    first, second = (side() for _, side in ahead(moments, lambda one: _decomposed(*one, n), 2))
    watch(0.8)
    return (first, second), first.axes.T @ cross @ second.axes


@dataclass
class _Sums:
    """Of ``n`` rows x_1, x_2 about the pivots: those of x_i (D_i,), of x_i x_i' and of x_1 x_2'."""

    n: int
    totals: list[Floats]
    squares: list[Floats]
    cross: Floats

    def plus(self, other: _Sums) -> _Sums:
        """The sums over both; these are lost."""
        for mine, its in zip(self._all, other._all, strict=True):
            mine += its
        self.n += other.n
        return self

    @property
    def _all(self) -> list[Floats]:
        return [*self.totals, *self.squares, self.cross]

    def keep(self, path: Path, pivots: list[Singles]) -> None:
        """Put them into a file, as far as it can be written."""
        write_cache(path, lambda stream: np.savez(stream, np.array(self.n), *pivots, *self._all))

    @staticmethod
    def read(path: Path | None, pivots: list[Singles]) -> _Sums | None:
        """Those that were kept of the same pivots; None where there are none."""
        if path is None:
            return None
        try:
            with np.load(path, allow_pickle=False) as file:
                n, first, second, *sums = (file[f"arr_{k}"] for k in range(8))
        except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
            return None
        same = all(np.array_equal(*pair) for pair in zip((first, second), pivots, strict=True))
        return _Sums(int(n), sums[:2], sums[2:4], sums[4]) if same else None


class _Summing:
    """What sums the rows of a shard; a worker of a cluster tells nobody how far it is."""

    def __init__(
        self,
        views: tuple[View, View],
        pivots: Sequence[Singles],
        tell: Callable[[int], None] = lambda n_of_shard: None,
    ) -> None:
        self._views, self._pivots, self._tell = views, pivots, tell

    def __reduce__(self) -> tuple[Any, ...]:
        return _Summing, (self._views, self._pivots)

    def __call__(self, rows: Rows) -> _Sums:
        sizes = [_length(view) for view in self._views]
        sums = _Sums(
            len(rows),
            [np.zeros(size) for size in sizes],
            [np.zeros((size, size)) for size in sizes],
            np.zeros((sizes[0], sizes[1])),
        )
        n_done = 0
        for parts in zip(*(batches(view, rows) for view in self._views), strict=True):
            x1, x2 = (part - pivot for part, pivot in zip(parts, self._pivots, strict=True))
            for total, square, x in zip(sums.totals, sums.squares, (x1, x2), strict=True):
                total += x.sum(0, dtype=np.float64)
                square += x.T @ x
            sums.cross[:] += x1.T @ x2
            n_done += len(x1)
            self._tell(n_done)
        return sums


def _called(rows: Rows) -> str:
    return f"the pairs in rows {rows[0] + 1:,} to {rows[-1] + 1:,}"


def _decomposed(
    view: View, pivot: NDArray[np.float32], shift: Floats, square: Floats, n: int
) -> Side:
    """A side from the sums of squares (D, D) of ``n`` rows about ``pivot``, which are lost."""
    square /= n
    square -= np.outer(shift, shift)
    scales = _block_scales(view, np.diag(square))
    square *= scales
    square *= scales[:, None]
    # float32: the ridges are far above its rounding, and half the time and memory.
    values, vectors = np.linalg.eigh(square.astype(np.float32))
    keep = values > _FLOOR * values[-1]
    axes = vectors[:, keep][:, ::-1].astype(np.float64)
    return Side(
        pivot.astype(np.float64) + shift,
        scales[:, None] * axes,
        values[keep][::-1].astype(np.float64),
        float(np.trace(square)) / len(square),
    )
