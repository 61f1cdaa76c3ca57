"""The drawer of the Words page: the items with a word or a tag, and one of them in full."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import streamlit as st

from rivae.app.panels.links import ExploreLink
from rivae.app.shared.gallery import gallery_panel
from rivae.app.shell import keys, pages
from rivae.app.shell.text import markdown
from rivae.app.words import page_keys, session

if TYPE_CHECKING:
    from rivae.app.words.session import DrawerContent
    from rivae.exploring.explorer import Explorer

PER_PAGE = 24
MAX_LINES, MAX_LINE = 60, 400  # of one recipe


@st.dialog("Items", position="right", width=480, on_dismiss=session.close)
def show(explorer: Explorer, run_id: str) -> None:
    """Open the drawer with the list or item of the session."""
    content: DrawerContent | None = st.session_state.get(keys.WORDS_OPEN)
    if content is None:
        st.rerun()
    elif content.item is not None:
        _item(explorer, run_id, content)
    else:
        _list(explorer, content)


def _list(explorer: Explorer, content: DrawerContent) -> None:
    n_pages = max(1, math.ceil(len(content.ids) / PER_PAGE))
    if st.session_state.get(page_keys.PAGE, 1) > n_pages:
        st.session_state[page_keys.PAGE] = 1
    st.subheader(markdown(content.title), anchor=False)
    items = "1 item" if len(content.ids) == 1 else f"{len(content.ids):,} items"
    st.caption(f"{items}. Click one to read its text.")
    page = st.pagination(n_pages, key=page_keys.PAGE) if n_pages > 1 else 1
    gallery_panel(
        explorer,
        content.ids[(page - 1) * PER_PAGE : page * PER_PAGE],
        side=2,
        chosen=None,
        label=content.title,
        key=page_keys.LIST,
        pick=lambda i: session.open_item(i, explorer),
    )


def _item(explorer: Explorer, run_id: str, content: DrawerContent) -> None:
    assert content.item is not None
    i, data = content.item, explorer.data
    if content.ids:
        st.button(
            markdown(content.title),
            icon=":material/arrow_back:",
            type="tertiary",
            on_click=session.back_to_list,
            key="words_back",
        )
    item, recipe = explorer.item(i), data.recipe(i)
    st.subheader(markdown(item.title), anchor=False)
    st.image(explorer.picture(i, 2).content, width=300, alt=f"{item.title}, picture")
    st.page_link(
        pages.path("explore"),
        label="Explore from here",
        icon=":material/tune:",
        query_params=ExploreLink(run=run_id, query=i, asks=explorer.asks).write(),
    )
    if item.factors:
        factor_values = " · ".join(f"{f.name}: {f.value}" for f in item.factors)
        st.caption(markdown(factor_values))
    if recipe is None:
        return
    if recipe.ingredients:
        st.markdown("**Ingredients**")
        st.markdown(_listed(recipe.ingredients, "*"))
    if recipe.instructions:
        st.markdown("**Steps**")
        st.markdown(_listed(recipe.instructions, "1."))
    if recipe.tags:
        st.caption(markdown("Tags: " + ", ".join(recipe.tags[:MAX_LINES])))


def _listed(lines: tuple[str, ...], bullet: str) -> str:
    """Lines of a stranger's text as a Markdown list that shows them as they are."""
    bullets = [
        f"{bullet} {markdown(line[:MAX_LINE])}" for line in lines[:MAX_LINES] if line.strip()
    ]
    more = len(lines) - MAX_LINES
    return "\n".join([*bullets, f"{bullet} … and {more} more"] if more > 0 else bullets)
