"""The contrast view of the Words page: words of one end of an axis against the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from rivae.app.shared import charts, share
from rivae.app.shared import words as words_data
from rivae.app.shared.charts import chart
from rivae.app.shell import cache, report
from rivae.app.shell.text import markdown
from rivae.app.words import page_keys, session
from rivae.base.errors import DataError
from rivae.exploring.placing import axis_names

if TYPE_CHECKING:
    from rivae.exploring.explorer import Explorer

N_WORDS = 12  # of each end


def panel(explorer: Explorer, run_id: str) -> None:
    """The strongest words of both ends with intervals; a click lists their items."""
    from rivae.exploring.words.contrast import contrast
    from rivae.exploring.words.item_words import items_with
    from rivae.figures.contrast import contrast_dots

    choice = session.axis_and_width(explorer)
    key, axis = cache.model_key(run_id, explorer.asks), axis_names(explorer)[choice.key]
    sets = words_data.words_of(explorer.data).sets
    with report.waiting("Comparing the words of the two ends …", 420):
        axis_states = words_data.states(key, choice.key, choice.n_sigma, explorer)
        low, _, high = (axis_states.items(s) for s in range(3))
        try:
            words = contrast(low, high, sets)
        except DataError as error:
            st.info(markdown(str(error)))
            return
        names = {"low": axis_states.names[0], "high": axis_states.names[2]}
        figure = contrast_dots(
            words, n_words=N_WORDS, dark=charts.is_dark(), title=f"Along {axis}", **names
        )

    def clicked(values: list[str]) -> None:
        word = values[0]
        ids = items_with(sets, word, dict.fromkeys([*high, *low]))
        session.open_list(f"{word} at both ends of {axis}", ids)

    chart(figure, page_keys.CONTRAST, clicked)
    st.caption(
        markdown(
            f"{len(high)} items of {names['high']} against {len(low)} of {names['low']}: "
            "log-odds with "
            "an informative Dirichlet prior made of all items (Monroe et al. 2008). A dotted "
            "interval includes zero difference. Click a dot for its items."
        )
    )
    share.figure(
        "Contrast",
        "contrast",
        lambda: figure,
        run_id,
        "word-contrast",
        is_chart=True,
        asks=explorer.asks,
        dim=choice.key,
        n_sigma=choice.n_sigma,
        n_words=N_WORDS,
    )
