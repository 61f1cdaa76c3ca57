"""One item at the side of a page: its picture and text, beside what one is looking at."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import streamlit as st

from rivae.app.panels.component import dock
from rivae.app.shell.text import escape, markdown
from rivae.exploring.words.axis_names import cut

if TYPE_CHECKING:
    from rivae.exploring.explorer import Explorer

MOST_LINES, MOST_LETTERS = 40, 400  # of a recipe that are shown; a text may have megabytes


def docked_item(
    explorer: Explorer, i: int, close: Callable[[], None], buttons: Callable[[], None]
) -> None:
    """Item ``i`` at the side, and what can be done with it."""
    about, recipe = explorer.item(i), explorer.data.recipe(i)
    side = 0 if explorer.shows_whole else explorer.found_side
    with dock(about.title, close):
        st.image(explorer.picture(i, side).content, width=300, alt=about.title)
        buttons()
        if recipe is not None:
            _list("Ingredients", recipe.ingredients, ordered=False)
            _list("Instructions", recipe.instructions, ordered=True)
        if about.factors:
            factor_values = {markdown(f.name): markdown(f.value) for f in about.factors}
            st.table(factor_values, border="horizontal")
        elif recipe is None and about.text:
            st.markdown(markdown(cut(about.text, 4 * MOST_LETTERS)))
        st.caption(f"Item number ({about.split} split)")
        st.code(str(i), language=None)


def tile(title: str | bool, address: str | bool, tiny: str | bool) -> str:
    """A small picture as HTML, of what ``rivae.app.panels.answers.picture`` says of an item."""
    pixels = ";image-rendering:pixelated" if tiny else ""
    return (
        f'<img src="{escape(str(address))}" alt="{escape(str(title))}" '
        f'title="{escape(str(title))}" '
        'style="width:100%;aspect-ratio:1;object-fit:contain;border-radius:6px;'
        f'background:rgba(128,140,146,.12){pixels}">'
    )


def _list(name: str, lines: tuple[str, ...], *, ordered: bool) -> None:
    if not lines:
        return
    st.markdown(f"**{name}**")
    bullets = [markdown(cut(line, MOST_LETTERS)) for line in lines[:MOST_LINES]]
    marks = [f"{n}." if ordered else "*" for n in range(1, len(bullets) + 1)]
    st.markdown("\n".join(f"{mark} {line}" for mark, line in zip(marks, bullets, strict=True)))
    if len(lines) > MOST_LINES:
        st.caption(f"and {len(lines) - MOST_LINES} more")
