"""What a run retrieved along its axes while it trained."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from rivae.ui import state, theme

if TYPE_CHECKING:
    from rivae.jobs.overview import Entry

NEWEST = "newest"


def panel(entry: Entry) -> None:
    """The pictures of one epoch, the newest by default; nothing where there are none."""
    from rivae.jobs.preview_files import previews_of

    found = previews_of(entry.run.path) if entry.run is not None else []
    if not found:
        if entry.at_work and entry.job is not None:
            st.caption("Pictures along the axes follow when the first model is saved.")
        return
    by_name = {str(one.epoch): one for one in found}
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        st.subheader("Along the axes", anchor=False, width="content")
        chosen = st.selectbox(
            "Epoch", [NEWEST, *reversed(by_name)], key=f"{state.TRAIN_EPOCH}-{entry.id}", width=150,
            label_visibility="collapsed",
            format_func=lambda name: "Newest" if name == NEWEST else f"Epoch {int(name):,}",
        )  # fmt: skip
    shown = by_name.get(str(chosen), found[-1])
    content = shown.content(theme.is_dark())
    if content is None:
        st.caption(f"The picture of epoch {shown.epoch:,} cannot be read.")
        return
    st.image(content, alt=f"Items retrieved along each axis after epoch {shown.epoch}")
    first = found[0].epoch
    others = f" There are {len(found)} of them, from epoch {first:,} on." if len(found) > 1 else ""
    st.caption(
        f"After epoch {shown.epoch:,}: the best of at most 1,000 test items for one query while "
        f"each axis moves alone.{others}"
    )
