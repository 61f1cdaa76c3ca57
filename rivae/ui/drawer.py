"""One item at the side: pictures, words, true factors, its own z against the current one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import streamlit as st

from rivae.ui import explore_session, state, theme
from rivae.ui.components.page_frame import dock
from rivae.ui.explore import ExploreState
from rivae.ui.text import markdown
from rivae.ui.z_compare import describe, z_compare_svg

if TYPE_CHECKING:
    from rivae.explorer import Explorer

ROLES = {"shared": "both views", "private1": "query view only", "private2": "retrieved view only"}


def show(explorer: Explorer, shown: ExploreState, i: int) -> None:
    """Item ``i`` beside the page, where it can be watched while a slider is dragged."""
    with dock(explorer.title(i), explore_session.close_item):
        _item(explorer, shown, i)


def _item(explorer: Explorer, shown: ExploreState, i: int) -> None:
    item, letter, names = explorer.item(i), explorer.method.axis_letter(), explorer.axis_names
    _pictures(explorer, i, item.title)
    with st.container(horizontal=True):
        st.button(
            "Use as query", icon=":material/search:", type="primary", key=state.DRAWER_QUERY,
            on_click=explore_session.choose_query, args=(i,),
        )  # fmt: skip
        st.button(
            f"Move {letter} here", icon=":material/my_location:", key=state.DRAWER_MOVE,
            help="Sets the sliders that are not locked to this item's own values.",
            on_click=explore_session.move_to_item, args=(i,),
        )  # fmt: skip
    if item.factors:
        rows: dict[str, Any] = {
            f"{markdown(f.name)}": f"{markdown(f.value)} :small[:gray[{ROLES[f.role]}]]"
            for f in item.factors
        }
        st.table(rows, border="horizontal")
    elif item.text and explorer.data.recipe(i) is None:
        st.markdown(markdown(item.text))
    _recipe(explorer, i)
    st.markdown(f"**Its own {letter} and the current {letter}**")
    own, std = explorer.encode(i).tolist(), explorer.std.tolist()
    drawing = z_compare_svg(
        shown.z, own, explorer.mean.tolist(), std, names=names, ink=theme.ink(),
        accent=theme.accent(),
    )  # fmt: skip
    st.image(drawing, width="stretch", alt=describe(shown.z, own, std, names))
    st.caption(f"Item number ({item.split} split)")
    st.code(str(i), language=None)


def _recipe(explorer: Explorer, i: int) -> None:
    """Ingredients, steps and tags, where items have texts."""
    recipe = explorer.data.recipe(i)
    if recipe is None:
        return
    if recipe.ingredients:
        st.markdown("**Ingredients**")
        st.markdown("\n".join(f"* {markdown(line)}" for line in recipe.ingredients))
    if recipe.instructions:
        with st.expander("Instructions"):
            lines = (f"{n}. {markdown(step)}" for n, step in enumerate(recipe.instructions, 1))
            st.markdown("\n".join(lines))
    if recipe.tags:
        st.caption(markdown(", ".join(recipe.tags)))


def _pictures(explorer: Explorer, i: int, title: str) -> None:
    """Both views, or the completed picture where the views are halves."""
    names = explorer.data.view_names
    if explorer.shows_whole:
        st.image(explorer.picture(i, 0).content, width=260, alt=f"{title}, both halves")
        return
    if explorer.data.text_view is not None:
        st.image(explorer.picture(i, 2).content, width=300, alt=title)
        return
    for column, side in zip(st.columns(2), (1, 2), strict=True):
        picture = explorer.picture(i, side)
        column.image(
            picture.content, width="stretch", alt=f"{title}, {names[side - 1]}",
            caption=markdown(names[side - 1]),
        )  # fmt: skip
