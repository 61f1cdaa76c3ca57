"""Exactly which item is retrieved along a line in z, and exactly where it changes.

Sampling an axis misses items whose stretch lies between two samples. With a (leaky) ReLU decoder
the squared distances of two items differ by a linear function on every linear piece of f, so the
nearest item follows an upper envelope of lines: the same winner at both ends of a piece is the
winner throughout; otherwise the two winners' lines are crossed, the crossing is searched, and so
on, breadth first over all lines.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from rivae.base.arrays import Floats, Ints, checked_z
from rivae.base.errors import ConfigError, DataError
from rivae.retrieval.base import Nearest
from rivae.retrieval.retriever import Retriever

_TIE = 1e-12  # of the squared lengths: closer than this two items tie
# Of the search for bends.
_PROBE = 1e-3  # where the slope at an end is measured, in widths of the interval
_TOLERANCE = 1e-10  # of linearity, relative to the largest value
_NARROWEST = 1e-10  # of the full range: two bends closer than this count as one
_WIDE = 1e-5  # of the full range: slopes of wider pieces are known to 1e-11
_MOST_PER_LINE = 4096
NO_PATHS = (
    "this decoder is not piecewise linear, or bends too often to have exact change points: "
    "traverse it in steps"
)

Evaluate = Callable[[Ints, Floats], Floats]


@dataclass(frozen=True)
class ExactPath:
    """The top-1 item along one dimension.

    Attributes:
        dim: the dimension moved.
        low, high: the range.
        starts: (s,) where each stretch begins, ascending; the first is ``low``.
        ids: (s,) the data row retrieved from there to the next start; neighbours differ.
    """

    dim: int
    low: float
    high: float
    starts: Floats
    ids: Ints

    def at(self, t: ArrayLike) -> Ints:
        """The item retrieved at places t within [low, high]."""
        return self.ids[np.searchsorted(self.starts, np.asarray(t), side="right") - 1]


def exact_change_points(
    retriever: Retriever, z_ref: ArrayLike, dim: int, low: float, high: float
) -> ExactPath:
    """The exact top-1 items as ``z_ref`` (d,) moves along ``dim`` from ``low`` to ``high``.

    Raises:
        ConfigError: for a dimension or range that does not exist, or a curved decoder.
        DataError: for z of another width or NaN.
    """
    return exact_paths(retriever, z_ref, [dim], [low], [high])[0][0]


def exact_paths(
    retriever: Retriever,
    z_ref: ArrayLike,
    dims: Sequence[int],
    low: ArrayLike,
    high: ArrayLike,
) -> list[list[ExactPath]]:
    """Exact paths of several anchors (q, d) along several dimensions: ``[query][dimension]``.

    Args:
        dims: (J,) dimensions, each moved alone.
        low, high: (J,) range of each, or one number for all.

    Raises:
        as ``exact_change_points``.
    """
    if not retriever.method.piecewise_linear:
        raise ConfigError(NO_PATHS)
    anchors = checked_z(z_ref, retriever.n_components, DataError)
    j = np.asarray(dims, dtype=np.int64)
    if j.ndim != 1 or not len(j) or j.min() < 0 or j.max() >= retriever.n_components:
        raise ConfigError(f"dimensions must lie within 0 ... {retriever.n_components - 1}")
    ends = [np.broadcast_to(np.asarray(x, dtype=np.float64), j.shape) for x in (low, high)]
    if not (np.isfinite(ends).all() and (ends[0] < ends[1]).all()):
        raise ConfigError("a traversal range needs low < high")
    line_query = np.repeat(np.arange(len(anchors)), len(j))
    line_dim = np.tile(j, len(anchors))
    lines = _Lines(retriever, anchors[line_query], line_dim)
    bounds = [np.tile(x, len(anchors)) for x in ends]
    pieces = find_kinks(lines.hidden, len(line_dim), *bounds)
    lines.keep_to(*pieces)
    line, start, winner = _envelope(lines, *pieces)
    paths: list[list[ExactPath]] = [[] for _ in anchors]
    for i, (query, dim) in enumerate(zip(line_query, line_dim, strict=True)):
        on_line = line == i
        starts, winners = start[on_line], winner[on_line]
        # A stretch without length gives way to the next one.
        long = np.concatenate([starts[1:] > starts[:-1], [True]])
        starts, winners = starts[long], winners[long]
        new = np.concatenate([[True], winners[1:] != winners[:-1]])
        ids = retriever.ids[winners[new]]
        ends_of = float(bounds[0][i]), float(bounds[1][i])
        paths[query].append(ExactPath(int(dim), *ends_of, starts[new], ids))
    return paths


class _Lines:
    """Anchors (l, d), each moved along its own dimension (l,)."""

    def __init__(self, retriever: Retriever, anchors: Floats, dims: Ints) -> None:
        self.retriever, self.anchors, self.dims = retriever, anchors, dims
        self.near: list[Nearest] = []  # what is searched on each line

    def keep_to(self, line: Ints, a: Floats, b: Floats) -> None:
        """Search only among items that can be nearest somewhere on these pieces."""
        for each in range(len(self.dims)):
            on_line = line == each
            ends = np.append(a[on_line], b[on_line][-1])
            path = self._queries(np.full(len(ends), each), ends)
            self.near.append(self.retriever.index.along(path))

    def _queries(self, line: Ints, t: Floats) -> Floats:
        return self.retriever.space.queries(self.hidden(line, t))

    def hidden(self, line: Ints, t: Floats) -> Floats:
        z = self.anchors[line]
        z[np.arange(len(line)), self.dims[line]] = t
        return self.retriever.model.hidden(z)

    def search(self, line: Ints, t: Floats) -> tuple[Floats, Ints]:
        """Query points (p, n_features) and the position of the nearest item, (p,)."""
        queries, positions = self._queries(line, t), np.empty(len(line), dtype=np.int64)
        own_search: dict[int, list[int]] = {}  # lines may share one
        for each in np.unique(line):
            own_search.setdefault(id(self.near[each]), []).append(int(each))
        for lines in own_search.values():
            on_lines = np.isin(line, lines)
            positions[on_lines] = self.near[lines[0]].nearest(queries[on_lines])
        return queries, positions

    def lead(self, queries: Floats, first: Ints, second: Ints) -> Floats:
        """|q - second|^2 - |q - first|^2: positive where ``first`` is nearer."""
        p, r = (self.retriever.index.rows(positions) for positions in (first, second))
        cross = np.einsum("nm,nm->n", queries, p - r)
        return 2 * cross + np.einsum("nm,nm->n", r, r) - np.einsum("nm,nm->n", p, p)


def _envelope(lines: _Lines, line: Ints, a: Floats, b: Floats) -> tuple[Ints, Floats, Ints]:
    """Winners along linear pieces: line, start and winning position, sorted by line and start."""
    stretches: list[tuple[Ints, Floats, Ints]] = []
    query_a, winner_a = lines.search(line, a)
    query_b, winner_b = lines.search(line, b)
    while True:
        same = winner_a == winner_b
        stretches.append((line[same], a[same], winner_a[same]))
        open_pieces = ~same
        line, a, b = line[open_pieces], a[open_pieces], b[open_pieces]
        query_a, query_b = query_a[open_pieces], query_b[open_pieces]
        winner_a, winner_b = winner_a[open_pieces], winner_b[open_pieces]
        if not len(line):
            break
        lead_a = np.maximum(lines.lead(query_a, winner_a, winner_b), 0.0)
        lead_b = np.maximum(lines.lead(query_b, winner_b, winner_a), 0.0)
        total = lead_a + lead_b
        share = np.where(total > 0, lead_a / np.where(total > 0, total, 1.0), 1.0)
        cross = np.clip(a + share * (b - a), a, b)
        query_c, winner_c = lines.search(line, cross)
        size = np.einsum("nm,nm->n", query_c, query_c) + 1.0
        is_beaten = lines.lead(query_c, winner_c, winner_a) > _TIE * size
        # Nobody beats the two at their crossing: that is the change point.
        is_final = ~is_beaten | (cross <= a) | (cross >= b)
        stretches.append((line[is_final], a[is_final], winner_a[is_final]))
        stretches.append((line[is_final], cross[is_final], winner_b[is_final]))
        go = ~is_final
        line, query_c, winner_c = np.tile(line[go], 2), query_c[go], winner_c[go]
        a, b = np.concatenate([a[go], cross[go]]), np.concatenate([cross[go], b[go]])
        query_a = np.concatenate([query_a[go], query_c])
        query_b = np.concatenate([query_c, query_b[go]])
        winner_a = np.concatenate([winner_a[go], winner_c])
        winner_b = np.concatenate([winner_c, winner_b[go]])
    lines_of, starts, winners = (np.concatenate(part) for part in zip(*stretches, strict=True))
    order = np.lexsort((starts, lines_of))
    return lines_of[order], starts[order], winners[order]


def find_kinks(
    evaluate: Evaluate, n_lines: int, low: Floats, high: Floats
) -> tuple[Ints, Floats, Floats]:
    """Cut every line into pieces on which the function is linear, from its values alone.

    Several lines are handled at once, breadth first, so each round is one batched evaluation.

    Args:
        evaluate: maps line numbers (p,) and places t (p,) to values (p, m), in float64.
        n_lines: how many lines.
        low, high: (n_lines,) ends of each line, low < high.

    Returns:
        line (s,), start (s,) and end (s,) of the pieces, sorted by line then start.

    Raises:
        ConfigError: if a line needs more than 4,096 pieces: the function is curved.
    """
    line = np.arange(n_lines)
    a, b = low.astype(np.float64), high.astype(np.float64)
    span = b - a
    pieces: list[tuple[Ints, Floats, Floats]] = []
    scale = np.zeros(n_lines)
    while len(line):
        if np.bincount(line, minlength=n_lines).max() > _MOST_PER_LINE:
            raise ConfigError(NO_PATHS)
        width = b - a
        places = np.stack([a, a + _PROBE * width, b - _PROBE * width, b])
        values = evaluate(np.tile(line, 4), places.ravel()).reshape(4, len(line), -1)
        np.maximum.at(scale, line, np.abs(values).max(axis=(0, 2)))
        rise_a = (values[1] - values[0]) / _PROBE  # slope at the left end times the width
        rise_b = (values[3] - values[2]) / _PROBE
        chord = values[3] - values[0]
        off = np.maximum(np.abs(rise_a - rise_b), np.abs(rise_a - chord)).max(axis=1)
        straight = (off <= _TOLERANCE * scale[line]) | (width <= _NARROWEST * span[line])
        pieces.append((line[straight], a[straight], b[straight]))
        bent = np.flatnonzero(~straight)
        cut = a[bent] + width[bent] * _one_bend(rise_a[bent], rise_b[bent], chord[bent])
        middle = (a[bent] + b[bent]) / 2
        cuts = np.sort(np.stack([cut, middle]), axis=0)
        edges = np.stack([a[bent], cuts[0], cuts[1], b[bent]])
        a, b = edges[:-1].ravel(), edges[1:].ravel()
        line = np.tile(line[bent], 3)
        real = b > a
        line, a, b = line[real], a[real], b[real]
    lines, starts, ends = (np.concatenate(part) for part in zip(*pieces, strict=True))
    order = np.lexsort((starts, lines))
    return _merge(evaluate, lines[order], starts[order], ends[order], scale, span)


def _one_bend(rise_a: Floats, rise_b: Floats, chord: Floats) -> Floats:
    """Where in (0, 1) the bend lies if there is only one; .5 where that is impossible."""
    gap = rise_a - rise_b
    strongest = np.abs(gap).argmax(axis=1)[:, None]
    numerator = np.take_along_axis(chord - rise_b, strongest, axis=1)[:, 0]
    denominator = np.take_along_axis(gap, strongest, axis=1)[:, 0]
    with np.errstate(divide="ignore", invalid="ignore"):
        place = numerator / denominator
    return np.where((place > 1e-6) & (place < 1 - 1e-6), place, 0.5)


def _merge(
    evaluate: Evaluate, line: Ints, start: Floats, end: Floats, scale: Floats, span: Floats
) -> tuple[Ints, Floats, Floats]:
    """Drop the cuts at which nothing bends.

    Only between wide pieces: a narrow one may hold a bend, and its slope is mostly rounding.
    """
    slope = (evaluate(line, end) - evaluate(line, start)) / (end - start)[:, None]
    wide = end - start > _WIDE * span[line]
    change = np.abs(slope[1:] - slope[:-1]).max(axis=1) * span[line[1:]]
    same = (line[1:] == line[:-1]) & wide[1:] & wide[:-1]
    same &= change <= 10 * _TOLERANCE * scale[line[1:]]
    keep_start = np.concatenate([[True], ~same])
    keep_end = np.concatenate([~same, [True]])
    return line[keep_start], start[keep_start], end[keep_end]
