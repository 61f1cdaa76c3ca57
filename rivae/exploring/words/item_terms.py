"""What distinguishes the items of a data set: their words, tags and factors."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rivae.base.arrays import Floats
from rivae.data.base import PairedDataset
from rivae.exploring.words.item_words import has_texts, item_tags, item_words
from rivae.exploring.words.naming import axis_evidence
from rivae.exploring.words.relations import (
    common_words,
    factor_table,
    presence_of,
    tag_targets,
)
from rivae.exploring.words.tags import tag_map_of
from rivae.metrics.effects import Columns
from rivae.runs.axis_names import AxisName, Evidence

# A word or tag of fewer items says little of what is retrieved, and only costs certainty.
MIN_ITEMS, MIN_SHARE = 10, 0.005


class ItemTerms:
    """Words, tags and factors of all N items; reading them from texts may take seconds."""

    def __init__(self, data: PairedDataset) -> None:
        self._sets = item_words(data).sets if has_texts(data) else [()] * len(data)
        self._tags = item_tags(data)
        self._ignored_tags = tag_map_of(data)[0].ignored
        self._data = data
        self.factor_names = factor_table(data, np.arange(0))[1]
        self.poles = {s.name: s.poles for s in data.factor_specs if any(s.poles)}

    def _factors(self, rows: NDArray[np.int64]) -> Floats:
        """(n, K); of ten million items the table of all would take more than the search."""
        table = factor_table(self._data, rows)[0]
        return np.zeros((len(rows), 0)) if table is None else table

    def evidence(self, z: Floats, rows: NDArray[np.int64]) -> list[tuple[Evidence, ...]]:
        """The terms that change most along each axis of ``z`` (n, d), the positions of ``rows``."""
        return axis_evidence(
            z,
            [self._sets[i] for i in rows],
            None if self._tags is None else [self._tags[i] for i in rows],
            self._factors(rows),
            self.factor_names,
            ignored_tags=self._ignored_tags,
        )

    def columns(self, rows: NDArray[np.int64]) -> Columns:
        """What is known of each of N data ``rows``: every factor, and 1 or 0 for the tags and words
        that at least 10 and half a per cent of the items have, and as many have not.
        """
        least = max(MIN_ITEMS, int(np.ceil(MIN_SHARE * len(rows))))
        words = [self._sets[i] for i in rows]
        tags = [self._tags[i] for i in rows] if self._tags else []
        tag_names = [target.label for target in tag_targets(tags, self._ignored_tags)]
        names = {"factor": self.factor_names, "tag": tag_names, "word": common_words(words)}
        values = {
            "factor": self._factors(rows),
            "tag": presence_of(tags or [()] * len(rows), names["tag"]),
            "word": presence_of(words, names["word"]),
        }
        parts = [Columns.of(kind, names[kind], values[kind], least) for kind in names]
        return Columns.joined(parts)

    def property_of(self, name: AxisName, rows: NDArray[np.int64]) -> Floats:
        """What a proposed name says of each row (n,): the factor, NaN where it is unknown, or else
        1 where there is a word of the name, less 1 where there is one of the other pole.
        """
        if name.name in self.factor_names:
            return np.asarray(self._factors(rows)[:, self.factor_names.index(name.name)])
        tags = self._tags or [()] * len(self._sets)
        more, less = (set(names.split(", ")) for names in (name.name, name.low))
        here = [{*self._sets[i], *tags[i]} for i in rows]
        return np.array([float(bool(has & more)) - float(bool(has & less)) for has in here])
