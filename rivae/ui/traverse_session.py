"""The Traverse page's session: which run and query, and the controls that the address keeps.

Run and query are written by hand, as on Explore, so that ``?run=…&q=…`` means the same on both
pages; every other control is bound to the address by Streamlit under its own name.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import TYPE_CHECKING

import streamlit as st

from rivae.errors import ConfigError
from rivae.ui import address, cache, state
from rivae.ui.links import MAX_LENGTH, Query, read_link, unread
from rivae.ui.page_state import linked_query, query_z

if TYPE_CHECKING:
    from rivae.evaluation import Range
    from rivae.explorer import Explorer

# A bound control writes the words it shows into the address, so these are names of both.
RANGES = {
    "Data": "data",
    "3 s.d.": "prior",
    "10 s.d.": "sigma",
    "Paper": "paper",
    "Free": "free",
}
VIEWS = ("Strips", "Correlations", "Plane")
MAX_FREE = 1000.0


@dataclass(frozen=True)
class Anchor:
    """Where a traversal starts: a run, and a query with its z (d,)."""

    run: str
    key: str
    query: Query
    z: tuple[float, ...]


def current(default_run: str) -> tuple[Anchor, Explorer, str]:
    """The anchor in the address, else the run in hand, and a remark on the link.

    Raises:
        RivaeError: the run is missing, broken or not ready.
    """
    link, dropped = read_link({n: st.query_params[n] for n in ("run", "q") if n in st.query_params})
    run = link.run or address.run_in_hand() or default_run
    explorer = cache.explorer(run)
    query, notes = linked_query(explorer, link.query)
    address.take(run, query)
    address.add({"run": run, "q": str(query)})
    z = query_z(explorer, query)
    return Anchor(run, cache.model_key(run), query, z), explorer, " ".join(unread(dropped) + notes)


def choose_run() -> None:
    """Another run was chosen."""
    st.query_params["run"] = st.session_state[state.TRAVERSE_RUN]
    if "q" in st.query_params:
        del st.query_params["q"]
    st.session_state[state.TRAVERSE_CELL] = None


def choose_query(query: Query) -> None:
    """Another query was chosen."""
    st.query_params["q"] = str(query)


def random_query(run: str) -> None:
    """A random query of the run."""
    choose_query(int(random.choice(cache.explorer(run).search_rows)))


def typed_query() -> None:
    """An item number was typed."""
    choose_query(int(st.session_state[state.TRAVERSE_QUERY]))


def chosen_dims(ids: list[str]) -> list[int] | None:
    """The dimensions named in the address ("z1~z3"); None where it names none."""
    text = st.query_params.get(state.TRAVERSE_DIMS)
    if text is None:
        return None
    return [ids.index(name) for name in dict.fromkeys(text[:MAX_LENGTH].split("~")) if name in ids]


def choose_dims(ids: list[str]) -> None:
    """Other dimensions were chosen."""
    chosen = st.session_state[state.TRAVERSE_DIMS]
    st.query_params[state.TRAVERSE_DIMS] = "~".join(ids[j] for j in chosen)


def choose_dim(key: str, ids: list[str]) -> None:
    """Another dimension was chosen in the list ``key``."""
    st.query_params[key] = ids[st.session_state[f"{key}_widget"]]


def chosen_range() -> Range:
    """The range of values, as the library takes it.

    Raises:
        ConfigError: the free range is empty.
    """
    choice = RANGES.get(st.session_state.get(state.TRAVERSE_RANGE) or "", "data")
    if choice != "free":
        return choice
    low = float(st.session_state.get(state.TRAVERSE_LOW) or 0.0)
    high = float(st.session_state.get(state.TRAVERSE_HIGH) or 0.0)
    if not low < high:
        raise ConfigError("the free range needs a first value below the last one")
    return low, high
