"""The map of a run, a part of several panels: its scripts, and where it fetches what it draws."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rivae.app.shell import cache, web
from rivae.app.work import layouts
from rivae.figures.palette import DARK, LIGHT

if TYPE_CHECKING:
    from rivae.exploring.explorer import Explorer

JS = (
    "map_points.js",
    "map_colours.js",
    "map_frame.js",
    "map_columns.js",
    "map_over.js",
    "map_hand.js",
    "map_hits.js",
    "map_chosen.js",
    "map.js",
)
CSS = "map.css"


def map_of(explorer: Explorer, run: str) -> dict[str, Any] | None:
    """What a map is told of an opened run; None where there is no route or no two axes."""
    urls = web.map_urls(run, explorer.rows, explorer.asks)
    if urls is None or explorer.n_components < 2 or not explorer.method.has_latent:
        return None
    return {
        **urls,
        "version": cache.model_key(run, explorer.asks),
        "layout": layouts.state_of(explorer),
        "n": len(explorer.search_rows),
        "pictures": web.pictures_url(cache.data_version(run)),
        "colours": {
            name: {"sequence": colours.sequential[2:], "classes": colours.series}
            for name, colours in (("light", LIGHT), ("dark", DARK))
        },
    }
