"""One question of the Explore panel, checked, and its answer; the same over the web route and
through the session."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from rivae.catalogue import Rows
from rivae.errors import ConfigError, RivaeError
from rivae.explorer import MAX_K, Explorer, Vector
from rivae.ui.links import MAX_DIMS, MAX_VALUE, RUN_ID

MAX_HAVE = 400
MAX_ASKED = 6  # runs in one question, as many as Compare shows
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
    rows: Rows = "all" if question.get("rows") == "all" else "test"
    k = _integer(question, "k", 1, MAX_K)
    side = _integer(question, "side", 0, 2)
    seq = _integer(question, "seq", 0, 2**53)
    have = question.get("have", [])
    if not isinstance(have, list) or len(have) > MAX_HAVE:
        raise ConfigError(f"'have' must be a list of at most {MAX_HAVE} item numbers")
    known = {i for i in have if isinstance(i, int)}

    def ask(part: Mapping[str, Any]) -> dict[str, Any]:
        run = part.get("run")
        if not isinstance(run, str) or not RUN_ID.fullmatch(run):
            raise ConfigError("'run' must be the id of a run as shown by `rivae runs`")
        explorer = open_run(run, rows)
        z = read_z(part.get("z"), explorer.n_components)
        found = results(explorer, z, k, side, known)
        known.update(found["ids"])
        return found

    if "runs" not in question:
        return {"seq": seq, **ask(question)}
    parts = question["runs"]
    if not isinstance(parts, list) or not 1 <= len(parts) <= MAX_ASKED:
        raise ConfigError(f"'runs' must be a list of 1 to {MAX_ASKED} questions")
    if not all(isinstance(part, dict) for part in parts):
        raise ConfigError("every one of 'runs' must be an object with 'run' and 'z'")
    found = [_or_error(ask, part) for part in parts]
    items: dict[str, Any] = {}
    for one in found:
        items |= one.pop("items", {})
    return {"seq": seq, "runs": found, "items": items}


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
            "far": bool(far.is_far),
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


def _integer(question: Mapping[str, Any], name: str, low: int, high: int) -> int:
    value = question.get(name)
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise ConfigError(f"'{name}' must be a whole number from {low} to {high}")
    return value
