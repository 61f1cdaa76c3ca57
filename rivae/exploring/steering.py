"""Several axes of z at once: rows of on/off/level combinations and what is retrieved at each.

The paper's multi-factor figure (Sec. 4 and supplement): two or three axes are set to extreme
values together, z_j = mu_j +- n sigma_j of the aggregated conditional prior E_x1[P(z|v1)], the
others stay at the query. Axes that were added to a run are set in the same way, by the mean and the
s.d. of the training queries on them. Word counts of a row come from the top-10 of 20 queries, each
moved to the row's levels, as in the paper's clouds of one axis.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from rivae.base.arrays import Floats, Ints
from rivae.base.errors import ConfigError
from rivae.exploring.explorer import Explorer, Vector
from rivae.exploring.placing import AxisKey, added_of, at_places
from rivae.exploring.placing import (
    axis_names as axis_names,  # scripts that were exported before import it from here
)
from rivae.exploring.words.clouds import CloudCounts, count_words
from rivae.exploring.words.item_words import ItemWords, has_texts, item_words
from rivae.exploring.words.relations import Relation, relations
from rivae.runs.added_axes import ADDED_ID

Level = Literal["off", "query", "on"] | float
NAMED: tuple[Literal["off", "query", "on"], ...] = ("off", "query", "on")

MAX_AXES = 5
MAX_AXIS = 10_000  # beyond any run's; the number of a run's axes is checked where the row is used
MAX_ROWS = 32  # all on/off combinations of five axes
MAX_LEVEL = 10.0  # s.d., as far as the paper goes
N_QUERIES, CLOUD_K = 20, 10  # behind a cloud, as in the paper


# Names of the d axes, or of each axis by its key.
AxisNames = Sequence[str] | Mapping[AxisKey, str]


def is_axis(key: object) -> bool:
    """Whether ``key`` can name an axis of a row."""
    if isinstance(key, str):
        return ADDED_ID.fullmatch(key) is not None
    return type(key) is int and 0 <= key <= MAX_AXIS


def by_key(names: AxisNames) -> Mapping[AxisKey, str]:
    """The names of axes by their keys."""
    return names if isinstance(names, Mapping) else dict(enumerate(names))


@dataclass(frozen=True)
class SteerRow:
    """One setting of some axes.

    Attributes:
        axes: 1 to 5 different axes: of z, from 0, or ids of axes that were added to the run.
        levels: one per axis: "off" (mean - n s.d.), "on" (mean + n s.d.), "query" (stays where the
            query has it), or a number of s.d. from the mean, -10 to 10.

    Raises:
        ConfigError: the axes or levels are not of this kind.
    """

    axes: tuple[AxisKey, ...]
    levels: tuple[Level, ...]

    def __post_init__(self) -> None:
        if not all(map(is_axis, self.axes)):
            raise ConfigError(
                f"an axis of a row is a whole number from 0 to {MAX_AXIS}, or an added axis' id"
            )
        if not 1 <= len(self.axes) <= MAX_AXES or len(set(self.axes)) < len(self.axes):
            raise ConfigError(f"a row sets 1 to {MAX_AXES} different axes, got {len(self.axes)}")
        if len(self.levels) != len(self.axes):
            raise ConfigError(f"{len(self.axes)} axes need as many levels, got {len(self.levels)}")
        object.__setattr__(self, "levels", tuple(map(checked_level, self.levels)))

    def turned(self, signs: Sequence[int]) -> SteerRow:
        """As it is shown, and back: on and off, and numbers, change places on axes whose one of
        ``signs`` (d,) is -1, so that on is more (see ``Explorer.signs``). Added axes stay.
        """
        if beyond := [j for j in self.axes if isinstance(j, int) and j >= len(signs)]:
            raise ConfigError(f"this run has {len(signs)} axes and no axis {max(beyond) + 1}")
        levels = (
            _other_way(level) if isinstance(j, int) and signs[j] < 0 else level
            for j, level in zip(self.axes, self.levels, strict=True)
        )
        return SteerRow(self.axes, tuple(levels))

    def title(self, names: AxisNames) -> str:
        """``greenness on, z3 at +1.5 s.d.``, plain text, without the axes left at the query; of a
        row as it is shown.
        """
        names = by_key(names)
        parts = [
            f"{names[j]} {word(level)}"
            for j, level in zip(self.axes, self.levels, strict=True)
            if level != "query"
        ]
        return ", ".join(parts) or "the query itself"


def _other_way(level: Level) -> Level:
    if isinstance(level, str):
        return {"off": "on", "on": "off"}.get(level, "query")  # type: ignore[return-value]
    return 0.0 - level


def checked_level(level: Any) -> Level:
    """``level``, numbers as floats of two decimals.

    Raises:
        ConfigError: it is neither a name in ``NAMED`` nor a number of at most ``MAX_LEVEL``.
    """
    if isinstance(level, str) and level in NAMED:
        return level
    is_number = isinstance(level, int | float | np.number) and not isinstance(level, bool)
    if is_number and abs(level) <= MAX_LEVEL:  # false for NaN, and safe for huge integers
        return round(float(level), 2) + 0.0
    raise ConfigError(
        f"a level is off, query, on or a number from -{MAX_LEVEL:g} to {MAX_LEVEL:g} (s.d.)"
    )


def word(level: Level) -> str:
    """``on``, ``off``, ``at the query``, ``at +1.5 s.d.``"""
    if level == "query":
        return "at the query"
    return level if isinstance(level, str) else f"at {signed(level)} s.d."


def signed(value: float) -> str:
    """``+1.5``, ``−2``, ``0``."""
    return f"{value:+g}".replace("-", "−") if value else "0"


def steer_rows(
    axes: Sequence[AxisKey], levels: Sequence[Sequence[Level]] | None = None
) -> tuple[SteerRow, ...]:
    """Rows over ``axes``: the given ``levels`` (one list per row, at most 32), or every
    combination of off and on (2 to the number of axes; the first axis changes slowest).

    Raises:
        ConfigError: as ``SteerRow``, or there are too many rows or none.
    """
    if len(axes) > MAX_AXES:
        raise ConfigError(f"at most {MAX_AXES} axes can be steered at once, got {len(axes)}")
    if levels is None:
        levels = list(product(("off", "on"), repeat=len(axes)))
    if not 1 <= len(levels) <= MAX_ROWS:
        raise ConfigError(f"a matrix has 1 to {MAX_ROWS} rows, got {len(levels)}")
    return tuple(SteerRow(tuple(axes), tuple(row)) for row in levels)


def base_point(explorer: Explorer, query: int | Literal["mean"]) -> Vector:
    """Where the other axes stay, (d,): the query's z, or the prior's mean."""
    return explorer.mean if query == "mean" else explorer.encode(query)


def sigmas(row: SteerRow, n_sigma: float) -> dict[AxisKey, float]:
    """For every axis that the row moves, how many s.d. from the mean it goes.

    Raises:
        ConfigError: ``n_sigma`` is not above 0 and at most ``MAX_LEVEL``.
    """
    if not 0 < n_sigma <= MAX_LEVEL:
        raise ConfigError(f"n sigma must lie above 0 and be at most {MAX_LEVEL:g}")
    values = {"off": -float(n_sigma), "on": float(n_sigma)}
    return {
        j: values[level] if isinstance(level, str) else level
        for j, level in zip(row.axes, row.levels, strict=True)
        if level != "query"
    }


def moved(explorer: Explorer, z: Floats, row: SteerRow, n_sigma: float) -> Floats:
    """``z`` (n, d) with the row's axes at the row's levels.

    Added axes move z along their own directions, by as much as puts all axes of the row where they
    should be; where two of them say the same, as close as that comes.

    Raises:
        ConfigError: the run has no such axis.
    """
    added = added_of(explorer, row.axes)
    places: dict[AxisKey, ArrayLike] = {}
    for key, value in sigmas(row, n_sigma).items():
        if isinstance(key, int):
            places[key] = float(explorer.mean[key]) + value * float(explorer.std[key])
        else:
            places[key] = added[key].mean + value * added[key].std
    return at_places(explorer, z, places)[0]


def steer(
    explorer: Explorer, base: Vector, rows: Sequence[SteerRow], n_sigma: float, k: int = 5
) -> Ints:
    """The ``k`` (1 to 30) best items of every row, (R, k), best first; fewer columns when there
    are fewer items.

    Args:
        base: (d,) where the axes that a row does not move stay, see ``base_point``.

    Raises:
        ConfigError: there is no such axis, or a number is out of range.
    """
    if not 1 <= len(rows) <= MAX_ROWS:
        raise ConfigError(f"a matrix has 1 to {MAX_ROWS} rows, got {len(rows)}")
    z = np.concatenate([moved(explorer, np.array([base]), row, n_sigma) for row in rows])
    return np.stack([explorer.topk(point, k).ids for point in z])


# words


@dataclass(frozen=True)
class SteerTexts:
    """The data for the clouds of a run, computed once for all rows.

    Attributes:
        sets: the words of every item, by data row.
        everyday: words too common to be informative; clouds leave them out.
        items: (N,) the searched items.
        z: (N, d) their positions, in s.d. of the prior from its mean.
        queries: (q, d) z of the queries behind the clouds.
    """

    sets: Sequence[tuple[str, ...]]
    everyday: frozenset[str]
    items: Ints
    z: Floats
    queries: Floats


def steer_texts(
    explorer: Explorer, words: ItemWords | None = None, n_queries: int = N_QUERIES
) -> SteerTexts | None:
    """Words and positions of the searched items; None where they have no texts.

    Args:
        words: the words of all items when they are already known; read from the texts when None.
        n_queries: queries behind a cloud, spread evenly over the searched rows.
    """
    if not has_texts(explorer.data):
        return None
    words = item_words(explorer.data) if words is None else words
    rows = explorer.search_rows
    pick = np.linspace(0, len(rows) - 1, min(n_queries, len(rows))).round().astype(int)
    mu = np.asarray(explorer.retriever.encode(rows)[0], dtype=np.float64)
    return SteerTexts(
        words.sets, words.everyday(), rows, (mu - explorer.mean) / explorer.std, mu[pick]
    )


def cloud_counts(
    explorer: Explorer,
    texts: SteerTexts,
    rows: Sequence[SteerRow],
    n_sigma: float,
    *,
    k: int = CLOUD_K,
) -> CloudCounts:
    """Words of the top-``k`` items of every query, moved to each row's levels.

    States are "row 1", "row 2" …; an item that several queries retrieve counts once.

    Raises:
        ConfigError: as ``moved``.
    """
    states = {
        f"row {number}": np.unique(
            explorer.retriever.search(moved(explorer, texts.queries, row, n_sigma), k).ids
        ).tolist()
        for number, row in enumerate(rows, 1)
    }
    return count_words(states, texts.sets, leave_out=texts.everyday)


def row_relations(
    texts: SteerTexts, row: SteerRow, n_sigma: float, explorer: Explorer | None = None
) -> dict[str, Relation]:
    """How words relate to the direction in which a row leaves the prior's mean (its levels as
    weights): "related" for words of items in that direction, "opposite" for the other way,
    tested as in ``Relations.kinds``; {} for a row that stays at the mean.

    Args:
        explorer: of the run; needed where the row sets axes that were added to it.

    Raises:
        ConfigError: the row sets added axes and there is no ``explorer``, or it has none of them.
    """
    weights = {key: value for key, value in sigmas(row, n_sigma).items() if value}
    if not weights:
        return {}
    if explorer is None and any(isinstance(key, str) for key in weights):
        raise ConfigError("the words of added axes need their run: give its explorer")
    added = {} if explorer is None else added_of(explorer, row.axes)
    along = np.zeros(len(texts.z))
    for key, value in weights.items():
        if isinstance(key, int):
            along += value * texts.z[:, key]
        elif explorer is not None:
            place = added[key]
            at = place.axis.at(texts.z * explorer.std + explorer.mean)
            along += value * (at - place.mean) / place.std
    return relations([texts.sets[int(i)] for i in texts.items], along).kinds(0)
