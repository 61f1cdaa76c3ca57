"""The items of one data set: as text, as pictures, and found by title or factor. No model here."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from rivae.base.config import ROWS, Rows
from rivae.base.errors import ConfigError
from rivae.data.base import PairedDataset
from rivae.data.conditions import read_conditions, suggestions, tag_name
from rivae.data.factors import FactorSpec
from rivae.data.fulltext import TextHit, TextIndex, text_index
from rivae.data.thumbnails import Thumbnail, ThumbnailCache, encode_picture, enlarged
from rivae.exploring.words.item_words import item_tags
from rivae.exploring.words.tags import tag_map_of
from rivae.runs.selections import find_selection, rows_of

MAX_TAGGED = 20_000  # items whose tags are counted
MAX_DIGITS = 10  # of an item's number
N_TAGS = 12
FULL_SIDE = 1080  # px: as high as a full-HD video


@dataclass(frozen=True)
class Factor:
    """One true factor of one item, in words."""

    name: str
    value: str
    role: str


@dataclass(frozen=True)
class Item:
    """Everything known about one item; all text is plain (not HTML-escaped)."""

    id: int
    title: str
    text: str
    split: str
    factors: tuple[Factor, ...]


class Catalogue:
    """Everything about the items of a data set that needs no model.

    Read-only after construction and safe to share between threads.

    Args:
        most: of more rows only so many are searched, evenly spread.

    Attributes:
        data: the pairs.
        rows: which rows are searched, "test" or "all".
        search_rows: (N,) data rows searched, sorted.
        thumbnails: the small pictures of the items, and their titles.
        n_rows: how many rows there are, also where only some of them are searched.

    Raises:
        ConfigError: for an unknown choice of rows.
    """

    def __init__(
        self,
        data: PairedDataset,
        rows: Rows = "test",
        thumbnails: ThumbnailCache | None = None,
        most: int | None = None,
    ) -> None:
        if rows not in ROWS:
            raise ConfigError(f"unknown rows '{rows}': choose one of {', '.join(ROWS)}")
        self.data, self.rows = data, rows
        everything = np.sort(np.concatenate([data.splits[s] for s in data.splits]))
        self.search_rows: NDArray[np.int64] = data.splits["test"] if rows == "test" else everything
        self.n_rows = len(self.search_rows)
        if most is not None and most < self.n_rows:
            self.search_rows = self.search_rows[np.linspace(0, self.n_rows - 1, most).astype(int)]
        self.thumbnails = ThumbnailCache(data) if thumbnails is None else thumbnails

    @property
    def is_part(self) -> bool:
        """Whether only some of the rows are searched."""
        return len(self.search_rows) < self.n_rows

    def item(self, i: int) -> Item:
        """Item ``i`` in words."""
        i, data = self._checked(i), self.data
        split = next(name for name, rows in data.splits.items() if i in rows)
        factors = tuple(
            Factor(spec.name, data.factor_text(i, k), spec.role)
            for k, spec in enumerate(data.factor_specs)
        )
        return Item(i, data.title(i), data.text(i), split, factors)

    def title(self, i: int) -> str:
        """Short plain-text name of item ``i``."""
        return self.data.title(self._checked(i))

    def thumbnail(self, i: int, side: int = 2) -> Thumbnail:
        """Item ``i`` as an encoded picture of at most 160 px; ``side`` as in ``data.picture``."""
        return self.thumbnails.get(self._checked(i), _checked_side(side))

    def picture(self, i: int, side: int = 2) -> Thumbnail:
        """Item ``i`` at full size, encoded; a picture of few pixels is enlarged and stays sharp."""
        picture = self.data.picture(self._checked(i), _checked_side(side))
        return encode_picture(enlarged(picture), FULL_SIDE)

    def aspect(self, side: int = 2) -> float:
        """Width over height that suits the pictures, from the first item's, in [0.5, 2]."""
        first = self.thumbnail(self.first_item, side)
        return min(max(first.width / first.height, 0.5), 2.0)

    @property
    def first_item(self) -> int:
        """The first item searched: the query where nobody has chosen one."""
        return int(self.search_rows[0])

    @property
    def shows_whole(self) -> bool:
        """Whether items are best shown completed with their other half, as in the paper."""
        return self.data.shows_whole

    @property
    def whole_label(self) -> str:
        """Label of the switch between one view and the pair; "" where both look alike."""
        if self.data.text_view is not None:
            return ""
        return "Complete the pictures" if self.shows_whole else "Show both views"

    # finding

    def find(self, text: str) -> NDArray[np.int64]:
        """Search rows that meet the conditions of ``text`` (``rivae.data.conditions``).

        Their title or text has every word, each of which also stands for words that begin with it;
        a number is a row.

        Raises:
            ConfigError: a condition cannot be read, no item has such a tag, or there is no such
                selection.
        """
        conditions = read_conditions(text, self._specs)
        rows = self.search_rows
        if conditions.words:
            rows = self._texts.rows(conditions.words)
            rows = rows[self._is_searched[rows]]
        for tag in conditions.tags:
            if tag not in self._tagged:
                near = [f"#{other}" for other in self._tagged if tag in other][:3]
                instead = " or ".join(near) or "another one, or plain words"
                raise ConfigError(f"no item has the tag #{tag}: use {instead}")
            rows = rows[np.isin(rows, self._tagged[tag], kind="table")]
        for name in conditions.selections:
            rows = rows[np.isin(rows, self._selected(name), kind="table")]
        for condition in conditions.factors:
            assert self.data.factors is not None
            rows = rows[condition.holds(self.data.factors[rows, condition.factor])]
        if (row := self._numbered(text)) is not None:
            rows = np.concatenate([[np.int64(row)], rows[rows != row]])
        return rows

    def _selected(self, name: str) -> NDArray[np.int64]:
        """The data rows of a selection; a catalogue without a run has none."""
        return rows_of(find_selection((), name))

    @property
    def suggested_conditions(self) -> list[str]:
        """Conditions that ``find`` understands, to begin with."""
        return suggestions(self._specs, list(self.common_tags))

    @property
    def _specs(self) -> tuple[FactorSpec, ...]:
        return self.data.factor_specs if self.data.factors is not None else ()

    @cached_property
    def _tagged(self) -> dict[str, NDArray[np.int64]]:
        """The data rows that have each tag."""
        rows: defaultdict[str, list[int]] = defaultdict(list)
        for row, tags in enumerate(item_tags(self.data) or ()):
            for tag in tags:
                rows[tag_name(tag)].append(row)
        return {tag: np.array(some, dtype=np.int64) for tag, some in rows.items()}

    def best(self, text: str, n: int) -> list[TextHit]:
        """The ``n`` items searched that fit ``text`` best, the item of that number first."""
        hits = self._texts.best(text, n, lambda row: bool(self._is_searched[row]))
        if (row := self._numbered(text)) is not None:
            first = TextHit(row, ((self.title(row), False),), ((f"item {row}", True),))
            hits = [first, *(hit for hit in hits if hit.row != row)][:n]
        return hits

    def _numbered(self, text: str) -> int | None:
        """The searched row that ``text`` is the number of."""
        digits = text.strip()
        is_number = digits.isascii() and digits.isdigit() and len(digits) <= MAX_DIGITS
        is_row = is_number and int(digits) < len(self.data) and self._is_searched[int(digits)]
        return int(digits) if is_row else None

    @cached_property
    def _texts(self) -> TextIndex:
        return text_index(self.data)

    @cached_property
    def _is_searched(self) -> NDArray[np.bool_]:
        return np.isin(np.arange(len(self.data)), self.search_rows)

    def with_factor(self, factor: int, low: float, high: float) -> NDArray[np.int64]:
        """Search rows whose true factor ``factor`` lies in [low, high] (codes for categories)."""
        if self.data.factors is None:
            raise ConfigError(f"{self.data.name} has no true factors to choose by")
        values = self.data.factors[self.search_rows, factor]
        return self.search_rows[(values >= low) & (values <= high)]

    @cached_property
    def common_tags(self) -> dict[str, NDArray[np.bool_]]:
        """The tags that part the searched items most evenly, and which items have each, (N,)."""
        tags = item_tags(self.data) if len(self.data) <= MAX_TAGGED else None
        if tags is None:
            return {}
        ignored_tags = frozenset(tag_map_of(self.data)[0].ignored)
        searched_tags = [frozenset(tags[i]) - ignored_tags for i in self.search_rows]
        counts = Counter(tag for some in searched_tags for tag in some)
        half = len(searched_tags) / 2
        best = sorted(counts, key=lambda tag: (abs(counts[tag] - half), tag))[:N_TAGS]
        return {tag: np.array([tag in some for some in searched_tags]) for tag in best}

    def _checked(self, i: int) -> int:
        if not 0 <= int(i) < len(self.data):
            raise ConfigError(f"there is no item {i}: choose a row from 0 to {len(self.data) - 1}")
        return int(i)


def _checked_side(side: int) -> int:
    if side not in (0, 1, 2):
        raise ConfigError(f"side must be 0 (whole pair), 1 or 2, got {side}")
    return side
