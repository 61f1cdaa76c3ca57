"""Word clouds with pictures under each (``assets/components/clouds.js``)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from rivae.ui.components.source import source

_CLOUDS = st.components.v2.component(
    "rivae_clouds",
    js=source("dom.js", "clouds.js"),
    css=source("base.css", "clouds.css"),
)


def cloud_panel(
    data: Mapping[str, Any],
    *,
    key: str,
    on_word: Callable[[], None],
    on_item: Callable[[], None],
) -> None:
    """Show the clouds made by :func:`rivae.ui.words_clouds.payload`.

    A click on a word puts {"state", "word"} into ``st.session_state[key].word``, one on a picture
    its item number into ``.item``.
    """
    _CLOUDS(key=key, data=dict(data), on_word_change=on_word, on_item_change=on_item)
