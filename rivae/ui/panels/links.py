"""The Explore page's state as query parameters, and back.

A link is read as if a stranger had written it: whatever is malformed or out of range is dropped and
named, the rest is used. Only what differs from the default is written, so a fresh page has a short
address, e.g. ``?run=sprites-rivae&q=17&z=1_0.85~3_-1.2``: query 17, z1 = 0.85, z3 = -1.2.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from rivae.catalogue import Rows
from rivae.explorer import MAX_K

DEFAULT_K = 10
SPANS = (2, 4, 10)
DEFAULT_SPAN = 2  # where most queries lie; beyond it pictures soon stop meaning much
MAX_DIMS = 256
MAX_VALUE = 1000.0
MAX_LENGTH = 6000
RUN_ID = re.compile(r"[a-z0-9._-]{1,120}")
UPLOAD = re.compile(r"upload_[0-9a-f]{32}")  # a visitor's own picture, by its content
# The only names this page owns; others (e.g. streamlit's own "embed") are left alone.
NAMES = ("run", "rows", "q", "z", "k", "whole", "lock", "sort", "span")

Query = int | Literal["mean"]


@dataclass(frozen=True)
class Link:
    """What a link can say; None or empty where it says nothing.

    Attributes:
        run: id of a run.
        rows: which rows are searched.
        query: a data row, or "mean" for the average of all queries.
        upload: a visitor's own picture as the query, by its ``uploads.Upload.name``.
        changes: value of z_j by dimension j (from 0) where it differs from the query's own; of an
            upload, which may be gone, all of them.
        k: number of results, 1 to 30.
        whole: show the whole pair instead of the retrieved side.
        locked: dimensions (from 0) that reset and random leave alone.
        by_effect: sliders sorted by effect, else by number.
        span: half-width of the sliders in s.d.
    """

    run: str | None = None
    rows: Rows = "test"
    query: Query | None = None
    changes: Mapping[int, float] = field(default_factory=dict)
    k: int = DEFAULT_K
    whole: bool | None = None
    locked: tuple[int, ...] = ()
    by_effect: bool = True
    span: int = DEFAULT_SPAN
    upload: str | None = None


def write_link(link: Link) -> dict[str, str]:
    """Query parameters of ``link``; dimensions count from 1 as on the page."""
    params: dict[str, str] = {}
    if link.run is not None:
        params["run"] = link.run
    if link.rows != "test":
        params["rows"] = link.rows
    if link.upload is not None:
        params["q"] = link.upload
    elif link.query is not None:
        params["q"] = str(link.query)
    if link.changes:
        params["z"] = write_changes(link.changes)
    if link.k != DEFAULT_K:
        params["k"] = str(link.k)
    if link.whole is not None:
        params["whole"] = str(int(link.whole))
    if link.locked:
        params["lock"] = "~".join(str(j + 1) for j in sorted(link.locked))
    if not link.by_effect:
        params["sort"] = "axis"
    if link.span != DEFAULT_SPAN:
        params["span"] = str(link.span)
    return params


def read_link(params: Mapping[str, str]) -> tuple[Link, list[str]]:
    """The link in ``params`` and the names of the parameters that had to be dropped in part."""
    dropped: list[str] = []

    def take(name: str) -> str:
        text = params.get(name, "")
        if len(text) > MAX_LENGTH:
            dropped.append(name)
            return ""
        return text

    def choose(name: str, options: Mapping[str, object]) -> object | None:
        text = take(name)
        if text and text not in options:
            dropped.append(name)
        return options.get(text)

    run: str | None = take("run") or None
    if run is not None and not RUN_ID.fullmatch(run):
        run = None
        dropped.append("run")

    query = read_query(take("q"))
    upload = take("q") if UPLOAD.fullmatch(take("q")) else None
    if take("q") and query is None and upload is None:
        dropped.append("q")
    changes, is_whole = read_changes(take("z"))
    if not is_whole:
        dropped.append("z")

    locked: set[int] = set()
    for name in take("lock").split("~") if take("lock") else []:
        j = whole_number(name, 1, MAX_DIMS)
        if j is None:
            dropped.append("lock")
        else:
            locked.add(j - 1)

    k = whole_number(take("k"), 1, MAX_K)
    if take("k") and k is None:
        dropped.append("k")
    rows: Rows = "all" if choose("rows", {"test": "test", "all": "all"}) == "all" else "test"
    span = choose("span", {str(s): s for s in SPANS})
    whole = choose("whole", {"0": False, "1": True})
    link = Link(
        run=run,
        rows=rows,
        query=query,
        changes=changes,
        k=k or DEFAULT_K,
        whole=whole if isinstance(whole, bool) else None,
        locked=tuple(sorted(locked)),
        by_effect=choose("sort", {"effect": "effect", "axis": "axis"}) != "axis",
        span=span if isinstance(span, int) else DEFAULT_SPAN,
        upload=upload,
    )
    return link, list(dict.fromkeys(dropped))


def unread(dropped: Sequence[str]) -> list[str]:
    """The sentence about parts of a link that were dropped; none without any."""
    if not dropped:
        return []
    return [f"Part of the link could not be read and was left out: {', '.join(dropped)}."]


def write_changes(changes: Mapping[int, float]) -> str:
    """``{0: 0.5, 2: -1.2}`` as "1_0.5~3_-1.2": positions count from 1 as on the page."""
    return "~".join(f"{j + 1}_{format_number(v)}" for j, v in sorted(changes.items()))


def read_changes(text: str) -> tuple[dict[int, float], bool]:
    """What ``write_changes`` wrote, and whether all of it could be read."""
    changes: dict[int, float] = {}
    is_whole = True
    for pair in text.split("~") if text else []:
        name, _, value = pair.partition("_")
        j, number = whole_number(name, 1, MAX_DIMS), _number(value)
        if j is None or number is None:
            is_whole = False
        else:
            changes[j - 1] = number
    return changes, is_whole


def read_query(text: str) -> Query | None:
    """A data row or "mean"; None for anything else."""
    return "mean" if text == "mean" else whole_number(text, 0, 10**9)


def format_number(value: float) -> str:
    """``value`` with four decimals at most and no trailing zeros."""
    text = f"{value:.4f}".rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text


def whole_number(text: str, low: int, high: int) -> int | None:
    """``text`` as a number from ``low`` to ``high``; None for anything else."""
    if not re.fullmatch(r"[0-9]{1,10}", text):
        return None
    return int(text) if low <= int(text) <= high else None


def _number(text: str) -> float | None:
    if not re.fullmatch(r"-?[0-9]{1,5}(\.[0-9]{1,8})?", text):
        return None
    value = float(text)
    return round(value, 4) if math.isfinite(value) and abs(value) <= MAX_VALUE else None
