"""From Explore to Steer: the axes that were moved, as rows of the matrix."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from rivae.steering import MAX_AXES, MAX_LEVEL, Level
from rivae.ui.explore import ExploreState
from rivae.ui.pages import STEER
from rivae.ui.steer_links import SteerLink, write_steer

if TYPE_CHECKING:
    from rivae.explorer import Explorer


def button(explorer: Explorer, shown: ExploreState) -> None:
    """The link to Steer."""
    st.container(key="to_steer", width="content").page_link(
        STEER, label="Steer", icon=":material/grid_on:",
        query_params=write_steer(to_steer(explorer, shown)),
        help="Put this query and the axes you moved into a table of several factors at once",
    )  # fmt: skip


def to_steer(explorer: Explorer, state: ExploreState) -> SteerLink:
    """The same query in Steer; of the moved axes at most five, those moved furthest in s.d.

    One row keeps them at the query, one puts them where they are now, in s.d. from the mean, as
    far as Steer goes. Without moved axes Steer chooses.
    """
    z, base = np.array(state.z), np.array(state.base)
    furthest = np.argsort(-np.abs(z - base) / explorer.std, kind="stable")
    axes = tuple(sorted(int(j) for j in furthest[:MAX_AXES] if z[j] != base[j]))
    levels = np.clip((z - explorer.mean) / explorer.std, -MAX_LEVEL, MAX_LEVEL)
    at_query: tuple[Level, ...] = tuple("query" for _ in axes)
    now: tuple[Level, ...] = tuple(round(float(levels[j]), 2) + 0.0 for j in axes)
    return SteerLink(state.run, state.query, axes, (at_query, now) if axes else ())
