"""Folders and zips that hold pictures: which files are there, and their bytes.

A zip is read member by member and never unpacked onto the disk, and no name leads out of a folder.
"""

from __future__ import annotations

import os
import zipfile
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import suppress
from functools import lru_cache, partial
from pathlib import Path
from typing import Protocol

from rivae.base.errors import DataError, shown
from rivae.base.reading.regular import is_file, read_at_most
from rivae.data.importing.picture_names import parts, writings
from rivae.data.importing.report import UnusableError
from rivae.data.npz import UNPACKING_ERRORS

MAX_PICTURE_BYTES = 64 * 2**20  # of one encoded picture
TOO_LARGE = f"picture file is larger than {MAX_PICTURE_BYTES // 2**20} MiB"
OUTSIDE = "picture path leads out of the picture folder"
AMBIGUOUS = "picture name fits several files"
MAX_COMPARED = 4  # files of one name; more are not read to see whether they are the same
# How a zip names files that it does not mark as UTF-8, each tried as it is: macOS, Windows in
# the West, Russia, Japan, China and Korea. A name in Unicode is equal to one of them at most.
_ENCODINGS = ("utf-8", "cp437", "cp850", "cp1252", "cp866", "cp932", "gb18030", "cp949")
_UTF_8 = 0x800  # the mark


class Place(Protocol):
    """Where pictures are.

    Attributes:
        name: for a sentence.
    """

    name: str

    def find(self, name: str) -> str | None:
        """The path in here of the file that has exactly this name; None where there is none."""
        ...

    def paths(self) -> Iterator[str]:
        """The paths of all files, without what macOS adds to a zip."""
        ...

    def key(self, path: str) -> Hashable:
        """What is the same for two paths of one file in here."""
        ...

    def read(self, path: str) -> bytes:
        """The bytes of a file that ``find`` or ``paths`` named.

        Raises:
            UnusableError: it cannot be read, is too large, or leads out.
        """
        ...


def open_place(path: Path) -> Folder | Zip:
    """The folder or zip at ``path``.

    Raises:
        DataError: it does not exist, or is a damaged zip.
    """
    return Folder(path) if path.is_dir() else Zip(path)


class Folder:
    """A folder; see ``Place``."""

    def __init__(self, path: Path) -> None:
        self.name = path.name or str(path)
        self._root = path.resolve()
        # Absolute names in a table may lead through a link, as ``path`` does.
        self._roots = tuple(dict.fromkeys((self._root, Path(os.path.normpath(path.absolute())))))
        self._within = [str(root).rstrip(os.sep) + os.sep for root in self._roots]

    def find(self, name: str) -> str | None:
        """The path of a file by its name, seen from this folder or from one above it."""
        for writing in writings(name):
            for full in map(os.path.normpath, self._leads_to(writing)):
                for within in self._within:
                    path = full[len(within) :] if full.startswith(within) else ""
                    if path and is_file(self._root / path):
                        return path
        return None

    def _leads_to(self, name: str) -> Iterator[str]:
        """What ``name`` can mean from here, and from every folder above: "photos/1.png" is "1.png"
        in the folder "photos", and so is "../photos/1.png".
        """
        if Path(name).is_absolute():
            yield name
            with suppress(OSError, RuntimeError):  # RuntimeError: links in a circle
                yield str(Path(name).resolve())
            return
        yield self._within[0] + name
        first = parts(name)[:1]
        for root in self._roots:
            if first == ("..",) or set(first) & set(root.parts):
                yield from (f"{base}{os.sep}{name}" for base in (root, *root.parents))

    def paths(self) -> Iterator[str]:
        """Links to folders are not followed; a folder that cannot be read is passed over."""
        waiting = [""]
        while waiting:
            inner = waiting.pop()
            with suppress(OSError), os.scandir(self._root / inner) as entries:
                for entry in entries:
                    path = f"{inner}/{entry.name}" if inner else entry.name
                    with suppress(OSError):  # a link that leads in a circle
                        if entry.is_dir(follow_symlinks=False):
                            waiting.append(path)
                        elif entry.is_file() and not entry.name.startswith("._"):
                            yield path

    def key(self, path: str) -> Hashable:
        """See ``Place``."""
        return path

    def read(self, path: str) -> bytes:
        """See ``Place``."""
        full = self._root / path
        try:
            if not os.path.realpath(full).startswith(self._within[0]):
                raise UnusableError(OUTSIDE)
            data = read_at_most(full, MAX_PICTURE_BYTES)
        except OSError as error:
            raise UnusableError("picture file cannot be read") from error
        if data is None:
            raise UnusableError(TOO_LARGE)
        return data


