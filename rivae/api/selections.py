"""The selections of a run in Python: some of its items under a name, kept with it."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from rivae.api.opened import OpenedRun
from rivae.base.errors import ConfigError
from rivae.exploring.selection import Selection, describe
from rivae.exploring.words.item_words import has_texts, item_tags, item_words
from rivae.runs.selections import (
    KeptSelection,
    find_selection,
    keep_selection,
    remove_selection,
    rename_selection,
    restore_selection,
    selections,
)

Rows = ArrayLike | pd.DataFrame | KeptSelection | str


class RunSelections(OpenedRun):
    """The selections of a run: the part of ``rivae.Run`` about them. The map of the app shows them,
    and ``@s1`` is a condition on items wherever one can be written.
    """

    @property
    def selections(self) -> tuple[KeptSelection, ...]:
        """Those that are kept with the run now, in the order in which they were kept.

        Raises:
            DataError: their file is damaged.

        Example:
            >>> import rivae
            >>> rivae.load_run("demo-digits").selections
            ()
        """
        return selections(self._folder)

    def keep_selection(self, rows: Rows, name: str = "") -> KeptSelection:
        """Keep some items under a name.

        Args:
            rows: data rows, a part of ``view.items``, or a selection that was removed, which comes
                back under its id.
            name: one line of text; "Selection 1" and so on by default.

        Raises:
            ConfigError: there are none or too many, or the data have no such rows.

        Example:
            >>> import rivae
            >>> run = rivae.load_run("demo-digits")
            >>> kept = run.keep_selection(run.items[:20], "first ones")
            >>> len(run.topk(run.encode(run.items[0]), k=5, only=f"@{kept.id}").ids)
            5
            >>> run.remove_selection(kept.id).name
            'first ones'
        """
        if isinstance(rows, KeptSelection):
            restore_selection(self._folder, rows)
            return find_selection(self.selections, rows.id)
        return keep_selection(self._folder, self._data_rows(rows), name)

    def rename_selection(self, selection_id: str, name: str) -> KeptSelection:
        """Give a selection another name, and return it.

        Raises:
            ConfigError: there is none of this id, or the name is no line of text.

        Example:
            >>> import rivae
            >>> run = rivae.load_run("demo-digits")
            >>> kept = run.keep_selection([3, 5])
            >>> run.rename_selection(kept.id, "two").name, run.remove_selection(kept.id).rows
            ('two', (3, 5))
        """
        return rename_selection(self._folder, selection_id, name)

    def remove_selection(self, selection_id: str) -> KeptSelection:
        """Remove a selection by its id, and return it; ``keep_selection`` takes it back.

        Raises:
            ConfigError: there is none of this id.

        Example:
            >>> import rivae
            >>> run = rivae.load_run("demo-digits")
            >>> kept = run.keep_selection([3, 5])
            >>> run.remove_selection(kept.id) == kept
            True
        """
        return remove_selection(self._folder, selection_id)

    def describe_selection(self, rows: Rows) -> Selection:
        """What tells some items from the others: factors, words and tags, those that they have more
        or less often with intervals.

        Args:
            rows: data rows, a part of ``view.items``, a selection, or its id or name.

        Raises:
            ConfigError: there is no such selection, or no such row.

        Example:
            >>> import rivae
            >>> run = rivae.load_run("demo-digits")
            >>> run.describe_selection(run.explorer.find("digit = 7")).factors[0].name
            'digit'
        """
        words = item_words(self.data).sets if has_texts(self.data) else None
        return describe(self.explorer, self._data_rows(rows), words, item_tags(self.data))

    def _data_rows(self, rows: Rows) -> ArrayLike:
        if isinstance(rows, str):
            rows = find_selection(self.selections, rows)
        if isinstance(rows, KeptSelection):
            return np.array(rows.rows, dtype=np.int64)
        given = np.asarray(rows.index if isinstance(rows, pd.DataFrame | pd.Series) else rows)
        strange = np.setdiff1d(given, np.arange(len(self.data)))
        if len(strange):
            last = len(self.data) - 1
            raise ConfigError(f"there is no item {strange[0]!s:.40}: rows are 0 to {last}")
        return given
