"""Many paths, looked up by their ends: which of them a name can mean."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import islice

from rivae.data.importing.picture_names import Level, Relation, comparable, relation

MAX_FITTING = 200  # paths that nearly fit a name, which are compared with it one by one


class PathIndex:
    """Paths in the loosest writing, last part first, in order: those that end alike lie side by
    side, and one is found as fast among millions as among ten.

    Results are positions in ``paths``.
    """

    def __init__(self, paths: Sequence[str]) -> None:
        self.paths = paths
        keys = [_backwards(comparable(path, Level.ENDING)) for path in paths]
        self._order = sorted(range(len(keys)), key=keys.__getitem__)
        self._keys = [keys[i] for i in self._order]

    def fitting(self, name: str) -> tuple[list[int], Level, Relation] | None:
        """The paths that ``name`` can mean at the first level where there are any, that level, and
        what the name is of the first of them; None without, or if more than ``MAX_FITTING`` fit
        nearly.
        """
        near = self.near(name, MAX_FITTING + 1)
        if len(near) > MAX_FITTING:
            return None
        for level in Level:
            name_parts = comparable(name, level)
            matches = [(relation(name_parts, comparable(self.paths[i], level)), i) for i in near]
            for relations in ((Relation.SAME,), (Relation.ENDS_WITH, Relation.END_OF)):
                fitting = [(how, i) for how, i in matches if how in relations]
                if fitting:
                    return [i for _, i in fitting], level, fitting[0][0]
        return [], Level.ENDING, Relation.NONE

    def near(self, name: str, most: int) -> list[int]:
        """The first paths that end with ``name``, or are the end of it, in the loosest writing."""
        parts = comparable(name, Level.ENDING)
        return list(islice(self._near(parts), most))

    def called(self, name: str, most: int) -> list[int]:
        """The first paths with the last part of ``name``, in any folder."""
        last = comparable(name, Level.ENDING)[-1:]
        return list(islice(self._beginning(_backwards(last)), most)) if last else []

    def _near(self, name: tuple[str, ...]) -> Iterator[int]:
        if name:
            yield from self._beginning(_backwards(name))
        for n in range(1, len(name)):
            yield from self._beginning(_backwards(name[-n:]), whole=True)

    def _beginning(self, key: str, whole: bool = False) -> Iterator[int]:
        """The paths that end as ``key`` says, or only those that have no more folders."""
        for i in range(bisect_left(self._keys, key), len(self._keys)):
            if self._keys[i] != key and (whole or not self._keys[i].startswith(key)):
                return
            yield self._order[i]


def _backwards(path: tuple[str, ...]) -> str:
    return "/".join(reversed(path)) + "/"
