"""The settings in the addresses of Steer, and the kinds of their values.

For example ``?run=a&q=17&axes=3~1&n=4&m=o_i~q_1.5``: axes z3 and z1, two rows: off and on, then the
query's own value and 1.5 s.d. Dimensions count from 1 as on the page, and from 0 in Python; an axis
that was added to the run is named by its id, as in ``axes=3~a1``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

from rivae.app.panels.codec import Kind, Link, setting
from rivae.app.panels.links import ASKS, MAX_DIMS, QUERY, RUN, Query, whole_number
from rivae.base.config import Asks
from rivae.base.errors import ConfigError
from rivae.exploring.placing import AxisKey
from rivae.exploring.steering import MAX_AXES, MAX_LEVEL, MAX_ROWS, Level, checked_level, is_axis
from rivae.runs.added_axes import ADDED_ID

LETTERS: Mapping[str, Level] = {"o": "off", "q": "query", "i": "on"}


def _read_axes(text: str) -> tuple[tuple[AxisKey, ...], bool]:
    names = text.split("~")
    found = [_read_axis(name) for name in names]
    axes = list(dict.fromkeys(key for key in found if key is not None))[:MAX_AXES]
    return tuple(axes), len(axes) == len(names)


def _read_axis(name: str) -> AxisKey | None:
    if ADDED_ID.fullmatch(name):
        return name
    number = whole_number(name, 1, MAX_DIMS)
    return None if number is None else number - 1


def _check_axes(value: Any, d: int) -> tuple[AxisKey, ...]:
    if not isinstance(value, list) or not all(map(is_axis, value)):
        raise ConfigError("the panel sent no list of axes")
    if any(isinstance(key, int) and key >= d for key in value):
        raise ConfigError(f"there are only axes 1 to {d}")
    return tuple(value)


def _read_sigma(text: str) -> tuple[float | None, bool]:
    sigma = float(text) if re.fullmatch(r"[0-9]{1,2}(\.[0-9]{1,2})?", text) else 0.0
    return (sigma, True) if 0.5 <= sigma <= MAX_LEVEL else (None, False)


def _check_sigma(value: Any, _: int) -> float:
    if not isinstance(value, int | float) or not 0.5 <= value <= MAX_LEVEL:
        raise ConfigError(f"n sigma must lie between 0.5 and {MAX_LEVEL:g}")
    return round(float(value), 2)


def _letter(level: Level) -> str:
    if isinstance(level, str):
        return next(letter for letter, name in LETTERS.items() if name == level)
    return f"{level:g}"


def _read_level(name: str) -> Level | None:
    if name in LETTERS:
        return LETTERS[name]
    try:
        is_number = re.fullmatch(r"-?[0-9]{1,2}(\.[0-9]{1,2})?", name)
        return checked_level(float(name)) if is_number else None
    except ConfigError:
        return None


def _read_levels(text: str) -> tuple[tuple[tuple[Level, ...], ...], bool]:
    levels = [[_read_level(name) for name in part.split("_")] for part in text.split("~")]
    rows = [tuple(level for level in row if level is not None) for row in levels if None not in row]
    return tuple(rows), len(rows) == len(levels)


def _check_levels(value: Any, _: int) -> tuple[tuple[Any, ...], ...]:
    if not isinstance(value, list) or not all(isinstance(row, list) for row in value):
        raise ConfigError("the panel sent no list of rows")
    return tuple(tuple(row) for row in value)


LEVELS = Kind(
    lambda rows: "~".join("_".join(map(_letter, row)) for row in rows), _read_levels, _check_levels
)
AXES = Kind(
    lambda axes: "~".join(key if isinstance(key, str) else str(key + 1) for key in axes),
    _read_axes,
    _check_axes,
)


@dataclass(frozen=True)
class SteerLink(Link):
    """The settings of a link to Steer; None or empty where it does not name them.

    Attributes:
        axes: dimensions and ids of added axes, each once, at most five.
        n_sigma: how far off and on are from the mean, 0.5 to 10 s.d.
        rows: levels, one per axis.
        asks: which view of a data row is the query.
    """

    run: str | None = setting("run", RUN, None)
    query: Query | None = setting("q", QUERY, None)
    axes: tuple[AxisKey, ...] = setting("axes", AXES, ())
    n_sigma: float = setting("n", Kind("{:g}".format, _read_sigma, _check_sigma), 2.0)
    rows: tuple[tuple[Level, ...], ...] = setting("m", LEVELS, ())
    asks: Asks = setting("ask", ASKS, "first")

    @classmethod
    def read(cls, params: Mapping[str, str]) -> tuple[Self, list[str]]:
        """As every link; rows belong to the axes as they were written, without one they mean
        nothing.
        """
        link, unreadable = super().read(params)
        fit = [row for row in link.rows if len(row) == len(link.axes) and "axes" not in unreadable]
        if len(fit[:MAX_ROWS]) < len(link.rows):
            unreadable += ["m"] if "m" not in unreadable else []
            link = replace(link, rows=tuple(fit[:MAX_ROWS]))
        return link, unreadable
