"""The Compare page's state as query parameters, and back, as ``links.py`` does for Explore.

For example ``?runs=a,b&q=17&f=1_0.25~3_-0.5&factor=3``: runs a and b, query 17, the first factor
moved by a quarter of its range and the third by half of it the other way, strips of the third.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from rivae.explorer import MAX_K
from rivae.ui.panels.links import (
    MAX_DIMS,
    MAX_LENGTH,
    RUN_ID,
    SPANS,
    Query,
    read_changes,
    read_query,
    whole_number,
    write_changes,
)

DEFAULT_K = 6
DEFAULT_SPAN = 2
MAX_NAMED = 20  # runs read from a link; more than six are refused with a sentence of their own
NAMES = ("runs", "q", "f", "factor", "k", "whole", "span", "lock", "sort")


@dataclass(frozen=True)
class CompareLink:
    """What a link can say; None or empty where it says nothing.

    Attributes:
        runs: ids of runs, each once; the first is the reference.
        query: a data row, or "mean" for the average of all queries.
        shifts: by factor (from 0), in units of an axis' range, where not 0.
        factor: whose strips are shown, from 0.
        k: results per run, 1 to 30.
        whole: show the whole pair instead of the retrieved side.
        span: half-width of the sliders in s.d. of the reference's axes.
        locked: factors (from 0) that reset and random leave alone.
        by_effect: sliders sorted by effect.
    """

    runs: tuple[str, ...] = ()
    query: Query | None = None
    shifts: Mapping[int, float] = field(default_factory=dict)
    factor: int = 0
    k: int = DEFAULT_K
    whole: bool | None = None
    span: int = DEFAULT_SPAN
    locked: tuple[int, ...] = ()
    by_effect: bool = False


def write_compare(link: CompareLink) -> dict[str, str]:
    """Query parameters of ``link``; only what differs from the default."""
    params = {
        "runs": ",".join(link.runs),
        "q": "" if link.query is None else str(link.query),
        "f": write_changes(link.shifts),
        "factor": str(link.factor + 1) if link.factor else "",
        "k": str(link.k) if link.k != DEFAULT_K else "",
        "whole": "" if link.whole is None else str(int(link.whole)),
        "span": str(link.span) if link.span != DEFAULT_SPAN else "",
        "lock": "~".join(str(j + 1) for j in sorted(link.locked)),
        "sort": "effect" if link.by_effect else "",
    }
    return {name: text for name, text in params.items() if text}


def read_compare(params: Mapping[str, str]) -> tuple[CompareLink, list[str]]:
    """The link in ``params`` and the names of the parameters that had to be dropped in part."""
    texts = {name: params.get(name, "") for name in NAMES}
    dropped = [name for name, text in texts.items() if len(text) > MAX_LENGTH]
    texts.update(dict.fromkeys(dropped, ""))

    def number(name: str, low: int, high: int) -> int | None:
        found = whole_number(texts[name], low, high)
        if texts[name] and found is None:
            dropped.append(name)
        return found

    named = [run.strip() for run in texts["runs"].split(",") if run.strip()]
    runs = [run for run in dict.fromkeys(named) if RUN_ID.fullmatch(run)][:MAX_NAMED]
    if len(runs) < len(set(named)):
        dropped.append("runs")
    query = read_query(texts["q"])
    if texts["q"] and query is None:
        dropped.append("q")
    shifts, is_whole = read_changes(texts["f"])
    if not is_whole:
        dropped.append("f")
    locked = [whole_number(name, 1, MAX_DIMS) for name in texts["lock"].split("~") if name]
    if None in locked:
        dropped.append("lock")
    factor, k, whole = number("factor", 1, MAX_DIMS), number("k", 1, MAX_K), number("whole", 0, 1)
    span = number("span", min(SPANS), max(SPANS))
    if span is not None and span not in SPANS:
        dropped.append("span")
    if texts["sort"] not in ("", "effect"):
        dropped.append("sort")
    link = CompareLink(
        runs=tuple(runs),
        query=query,
        shifts=shifts,
        factor=(factor or 1) - 1,
        k=k or DEFAULT_K,
        whole=None if whole is None else bool(whole),
        span=span if span in SPANS else DEFAULT_SPAN,
        locked=tuple(sorted({j - 1 for j in locked if j is not None})),
        by_effect=texts["sort"] == "effect",
    )
    return link, list(dict.fromkeys(dropped))
