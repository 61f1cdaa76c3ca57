"""What distinguishes the items of a data set: their words, tags and factors."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rivae.base.arrays import Floats
from rivae.data.base import PairedDataset
from rivae.exploring.words.item_words import has_texts, item_tags, item_words
from rivae.exploring.words.naming import axis_evidence
from rivae.exploring.words.relations import factor_table
from rivae.exploring.words.tags import tag_map_of
from rivae.runs.axis_names import AxisName, Evidence


class ItemTerms:
    """Words, tags and factors of all N items; reading them from texts may take seconds."""

    def __init__(self, data: PairedDataset) -> None:
        self._sets = item_words(data).sets if has_texts(data) else [()] * len(data)
        self._tags = item_tags(data)
        self._ignored_tags = tag_map_of(data)[0].ignored
        factors, self._names = factor_table(data)
        self._factors = np.zeros((len(data), 0)) if factors is None else factors
        self.poles = {s.name: s.poles for s in data.factor_specs if any(s.poles)}

    def evidence(self, z: Floats, rows: NDArray[np.int64]) -> list[tuple[Evidence, ...]]:
        """The terms that change most along each axis of ``z`` (n, d), the positions of ``rows``."""
        return axis_evidence(
            z,
            [self._sets[i] for i in rows],
            None if self._tags is None else [self._tags[i] for i in rows],
            self._factors[rows],
            self._names,
            ignored_tags=self._ignored_tags,
        )

    def property_of(self, name: AxisName, rows: NDArray[np.int64]) -> Floats:
        """What a proposed name says of each row (n,): the factor, NaN where it is unknown, or else
        1 where there is a word of the name, less 1 where there is one of the other pole.
        """
        if name.name in self._names:
            return np.asarray(self._factors[rows, self._names.index(name.name)])
        tags = self._tags or [()] * len(self._sets)
        more, less = (set(names.split(", ")) for names in (name.name, name.low))
        here = [{*self._sets[i], *tags[i]} for i in rows]
        return np.array([float(bool(has & more)) - float(bool(has & less)) for has in here])
