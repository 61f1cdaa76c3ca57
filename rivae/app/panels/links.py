"""The settings in the addresses of Explore and Compare, and the kinds of their values.

For example ``?run=sprites-rivae&q=17&z=1_0.85~3_-1.2`` on Explore: query 17, z1 = 0.85, z3 = -1.2;
with ``&add=a1_2.5`` the added axis a1 was moved by 2.5, and z1 and z3 are there all the same.
On Compare ``?runs=a,b&q=17&f=1_0.25~3_-0.5&factor=3``: runs a and b, the first factor moved by a
quarter of its range and the third by half of it the other way, strips of the third. Dimensions
count from 1 as on the page, and from 0 in Python.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

from rivae.app.panels.codec import Kind, Link, setting
from rivae.base.config import Asks, Rows
from rivae.base.errors import ConfigError
from rivae.exploring.explorer import MAX_K
from rivae.runs.added_axes import ADDED_ID, MAX_ADDED

SPANS = (2, 4, 10)  # half-widths of sliders, in s.d.
MAX_DIMS = 256
MAX_VALUE = 1000.0
MAX_ONLY = 100  # characters of the words that items must have
MAX_NAMED = 20  # runs read from a link; more than six are refused with a sentence of their own
RUN_ID = re.compile(r"[a-z0-9._-]{1,120}")
# A visitor's own picture or text, by its content.
UPLOAD = re.compile(r"(upload|text)_[0-9a-f]{32}")
NO_SUCH = "the panel sent a number of results or a range that does not exist"

Query = int | Literal["mean"]


# Numbers


def whole_number(text: str, low: int, high: int) -> int | None:
    """``text`` as a number from ``low`` to ``high``; None for anything else."""
    if not re.fullmatch(r"[0-9]{1,10}", text):
        return None
    return int(text) if low <= int(text) <= high else None


def format_number(value: float) -> str:
    """``value`` with four decimals at most and no trailing zeros."""
    text = f"{value:.4f}".rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text


def _number(text: str) -> float | None:
    if not re.fullmatch(r"-?[0-9]{1,5}(\.[0-9]{1,8})?", text):
        return None
    value = float(text)
    return round(value, 4) if math.isfinite(value) and abs(value) <= MAX_VALUE else None


# Kinds of values


def number(low: int, high: int, wrong: str) -> Kind:
    """A whole number; ``wrong`` says that a panel sent another."""

    def read(text: str) -> tuple[int | None, bool]:
        found = whole_number(text, low, high)
        return found, found is not None

    def check(value: Any, _: int) -> int:
        if type(value) is not int or not low <= value <= high:
            raise ConfigError(wrong)
        return value

    return Kind(str, read, check)


def choice(options: Mapping[str, Any], wrong: str = "") -> Kind:
    """One of some values, by their texts; without ``wrong`` the panel does not have it."""
    texts = {value: text for text, value in options.items()}

    def check(value: Any, _: int) -> Any:
        if type(value) not in map(type, texts) or value not in texts:
            raise ConfigError(wrong)
        return value

    return Kind(
        texts.__getitem__, lambda t: (options.get(t), t in options), check if wrong else None
    )


def flag(options: Mapping[str, bool]) -> Kind:
    """Yes or no, by their texts."""
    return replace(choice(options), check=lambda value, _: bool(value))


def positions(wrong: str) -> Kind:
    """Some dimensions, in order; ``wrong`` says that a panel sent others than 1 to {d}."""

    def read(text: str) -> tuple[tuple[int, ...], bool]:
        found = [whole_number(name, 1, MAX_DIMS) for name in text.split("~")]
        return tuple(sorted({j - 1 for j in found if j is not None})), None not in found

    def check(value: Any, d: int) -> tuple[int, ...]:
        if not isinstance(value, list) or any(type(j) is not int or not 0 <= j < d for j in value):
            raise ConfigError(wrong.format(d=d))
        return tuple(sorted(set(value)))

    return Kind(lambda found: "~".join(str(j + 1) for j in sorted(found)), read, check)


def _read_run(text: str) -> tuple[str | None, bool]:
    return (text, True) if RUN_ID.fullmatch(text) else (None, False)


def _read_query(text: str) -> tuple[Query | None, bool]:
    query: Query | None = "mean" if text == "mean" else whole_number(text, 0, 10**9)
    return query, query is not None


def _read_start(text: str) -> tuple[Query | str | None, bool]:
    return (text, True) if UPLOAD.fullmatch(text) else _read_query(text)


def _write_changes(changes: Mapping[int, float]) -> str:
    return "~".join(f"{j + 1}_{format_number(v)}" for j, v in sorted(changes.items()))


def _read_changes(text: str) -> tuple[dict[int, float], bool]:
    changes: dict[int, float] = {}
    is_whole = True
    for pair in text.split("~"):
        name, _, value = pair.partition("_")
        j, number = whole_number(name, 1, MAX_DIMS), _number(value)
        if j is None or number is None:
            is_whole = False
        else:
            changes[j - 1] = number
    return changes, is_whole


def _write_amounts(amounts: Mapping[str, float]) -> str:
    return "~".join(f"{name}_{format_number(v)}" for name, v in amounts.items())


def _read_amounts(text: str) -> tuple[dict[str, float], bool]:
    amounts: dict[str, float] = {}
    parts = text.split("~")
    for pair in parts[:MAX_ADDED]:
        name, _, value = pair.partition("_")
        if ADDED_ID.fullmatch(name) and (number := _number(value)) is not None:
            amounts[name] = number
    return amounts, len(amounts) == len(parts)


def checked_amounts(value: Any, _: int = 0) -> dict[str, float]:
    """The amounts that a panel reports added axes were moved by; ConfigError where none can send
    them.
    """
    if value is None:  # a panel of before
        return {}
    read = _read_amounts(_write_amounts(value)) if _are_amounts(value) else ({}, not value)
    if not read[1] and value != {}:
        raise ConfigError("the panel sent amounts of added axes that cannot be read")
    return {name: amount for name, amount in read[0].items() if amount}


def _are_amounts(value: Any) -> bool:
    return isinstance(value, Mapping) and all(
        isinstance(name, str) and type(v) in (int, float) for name, v in value.items()
    )


def _read_only(text: str) -> tuple[str, bool]:
    words = " ".join(text.split())
    return words[:MAX_ONLY], len(words) <= MAX_ONLY


def _check_only(value: Any, _: int) -> str:
    if not isinstance(value, str) or len(value) > MAX_ONLY:
        raise ConfigError(f"give at most {MAX_ONLY} characters of words that items must have")
    return " ".join(value.split())


RUN = Kind(str, _read_run)
QUERY = Kind(str, _read_query)
START = Kind(str, _read_start)  # a query, or a visitor's own
CHANGES = Kind(_write_changes, _read_changes)  # {0: 0.5, 2: -1.2} as "1_0.5~3_-1.2"
AMOUNTS = Kind(_write_amounts, _read_amounts, checked_amounts)  # {"a1": 2.5} as "a1_2.5"
ASKS = choice({name: name for name in get_args(Asks)})  # which view of a data row is the query
RESULTS = number(1, MAX_K, NO_SUCH)
ONLY = Kind(str, _read_only, _check_only)
WHOLE = flag({"0": False, "1": True})
SPAN = choice({str(span): span for span in SPANS}, NO_SUCH)


@dataclass(frozen=True)
class ExploreLink(Link):
    """The settings of a link to Explore; None or empty where it does not name them.

    Attributes:
        run: id of a run.
        rows: which rows are searched.
        asks: which view of a data row is the query.
        query: a data row, "mean" for the average of all queries, or a visitor's own picture or text
            by its ``uploads.Upload.name``.
        changes: value of z_j by dimension j where it differs from the query's own; of an upload,
            which may be gone, all of them.
        k: number of results, 1 to 30.
        only: conditions that all results meet; see ``rivae.data.conditions``.
        whole: show the whole pair instead of the retrieved side.
        locked: dimensions that reset and random leave alone.
        by_effect: sliders sorted by effect, else by number.
        span: half-width of the sliders in s.d.; beyond the least, where most queries lie, pictures
            soon stop meaning much.
        added: by how much each added axis was moved, by its id. z is the query's, plus these times
            what each moves, and where ``changes`` has a value, that.
        only_this: moving an added axis leaves the other named ones.
    """

    run: str | None = setting("run", RUN, None)
    rows: Rows = setting("rows", choice({"test": "test", "all": "all"}), "test")
    asks: Asks = setting("ask", ASKS, "first")
    query: Query | str | None = setting("q", START, None)
    changes: Mapping[int, float] = setting("z", CHANGES, {})
    k: int = setting("k", RESULTS, 10)
    only: str = setting("only", ONLY, "")
    whole: bool | None = setting("whole", WHOLE, None)
    locked: tuple[int, ...] = setting("lock", positions("only axes 1 to {d} can be locked"), ())
    by_effect: bool = setting("sort", flag({"effect": True, "axis": False}), True)
    span: int = setting("span", SPAN, 2)
    added: Mapping[str, float] = setting("add", AMOUNTS, {})
    only_this: bool = setting("alone", flag({"1": True, "0": False}), False)

    @property
    def upload(self) -> str | None:
        """The visitor's own picture or text, if that is the query."""
        return self.query if isinstance(self.query, str) and self.query != "mean" else None


