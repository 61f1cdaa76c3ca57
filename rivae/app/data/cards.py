"""A card per imported data set: what it holds, and what can be done with it."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from rivae.app.data import quick_panel
from rivae.app.data.own_pairs import report_lines
from rivae.app.shared import trash
from rivae.app.shared.runs import short_date
from rivae.app.shell import cache
from rivae.app.shell.text import markdown
from rivae.base.errors import RivaeError


def imported() -> None:
    """A card per data set under ``RIVAE_DATA``; broken ones say what is wrong with them."""
    from rivae.data.store import list_stores

    folders = list_stores()
    if not folders:
        return
    st.subheader("Imports", anchor=False)
    with st.grid(3, min_column_width=300, gap="medium"):
        for folder in folders:
            _card(folder)


def _card(folder: Path) -> None:
    from rivae.data.store import Manifest

    with st.container(border=True, height="stretch", key=f"data-{folder.name}"):
        try:
            manifest = Manifest.read(folder)
            strip = cache.store_strip(folder)
        except RivaeError as error:
            st.markdown(f"## {markdown(folder.name)}")
            st.warning(markdown(str(error)), icon=":material/broken_image:")
            trash.import_button(folder)
            return
        st.image(strip.content, alt=f"Some items of {manifest.title}", width="stretch")
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.markdown(f"## {markdown(manifest.title)}", width="content")
            if manifest.synthetic:
                st.badge("synthetic", icon=":material/precision_manufacturing:", color="gray")
        date = short_date(manifest.created)
        name = manifest.name if manifest.name != manifest.title else ""
        parts = (f"{manifest.n_items:,} pairs", name, date)
        with st.container(horizontal=True, vertical_alignment="center"):
            st.caption(" · ".join(markdown(part) for part in parts if part), width="stretch")
            trash.import_button(folder)
        if manifest.factors:
            names = ", ".join(column.name for column in manifest.factors)
            st.caption(markdown(f"Known factors: {names}"))
        if manifest.report:
            with st.expander("Import report"):
                report_lines(manifest.report)
        st.space("stretch")
        quick_panel.buttons(folder, place="card")
