"""The pictures of an import, by what a table says of them: the one file that it means, or none.

Looked for in folders and in zips, never outside them. In this order, and in all places together:

1. the file of exactly that name, seen from a folder, from one above it, or in a zip;
2. the one file whose path ends with the name ("1.png" is "photos/1.png"), or whose whole path is
   the end of the name ("images/1.png" is "1.png");
3. the same in ever looser writing: see ``Level``.

Where several files fit at one step and differ, none is taken; nor is a file in steps 2 and 3 that
another name in the table means too ("a/1.png" and "b/1.png" are not both "1.png").
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from threading import Lock
from typing import Any

from rivae.base.errors import shown, some_of
from rivae.data.importing.picture_cells import picture_cell
from rivae.data.importing.picture_index import MAX_FITTING, PathIndex
from rivae.data.importing.picture_names import Level, comparable, parts, remark, writings
from rivae.data.importing.picture_places import (
    AMBIGUOUS,
    OUTSIDE,
    Place,
    Zip,
    open_place,
    same_bytes,
)
from rivae.data.importing.report import UnusableError

MAX_FILES = 5_000_000  # looked through; a name is exact where there are more
MAX_SHARING = 50  # other names that may mean the same file; more are not looked at
MISSING = "picture file is missing"
UNLISTED = f"picture file is missing, and of more than {MAX_FILES:,} files no other is looked for"
SHARED = "picture name fits a file that another name in the table fits too"
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
        cells: gives the cells of all rows, which are asked for once, when the first name is not
            exact; by default names are not compared with each other.
        walk: look through folders for files of other paths too (steps 2 and 3), which takes some
            seconds for a million files, once, when the first name is not exact.

    Raises:
        DataError: for a place that does not exist or is a damaged zip.
    """

    def __init__(
        self,
        places: Sequence[Path],
        cells: Callable[[], Iterable[object]] = tuple,
        walk: bool = True,
    ) -> None:
        self._stack = ExitStack()
        self._places: list[Place] = []
        self._cells, self._walk, self._lock = cells, walk, Lock()
        self._paths = tuple(path.resolve() for path in places)
        self._file_index: tuple[PathIndex, list[_File]] | None = None
        self._name_index: PathIndex | None = None
        with ExitStack() as stack:
            for path in {path.resolve(): path for path in places}.values():
                place = open_place(path)
                if isinstance(place, Zip):
                    stack.callback(place.close)
                self._places.append(place)
            self._stack = stack.pop_all()

    def __reduce__(self) -> tuple[Any, ...]:
        """A worker of a cluster opens the places again."""
        return PictureFiles, (self._paths, self._cells, self._walk)

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
        picture = FoundPicture(data) if data is not None else self._named(name)
        if not others:
            return picture
        several = (FIRST_OF_SEVERAL, f"{shown(name)} and {others:,} more")
        return FoundPicture(picture.data, (several, *picture.remarks))

    def _named(self, name: str) -> FoundPicture:
        if exact := self._exact(name):
            return FoundPicture(self._one(name, exact))
        *_, name = writings(name)
        if ".." in parts(name):
            raise UnusableError(OUTSIDE)
        file, how = self._guessed(name)
        if not file:
            raise UnusableError(OUTSIDE if name.startswith("/") else MISSING, self._near(name))
        data = self._one(name, file)
        what = f"{shown(name, 60)} → {shown(file[0].path, 60)}"
        if how and (other := self._sharing(name, file)):
            raise UnusableError(SHARED, f"{what}, as {shown(other, 60)}")
        return FoundPicture(data, ((how, what),) if how else ())

    def _exact(self, name: str) -> list[_File]:
        """Step 1."""
        files = ((place, place.find(name)) for place in self._places)
        return [_File(place, path) for place, path in files if path is not None]

    def _guessed(self, name: str) -> tuple[list[_File], str]:
        """Steps 2 and 3, and the remark about what was guessed."""
        index, files = self._files()
        if len(files) > MAX_FILES:
            raise UnusableError(UNLISTED, shown(name))
        match = index.fitting(name)
        if match is None:
            raise UnusableError(AMBIGUOUS, f"{shown(name)} → more than {MAX_FITTING} files")
        positions, level, how = match
        fitting = [files[i] for i in positions]
        return fitting, remark(name, fitting[0].path, level, how) if fitting else ""

    def _sharing(self, name: str, files: Sequence[_File]) -> str:
        """Another name in the table that means one of these files; "" without."""
        name_index = self._names()
        near = {i for file in files for i in name_index.near(file.path, MAX_SHARING + 1)}
        own_parts = comparable(name, Level.CASE)
        others = [name_index.paths[i] for i in sorted(near)]
        others = [other for other in others if comparable(other, Level.CASE) != own_parts]
        if len(others) > MAX_SHARING:
            return others[0]
        for other in others:
            with suppress(UnusableError):  # too many fit it
                if set(files) & set(self._exact(other) or self._guessed(other)[0]):
                    return other
        return ""

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
        index, files = self._files()
        near = [files[i] for i in index.called(name, 2)]
        return f"{shown(name, 60)} (there is {self._all(near)})" if near else shown(name)

    def _files(self) -> tuple[PathIndex, list[_File]]:
        with self._lock:
            if self._file_index is None:
                places = [p for p in self._places if self._walk or isinstance(p, Zip)]
                all_files = (_File(place, path) for place in places for path in place.paths())
                files = list(islice(all_files, MAX_FILES + 1))
                self._file_index = PathIndex([file.path for file in files]), files
            return self._file_index

    def _names(self) -> PathIndex:
        with self._lock:
            if self._name_index is None:
                names: set[str] = set()
                for cell in self._cells():
                    with suppress(UnusableError):  # such a row is left out
                        name, data, _ = picture_cell(cell)
                        if data is None:
                            *_, name = writings(name)
                            names.add(name)
                self._name_index = PathIndex(sorted(names))
            return self._name_index
