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
from pathlib import Path
from typing import Any, BinaryIO, cast

from rivae.base.errors import DataError, shown
from rivae.base.reading.documents import parse_json
from rivae.base.reading.regular import begins_with, open_regular
from rivae.base.reading.row import MAX_COLUMNS, Broken, Record

KEY = "__key__"
MAX_MEMBER = 64 * 2**20  # bytes of a file in a tar
_TOO_LARGE = "a file of the sample is too large"
_NO_OBJECT = "the JSON of the sample is not sound"
_TOO_MANY = "the sample has too many files"
_GZIP = b"\x1f\x8b"
_ERRORS = (tarfile.TarError, OSError, EOFError, zlib.error, ValueError, OverflowError)


class _Bounded:
    """A stream that reads nothing larger than a member at once: headers may state any size."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self.seek, self.tell = stream.seek, stream.tell

    def read(self, n: int = -1) -> bytes:
        if not 0 <= n <= MAX_MEMBER + 1:
            raise tarfile.ReadError("a header states too large a size")
        return self._stream.read(n)


def tar_rows(path: Path, usecols: Collection[str] | None = None) -> Iterator[Record | Broken]:
    """The samples of a tar, packed with gzip or not, in their order.

    Args:
        usecols: the columns whose cells are looked at; those of other files are None.

    Raises:
        DataError: it is no tar, or cut off, or damaged.
    """
    try:
        with open_regular(path) as stream:
            if not begins_with(path, _GZIP):
                yield from _samples(path.name, cast("BinaryIO", stream), usecols)
                return
            with gzip.GzipFile(fileobj=stream) as unpacked:
                yield from _samples(path.name, cast("BinaryIO", unpacked), usecols)
    except _ERRORS as error:
        raise DataError(f"{path.name} cannot be read as a tar to its end: {error}") from error


def _samples(
    name: str, stream: BinaryIO, usecols: Collection[str] | None
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
            sample.add(ending, member, tar, usecols)
        # Python ends without a word where a header is damaged; its sample then lacks a file.
        stream.seek(tar.offset)
        if stream.read(tarfile.BLOCKSIZE) != bytes(tarfile.BLOCKSIZE):
            raise DataError(f"{name} has no end: it is cut off or damaged in sample {number:,}")
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
    ) -> None:
        is_json = ending.rpartition(".")[2] == "json"
        if len(self._files) >= MAX_COLUMNS:
            return self._break(_TOO_MANY, f"more than {MAX_COLUMNS:,}")
        if not is_json and usecols is not None and ending not in usecols:
            self._files.setdefault(ending, None)
            return None
        if member.size > MAX_MEMBER:
            return self._break(_TOO_LARGE, f"{shown(member.name, 60)}, {member.size:,} bytes")
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
