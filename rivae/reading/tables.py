"""Tables: CSV, TSV, JSON lines (also gzipped), JSON lists and Parquet, record by record.

A faulty line becomes ``Broken``, and reading continues with the next one; a file that is mostly
broken, or that cannot be read to its end, is refused. Only one record is in memory.
"""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import zlib
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import IO, Any

from rivae.errors import DataError
from rivae.reading.json_records import JsonList, json_lines
from rivae.reading.parquet import column_names, open_parquet, parquet_rows
from rivae.reading.regular import open_regular

Record = dict[str, Any]
SUFFIXES = (".csv", ".tsv", ".txt", ".jsonl", ".ndjson", ".json", ".parquet")
MAX_FIELD = 4 * 2**20  # characters of a cell of CSV, or of a JSON line
MAX_RECORD = 16 * 2**20  # characters of a line, or of a CSV record over several
MAX_COLUMNS = 2_000
MAX_EMPTY = 100_000  # empty lines
MAX_SPAN = 100  # lines of a faulty CSV record, before a lost quotation mark is the likely fault
_AS_UTF_8 = "save it as UTF-8 (`rivae import` also takes --encoding {})"
MAX_BROKEN = 20  # from here on, half of the lines must be sound
# Deflate reaches 1000; tables of texts stay below 20.
MAX_RATIO, RATIO_FROM = 100, 4 * 2**20  # unpacked bytes per packed one, after so many bytes


@dataclass(frozen=True, slots=True)
class Broken:
    """A line that is not a record.

    Attributes:
        line: where it begins, counted from 1; of a JSON list, which element it is.
        reason: the kind of fault, the same for all such lines.
        detail: the fault of this line.
    """

    line: int
    reason: str
    detail: str


def records(path: Path, encoding: str = "utf-8") -> Iterator[Record]:
    """The records of ``path`` one after the other; all must be sound.

    Args:
        encoding: of text files; "utf-8" also takes a byte order mark.

    Raises:
        DataError: in one sentence, with the line where there is one.
    """
    for row in rows(path, encoding):
        if isinstance(row, Broken):
            raise DataError(f"{path.name}, line {row.line}: {row.detail}")
        yield row


def rows(
    path: Path, encoding: str = "utf-8", wanted: Collection[str] | None = None
) -> Iterator[Record | Broken]:
    """``records``, with a ``Broken`` in place of each that is not sound.

    Args:
        wanted: the columns whose cells are looked at, all by default; those of others may be None.

    Raises:
        DataError: in one sentence, when the file is not of its kind, or mostly broken.
    """
    kind = table_kind(path)
    if kind == ".parquet":
        with open_parquet(path) as file:
            check_header(path.name, column_names(file, path.name))
            yield from parquet_rows(file, path.name, wanted)
        return
    checked_encoding(encoding)
    try:
        with _text(path, encoding) as stream:
            if kind == ".json" and _begins_a_list(path, encoding):
                found = _list_rows(path, encoding)
            elif kind in (".jsonl", ".ndjson", ".json"):
                found = _json_rows(path, stream)
            else:
                found = _csv_rows(path, stream, "\t" if kind == ".tsv" else None)
            n_broken = 0
            for n, row in enumerate(found, start=1):
                if isinstance(row, Broken):
                    n_broken += 1
                    _check_share(path.name, n_broken, n, row)
                yield row
    except UnicodeDecodeError as error:
        raise DataError(
            f"{path.name} is not {encoding.upper()} text (byte {error.start}): "
            f"{_AS_UTF_8.format('latin-1')}"
        ) from error
    except UnicodeError as error:
        raise DataError(f"{path.name} is not {encoding.upper()} text: {error}") from error
    except (OSError, EOFError, zlib.error) as error:
        raise DataError(f"{path.name} cannot be read to its end: {error}") from error


def _check_share(name: str, n_broken: int, n: int, last: Broken) -> None:
    if n_broken >= MAX_BROKEN and 2 * n_broken > n:
        raise DataError(
            f"{name} is not a sound table: {n_broken:,} of its first {n:,} records are broken "
            f"(line {last.line}: {last.detail})"
        )


