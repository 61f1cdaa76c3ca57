"""The Explore panel as files and as Python: the results for the current z."""

from __future__ import annotations

import base64
import io
from typing import TYPE_CHECKING, Any

import numpy as np
from PIL import Image

from rivae.ui import exports
from rivae.ui.explore import ExploreState

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
