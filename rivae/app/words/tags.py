"""The tag-factor graph of the Words page."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from rivae.app.shared import charts, share, words
from rivae.app.shared.charts import chart
from rivae.app.shell.text import markdown
from rivae.app.words import page_keys, session

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rivae.exploring.explorer import Explorer
    from rivae.exploring.words.tags import TagMap

NO_KNOWN_TAG = "No item has a tag that the mapping knows."
N_ONE = 30  # tags of each side when one factor is shown alone
N_UNKNOWN = 12


def panel(explorer: Explorer, run_id: str) -> None:
    """The graph; a click on a tag lists its items."""
    from rivae.data.food_factors import FACTOR_LABELS
    from rivae.exploring.words.item_words import items_with
    from rivae.exploring.words.tags import tag_nodes
    from rivae.figures.tag_graph import N_TAGS, tag_graph

    tags = words.tags_of(explorer.data)
    if tags is None:
        st.info(
            "The items of this data set have no tags. Import it again with a column of tags, or "
            "add those of food.com when you import a folder of Recipe1M under *Train*, *Data*."
        )
        return
    tag_map, trouble = words.tag_map_of(explorer.data)
    if trouble:
        st.warning(markdown(f"{trouble} The built-in mapping is used."), icon=":material/info:")
    nodes = tag_nodes(tag_map, tags)
    if not nodes:
        st.info(NO_KNOWN_TAG)
        _unknown(tag_map, tags)
        return
    factors = list(dict.fromkeys(node.factor for node in nodes))
    choice = st.selectbox(
        "Factor",
        factors,
        index=None,
        placeholder="all of them",
        width=260,
        key=page_keys.FACTOR,
        format_func=lambda name: FACTOR_LABELS.get(name, name),
        bind="query-params",
    )
    page_nodes = [node for node in nodes if choice in (None, node.factor)]
    n_tags = N_TAGS if choice is None else N_ONE
    figure = tag_graph(page_nodes, n_tags=n_tags, dark=charts.is_dark())

    def clicked(values: list[str]) -> None:
        tag = values[0]
        if tag:  # a factor has none
            session.open_list(f"Tagged {tag}", items_with(tags, tag, range(len(tags))))

    chart(figure, page_keys.TAGS, clicked)
    n_tagged = sum(map(bool, tags))
    st.caption(
        markdown(
            f"{n_tagged:,} of {len(tags):,} items have tags. The area of a dot is the number of "
            "items; "
            "click one to see them."
        )
    )
    share.figure(
        "Tags",
        "tags",
        lambda: figure,
        run_id,
        "tag-graph",
        is_chart=True,
        factor=choice,
        n_tags=n_tags,
    )
    _unknown(tag_map, tags)


def _unknown(tag_map: TagMap, tags: Sequence[tuple[str, ...]]) -> None:
    """Tags that the mapping does not place, and how to place them."""
    from rivae.exploring.words.tags import FOODCOM_TAGS, TAG_FILE, unmapped

    unknown = unmapped(tag_map, tags)
    with st.expander("The mapping of tags to factors", icon=":material/account_tree:"):
        if unknown:
            often = ", ".join(f"{tag} ({n})" for tag, n in unknown[:N_UNKNOWN])
            more = f" and {len(unknown) - N_UNKNOWN} more" if len(unknown) > N_UNKNOWN else ""
            st.markdown(markdown(f"Not in the mapping: {often}{more}."))
        st.markdown(
            "To change it, edit a copy, save it in the folder of the imported data as "
            f"`{TAG_FILE}` and reload the page."
        )
        st.download_button(
            "Download mapping",
            tag_map.model_dump_json(indent=1),
            file_name=FOODCOM_TAGS.name,
            mime="application/json",
            icon=":material/download:",
            on_click="ignore",
        )