class Zip:
    """A zip, open until ``close``; see ``Place``."""

    def __init__(self, path: Path) -> None:
        if not path.is_file():
            raise DataError(f"{path} does not exist: give the folder or zip with the pictures")
        self.name = path.name
        try:
            self._archive = zipfile.ZipFile(path)
        except UNPACKING_ERRORS as error:
            raise DataError(f"{path.name} is neither a folder nor a sound zip: {error}") from error
        # A name can occur more than once.
        self._members: dict[str, tuple[zipfile.ZipInfo, ...]] = {}
        for info in self._archive.infolist():
            for name in () if info.is_dir() else _names(info):
                self._add(name.replace("\\", "/"), info)

    def _add(self, name: str, info: zipfile.ZipInfo) -> None:
        path = "/".join(parts(name))
        if path and not name.endswith("/") and ".." not in name.split("/"):
            members = self._members.get(path, ())
            if len(members) <= MAX_COMPARED:
                self._members[path] = (*members, info)

    def close(self) -> None:
        """Close the file."""
        self._archive.close()

    def find(self, name: str) -> str | None:
        """See ``Place``."""
        for path in _exactly(name):
            if path in self._members:
                return path
        return None

    def paths(self) -> Iterator[str]:
        """See ``Place``."""
        for path in self._members:
            if not path.startswith("__MACOSX/") and "/._" not in path:
                yield path

    def key(self, path: str) -> Hashable:
        """See ``Place``: a member may have a name in every encoding."""
        return self._members[path]

    def read(self, path: str) -> bytes:
        """See ``Place``; a name that occurs twice with other bytes is one that fits several."""
        members = self._members[path]
        data = same_bytes([partial(self._unpacked, info) for info in members])
        if data is None:
            twice = f"{shown(path)} is more than once in {shown(self.name, 40)}"
            raise UnusableError(AMBIGUOUS, twice)
        return data

    def _unpacked(self, info: zipfile.ZipInfo) -> bytes:
        if info.file_size > MAX_PICTURE_BYTES:
            raise UnusableError(TOO_LARGE)
        try:
            with self._archive.open(info) as stream:
                # The zip's directory may state a wrong size.
                data = stream.read(MAX_PICTURE_BYTES + 1)
        except UNPACKING_ERRORS as error:
            raise UnusableError("picture cannot be unpacked from its zip") from error
        if len(data) > MAX_PICTURE_BYTES:
            raise UnusableError(TOO_LARGE)
        return data


@lru_cache(maxsize=64)  # every zip is asked for it
def _exactly(name: str) -> tuple[str, ...]:
    """The paths in a zip of a file that has exactly this name."""
    paths = (path for writing in writings(name) for path in (writing, "/".join(parts(writing))))
    return tuple(dict.fromkeys(paths))


def same_bytes(files: Sequence[Callable[[], bytes]]) -> bytes | None:
    """What all of these files hold; None where they differ, or are too many to be compared."""
    if len(files) > MAX_COMPARED:
        return None
    first, *others = files
    data = first()
    return data if all(read() == data for read in others) else None


def _names(info: zipfile.ZipInfo) -> list[str]:
    """The names that a member may have: one, unless its zip does not say in what encoding it is."""
    name = info.filename
    if name.isascii() or info.flag_bits & _UTF_8:
        return [name]
    try:
        raw = name.encode("cp437")  # as which it was read
    except UnicodeEncodeError:
        return [name]
    places = []
    for encoding in _ENCODINGS:
        with suppress(UnicodeDecodeError):
            places.append(raw.decode(encoding))
    return list(dict.fromkeys(places))
