"""Out of Explore: the results as files and as Python, and the moved axes as rows of Steer."""

from __future__ import annotations

import base64
import io
from typing import TYPE_CHECKING, Any

import numpy as np
import streamlit as st
from PIL import Image

from rivae.steering import MAX_AXES, MAX_LEVEL, Level
from rivae.ui.explore.state import ExploreState
from rivae.ui.panels.links import SteerLink
from rivae.ui.shared import exports
from rivae.ui.shell.pages import STEER

if TYPE_CHECKING:
    from rivae.explorer import Explorer
    from rivae.plots.sheet import Sheet


def panel(explorer: Explorer, shown: ExploreState) -> None:
    """The Export button of the Explore page."""
    settings: dict[str, Any] = {"rows": shown.rows, "k": shown.k, "side": 0 if shown.whole else 2}
    settings["query"] = None if shown.query == "mean" else shown.query
    if shown.query == "mean" or shown.z != shown.base:
        settings["z"] = list(shown.z)
    exports.panel(
        "results", lambda: sheet(explorer, shown), shown.run, "topk", is_chart=False, **settings
    )


def sheet(explorer: Explorer, shown: ExploreState) -> Sheet:
    """The query and the results for the current z."""
    from rivae.plots.results import results_sheet

    hits, side = explorer.topk(np.array(shown.z), shown.k), 0 if shown.whole else 2
    query: Image.Image | None = None
    title = "the average query"
    if shown.upload is not None:
        content = base64.b64decode(shown.upload.data_uri.partition(",")[2])
        query, title = Image.open(io.BytesIO(content)), shown.upload.title
    elif shown.query != "mean":
        query, title = explorer.data.picture(shown.query, 1), explorer.title(shown.query)
    return results_sheet(
        [int(i) for i in hits.ids],
        lambda i: explorer.data.picture(i, side),
        query=query,
        query_title=title,
        title=explorer.title,
        scores=[float(s) for s in hits.scores],
    )


def button(explorer: Explorer, shown: ExploreState) -> None:
    """The link to Steer."""
    st.container(key="to_steer", width="content").page_link(
        STEER,
        label="Steer",
        icon=":material/grid_on:",
        query_params=to_steer(explorer, shown).write(),
        help="Put this query and the axes you moved into a table of several factors at once",
    )


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
    rows = (at_query, now) if axes else ()
    return SteerLink(state.run, state.query, axes, rows=rows)
