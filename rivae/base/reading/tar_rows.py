"""Tars of samples as WebDataset and img2dataset write them: a sample is the files of one name.

    0012.txt, 0012.seg, 0012.json   ->   {"__key__": "0012", "txt": …, "seg": …, …}

The endings are the columns; an object in a file that ends in "json" adds its fields, where no file
has that ending. Members are read one after the other, never unpacked onto the disk, and links among
them are passed over.
"""

from __future__ import annotations

import gzip
import tarfile
import zlib
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, cast

from rivae.base.errors import DataError, WorkStoppedError, shown
from rivae.base.reading.documents import parse_json
from rivae.base.reading.places import is_remote
from rivae.base.reading.regular import not_read, open_regular
from rivae.base.reading.row import MAX_COLUMNS, Broken, Record

KEY = "__key__"
MAX_MEMBER = 64 * 2**20  # bytes of a file in a tar
_TOO_LARGE = "a file of the sample is too large"
_NO_OBJECT = "the JSON of the sample is not sound"
_TOO_MANY = "the sample has too many files"
_GZIP = b"\x1f\x8b"
_ERRORS = (tarfile.TarError, OSError, EOFError, zlib.error, ValueError, OverflowError)


@dataclass(frozen=True)
class FilePart:
    """A file in a tar, which whoever needs it reads from there, also on another machine.

    Attributes:
        path: of the tar.
        offset, size: in bytes.
    """

    path: Path
    offset: int
    size: int

    def read(self) -> str | bytes:
        """What it holds, as a cell.

        Raises:
            WorkStoppedError: the tar cannot be read any more, or was changed.
        """
        try:
            with open_regular(self.path) as stream:
                stream.seek(self.offset)
                data = stream.read(self.size)
        except OSError as error:
            raise WorkStoppedError(f"{self.path.name} cannot be read any more: {error}") from error
        if len(data) < self.size:
            raise WorkStoppedError(f"{self.path.name} is shorter than it was: get it again")
        return _text_or_bytes(data)


class _Bounded:
    """A stream that reads nothing larger than a member at once: headers may state any size."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self.seek, self.tell = stream.seek, stream.tell

    def read(self, n: int = -1) -> bytes:
        if not 0 <= n <= MAX_MEMBER + 1:
            raise tarfile.ReadError("a header states too large a size")
        return self._stream.read(n)


def tar_rows(
    path: Path, usecols: Collection[str] | None = None, in_place: Collection[str] = ()
) -> Iterator[Record | Broken]:
    """The samples of a tar, packed with gzip or not, in their order.

    Args:
        usecols: the columns whose cells are looked at; those of other files are None.
        in_place: columns whose cells are a ``FilePart``, unless gzip has packed the tar. That of
            an object store is read on in any case: a request for each picture takes longer.

    Raises:
        DataError: it is no tar, or cut off, or damaged.
    """
    try:
        with open_regular(path) as stream:
            if stream.peek(2)[:2] != _GZIP:  # type: ignore[attr-defined]
                later = () if is_remote(path) else in_place
                yield from _samples(path, cast("BinaryIO", stream), usecols, later)
                return
            with gzip.GzipFile(fileobj=stream) as unpacked:
                yield from _samples(path, cast("BinaryIO", unpacked), usecols)
    except _ERRORS as error:
        words = f"{path.name} cannot be read as a tar to its end: {error}"
        raise not_read(words, error) from error


def _samples(
    path: Path,
    stream: BinaryIO,
    usecols: Collection[str] | None,
    in_place: Collection[str] = (),
) -> Iterator[Record | Broken]:
    bounded: Any = _Bounded(stream)
    with tarfile.TarFile(fileobj=bounded) as tar:
        number, sample = 0, _Sample("", 0)
        while member := tar.next():
            # A tar of millions would keep all of them.
            tar.members = []  # type: ignore[attr-defined]
            key, ending = _split(member.name)
            if not member.isreg() or not ending:
                continue
            if key != sample.key:
                if number:
                    yield sample.row()
                number += 1
                sample = _Sample(key, number)
            is_later = ending in in_place and not member.issparse()
            part = FilePart(path, member.offset_data, member.size) if is_later else None
            sample.add(ending, member, tar, usecols, part)
        # Python ends without a word where a header is damaged; its sample then lacks a file.
        stream.seek(tar.offset)
        if stream.read(tarfile.BLOCKSIZE) != bytes(tarfile.BLOCKSIZE):
            raise DataError(
                f"{path.name} has no end: it is cut off or damaged in sample {number:,}"
            )
        if number:
            yield sample.row()


def _split(name: str) -> tuple[str, str]:
    """The key and the ending of a member; no ending for what belongs to no sample."""
    folder, _, file = name.removeprefix("./").rpartition("/")
    stem, _, ending = file.partition(".")
    if not stem:  # hidden, also what macOS adds
        return "", ""
    return f"{folder}/{stem}" if folder else stem, ending.lower()


class _Sample:
    """The files of one key so far."""

    def __init__(self, key: str, number: int) -> None:
        self.key, self._number = key, number
        self._files: Record = {KEY: key}
        self._objects: list[Record] = []
        self._fault: Broken | None = None

    def add(
        self,
        ending: str,
        member: tarfile.TarInfo,
        tar: tarfile.TarFile,
        usecols: Collection[str] | None,
        part: FilePart | None,
    ) -> None:
        """A file of the sample; a ``part`` is where it is read later."""
        is_json = ending.rpartition(".")[2] == "json"
        is_read = is_json or usecols is None or ending in usecols
        if not self._has_room_for(member.name, member.size if is_read else 0):
            return None
        if not is_read:
            self._files.setdefault(ending, None)
            return None
        if part is not None and not is_json:
            self._files[ending] = part
            return None
        content = tar.extractfile(member)
        data = content.read() if content is not None else b""
        if not is_json:
            self._files[ending] = _text_or_bytes(data)
            return None
        try:
            value = parse_json(data, nan=True, mend=True)
        except DataError as error:
            return self._break(_NO_OBJECT, f"{shown(member.name, 60)}: {error}")
        if isinstance(value, dict):
            self._objects.append(value)
        else:
            self._files[ending] = value
        return None

    def _has_room_for(self, name: str, size: int) -> bool:
        if len(self._files) >= MAX_COLUMNS:
            self._break(_TOO_MANY, f"more than {MAX_COLUMNS:,}")
        elif size > MAX_MEMBER:
            self._break(_TOO_LARGE, f"{shown(name, 60)}, {size:,} bytes")
        else:
            return True
        return False

    def _break(self, reason: str, detail: str) -> None:
        self._fault = self._fault or Broken(self._number, reason, detail)

    def row(self) -> Record | Broken:
        """The sample; as the files are named, whatever an object says of the same name."""
        row: Record = {}
        for fields in self._objects:
            row |= fields
        row = {**row, **self._files}
        if self._fault is None and len(row) > MAX_COLUMNS:
            self._break(_TOO_MANY, f"more than {MAX_COLUMNS:,} fields")
        return self._fault or row


def _text_or_bytes(data: bytes) -> str | bytes:
    if b"\0" in data[:1000]:
        return data
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data
