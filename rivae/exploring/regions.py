"""What lies where on a map: its regions at three zoom levels, named by what is over-represented
there.

A region is a cell of k-means of the points. Its name is made of the words, tags or factor levels
that its items have more often than all others: log-odds with an informative prior
(``rivae.exploring.words.contrast``), sure even though every term of every region is looked at.
Where nothing is over-represented a region has no name.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import asdict, dataclass
from statistics import NormalDist
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict

from rivae.base.arrays import Floats
from rivae.base.errors import DataError
from rivae.base.files import write_cache
from rivae.base.reading.documents import read_own_form
from rivae.data.base import PairedDataset
from rivae.exploring.explorer import Explorer
from rivae.exploring.layouts import beside_layout
from rivae.exploring.maps import STEPS, codes
from rivae.exploring.words.contrast import log_odds
from rivae.exploring.words.item_words import has_texts, item_tags, item_words
from rivae.exploring.words.relations import common_words, presence_of
from rivae.exploring.words.tags import tag_map_of

LEVELS = (6, 24, 96)  # regions, from afar to near
MAX_READ = 20_000  # items whose terms are read; of more an even part
MIN_REGION = 20  # items of a region on the average
MIN_WITH = 5  # items of a region that have a term of its name
MIN_SHARE, MIN_LIFT = 0.1, 1.5  # of the region's items that have it; over the share of all others
N_TERMS = 2  # of a name
# A name that chance has made is on a map with this probability, whatever was looked at.
ERROR = 0.01
PRIOR_ITEMS = 50.0  # the prior weighs as much as the terms of so many items
MAX_BYTES = 2**20
DAMAGED = "the names of the regions cannot be read"


@dataclass(frozen=True)
class RegionTerm:
    """A term of a name: how many items ``here`` (of those read) have it, and ``elsewhere``."""

    term: str
    here: int
    elsewhere: int
    z: float


@dataclass(frozen=True)
class Region:
    """A part of a map.

    Attributes:
        level: 0 for what is seen from afar to 2 for what is seen near.
        x, y: the point nearest to its middle, in shares of the map, 0 to 1.
        n, others: items read inside and outside.
        terms: what is over-represented, the most certain first; () where nothing is.
    """

    level: int
    x: float
    y: float
    n: int
    others: int
    terms: tuple[RegionTerm, ...]

    @property
    def name(self) -> str:
        """The terms in one line; "" where nothing is over-represented."""
        return ", ".join(each.term for each in self.terms)


def regions(
    places: Floats, sets: Sequence[Collection[str]], levels: Sequence[int] = LEVELS
) -> tuple[Region, ...]:
    """The regions of a map, level by level, the same for the same points and terms.

    Args:
        places: (N, 2) finite, in shares of the map.
        sets: the terms of every item, N.
        levels: how many regions each level has at most; few items have fewer.

    Raises:
        DataError: there are not as many places as items with terms.

    Example:
        >>> places = np.repeat([[0.1, 0.1], [0.9, 0.9]], 100, axis=0)
        >>> found = regions(places, [("salt", "leek")] * 100 + [("salt", "honey")] * 100, (2,))
        >>> sorted(region.name for region in found)
        ['honey', 'leek']
    """
    if len(places) != len(sets):
        raise DataError(f"{len(places)} places and the terms of {len(sets)} items: give as many")
    step = max(1, -(-len(sets) // MAX_READ))
    points = np.ascontiguousarray(places[::step], dtype=np.float64)
    part = [sets[i] for i in range(0, len(sets), step)]
    words = common_words([tuple(one) for one in part], min_count=MIN_WITH)
    presence = presence_of(part, words) if words else None
    sizes = sorted({min(k, len(points) // MIN_REGION) for k in levels} - {0, 1})
    sure = NormalDist().inv_cdf(1 - ERROR / max(1, sum(sizes) * len(words)))
    found: list[Region] = []
    before: tuple[NDArray[np.int64], list[Region]] | None = None
    for level, k in enumerate(sizes):
        cells = _cells(points, k)
        if presence is None:
            tables: list[tuple[RegionTerm, ...]] = [()] * k
        else:
            tables = _over_represented(presence, words, cells, k, sure)
        now = []
        for cell in range(k):
            inside = np.flatnonzero(cells == cell)
            if not len(inside):
                continue
            middle = points[inside].mean(axis=0)
            nearest = inside[((points[inside] - middle) ** 2).sum(axis=1).argmin()]
            known = () if before is None else before[1][before[0][nearest]].terms
            x, y = points[nearest].round(5).tolist()
            terms = _name(tables[cell], known)
            now.append(Region(level, x, y, len(inside), len(points) - len(inside), terms))
        found += now
        before = np.unique(cells, return_inverse=True)[1], now
    return tuple(found)


def _cells(points: Floats, k: int) -> NDArray[np.int64]:
    """The region of every point: k-means from one fixed beginning."""
    from sklearn.cluster import KMeans

    k = min(k, len(np.unique(points, axis=0)))  # more would be empty
    made = KMeans(k, n_init=1, max_iter=50, random_state=0).fit(points)
    return np.asarray(made.labels_, dtype=np.int64)


def _over_represented(
    presence: Any, words: Sequence[str], cells: NDArray[np.int64], k: int, sure: float
) -> list[tuple[RegionTerm, ...]]:
    """The terms that each region has more often than all others, the most certain first."""
    from scipy.sparse import csr_array

    n = len(cells)
    of_cell = csr_array((np.ones(n), (cells, np.arange(n))), shape=(k, n))
    here = np.asarray((of_cell @ presence).toarray())
    total = np.asarray(presence.sum(axis=0)).ravel()
    elsewhere = total - here
    strength = PRIOR_ITEMS * total.sum() / n
    odds, std = log_odds(elsewhere, here, strength * total / total.sum(), strength)
    z = odds / std
    size = np.bincount(cells, minlength=k)[:, None]
    share, other_share = here / np.maximum(size, 1), elsewhere / np.maximum(n - size, 1)
    is_named = (z > sure) & (here >= MIN_WITH) & (share >= MIN_SHARE)
    is_named &= share >= MIN_LIFT * other_share
    out = []
    for cell in range(k):
        some = np.flatnonzero(is_named[cell]).tolist()
        order = sorted(some, key=lambda w: (-z[cell, w], words[w]))
        out.append(
            tuple(
                RegionTerm(
                    words[w],
                    int(here[cell, w]),
                    int(elsewhere[cell, w]),
                    round(float(z[cell, w]), 2),
                )
                for w in order
            )
        )
    return out


def _name(
    table: Sequence[RegionTerm], known: Collection[RegionTerm] = ()
) -> tuple[RegionTerm, ...]:
    """Terms for a name, no two of one word; those that the region around is named after last."""
    around = {one.term for one in known}
    chosen: list[RegionTerm] = []
    for one in sorted(table, key=lambda each: each.term in around):
        is_told = any(_is_alike(one.term, other.term) for other in chosen)
        if len(chosen) < N_TERMS and not is_told:
            chosen.append(one)
    return tuple(chosen)


def _is_alike(term: str, other: str) -> bool:
    """Whether one of two terms says nothing beside the other: "egg" and "eggs"."""
    a, b = sorted((term.casefold(), other.casefold()), key=len)
    return a in b


# of a run


def named_regions(
    explorer: Explorer, x: str, y: str, words: Sequence[Collection[str]] | None = None
) -> tuple[Region, ...]:
    """The regions of the map of two columns; those of the layout are kept with it.

    Args:
        x, y: keys of ``rivae.exploring.maps.columns``: "layout-0" and "layout-1", or of two axes.
        words: of every data row where they are known already; None to read them.

    Raises:
        ConfigError: there is no such column, or the layout is not computed yet.
    """
    is_layout = (x, y) == ("layout-0", "layout-1")
    path = beside_layout(explorer, "names") if is_layout else None
    if path is not None:
        try:
            return tuple(read_own_form(_File, path, MAX_BYTES, DAMAGED).regions)
        except DataError:
            pass  # not computed yet, or damaged: they are made again
    places = np.column_stack([codes(explorer, key) / STEPS for key in (x, y)])
    made = regions(places, _OfRows(explorer, words))
    if path is not None:
        content = _File(regions=list(made)).model_dump_json().encode()

        def write(stream: IO[bytes]) -> None:
            stream.write(content)

        write_cache(path, write)
    return made


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid")

    regions: list[Region]


class _OfRows(Sequence[Collection[str]]):
    """The terms of the searched items in their order; only those that are asked for are joined."""

    def __init__(self, explorer: Explorer, words: Sequence[Collection[str]] | None) -> None:
        self._rows = explorer.search_rows
        self._of = _terms_of(explorer.data, words)

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, i: Any) -> Any:
        return self._of(int(self._rows[i]))


def _terms_of(
    data: PairedDataset, words: Sequence[Collection[str]] | None
) -> Callable[[int], Collection[str]]:
    """What gives the terms of a data row: its words and tags, or else the levels of its factors."""
    if has_texts(data):
        words, tags = item_words(data).sets if words is None else words, item_tags(data)
        ignored = frozenset(tag_map_of(data)[0].ignored)
        if tags is None:
            return words.__getitem__
        return lambda row: {*words[row], *(tag for tag in tags[row] if tag not in ignored)}
    if data.factors is None:
        return lambda row: ()
    factors, specs = data.factors, data.factor_specs
    is_one = len(specs) == 1

    def of_row(row: int) -> Collection[str]:
        return [
            spec.levels[int(value)] if is_one else f"{spec.name} {spec.levels[int(value)]}"
            for spec, value in zip(specs, factors[row].tolist(), strict=True)
            if spec.levels and value == value  # not NaN
        ]

    return of_row


def for_map(found: Sequence[Region]) -> list[dict[str, Any]]:
    """The regions that have a name, as JSON values for the map in a browser."""
    return [{**asdict(one), "name": one.name} for one in found if one.terms]
