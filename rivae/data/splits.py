"""The split of an import: parts that its source named, and parts that are drawn.

Items of one picture are drawn into one part. What is drawn is fixed by the seed.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rivae.base.arrays import Ints
from rivae.base.errors import DataError
from rivae.data.recipe import SPLITS

# What is drawn of an import unless the settings of its data set say otherwise.
USUAL_FRACTIONS = (0.7, 0.15, 0.15)
USUAL_SEED = 0


def drawn_parts(part_of_item: Ints) -> tuple[int, ...]:
    """The parts to draw; () where the source names each of the three.

    Where an item has no part, all items are drawn. Otherwise the first one drawn gives its items to
    the others, which are missing: train, or validation where there is no train, so that test items
    stay out of the training.

    Args:
        part_of_item: (N,) the part that the source names: 0, 1, 2 as in ``SPLITS``, or -1 for none.
    """
    if (part_of_item < 0).any():
        return (0, 1, 2)
    counts = np.bincount(part_of_item, minlength=len(SPLITS))
    missing = np.flatnonzero(counts == 0).tolist()
    return (int(np.flatnonzero(counts)[0]), *missing) if missing else ()


def split_of(
    part_of_item: Ints, groups: Ints, fractions: tuple[float, float, float], seed: int
) -> dict[str, Ints]:
    """Sorted rows by "train", "validation" and "test".

    Args:
        part_of_item: see ``drawn_parts``.
        groups: (N,) a number that the items of one picture share.
        fractions: the shares of the three parts; what is drawn is divided in their proportions.

    Raises:
        DataError: there are too few items to draw a part from.
    """
    part, parts_drawn = part_of_item.copy(), drawn_parts(part_of_item)
    if parts_drawn:
        is_new = (part_of_item < 0).any()  # then all rows are drawn
        rows = np.flatnonzero((part_of_item == parts_drawn[0]) | is_new)
        if len(rows) < len(parts_drawn):
            giver, *missing = (SPLITS[k] for k in parts_drawn)
            raise DataError(
                f"the partition column names {len(rows)} {giver} and no {' or '.join(missing)} "
                "pairs, too few to draw from: name train, validation and test, or remove it"
            )
        shares = np.array([fractions[k] for k in sorted(parts_drawn)])
        if len(parts_drawn) < len(SPLITS):
            shares /= shares.sum()
        part[rows] = np.array(sorted(parts_drawn))[draw(groups[rows], shares.tolist(), seed)]
    return {name: np.flatnonzero(part == k).astype(np.int64) for k, name in enumerate(SPLITS)}


def draw(groups: Ints, shares: Sequence[float], seed: int) -> Ints:
    """The part 0, 1 … of each item, so that the items of a group are in one part.

    The parts have their shares as nearly as the groups allow, and none is empty where there are so
    many groups; with fewer, each item is drawn for itself. Items without a group of their own are
    drawn as ``rivae.data.base.random_split`` draws them.

    Args:
        groups: (N,) a number that the items of one group share.
        shares: of the parts; they sum to 1.
    """
    n, n_parts = len(groups), len(shares)
    order = np.random.default_rng(seed).permutation(n)
    ends = [round(n * sum(shares[: k + 1])) for k in range(n_parts - 1)]
    room = np.diff([0, *ends, n])
    part = np.empty(n, dtype=np.int64)
    _, which, size = np.unique(groups, return_inverse=True, return_counts=True)
    if len(size) < n_parts:
        which, size = np.arange(n), np.ones(n, dtype=np.int64)
    alone = size[which] == 1
    in_part = _groups(which, size, order, room)
    part[~alone] = in_part[which[~alone]]
    rest = order[alone[order]]
    if not alone.all():
        for k in sorted(set(range(n_parts)) - set(in_part.tolist())):
            part[rest[0]], rest, room[k] = k, rest[1:], room[k] - 1
    # What large groups took too much is missing in all other parts alike.
    room = np.maximum(room, 0)
    cuts = [round(len(rest) * end / max(room.sum(), 1)) for end in np.cumsum(room)[:-1].tolist()]
    for k, rows in enumerate(np.split(rest, cuts)):
        part[rows] = k
    return part


def _groups(which: Ints, size: Ints, order: Ints, room: Ints) -> Ints:
    """The part of each group of several items, -1 for the others; their sizes leave ``room``.

    The largest groups come first, each into the part with the most room.
    """
    part = np.full(len(size), -1, dtype=np.int64)
    first_draw = np.full(len(size), len(order), dtype=np.int64)
    np.minimum.at(first_draw, which[order], np.arange(len(order)))
    several = np.flatnonzero(size > 1)
    n_left = len(size)
    empty = set(range(len(room)))
    for group in several[np.lexsort((first_draw[several], -size[several]))].tolist():
        among = empty if n_left <= len(empty) else range(len(room))
        k = max(among, key=lambda k: int(room[k]))
        part[group] = k
        room[k] -= size[group]
        empty.discard(k)
        n_left -= 1
    return part
