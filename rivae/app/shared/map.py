"""The map of a run, a part of several panels: its scripts, and where it fetches what it draws."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import streamlit as st

from rivae.app.shared.words import words_of
from rivae.app.shell import cache, web
from rivae.app.work import layouts
from rivae.exploring.selection import for_map as selections_of
from rivae.exploring.words.item_words import has_texts
from rivae.figures.palette import DARK, LIGHT

if TYPE_CHECKING:
    from rivae.exploring.explorer import Explorer

JS = (
    "map_points.js",
    "map_names.js",
    "map_pictures.js",
    "map_colours.js",
    "map_frame.js",
    "map_columns.js",
    "map_over.js",
    "map_hand.js",
    "map_hits.js",
    "map_chosen.js",
    "map_selections.js",
    "map.js",
)
CSS = "map.css"


def region_names(explorer: Explorer, key: str, x: str, y: str) -> list[dict[str, Any]]:
    """What lies where on the map of two columns, see ``rivae.exploring.regions``; made once for
    all visitors.

    Args:
        key: a run's ``cache.model_key``.

    Raises:
        ConfigError: there is no such column, or the layout is not computed yet.
    """
    return _region_names(f"{key}/{explorer.rows}/{len(explorer.search_rows)}", x, y, explorer)


@st.cache_resource(max_entries=32, show_spinner=False)
def _region_names(key: str, x: str, y: str, _explorer: Explorer) -> list[dict[str, Any]]:
    from rivae.exploring.regions import for_map, named_regions

    words = words_of(_explorer.data).sets if has_texts(_explorer.data) else None
    return for_map(named_regions(_explorer, x, y, words))


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
        "selections": selections_of(explorer),
        "thumbnails": web.thumbnails_url(cache.data_version(run)),
        "pictures": web.pictures_url(cache.data_version(run)),
        "colours": {
            name: {"sequence": colours.sequential[2:], "classes": colours.series}
            for name, colours in (("light", LIGHT), ("dark", DARK))
        },
    }