def table_kind(path: Path) -> str:
    """The suffix that says how ``path`` is read, without ".gz".

    Raises:
        DataError: when it is not a file, or of another kind.
    """
    if not path.is_file():
        raise DataError(f"{path} does not exist or is not a file: check the path")
    suffixes = [s.lower() for s in path.suffixes]
    if suffixes[-1:] == [".gz"]:
        suffixes.pop()
        if suffixes[-1:] == [".json"]:
            raise DataError(f"{path.name} is packed: unpack it first, or name JSON lines .jsonl.gz")
    kind = suffixes[-1] if suffixes else ""
    if kind not in SUFFIXES:
        raise DataError(f"{path.name} is not a table: give a file ending in {', '.join(SUFFIXES)}")
    return kind


def preview(path: Path, encoding: str = "utf-8", n: int = 200) -> list[Record]:
    """The sound ones of the first ``n`` records."""
    return [row for row in islice(rows(path, encoding), n) if not isinstance(row, Broken)]


def checked_encoding(encoding: str) -> str:
    """The name of a text encoding.

    Raises:
        DataError: for an unknown name.
    """
    try:
        return codecs.lookup(encoding).name
    except (LookupError, ValueError) as error:
        raise DataError(f"there is no text encoding '{encoding[:40]}': try utf-8") from error


def _text(path: Path, encoding: str) -> IO[str]:
    """The text of ``path``, unpacked, with its line ends as they are."""
    plain = open_regular(path)
    try:
        raw: Any = plain
        if path.suffix.lower() == ".gz":
            raw = io.BufferedReader(_Unpacked(plain, path.name))
        if checked_encoding(encoding) == "utf-8":
            encoding = "utf-8-sig"
            _refuse_utf_16(raw.peek(4096)[:4096], path.name)
        return io.TextIOWrapper(raw, encoding=encoding, newline="")
    except LookupError as error:
        plain.close()
        raise DataError(f"'{encoding[:40]}' is not a text encoding: try utf-8") from error
    except BaseException:
        plain.close()
        raise


def _refuse_utf_16(head: bytes, name: str) -> None:
    """UTF-16 text read as UTF-8 is full of zero bytes."""
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise DataError(f"{name} is UTF-16 text: {_AS_UTF_8.format('utf-16')}")
    if b"\0" in head:
        order = "le" if head[1::2].count(0) > head[::2].count(0) else "be"
        raise DataError(
            f"{name} holds zero bytes, as UTF-16 text does: {_AS_UTF_8.format(f'utf-16-{order}')}"
        )


class _Unpacked(io.RawIOBase):
    """The content of a gzip file, unless it is compressed more than any table of texts."""

    def __init__(self, plain: IO[bytes], name: str) -> None:
        self._plain, self._name, self._bytes = plain, name, 0
        self._stream = gzip.GzipFile(fileobj=plain, mode="rb")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._stream.read(len(buffer))
        buffer[: len(data)] = data
        self._bytes += len(data)
        if self._bytes > max(RATIO_FROM, MAX_RATIO * self._plain.tell()):
            raise DataError(
                f"{self._name} unpacks to more than {MAX_RATIO} times its size, as no table of "
                "texts does: unpack it first if it is sound"
            )
        return len(data)

    def close(self) -> None:
        self._plain.close()
        super().close()


def _json_rows(path: Path, stream: IO[str]) -> Iterator[Record | Broken]:
    broken: list[Broken] = []
    n = n_broken = 0

    def note(line: int, problem: str) -> None:
        nonlocal n, n_broken
        broken.append(Broken(line, f"line is {problem.split(':')[0]}", f"it is {problem}"))
        n, n_broken = n + 1, n_broken + 1
        _check_share(path.name, n_broken, n, broken[-1])  # they wait here for a sound line

    for line, value in json_lines(
        stream,
        name=path.name,
        max_line=MAX_FIELD,
        max_empty=MAX_EMPTY,
        mend=True,
        nan=True,
        broken=note,
    ):
        yield from broken
        broken.clear()
        n += 1
        yield _record(line, value, "line")
    yield from broken


