"""The Metrics page's session: what the address says, and callbacks that change it.

View, run, cell and order of the tables are written by hand; every other control is bound to the
address by Streamlit under its own name.
"""

from __future__ import annotations

import streamlit as st

from rivae.ui import address, state
from rivae.ui.components.page_frame import reveal
from rivae.ui.links import read_link
from rivae.ui.metrics_links import (
    SHOW,
    read_cell,
    read_show,
    read_sorts,
    write_cell,
    write_sorts,
)
from rivae.ui.metrics_payload import Sort, next_sort

DETAIL = "detail_metrics"  # key of what is behind a cell


def view() -> str:
    """The view in the address: one of ``SHOW``."""
    return read_show(address.read(("show", "run")))


def view_picker() -> str:
    """The control that changes the view."""
    st.session_state[state.METRICS_SHOW] = view()
    st.segmented_control(
        "Show", list(SHOW.values()), required=True, key=state.METRICS_SHOW, on_change=_choose_view
    )
    return view()


def _choose_view() -> None:
    chosen = st.session_state[state.METRICS_SHOW]
    st.query_params["show"] = next(name for name, title in SHOW.items() if title == chosen)


def current_run(default: str) -> tuple[str, str]:
    """The run in the address, else the one last looked at, and a remark on the link."""
    link, dropped = read_link({"run": st.query_params.get("run", "")})
    remark = "The link names no run that could be read, so another one is shown." if dropped else ""
    return link.run or address.run_in_hand() or default, remark


def choose_run() -> None:
    """Another run was chosen."""
    st.query_params["run"] = st.session_state[state.METRICS_RUN]
    choose_cell(None)


def show_run(run_id: str) -> None:
    """Open everything that was measured on a run, or the way to measure it; for callbacks."""
    # At once, and without the plan, which that view does not have: one step of the history.
    address.write({"show": "run", "run": run_id}, ("show", "run", "cell", state.LABEL_PLAN))


def remember(run_id: str) -> None:
    """Other pages open this run next."""
    address.take(run_id)
    address.add({"run": run_id})


def cell() -> tuple[int, int] | None:
    """The chosen (dimension, factor) of the run's table."""
    return read_cell(st.query_params.get("cell", ""))


def choose_cell(chosen: tuple[int, int] | None) -> None:
    """Open the plot behind a cell, or close it."""
    if chosen is not None:
        st.query_params["cell"] = write_cell(chosen)
        reveal(DETAIL)
    elif "cell" in st.query_params:
        del st.query_params["cell"]


def sort_of(table: str) -> Sort | None:
    """The order of a table, None for the paper's."""
    return read_sorts(st.query_params.get("sort", "")).get(table)


def clicked_heading(table: str) -> None:
    """A heading of ``table`` was clicked."""
    column = getattr(st.session_state.get(table_key(table)), "sort", None)
    if not isinstance(column, str):
        return
    sorts = read_sorts(st.query_params.get("sort", ""))
    changed = next_sort(sorts.pop(table, None), column)
    if changed is not None:
        sorts[table] = changed
    if text := write_sorts(sorts):
        st.query_params["sort"] = text
    elif "sort" in st.query_params:
        del st.query_params["sort"]


def table_key(table: str) -> str:
    """The session key of a table's component."""
    return f"{state.METRICS_TABLE}_{table}"
