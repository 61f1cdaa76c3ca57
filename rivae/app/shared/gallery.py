"""The dialog that chooses a query: by words, by a true factor, or one of the visitor's own."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from rivae.app.panels.answers import picture
from rivae.app.panels.component import Component
from rivae.app.panels.links import Query
from rivae.app.shared.uploads import Upload, read_text, read_upload
from rivae.app.shell import gate, keys, report
from rivae.app.shell.text import markdown
from rivae.base.errors import ConfigError, RivaeError
from rivae.exploring.explorer import Explorer

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rivae.exploring.explorer import Explorer

PER_PAGE = 36


@dataclass(frozen=True)
class Purpose:
    """What a choice does, for the page that opens the gallery.

    Attributes:
        flag: session key that says whether the gallery is open; ``choose`` sets it to False.
        choose: makes a data row or "mean" the query.
        upload: takes a visitor's own picture or text; None where the page cannot use one.
    """

    flag: str
    choose: Callable[[Query], None]
    upload: Callable[[Upload], None] | None = None


def _closed() -> None:
    for page in (keys.EXPLORE, keys.COMPARE, keys.STEER):
        st.session_state[page.choosing] = False


@st.dialog("Choose a query", width="large", on_dismiss=_closed)
def show(explorer: Explorer, chosen: Query, purpose: Purpose) -> None:
    """Open the dialog, ``chosen`` framed; a choice becomes the query and closes it."""
    ids = _filtered(explorer)
    n_pages = max(1, math.ceil(len(ids) / PER_PAGE))
    if st.session_state.get(keys.GALLERY_PAGE, 1) > n_pages:
        st.session_state[keys.GALLERY_PAGE] = 1
    with st.container(
        horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"
    ):
        st.caption(f"{len(ids):,} of {len(explorer.search_rows):,} items")
        if st.button("The average query", icon=":material/functions:", type="tertiary"):
            purpose.choose("mean")
        page = st.pagination(n_pages, key=keys.GALLERY_PAGE) if n_pages > 1 else 1
    if len(ids):
        part = [int(i) for i in ids[(page - 1) * PER_PAGE : page * PER_PAGE]]
        gallery_panel(
            explorer,
            part,
            side=0 if explorer.shows_whole else explorer.query_side,
            chosen=chosen if chosen != "mean" else None,
            label="Queries to choose from",
            key=keys.GALLERY_PANEL,
            pick=purpose.choose,
        )
    else:
        st.info("No items match. Remove a word or widen the factor.")
    if purpose.upload is not None:
        _upload(explorer, purpose.upload)
        _text(explorer, purpose.upload)
    if not st.session_state[purpose.flag]:
        st.rerun()


def _filtered(explorer: Explorer) -> NDArray[np.int64]:
    """The rows that fit the words and the factor."""
    specs = explorer.data.factor_specs
    words, factor_box = st.columns([3, 2]) if specs else (st.container(), None)
    text = words.text_input(
        "Search",
        key=keys.GALLERY_TEXT,
        type="search",
        live="300ms",
        placeholder="Words of the title or text, or an item number",
    )
    try:
        ids = explorer.find(text or "")
    except ConfigError as error:
        st.warning(markdown(str(error)))
        return explorer.search_rows[:0]
    if factor_box is None:
        return ids
    k = factor_box.selectbox(
        "True factor",
        range(len(specs)),
        index=None,
        placeholder="any",
        format_func=lambda i: specs[i].name,
        key=keys.GALLERY_FACTOR,
    )
    return ids if k is None else np.intersect1d(ids, _with_factor(explorer, k))


def _with_factor(explorer: Explorer, k: int) -> NDArray[np.int64]:
    """The rows whose factor ``k`` has a chosen value."""
    assert explorer.data.factors is not None
    spec, values = explorer.data.factor_specs[k], explorer.data.factors[explorer.search_rows, k]
    if spec.levels:
        codes = range(len(spec.levels))
        choice = st.pills(
            markdown(spec.name),
            codes,
            selection_mode="multi",
            format_func=lambda c: markdown(spec.levels[c]),
            key=f"{keys.GALLERY_LEVELS}_{k}",
        )
        if not choice:
            return explorer.search_rows
        return np.concatenate([explorer.with_factor(k, c, c) for c in choice])
    low, high = float(values.min()), float(values.max())
    if low == high:
        return explorer.search_rows
    first, last = st.slider(
        markdown(spec.name), low, high, (low, high), key=f"{keys.GALLERY_RANGE}_{k}"
    )
    return explorer.with_factor(k, first, last)


def _upload(explorer: Explorer, use: Callable[[Upload], None]) -> None:
    """A visitor's own picture as the query, where the data can use one."""
    if not explorer.data.accepts_upload:
        return
    from rivae.data.pictures import PICTURE_SUFFIXES

    file = st.file_uploader(
        f"Or upload your own picture ({explorer.data.view_names[0]})",
        type=[suffix.lstrip(".") for suffix in PICTURE_SUFFIXES],
        key=keys.GALLERY_UPLOAD,
        max_upload_size=gate.SMALL_FILE,
    )
    if file is None:
        return
    try:
        use(read_upload(explorer, file.name, file.getvalue()))
    except RivaeError as error:
        report.warning(str(error))


def _text(explorer: Explorer, use: Callable[[Upload], None]) -> None:
    """A visitor's own text as the query, where the model can be asked with one."""
    if not explorer.accepts_text:
        return
    with st.form(f"{keys.GALLERY_TEXT}_own", border=False):
        text = st.text_area(
            f"Or enter your own text ({markdown(explorer.data.view_names[1])})",
            height=120,
            key=f"{keys.GALLERY_TEXT}_typed",
            placeholder="Title, ingredients and steps, or a few words",
        )
        is_pressed = st.form_submit_button(
            "Use as query", icon=":material/search:", key=f"{keys.GALLERY_TEXT}_use"
        )
    if not is_pressed:
        return
    try:
        use(read_text(explorer, text))
    except RivaeError as error:
        st.warning(markdown(str(error)), icon=":material/info:")


_GALLERY = Component(
    "rivae_gallery",
    js=("dom.js", "gallery.js"),
    css=("base.css", "gallery.css"),
    reports={"pick": int},
)


def gallery_panel(
    explorer: Explorer,
    ids: Sequence[int],
    *,
    side: int,
    chosen: int | None,
    label: str,
    key: str,
    pick: Callable[[int], object],
) -> None:
    """Show items ``ids``; a click gives the item's number to ``pick``."""
    items = {str(i): picture(explorer, i, side) for i in ids}
    data = {
        "ids": list(ids),
        "items": items,
        "chosen": chosen,
        "label": label,
        "aspect": explorer.aspect(side),
    }
    _GALLERY(data, key=key, pick=pick)