def _begins_a_list(path: Path, encoding: str) -> bool:
    with open_regular(path) as stream:
        head = stream.read(4096).decode(encoding, "ignore")
    return head.lstrip("\ufeff \t\r\n").startswith("[")


def _list_rows(path: Path, encoding: str) -> Iterator[Record | Broken]:
    for number, value in enumerate(JsonList(path, encoding, "strict"), start=1):
        yield _record(number, value, "element")


def _record(number: int, value: Any, what: str) -> Record | Broken:
    """A JSON object as a record."""
    if not isinstance(value, dict):
        return Broken(number, f"{what} is no JSON object", "it is no JSON object with column names")
    if len(value) > MAX_COLUMNS:
        many = f"more than {MAX_COLUMNS:,} columns"
        return Broken(number, f"{what} has {many}", f"it has {many}")
    return value


class _Lines:
    """Lines of a text for the CSV reader, counted and of bounded length."""

    def __init__(self, stream: IO[str], name: str) -> None:
        self._stream, self._name = stream, name
        self._again: str | None = None
        self.number = 0  # of the line that was read last
        self.taken = 0  # characters since the last record

    def __iter__(self) -> _Lines:
        return self

    def __next__(self) -> str:
        line, self._again = self._again, None
        if line is None:
            line = self._stream.readline(MAX_RECORD)
            self.number += 1
        if not line:
            raise StopIteration
        self.taken += len(line)
        if self.taken >= MAX_RECORD:
            raise DataError(
                f"{self._name}, line {self.number}: a record of more than {MAX_RECORD // 2**20} "
                "million characters: is it a table, with its quotation marks closed?"
            )
        return line

    def peek(self) -> str:
        """The first line, which is then read again."""
        self._again = self._stream.readline(MAX_RECORD)
        self.number = 1
        return self._again


def _csv_rows(path: Path, stream: IO[str], delimiter: str | None) -> Iterator[Record | Broken]:
    csv.field_size_limit(MAX_FIELD)
    lines = _Lines(stream, path.name)
    if delimiter is None:
        delimiter = max(",;\t", key=lines.peek().count)
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    try:
        header = [name.strip() for name in next(reader, [])]
    except csv.Error as error:
        raise DataError(f"{path.name}, line 1: {error}") from error
    check_header(path.name, header)
    empty = 0
    while True:
        first, lines.taken = lines.number + 1, 0
        try:
            row = next(reader, None)
        except csv.Error as error:
            yield _broken_csv(path.name, first, lines.number, str(error))
            continue
        if row is None:
            return
        if not row:
            empty += 1
            if empty > MAX_EMPTY:
                raise DataError(f"{path.name} has more than {MAX_EMPTY:,} empty lines")
        elif len(row) != len(header):
            yield _broken_csv(
                path.name,
                first,
                lines.number,
                f"{len(row)} cells under {len(header)} column names; put quotes around cells with "
                f"'{delimiter}'",
            )
        else:
            yield dict(zip(header, row, strict=True))


def _broken_csv(name: str, first: int, last: int, problem: str) -> Broken:
    if "unexpected end" in problem or last - first > MAX_SPAN:
        raise DataError(
            f"{name}, line {first}: a quotation mark here is never closed, or only many lines "
            "later: close it, or double it inside a cell"
        )
    if "cells under" in problem:
        return Broken(first, "line has another number of cells than there are columns", problem)
    if "field larger" in problem:
        return Broken(first, f"cell longer than {MAX_FIELD // 2**20} million characters", problem)
    return Broken(first, "line has misplaced quotation marks", problem)


def check_header(name: str, header: list[str]) -> None:
    """Raise DataError for column names that cannot be told apart, or are too many, or none."""
    if len(header) > MAX_COLUMNS:
        raise DataError(f"{name} has more than {MAX_COLUMNS:,} columns")
    if not any(header):
        raise DataError(f"{name} is empty: its first line must name the columns")
    if len(set(header)) < len(header):
        twice = next(name for name in header if header.count(name) > 1)
        raise DataError(f"{name} names the column '{twice[:60]}' twice: rename one")
