"""The controls above the Traverse panels."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from rivae.ui import state, traverse_session
from rivae.ui.traverse_session import MAX_FREE, RANGES, VIEWS, Anchor

if TYPE_CHECKING:
    from rivae.explorer import Explorer


def view_and_range(letter: str) -> str:
    """Which panel, and over which values; returns the panel's name.

    ``letter`` is what the run's axes are called by, z or v.
    """
    view = st.segmented_control(
        "View", VIEWS, default=VIEWS[0], required=True, key=state.TRAVERSE_VIEW,
        bind="query-params",
    )  # fmt: skip
    choice = st.segmented_control(
        f"Range of {letter}", list(RANGES), default="Data", required=True, key=state.TRAVERSE_RANGE,
        bind="query-params",
        help="What 99 % of the queries fill; around the mean, in s.d. of the model's own "
        "distribution of queries; the paper's −10 … 10; or free.",
    )  # fmt: skip
    if choice == "Free":
        for label, key, usual in (
            ("From", state.TRAVERSE_LOW, -2.0),
            ("To", state.TRAVERSE_HIGH, 2.0),
        ):
            st.number_input(
                label, -MAX_FREE, MAX_FREE, usual, key=key, width=110, bind="query-params"
            )
    return str(view or VIEWS[0])


def query_picker(explorer: Explorer, anchor: Anchor) -> None:
    """The query that a traversal starts from."""
    shown = anchor.query if anchor.query != "mean" else None
    st.session_state[state.TRAVERSE_QUERY] = shown
    st.number_input(
        "Query, item number", 0, len(explorer.data) - 1, step=1, key=state.TRAVERSE_QUERY,
        width=150, on_change=traverse_session.typed_query, placeholder="average",
    )  # fmt: skip
    st.button(
        "Random", icon=":material/casino:", key=state.TRAVERSE_RANDOM,
        on_click=traverse_session.random_query, args=(anchor.run,),
    )  # fmt: skip
    st.button(
        "Average", icon=":material/functions:", key=state.TRAVERSE_AVERAGE,
        on_click=traverse_session.choose_query, args=("mean",),
    )  # fmt: skip


def dims_picker(explorer: Explorer) -> list[int]:
    """Which dimensions get a strip: those with the largest effect at first."""
    d, names = explorer.n_components, explorer.axis_names
    if d <= 4:
        return list(range(d))
    by_effect = sorted(range(d), key=lambda j: (-explorer.effects[j], j))
    shown = traverse_session.chosen_dims(explorer.axis_ids)
    st.session_state[state.TRAVERSE_DIMS] = by_effect[:4] if shown is None else shown
    chosen = st.multiselect(
        "Dimensions", range(d), format_func=names.__getitem__, key=state.TRAVERSE_DIMS,
        on_change=traverse_session.choose_dims, args=(explorer.axis_ids,),
        help="At first the four that change the best match most.",
    )  # fmt: skip
    return list(chosen)


def dim_picker(
    explorer: Explorer, label: str, key: str, default: int, width: int = 200
) -> int:
    """One dimension, which the address keeps by its number: its name may change."""
    ids, names = explorer.axis_ids, explorer.axis_names
    text = st.query_params.get(key, "")
    st.session_state[f"{key}_widget"] = ids.index(text) if text in ids else default
    chosen = st.selectbox(
        label, range(len(ids)), format_func=names.__getitem__, key=f"{key}_widget", width=width,
        on_change=traverse_session.choose_dim, args=(key, ids),
    )  # fmt: skip
    return int(chosen)
