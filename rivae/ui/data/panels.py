"""The upper half of the Data page: a card per imported data set."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import streamlit as st

from rivae.errors import RivaeError
from rivae.ui.shared import trash
from rivae.ui.shared.runs import short_date
from rivae.ui.shell import cache, keys
from rivae.ui.shell.pages import TRAIN
from rivae.ui.shell.text import markdown

if TYPE_CHECKING:
    from rivae.data.store import Manifest


def imported() -> None:
    """A card per data set under ``RIVAE_DATA``; broken ones say what is wrong with them."""
    from rivae.data.store import list_stores

    folders = list_stores()
    if not folders:
        st.caption("Nothing imported yet. Import pictures with their texts below.")
        return
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
            st.markdown(f"#### {markdown(folder.name)}")
            st.warning(markdown(str(error)), icon=":material/broken_image:")
            trash.import_button(folder)
            return
        st.image(strip.content, alt=f"Some items of {manifest.title}", width="stretch")
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.markdown(f"#### {markdown(manifest.title)}", width="content")
            if manifest.synthetic:
                st.badge("synthetic", icon=":material/precision_manufacturing:", color="gray")
        date = short_date(manifest.created)
        parts = (f"{manifest.n_items:,} pairs", manifest.name, date)
        st.caption(" · ".join(markdown(part) for part in parts if part))
        if manifest.factors:
            names = ", ".join(column.name for column in manifest.factors)
            st.caption(markdown(f"Known factors: {names}"))
        _report(manifest)
        st.space("stretch")
        with st.container(horizontal=True, gap="small"):
            train_on(folder.name, place="card")
            trash.import_button(folder)


def train_on(name: str, place: str) -> None:
    """The button that opens the form of a new run on this import; ``place`` sets two apart."""
    if st.button(
        "Train on this", icon=":material/model_training:", key=f"{keys.DATA_TRAIN}_{place}_{name}"
    ):
        st.switch_page(TRAIN, query_params={keys.TRAIN_ON: name})


def _report(manifest: Manifest) -> None:
    if manifest.report:
        with st.expander("Import report"):
            report_lines(manifest.report)


def report_lines(stored: dict[str, Any]) -> None:
    """An import report as a list; damaged ones show nothing."""
    from rivae.importing import ImportReport

    try:
        report = ImportReport.from_dict(stored)
    except (KeyError, TypeError, ValueError, AttributeError):
        st.caption("The report of this import cannot be read.")
        return
    head, *rest = report.lines()
    st.markdown(f"**{markdown(head)}**")
    listed = [
        f"    * {markdown(line.strip())}" if line.startswith("  ") else f"* {markdown(line)}"
        for line in rest
    ]
    st.markdown("\n".join(listed) or "Nothing was left out.")
