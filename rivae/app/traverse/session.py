"""The Traverse page's session and its controls: run, query, range and axes, as the address keeps
them."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import streamlit as st

from rivae.app.panels.answers import linked_query, query_z
from rivae.app.panels.codec import MAX_LENGTH, unread
from rivae.app.panels.links import ExploreLink, Query
from rivae.app.shared import address, defaults, frame
from rivae.app.shared.axes import RELIABLE, axes_by_id, signed_names
from rivae.app.shared.runs import asks_picker
from rivae.app.shell import cache, keys
from rivae.app.shell.text import markdown
from rivae.app.traverse import page_keys
from rivae.base.errors import ConfigError
from rivae.exploring.placing import AxisKey
from rivae.exploring.sliders import reliable_first
from rivae.retrieval.ranges import RANGES

if TYPE_CHECKING:
    from rivae.base.config import Asks
    from rivae.exploring.explorer import Explorer
    from rivae.retrieval.ranges import Range
    from rivae.runs import Run

# A bound control writes the words it shows into the address, so these are names of both.
CHOICES = {**{each.title: key for key, each in RANGES.items()}, "Custom": "free"}
MAX_FREE = 1000.0
N_FIRST = 4  # strips
FIRST = "Initially the four most reliable."


@dataclass(frozen=True)
class Anchor:
    """Where a traversal starts: a run, a query with its z (d,), and the view that asks."""

    run: str
    key: str
    query: Query
    z: tuple[float, ...]
    asks: Asks


def current(ready: Sequence[Run]) -> tuple[Anchor, Explorer, str]:
    """The anchor in the address, else the run in hand, and a remark on the link.

    Raises:
        RivaeError: the run is missing, broken or not ready.
    """
    link, unreadable = ExploreLink.read(address.read(("run", "q", "ask")))
    run, explorer, left_out = defaults.opened(
        link.run, defaults.names(ready), lambda run: cache.asked(run, link.asks)
    )
    query, notes = linked_query(explorer, link.query, link.asks)
    address.take(run, query, explorer.asks)
    address.add({"run": run, "q": str(query)})
    key, z = cache.model_key(run, explorer.asks), query_z(explorer, query)
    return (
        Anchor(run, key, query, z, explorer.asks),
        explorer,
        " ".join(left_out + unread(unreadable) + notes),
    )


def choose_run() -> None:
    """Another run was chosen."""
    st.query_params["run"] = st.session_state[keys.TRAVERSE_RUN]
    for name in ("q", "ask", page_keys.WAY):  # item numbers are those of one data set
        st.query_params.pop(name, None)
    st.session_state[page_keys.CELL] = st.session_state[page_keys.ITEM] = None


def choose_query(query: Query) -> None:
    """Another query was chosen."""
    st.query_params["q"] = str(query)


def random_query(run: str) -> None:
    """A random query of the run."""
    choose_query(int(random.choice(cache.explorer(run).search_rows)))


def typed_query() -> None:
    """An item number was typed."""
    choose_query(int(st.session_state[page_keys.QUERY]))


def first_axes(explorer: Explorer) -> list[AxisKey]:
    """All axes, those that are shown first where the address names none at the start."""
    if st.query_params.get(page_keys.DIMS) == RELIABLE:
        return reliable_first(explorer)
    effects = explorer.effects
    return [*sorted(range(len(effects)), key=lambda j: (-effects[j], j))]


def chosen_axes(explorer: Explorer) -> list[AxisKey]:
    """The axes named in the address ("z1~a3"), the most reliable ("reliable"), or where it names
    none those of z with the largest effect, as links of before do.
    """
    text, ids = st.query_params.get(page_keys.DIMS), axes_by_id(explorer)
    if text is None or text == RELIABLE:
        return first_axes(explorer)[:N_FIRST]
    names = dict.fromkeys(text[:MAX_LENGTH].split("~"))
    return [ids[name] for name in names if name in ids]


def choose_axes(ids: dict[str, AxisKey]) -> None:
    """Other axes were chosen."""
    axes = st.session_state[page_keys.DIMS]
    names = {key: name for name, key in ids.items()}
    st.query_params[page_keys.DIMS] = "~".join(names[key] for key in axes)


def chosen_range() -> Range:
    """The range of values, as the library takes it.

    Raises:
        ConfigError: the custom range is empty.
    """
    choice = CHOICES.get(st.session_state.get(page_keys.RANGE) or "", "data")
    if choice != "free":
        return choice
    low = float(st.session_state.get(page_keys.LOW) or 0.0)
    high = float(st.session_state.get(page_keys.HIGH) or 0.0)
    if not low < high:
        raise ConfigError("the custom range is empty: enter a From below To")
    return low, high


def range_picker(letter: str) -> None:
    """Over which values; ``letter`` is what the run's axes are called by, z or v."""
    choice = st.selectbox(
        f"Range of {letter}",
        list(CHOICES),
        key=page_keys.RANGE,
        bind="query-params",
        width=130,
        help="Data: the central 99 % of the queries. 3 and 10 s.d.: around their mean. Paper: "
        "−10 … 10. Custom: your own values.",
    )
    if choice == "Custom":
        for label, key, usual in (
            ("From", page_keys.LOW, -2.0),
            ("To", page_keys.HIGH, 2.0),
        ):
            st.number_input(
                label, -MAX_FREE, MAX_FREE, usual, key=key, width=110, bind="query-params"
            )


def query_picker(explorer: Explorer, anchor: Anchor) -> None:
    """The query that a traversal starts from, behind buttons of the frame."""
    with frame.run_chip():
        asks_picker(explorer, choose=address.choose_asks)
    with frame.details("Query", ":material/image_search:"):
        _query(explorer, anchor)


def _query(explorer: Explorer, anchor: Anchor) -> None:
    query = anchor.query if anchor.query != "mean" else None
    st.session_state[page_keys.QUERY] = query
    st.number_input(
        "Query, item number",
        0,
        len(explorer.data) - 1,
        step=1,
        key=page_keys.QUERY,
        width=150,
        on_change=typed_query,
        placeholder="average",
    )
    st.button(
        "Random",
        icon=":material/casino:",
        key=page_keys.RANDOM,
        on_click=random_query,
        args=(anchor.run,),
    )
    st.button(
        "Average",
        icon=":material/functions:",
        key=page_keys.AVERAGE,
        on_click=choose_query,
        args=("mean",),
    )


def axes_picker(explorer: Explorer) -> list[AxisKey]:
    """Which axes get a strip: the most reliable at first."""
    ids = axes_by_id(explorer)
    if len(ids) <= N_FIRST:
        return list(ids.values())
    current = chosen_axes(explorer)
    st.session_state[page_keys.DIMS] = current
    names, why = signed_names(explorer, current)
    choice = st.multiselect(
        "Axes",
        list(names),
        format_func=names.__getitem__,
        key=page_keys.DIMS,
        on_change=choose_axes,
        args=(ids,),
        help="\n\n".join(filter(None, (FIRST, why and markdown(why)))),
    )
    return list(choice)
