"""The word clouds of one axis: what queries find at its low end, in its middle and at its high end.

As in the paper (Sec. 4, supplement), with words coloured by how they go with the axis.
"""

from __future__ import annotations

from rivae.exploring.explorer import Explorer
from rivae.plots.clouds import Clouds, make_clouds
from rivae.words.clouds import N_QUERIES, axis_states, count_words
from rivae.words.item_words import ItemWords
from rivae.words.relations import related_words

WIDTH, HEIGHT, N_WORDS = 400, 320, 34  # of a cloud, as wide as it is shown
N_SIGMA = 3.0  # how far out the ends are: the paper's 10 leave most data behind


def axis_clouds(
    explorer: Explorer, dim: int, words: ItemWords, n_sigma: float = N_SIGMA
) -> Clouds | None:
    """The clouds of an axis as it is shown; None where nothing that is found has words.

    Args:
        words: the words of all items (``rivae.words.item_words.item_words``).
        n_sigma: the ends, in s.d. of the training queries from their mean.
    """
    rows = explorer.search_rows
    sign = int(explorer.signs[dim])
    found = axis_states(
        explorer.retriever, explorer.prior, dim, n_sigma, rows[:N_QUERIES], sign=sign
    )
    counts = count_words(found.by_name(), words.sets)
    relation = related_words(
        [words.sets[int(i)] for i in rows], explorer.shown_positions(dim).astype(float)
    )
    name = explorer.axis_names[dim]
    return make_clouds(counts, relation, factor=name, n_words=N_WORDS, width=WIDTH, height=HEIGHT)
