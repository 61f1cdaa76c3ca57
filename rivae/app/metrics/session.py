"""The Metrics page's session: the state in the address, and callbacks that change it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

import streamlit as st

from rivae.app.metrics import page_keys
from rivae.app.metrics.results_table import Sort, next_sort
from rivae.app.panels.codec import unread
from rivae.app.panels.component import reveal
from rivae.app.panels.links import MAX_DIMS, ExploreLink
from rivae.app.shared import address, defaults
from rivae.app.shell import keys

if TYPE_CHECKING:
    from rivae.base.config import Asks

DETAIL = "detail_metrics"  # key of the panel behind a cell
# An axis, and a factor of the run's table by number or any column by kind and name: "tag.cakes".
Cell = tuple[int, int | str]


def current_run(ready: Sequence[str]) -> tuple[str, Asks, str]:
    """The run in the address, else the one last looked at if it is ready, else the first that is;
    the view that asks; and a remark on the link, or on runs that are left out.
    """
    link, unreadable = ExploreLink.read({"run": "", **address.read(("run", "ask"))})
    remark = address.NO_SUCH_RUN if "run" in unreadable else " ".join(unread(unreadable))
    if link.run:
        return link.run, link.asks, remark
    last = address.run_in_hand()
    run = last if last is not None and last in ready else next(iter(ready), "")
    return run, link.asks, " ".join([*filter(None, [remark]), *defaults.left_out(run)])


def choose_run() -> None:
    """Another run was chosen."""
    st.query_params["run"] = st.session_state[keys.METRICS_RUN]
    st.query_params.pop("ask", None)
    choose_cell(None)


def show_run(run_id: str) -> None:
    """Open the metrics of a run, or the button that measures them; for callbacks."""
    # One step of the history, and without the plan, which that view does not have.
    address.write({"show": "run", "run": run_id}, ("show", "run", "cell", keys.LABEL_PLAN))


def remember(run_id: str, asks: Asks | None = None) -> None:
    """Other pages open this run next, asked with the same view."""
    address.take(run_id, asks=asks)
    address.add({"run": run_id})


def choose_asks(run_id: str, asks: Asks) -> None:
    """Another view is the query from now on, here and on other pages."""
    address.choose_asks(asks)
    address.take(run_id, asks=asks)


def cell() -> Cell | None:
    """The chosen cell, of the run's map or of its table."""
    return read_cell(st.query_params.get("cell", ""))


def choose_cell(chosen: Cell | None) -> None:
    """Open the plot behind a cell, or close it."""
    if chosen is not None:
        st.query_params["cell"] = write_cell(chosen)
        reveal(DETAIL)
    elif "cell" in st.query_params:
        del st.query_params["cell"]


def sort_of(table: str) -> Sort | None:
    """The order of a table, None for the paper's."""
    return read_sorts(st.query_params.get("sort", "")).get(table)


def clicked_heading(table: str, column: str) -> None:
    """The heading of a ``column`` of ``table`` was clicked."""
    sorts = read_sorts(st.query_params.get("sort", ""))
    next_order = next_sort(sorts.pop(table, None), column)
    if next_order is not None:
        sorts[table] = next_order
    if text := write_sorts(sorts):
        st.query_params["sort"] = text
    elif "sort" in st.query_params:
        del st.query_params["sort"]


@contextmanager
def fold(title: str, name: str, *opened_by: str) -> Iterator[bool]:
    """A part that is drawn once it is opened, or where the address has a name of what is in it."""
    part = st.expander(
        title,
        expanded=any(each in st.query_params for each in opened_by),
        key=f"{page_keys.FOLD}_{name}",
        bind="query-params",
    )
    with part:
        yield bool(part.open)


MAX_SORTS = 20
_SORT = re.compile(r"(-?)([a-z]{1,20})\.([a-z][A-Za-z0-9_.-]{0,60})")
_CELL = re.compile(r"([0-9]{1,3})(?:_(?:([0-9]{1,3})|((?:factor|tag|word)\..{1,80})))?")


def read_sorts(text: str) -> dict[str, Sort]:
    """The order of each table by its id."""
    sorts = {}
    for part in text.split("~")[:MAX_SORTS]:
        if match := _SORT.fullmatch(part):
            minus, table, column = match.groups()
            sorts[table] = Sort(column, reversed=bool(minus))
    return sorts


def write_sorts(sorts: Mapping[str, Sort]) -> str:
    """The same as text; empty where every table has the paper's order."""
    return "~".join(f"{'-' * s.reversed}{table}.{s.column}" for table, s in sorted(sorts.items()))


def read_cell(text: str) -> Cell | None:
    """Axis and factor from 0; a cell of digits has factor 0."""
    match = _CELL.fullmatch(text)
    if match is None:
        return None
    j, k = int(match[1]), int(match[2] or 1)
    if not (1 <= j <= MAX_DIMS and 1 <= k <= MAX_DIMS):
        return None
    return j - 1, match[3] or k - 1


def write_cell(cell: Cell) -> str:
    """Both count from 1, as on the page."""
    j, column = cell
    return f"{j + 1}_{column if isinstance(column, str) else column + 1}"
