"""Pictures in the editor of factors: examples of the levels, and items to choose them from."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from rivae.ui.text import escape

if TYPE_CHECKING:
    from rivae.labels.schema import Guideline, LabelFactor
    from rivae.ui.label_store import OpenPlan

N_ITEMS = 24
SIDE = 84  # pixels


def panel(
    key: str, factor: LabelFactor | None, guideline: Guideline, opened: OpenPlan | None
) -> None:
    """The examples that ``factor`` has, and items of the plan with their numbers."""
    from rivae.labels.examples import level_examples

    if factor is not None and factor.examples:
        pictures = level_examples(
            guideline.model_copy(update={"factors": (factor,)}), opened.data if opened else None
        ).get(factor.id, {})
        if pictures:
            st.html(strip([
                (picture.data_uri, f"{level}  {factor.levels[level - 1]}")
                for level, picture in pictures.items()
            ]))  # fmt: skip
    if opened is None:
        return
    with st.popover("Items to choose examples from", icon=":material/image_search:"):
        items = opened.plan.items.tolist()
        pages = -(-len(items) // N_ITEMS)
        page = st.number_input(f"Page, 1 to {pages}", 1, pages, 1, key=f"{key}_page")
        shown = items[(page - 1) * N_ITEMS : page * N_ITEMS]
        st.html(strip([
            (opened.pictures.get(row, opened.side).data_uri, str(row)) for row in shown
        ]))  # fmt: skip


def strip(pictures: list[tuple[str, str]]) -> str:
    """Small pictures (address, text below) as HTML; texts are escaped."""
    cells = "".join(
        f'<figure style="margin:0;width:{SIDE}px;font-size:.75rem">'
        f'<img src="{escape(uri)}" alt="{escape(text)}" '
        f'style="width:{SIDE}px;height:{SIDE}px;object-fit:contain;border-radius:4px">'
        f'<figcaption style="text-align:center;opacity:.75">{escape(text)}</figcaption></figure>'
        for uri, text in pictures
    )
    return f'<div style="display:flex;flex-wrap:wrap;gap:.5rem">{cells}</div>'
