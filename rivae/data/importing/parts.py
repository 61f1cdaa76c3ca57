"""The split of an import while it is read: which parts the source names, and who shares a picture.

What opening the data set will draw is told at once.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from rivae.data.importing.report import ImportReport
from rivae.data.recipe import SPLITS
from rivae.data.splits import USUAL_FRACTIONS, USUAL_SEED, drawn_parts, split_of
from rivae.data.store import StoreItem
from rivae.data.store.twins import Groups, are_shared, groups_of, marks_and_parts

STAY = "rows that share a picture: all rows of one picture go to one part of the split"
LEAK = "rows whose picture is in another part of the split, too"
ALL_DRAWN = "rows without a part of the split: it is drawn for all, also for rows that have one"
DRAWN = "{} rows, from which those of {} are drawn: the table names none"


class Parts:
    """The parts of the split and the pictures of all items, added one by one."""

    def __init__(self) -> None:
        self._marks, self._part_numbers = bytearray(), bytearray()

    @classmethod
    def begun(cls, folder: Path, n_chunks: int) -> Parts:
        """Those of the finished chunks of an import that resumes.

        Raises:
            DataError: a file is damaged.
        """
        parts = cls()
        marks, part_names = marks_and_parts(folder, n_chunks)
        parts._marks += marks
        parts._part_numbers += bytes(map(_number, part_names))
        return parts

    def add(self, item: StoreItem) -> None:
        """Take one item."""
        self._marks += item.mark
        self._part_numbers.append(_number(item.partition))

    def end(self, report: ImportReport) -> Groups | None:
        """Tell what of the split is drawn and how; returns the groups where the draw needs them.

        Raises:
            DataError: the split cannot be drawn.
        """
        part_of_item = np.frombuffer(self._part_numbers, dtype=np.int8).astype(np.int64) - 1
        groups, parts_drawn = groups_of(self._marks), drawn_parts(part_of_item)
        split = split_of(part_of_item, groups, USUAL_FRACTIONS, USUAL_SEED)
        if parts_drawn and (part_of_item >= 0).any():
            if n_without := int((part_of_item < 0).sum()):
                report.note(ALL_DRAWN, "all", n=n_without)
            else:
                giver, *missing = (SPLITS[k] for k in parts_drawn)
                remark = DRAWN.format(giver, " and ".join(missing))
                shares = ", ".join(f"{len(rows):,} {name}" for name, rows in split.items())
                report.note(remark, shares, n=int((part_of_item == parts_drawn[0]).sum()))
        if not are_shared(groups):
            return None
        _, which, size = np.unique(groups, return_inverse=True, return_counts=True)
        if parts_drawn:
            several = size[size > 1]
            report.note(STAY, _pictures(several), n=int(several.sum()))
        part = np.empty(len(part_of_item), dtype=np.int64)
        for k, name in enumerate(SPLITS):
            part[split[name]] = k
        is_torn = (np.bincount(which, part != part[groups]) > 0)[which]
        if is_torn.any():
            report.note(LEAK, _pictures(size[np.unique(which[is_torn])]), n=int(is_torn.sum()))
        return groups if parts_drawn else None


def _number(part: str) -> int:
    return SPLITS.index(part) + 1 if part in SPLITS else 0


def _pictures(sizes: np.ndarray) -> str:
    least, most = int(sizes.min()), int(sizes.max())
    rows = f"{most:,}" if least == most else f"{least:,} to {most:,}"
    return f"{len(sizes):,} picture{'s'[: len(sizes) > 1]} with {rows} rows each"
