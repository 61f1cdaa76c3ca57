"""The Steer page's state as query parameters, and back, as ``links.py`` does for Explore.

For example ``?run=a&q=17&axes=3~1&n=4&m=o_i~q_1.5``: query 17, axes z3 and z1, two rows: off and
on, then the query's own value and 1.5 s.d.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from rivae.errors import ConfigError
from rivae.steering import MAX_AXES, MAX_LEVEL, MAX_ROWS, Level, checked_level
from rivae.ui.panels.links import MAX_DIMS, MAX_LENGTH, RUN_ID, Query, read_query, whole_number

NAMES = ("run", "q", "axes", "n", "m")
DEFAULT_SIGMA = 2.0
LETTERS: Mapping[str, Level] = {"o": "off", "q": "query", "i": "on"}


@dataclass(frozen=True)
class SteerLink:
    """What a link can say; None or empty where it says nothing.

    Attributes:
        axes: dimensions from 0, each once, at most five.
        rows: levels, one per axis.
        n_sigma: how far off and on are from the mean, 0.5 to 10 s.d.
    """

    run: str | None = None
    query: Query | None = None
    axes: tuple[int, ...] = ()
    rows: tuple[tuple[Level, ...], ...] = ()
    n_sigma: float = DEFAULT_SIGMA


def write_steer(link: SteerLink) -> dict[str, str]:
    """Query parameters of ``link``; only what is said, and n where it is not the default."""
    params = {
        "run": link.run or "",
        "q": "" if link.query is None else str(link.query),
        "axes": "~".join(str(j + 1) for j in link.axes),
        "n": f"{link.n_sigma:g}" if link.n_sigma != DEFAULT_SIGMA else "",
        "m": "~".join("_".join(map(_letter, row)) for row in link.rows),
    }
    return {name: text for name, text in params.items() if text}


def read_steer(params: Mapping[str, str]) -> tuple[SteerLink, list[str]]:
    """The link in ``params`` and the names of the parameters that had to be dropped in part."""
    texts = {name: params.get(name, "") for name in NAMES}
    dropped = [name for name, text in texts.items() if len(text) > MAX_LENGTH]
    texts.update(dict.fromkeys(dropped, ""))

    run: str | None = texts["run"] or None
    if run is not None and not RUN_ID.fullmatch(run):
        run = None
        dropped.append("run")
    query = read_query(texts["q"])
    if texts["q"] and query is None:
        dropped.append("q")
    axes: list[int] = []
    for name in texts["axes"].split("~") if texts["axes"] else []:
        j = whole_number(name, 1, MAX_DIMS)
        if j is None or j - 1 in axes or len(axes) == MAX_AXES:
            dropped.append("axes")
        else:
            axes.append(j - 1)
    n_sigma = read_sigma(texts["n"])
    if texts["n"] and n_sigma is None:
        dropped.append("n")
    rows: list[tuple[Level, ...]] = []
    for part in texts["m"].split("~") if texts["m"] else []:
        row = _row(part)
        # Rows belong to the axes as they were written: with an axis dropped they mean nothing.
        if row is None or len(row) != len(axes) or "axes" in dropped or len(rows) == MAX_ROWS:
            dropped.append("m")
        else:
            rows.append(row)
    link = SteerLink(run, query, tuple(axes), tuple(rows), n_sigma or DEFAULT_SIGMA)
    return link, list(dict.fromkeys(dropped))


def read_sigma(text: str) -> float | None:
    """A number from 0.5 to 10; None for anything else."""
    if not re.fullmatch(r"[0-9]{1,2}(\.[0-9]{1,2})?", text):
        return None
    return float(text) if 0.5 <= float(text) <= MAX_LEVEL else None


def _letter(level: Level) -> str:
    if isinstance(level, str):
        return next(letter for letter, name in LETTERS.items() if name == level)
    return f"{level:g}"


def _row(text: str) -> tuple[Level, ...] | None:
    row: list[Level] = []
    for name in text.split("_"):
        if name in LETTERS:
            row.append(LETTERS[name])
            continue
        if not re.fullmatch(r"-?[0-9]{1,2}(\.[0-9]{1,2})?", name):
            return None
        try:
            row.append(checked_level(float(name)))
        except ConfigError:
            return None
    return tuple(row)
