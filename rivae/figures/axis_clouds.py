"""The word clouds of one axis: what queries find at its low end, in its middle and at its high end.

As in the paper (Sec. 4, supplement), with words coloured by how they go with the axis.
"""

from __future__ import annotations

from collections.abc import Collection

from rivae.base.arrays import Floats
from rivae.exploring.explorer import Explorer
from rivae.exploring.placing import AxisKey, axis_names
from rivae.exploring.traversing import axis_numbers, prior_of_axes
from rivae.exploring.words.clouds import N_QUERIES, TOP, AxisStates, axis_states, count_words
from rivae.exploring.words.item_words import ItemWords
from rivae.exploring.words.relations import related_words
from rivae.figures.clouds import Clouds, make_clouds

WIDTH, HEIGHT, N_WORDS = 400, 320, 34  # of a cloud, as wide as it is shown
N_SIGMA = 3.0  # how far out the ends are: the paper's 10 leave most data behind


def first_queries(explorer: Explorer) -> Floats:
    """(20, d) z of the first 20 items searched, or of fewer."""
    return explorer.retriever.encode(explorer.search_rows[:N_QUERIES])[0]


def shown_states(
    explorer: Explorer, axis: AxisKey, n_sigma: float = N_SIGMA, anchors: Floats | None = None
) -> AxisStates:
    """What the first 20 items searched, as queries, find along an axis as it is shown.

    Args:
        axis: of z from 0, or the id of one that was added.
        n_sigma: the ends, in s.d. of the training queries from their mean.
        anchors: ``first_queries`` of the explorer, where many axes are asked for.

    Raises:
        ConfigError: there is no such axis, or ``n_sigma`` is not above 0.
    """
    rows = explorer.search_rows[:N_QUERIES]
    (number,) = axis_numbers(explorer, [axis])
    sign = int(explorer.signs[number]) if isinstance(axis, int) else 1
    added = [place.axis for place in explorer.added_axes]
    prior = prior_of_axes(explorer)
    return axis_states(explorer.retriever, prior, number, n_sigma, rows, TOP, sign, added, anchors)


def laid_out(
    states: AxisStates, words: ItemWords, leave_out: Collection[str] = ()
) -> Clouds | None:
    """The clouds of what was found, without colours; None where nothing of it has words."""
    counts = count_words(states.by_name(), words.sets, leave_out=leave_out)
    return make_clouds(counts, n_words=N_WORDS, width=WIDTH, height=HEIGHT)


def axis_clouds(
    explorer: Explorer, axis: AxisKey, words: ItemWords, anchors: Floats | None = None
) -> Clouds | None:
    """The clouds of an axis as it is shown, coloured by how words go with it.

    Args:
        words: the words of all items (``rivae.exploring.words.item_words.item_words``).
        anchors: ``first_queries`` of the explorer, where many axes are asked for.
    """
    layout = laid_out(shown_states(explorer, axis, anchors=anchors), words)
    if layout is None:
        return None
    sets = [words.sets[i] for i in explorer.search_rows.tolist()]
    relation = related_words(sets, explorer.shown_positions(axis).astype(float))
    return Clouds(layout.counts, layout.layout, relation, axis_names(explorer)[axis])
