"""The parts of the Metrics page's address that Streamlit does not bind, and back.

``?show=run`` opens one run's numbers, ``show=labels`` those from labels, ``cell=2_1`` the plot
behind dimension 2 and factor 1, and ``sort=retrieval.recall_at_1~-factors.paper-completeness``
sorts two tables, the second one worst first. A link is read as if a stranger had written it: what
is malformed is left out.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from rivae.ui.links import MAX_DIMS
from rivae.ui.metrics_payload import Sort

SHOW = {"tables": "Tables", "run": "This run", "labels": "From labels"}
MAX_SORTS = 20
_SORT = re.compile(r"(-?)([a-z]{1,20})\.([a-z][A-Za-z0-9_.-]{0,60})")
_CELL = re.compile(r"([0-9]{1,3})(?:_([0-9]{1,3}))?")


def read_show(params: Mapping[str, str]) -> str:
    """Which view is open: the one named, else the run's where a run is named."""
    return SHOW.get(params.get("show", ""), "This run" if params.get("run") else "Tables")


def read_sorts(text: str) -> dict[str, Sort]:
    """The order of each table by its id."""
    found = {}
    for part in text.split("~")[:MAX_SORTS]:
        if match := _SORT.fullmatch(part):
            minus, table, column = match.groups()
            found[table] = Sort(column, reversed=bool(minus))
    return found


def write_sorts(sorts: Mapping[str, Sort]) -> str:
    """The same as text; empty where every table has the paper's order."""
    return "~".join(f"{'-' * s.reversed}{table}.{s.column}" for table, s in sorted(sorts.items()))


def read_cell(text: str) -> tuple[int, int] | None:
    """(dimension, factor) from 0; a cell of digits has factor 0."""
    match = _CELL.fullmatch(text)
    if match is None:
        return None
    j, k = int(match[1]), int(match[2] or 1)
    return (j - 1, k - 1) if 1 <= j <= MAX_DIMS and 1 <= k <= MAX_DIMS else None


def write_cell(cell: tuple[int, int]) -> str:
    """Both count from 1, as on the page."""
    return f"{cell[0] + 1}_{cell[1] + 1}"
