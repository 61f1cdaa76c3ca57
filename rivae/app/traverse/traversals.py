"""Traversals that the Traverse page shows, computed once and shared by all visitors."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rivae.exploring.explorer import Explorer
    from rivae.exploring.paths import Kind, Path
    from rivae.exploring.placing import AxisKey
    from rivae.metrics.correlation import CorrelationTable
    from rivae.retrieval.ranges import Range
    from rivae.retrieval.traversal import Traversal

# A traversal of 100 queries x 30 dimensions x 201 points holds 10 MB.
MAX_KEPT = 24


def values_of(explorer: Explorer, choice: Range) -> NDArray[np.float64]:
    """Values of every dimension over the chosen range, (d, T)."""
    from rivae.retrieval.ranges import traversal_values

    return traversal_values(choice, explorer.prior)[0]


@st.cache_resource(max_entries=MAX_KEPT, show_spinner=False)
def one_query(
    key: str,
    z_ref: tuple[float, ...],
    choice: Range,
    axes: tuple[AxisKey, ...],
    k: int,
    version: str,
    _explorer: Explorer,
) -> Traversal:
    """Some axes from one anchor; ``key`` names the opened run, ``version`` the axes as of now."""
    from rivae.exploring.traversing import traverse_axes

    return traverse_axes(_explorer, np.array([z_ref]), choice, axes, k)


@st.cache_resource(max_entries=MAX_KEPT, show_spinner=False)
def many_queries(key: str, n_queries: int, choice: Range, _explorer: Explorer) -> Traversal:
    """Every dimension from the first ``n_queries`` searched rows."""
    from rivae.retrieval.traversal import traverse

    mu, _ = _explorer.retriever.encode(_explorer.search_rows[:n_queries])
    return traverse(_explorer.retriever, mu, values_of(_explorer, choice))


@st.cache_resource(max_entries=MAX_KEPT, show_spinner=False)
def table(key: str, n_queries: int, choice: Range, _explorer: Explorer) -> CorrelationTable:
    """The paper's correlation table; the data must have a numeric factor."""
    from rivae.metrics.correlation import correlation_table

    data = _explorer.data
    assert data.factors is not None
    traversal = many_queries(key, n_queries, choice, _explorer)
    return correlation_table(traversal, data.factors, data.factor_specs)


@st.cache_resource(max_entries=MAX_KEPT, show_spinner=False)
def path(
    key: str,
    way_points: tuple[tuple[float, ...], ...],
    n_steps: int,
    kind: Kind,
    _explorer: Explorer,
) -> Path:
    """A path over ``way_points``. Along the data of 20,000 items it takes seconds to find."""
    from rivae.exploring.paths import find_path

    return find_path(_explorer, np.array(way_points), n_steps, kind)


@st.cache_resource(max_entries=MAX_KEPT, show_spinner=False)
def plane(
    key: str,
    z_ref: tuple[float, ...],
    axes: tuple[AxisKey, AxisKey],
    choice: Range,
    n_points: int,
    version: str,
    _explorer: Explorer,
) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
    """Items (n, n, 1) over two axes, and the values of both; see ``one_query``."""
    from rivae.exploring.traversing import axis_numbers, axis_values, traverse_plane_of_axes

    values = axis_values(_explorer, choice)[axis_numbers(_explorer, axes)]
    a, b = (np.linspace(along[0], along[-1], n_points) for along in values)
    return traverse_plane_of_axes(_explorer, np.array(z_ref), axes, a, b), a, b
