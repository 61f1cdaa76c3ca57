"""The pictures of an import, by what a table says of them: the one file that it means, or none.

Looked for in folders and in zips, never outside them. In this order, and in all places together:

1. the file of exactly that name, seen from a folder, from one above it, or in a zip;
2. the one file whose path ends with the name ("1.png" is "photos/1.png"), or whose whole path is
   the end of the name ("images/1.png" is "1.png");
3. the same in ever looser writing: see ``Level``.

Where several files fit at one step and differ, none is taken.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from threading import Lock

from rivae.errors import shown, some_of
from rivae.importing.picture_cells import picture_cell
from rivae.importing.picture_names import (
    Level,
    Relation,
    comparable,
    parts,
    relation,
    remark,
    writings,
)
from rivae.importing.picture_places import (
    AMBIGUOUS,
    OUTSIDE,
    Place,
    Zip,
    open_place,
    same_bytes,
)
from rivae.importing.report import UnusableError

MAX_FILES = 5_000_000  # looked through; a name is exact where there are more
MAX_FITTING = 200  # files of nearly the same path, which are compared with a name one by one
MISSING = "picture file is missing"
UNLISTED = f"picture file is missing, and of more than {MAX_FILES:,} files no other is looked for"
FIRST_OF_SEVERAL = "the first of several pictures in a cell is taken"


@dataclass(frozen=True, slots=True)
class FoundPicture:
    """A picture as it is encoded.

    Attributes:
        remarks: kinds of what was guessed, each with "name in the table → file"; none where the
            file has the name, or where the picture stands in the table.
    """

    data: bytes
    remarks: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class _File:
    place: Place
    path: str

    def read(self) -> bytes:
        return self.place.read(self.path)


class PictureFiles:
    """Folders and zips with pictures; a context manager that closes the zips.

    Args:
        places: folders and zips; the same one twice counts once.
        walk: look through folders for files of other paths too (step 2 and 3), which takes some
            seconds for a million files, once, when the first name is not exact.

    Raises:
        DataError: for a place that does not exist or is a damaged zip.
    """

    def __init__(self, places: Sequence[Path], walk: bool = True) -> None:
        self._stack = ExitStack()
        self._places: list[Place] = []
        self._walk, self._lock = walk, Lock()
        self._paths: _Paths | None = None
        with ExitStack() as opened:
            for path in {path.resolve(): path for path in places}.values():
                place = open_place(path)
                if isinstance(place, Zip):
                    opened.callback(place.close)
                self._places.append(place)
            self._stack = opened.pop_all()

    def __enter__(self) -> PictureFiles:
        return self

    def __exit__(self, *error: object) -> None:
        self._stack.close()

    def read(self, cell: object) -> FoundPicture:
        """The picture that a cell of a table holds or names; from any thread.

        Raises:
            UnusableError: with the reason, and for its example with what was found instead.
        """
        name, data, others = picture_cell(cell)
        found = FoundPicture(data) if data is not None else self._named(name)
        if not others:
            return found
        several = (FIRST_OF_SEVERAL, f"{shown(name)} and {others:,} more")
        return FoundPicture(found.data, (several, *found.remarks))

    def _named(self, name: str) -> FoundPicture:
        exact = [
            _File(place, path) for place in self._places if (path := place.find(name)) is not None
        ]
        if exact:
            return FoundPicture(self._one(name, exact))
        *_, name = writings(name)
        if ".." in parts(name):
            raise UnusableError(OUTSIDE)
        found, said = self._listed().fitting(name)
        if not found:
            raise UnusableError(OUTSIDE if name.startswith("/") else MISSING, self._near(name))
        data = self._one(name, found)
        what = f"{shown(name, 60)} → {shown(found[0].path, 60)}"
        return FoundPicture(data, ((said, what),) if said else ())

    def _one(self, name: str, files: Sequence[_File]) -> bytes:
        files = list({(id(f.place), f.place.key(f.path)): f for f in reversed(files)}.values())
        data = same_bytes([file.read for file in files])
        if data is None:
            raise UnusableError(AMBIGUOUS, f"{shown(name, 60)} → {self._all(files)}")
        return data

    def _all(self, files: Sequence[_File]) -> str:
        several = len(self._places) > 1
        return some_of((f"{f.place.name}/{f.path}" if several else f.path for f in files), most=3)

    def _near(self, name: str) -> str:
        """The name, and files elsewhere that are called as it is, for an example."""
        near = self._listed().called(name, 2)
        return f"{shown(name, 60)} (there is {self._all(near)})" if near else shown(name)

    def _listed(self) -> _Paths:
        with self._lock:
            if self._paths is None:
                places = [p for p in self._places if self._walk or isinstance(p, Zip)]
                files = (_File(place, path) for place in places for path in place.paths())
                self._paths = _Paths(list(islice(files, MAX_FILES + 1)))
            return self._paths


class _Paths:
    """The paths of many files, looked up by their ends.

    They are kept in the loosest writing, last part first, in order: those that end alike lie side
    by side, and one is found as fast among millions as among ten.
    """

    def __init__(self, files: list[_File]) -> None:
        keys = [_backwards(comparable(file.path, Level.ENDING)) for file in files]
        order = sorted(range(len(keys)), key=keys.__getitem__)
        self._keys, self._files = [keys[i] for i in order], [files[i] for i in order]

    def fitting(self, name: str) -> tuple[list[_File], str]:
        """The files that ``name`` can mean at the first level where there are any, and what was
        guessed then.

        Raises:
            UnusableError: there are too many files, or so many nearly fit that they are not
                compared.
        """
        if len(self._files) > MAX_FILES:
            raise UnusableError(UNLISTED, shown(name))
        near = list(islice(self._near(comparable(name, Level.ENDING)), MAX_FITTING + 1))
        if len(near) > MAX_FITTING:
            raise UnusableError(AMBIGUOUS, f"{shown(name)} → more than {MAX_FITTING} files")
        for level in Level:
            wanted = comparable(name, level)
            found = [(relation(wanted, comparable(file.path, level)), file) for file in near]
            for relations in ((Relation.SAME,), (Relation.ENDS_WITH, Relation.END_OF)):
                fitting = [(how, file) for how, file in found if how in relations]
                if fitting:
                    how, first = fitting[0]
                    return [file for _, file in fitting], remark(name, first.path, level, how)
        return [], ""

    def called(self, name: str, most: int) -> list[_File]:
        """The first files with this name in any folder."""
        last = comparable(name, Level.ENDING)[-1:]
        return list(islice(self._beginning(_backwards(last)), most)) if last else []

    def _near(self, name: tuple[str, ...]) -> Iterator[_File]:
        if name:
            yield from self._beginning(_backwards(name))
        for n in range(1, len(name)):
            yield from self._beginning(_backwards(name[-n:]), whole=True)

    def _beginning(self, key: str, whole: bool = False) -> Iterator[_File]:
        """The files whose path ends as ``key`` says, or only those that have no more folders."""
        for i in range(bisect_left(self._keys, key), len(self._keys)):
            if self._keys[i] != key and (whole or not self._keys[i].startswith(key)):
                return
            yield self._files[i]


def _backwards(path: tuple[str, ...]) -> str:
    return "/".join(reversed(path)) + "/"
