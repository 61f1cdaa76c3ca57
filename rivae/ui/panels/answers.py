"""One question of the Explore panel, checked, and its answer; the same over the web route and
through the session."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from rivae.catalogue import Rows
from rivae.errors import ConfigError, RivaeError
from rivae.explorer import Explorer, Vector
from rivae.ui.panels.links import MAX_DIMS, MAX_VALUE
from rivae.ui.panels.questions import Point, Search, SearchOfRuns, read

OpenRun = Callable[[str, Rows], Explorer]


def answer(question: Mapping[str, Any], open_run: OpenRun) -> dict[str, Any]:
    """The top-k for a question ``{run, rows, z, k, side, seq, have}``.

    ``have`` lists the items whose pictures the browser holds already. The answer holds ``seq`` as
    asked, ``ids``, ``scores``, ``far`` and ``items``: {id: [title, data address, tiny]} of the
    items that the browser does not hold.

    A question about several runs of one data set has ``runs``, a list of ``{run, z}``, instead of
    run and z. Its answer has ``runs``, a list of ``{ids, scores, far}`` or ``{error}``, and the
    ``items`` of all.

    Raises:
        ConfigError: a field is missing, of the wrong kind or out of range.
        RunError: there is no such run, or it is not ready.
    """
    asked = read(SearchOfRuns if "runs" in question else Search, question)
    known = set(asked.have)

    def ask(part: Mapping[str, Any]) -> dict[str, Any]:
        point = read(Point, part)
        explorer = open_run(point.run, asked.rows)
        z = read_z(point.z, explorer.n_components)
        found = results(explorer, z, asked.k, asked.side, known)
        known.update(found["ids"])
        return found

    if not isinstance(asked, SearchOfRuns):
        return {"seq": asked.seq, **ask(question)}
    found = [_or_error(ask, part) for part in asked.runs]
    items: dict[str, Any] = {}
    for one in found:
        items |= one.pop("items", {})
    return {"seq": asked.seq, "runs": found, "items": items}


def _or_error(
    ask: Callable[[Mapping[str, Any]], dict[str, Any]], part: Mapping[str, Any]
) -> dict[str, Any]:
    """One run's answer; what is wrong with one run does not silence the others."""
    try:
        return ask(part)
    except RivaeError as error:
        return {"error": str(error)}


def results(
    explorer: Explorer, z: Vector, k: int, side: int, known: set[int] | None = None
) -> dict[str, Any]:
    """The answer for ``z`` (d,) without its number; see :func:`answer`."""
    hits, far = explorer.topk(z, k), explorer.far(z)
    ids = [int(i) for i in hits.ids]
    return {
        "ids": ids,
        "scores": [round(float(s), 4) for s in hits.scores],
        "far": {
            "distance": round(far.value, 3),
            "limit": round(far.limit, 3),
            "where": far.where,
        },
        "items": {str(i): picture(explorer, i, side) for i in ids if i not in (known or ())},
    }


def picture(explorer: Explorer, i: int, side: int) -> list[str | bool]:
    """Item ``i`` as the browser needs it: title, data address, whether its pixels stay sharp."""
    thumbnail = explorer.thumbnail(i, side)
    return [explorer.title(i), thumbnail.data_uri, thumbnail.is_tiny]


def read_z(value: Any, n_components: int) -> Vector:
    """``value`` as a float64 vector; JavaScript sends 1.0 as 1, so integers are welcome."""
    if not isinstance(value, list) or len(value) > MAX_DIMS:
        raise ConfigError(f"'z' must be a list of {n_components} numbers")
    if len(value) != n_components:
        raise ConfigError(f"'z' must hold {n_components} numbers, got {len(value)}")
    for v in value:
        if isinstance(v, bool) or not isinstance(v, int | float):
            raise ConfigError("'z' must hold numbers only")
        if not abs(v) <= MAX_VALUE:  # false for NaN as well, and safe for huge integers
            raise ConfigError(f"every z must lie between -{MAX_VALUE:g} and {MAX_VALUE:g}")
    return np.array(value, dtype=np.float64)
