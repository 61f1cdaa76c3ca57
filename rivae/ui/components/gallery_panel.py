"""A page of clickable items (``assets/components/gallery.js``)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st

from rivae.explorer import Explorer
from rivae.ui.answers import picture
from rivae.ui.components.source import source

_GALLERY = st.components.v2.component(
    "rivae_gallery",
    js=source("dom.js", "gallery.js"),
    css=source("base.css", "gallery.css"),
)


def gallery_panel(
    explorer: Explorer,
    ids: Sequence[int],
    *,
    side: int,
    chosen: int | None,
    label: str,
    key: str,
    on_pick: Callable[[], None],
) -> None:
    """Show items ``ids``; a click puts the item's number into ``st.session_state[key].pick``."""
    items = {str(i): picture(explorer, i, side) for i in ids}
    data = {
        "ids": list(ids), "items": items, "chosen": chosen, "label": label,
        "aspect": explorer.aspect(side),
    }  # fmt: skip
    _GALLERY(key=key, data=data, on_pick_change=on_pick)
