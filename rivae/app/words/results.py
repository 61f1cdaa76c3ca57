"""The words of what Live shows: the results of the point in the address against all other items."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from rivae.app.panels.answers import linked_query, linked_z, picture, query_z
from rivae.app.panels.links import ExploreLink
from rivae.app.shared import address, charts, share
from rivae.app.shared import words as words_data
from rivae.app.shared.charts import chart
from rivae.app.shell import cache, report
from rivae.app.shell.text import markdown
from rivae.app.words import clouds, page_keys, session
from rivae.base.errors import DataError
from rivae.exploring.maps import among

if TYPE_CHECKING:
    from rivae.exploring.explorer import Explorer

N_WORDS = 10  # of the results, and of the other items
N_SAID = 5
N_PICTURES = 8
HERE, REST = "these results", "the other items"
MORE = "More often in these {} results than in the other {:,} items: **{}**."
NONE = (
    "No word is clearly more frequent in these {} results than in the other {:,} items: show more "
    "results in Live to tell."
)
NO_ITEM = "No item has the words {}: use others in Live."


def panel(explorer: Explorer, run_id: str) -> None:
    """One sentence, the cloud of the results, and the words that tell them from the rest."""
    from rivae.exploring.words.clouds import count_words
    from rivae.exploring.words.contrast import against_rest, relation_of
    from rivae.exploring.words.item_words import items_with
    from rivae.figures.clouds import make_clouds, to_svg
    from rivae.figures.contrast import contrast_dots

    link, _ = ExploreLink.read(address.read(ExploreLink.names()))
    if link.rows != "test":
        explorer = cache.at_once(run_id, link.rows, explorer.asks)
    query, notes = linked_query(explorer, "mean" if link.upload else link.query, explorer.asks)
    z, _, more = linked_z(explorer, query_z(explorer, query), link)
    for note in (*notes, *more):
        st.warning(markdown(note), icon=":material/info:")
    retriever = among(explorer, None, link.only) if link.only else explorer.retriever
    if retriever is None:
        st.info(NO_ITEM.format(markdown(link.only)))
        return
    ids = explorer.topk(z, link.k, retriever).ids.tolist()
    sets = words_data.words_of(explorer.data).sets
    with report.waiting("Comparing the words of the results with all others …", 420):
        try:
            contrasts = against_rest(ids, explorer.search_rows.tolist(), sets)
        except DataError:
            st.info(clouds.NO_RARE_WORDS.replace("axis or width", "point in Live"))
            return
        counts = count_words({HERE: ids}, sets)
        cloud = make_clouds(counts, relation_of(contrasts), factor=HERE)
        figure = contrast_dots(
            contrasts,
            low=REST,
            high=HERE,
            n_words=N_WORDS,
            dark=charts.is_dark(),
            more="more in {}",
        )
    assert cloud is not None  # the contrast has words
    clear = [c.word for c in contrasts if c.interval()[0] > 0][:N_SAID]
    said, words = (MORE, markdown(", ".join(clear))) if clear else (NONE, "")
    st.markdown(said.format(len(ids), len(explorer.search_rows) - len(ids), words))

    def opened(word: str) -> None:
        session.open_list(f"{word} in {HERE}", items_with(sets, word, ids))

    def clicked(said: dict[str, object]) -> None:
        w = said.get("word")
        if isinstance(w, int) and w in range(len(cloud.counts.words)):
            opened(cloud.counts.words[w])

    left, right = st.columns(2, gap="medium")
    with left:
        dark = charts.is_dark()
        state = {
            "name": "Results",
            "note": f"of {explorer.title(query)}" if isinstance(query, int) else "",
            "svg": to_svg(cloud, 0, dark=dark),
            "tiles": [[i, *picture(explorer, i, explorer.found_side)] for i in ids[:N_PICTURES]],
        }
        clouds.CLOUDS(
            {"states": [state], "aspect": explorer.aspect(explorer.found_side)},
            key=page_keys.PANEL,
            word=clicked,
            item=lambda i: clouds.open_item(explorer, i),
        )
    with right:
        chart(figure, page_keys.CONTRAST, lambda values: opened(values[0]))
    share.figure(
        "Words of the results",
        "result-words",
        lambda: figure,
        run_id,
        "result-words",
        is_chart=True,
        asks=explorer.asks,
        rows=link.rows,
        z=z.tolist(),
        query=None,
        k=link.k,
        only=link.only,
        n_words=N_WORDS,
    )