# Compare


def _read_runs(text: str) -> tuple[tuple[str, ...], bool]:
    run_ids = dict.fromkeys(run.strip() for run in text.split(",") if run.strip())
    runs = [run for run in run_ids if RUN_ID.fullmatch(run)][:MAX_NAMED]
    return tuple(runs), len(runs) == len(run_ids)


def _read_factor(text: str) -> tuple[int | None, bool]:
    factor = whole_number(text, 1, MAX_DIMS)
    return (None, False) if factor is None else (factor - 1, True)


def _check_factor(value: Any, d: int) -> int:
    if type(value) is not int or not 0 <= value < d:
        raise ConfigError(f"there is no such factor: choose 1 to {d}")
    return value


@dataclass(frozen=True)
class CompareLink(Link):
    """The settings of a link to Compare; None or empty where it does not name them.

    Attributes:
        runs: ids of runs, each once; the first is the reference.
        query: a data row, or "mean" for the average of all queries.
        shifts: by factor, in units of an axis' range, where not 0.
        factor: whose strips are shown.
        k: results per run, 1 to 30.
        whole: show the whole pair instead of the retrieved side.
        span: half-width of the sliders in s.d. of the reference's axes.
        locked: factors that reset and random leave alone.
        by_effect: sliders sorted by effect.
        asks: which view of a data row is the query, in every run.
    """

    runs: tuple[str, ...] = setting("runs", Kind(",".join, _read_runs), ())
    query: Query | None = setting("q", QUERY, None)
    shifts: Mapping[int, float] = setting("f", CHANGES, {})
    factor: int = setting("factor", Kind(lambda j: str(j + 1), _read_factor, _check_factor), 0)
    k: int = setting("k", RESULTS, 6)
    whole: bool | None = setting("whole", WHOLE, None)
    span: int = setting("span", SPAN, 2)
    locked: tuple[int, ...] = setting("lock", positions("only factors 1 to {d} can be locked"), ())
    by_effect: bool = setting("sort", flag({"effect": True}), False)
    asks: Asks = setting("ask", ASKS, "first")
